//! Why a call of a tool, or of another server, has no result.

use crate::domain::error::{Error, TransientFault};
use crate::net::{NetError, parse_retry_after, status_may_pass};
use std::fmt;

/// Why a call of a tool, or of another server, has no result. Its words are what a model reads; its kind says whether the
/// same call is worth another try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallError {
    /// The other side was busy, unreachable or too slow.
    MayPass(TransientFault),
    /// The same call fails again: the arguments do not fit, the code threw, the other side refused.
    Lasting(String),
    /// The run was stopped.
    Cancelled,
}

impl CallError {
    /// What may pass, and when the other side asked to be tried again.
    #[must_use]
    pub const fn may_pass(message: String, retry_after_seconds: Option<u64>) -> Self {
        Self::MayPass(TransientFault { message, retry_after_seconds })
    }

    /// What an answer with this status means; `wait` is how long the other side asked to wait, as its header says it.
    #[must_use]
    pub(crate) fn from_status(status: u16, message: String, wait: Option<&str>) -> Self {
        if status_may_pass(status) {
            Self::may_pass(message, wait.and_then(parse_retry_after))
        } else {
            Self::Lasting(message)
        }
    }

    /// Why a request came to no answer, in these words.
    #[must_use]
    pub(crate) fn from_net(error: &NetError, message: String) -> Self {
        match error {
            NetError::Cancelled => Self::Cancelled,
            passing if passing.may_pass() => Self::may_pass(message, None),
            _ => Self::Lasting(message),
        }
    }

    /// With other words around its own.
    #[must_use]
    pub fn reworded(self, words: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::MayPass(fault) => Self::may_pass(words(&fault.message), fault.retry_after_seconds),
            Self::Lasting(text) => Self::Lasting(words(&text)),
            Self::Cancelled => Self::Cancelled,
        }
    }

    /// As the failure of the card that called.
    #[must_use]
    pub fn at(self, label: &str) -> Error {
        match self.reworded(|text| format!("{label}: {text}")) {
            Self::MayPass(fault) => Error::Transient(fault),
            Self::Lasting(text) => Error::RunFailed(text),
            Self::Cancelled => Error::Cancelled,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MayPass(fault) => f.write_str(&fault.message),
            Self::Lasting(text) => f.write_str(text),
            Self::Cancelled => Error::Cancelled.fmt(f),
        }
    }
}

impl From<String> for CallError {
    fn from(text: String) -> Self {
        Self::Lasting(text)
    }
}

impl From<&str> for CallError {
    fn from(text: &str) -> Self {
        Self::Lasting(text.to_owned())
    }
}

/// What is asked of other cards fails in their words.
impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        match error {
            Error::Cancelled => Self::Cancelled,
            passing if passing.may_pass() => {
                Self::may_pass(passing.to_string(), passing.retry_after_seconds())
            }
            lasting => Self::Lasting(lasting.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_in_a_tool_may_pass_in_its_card() {
        let busy = CallError::may_pass("It is busy.".to_owned(), Some(7)).at("Tool");
        assert_eq!((busy.to_string().as_str(), busy.retry_after_seconds()), ("Tool: It is busy.", Some(7)));
        assert!(!CallError::from("No.").at("Tool").may_pass());
        assert!(matches!(CallError::Cancelled.at("Tool"), Error::Cancelled));
    }

    #[test]
    fn a_status_that_may_pass_brings_its_wait() {
        let told = |status| CallError::from_status(status, "No.".to_owned(), Some("7"));
        for status in [408, 409, 425, 429, 500, 503, 599] {
            assert_eq!(told(status), CallError::may_pass("No.".to_owned(), Some(7)), "{status}");
        }
        for status in [300, 400, 401, 403, 404, 410, 422] {
            assert_eq!(told(status), CallError::from("No."), "{status}");
        }
    }

    #[test]
    fn a_failure_of_another_card_keeps_its_kind_and_its_words() {
        let throttled = CallError::from(Error::ProviderThrottled { retry_after_seconds: 9 });
        assert!(matches!(&throttled, CallError::MayPass(fault) if fault.retry_after_seconds == Some(9)));
        assert!(throttled.to_string().contains("limiting requests"), "{throttled}");
        assert_eq!(CallError::from(Error::RunFailed("x".into())), CallError::from("x"));
        assert_eq!(CallError::from(Error::Cancelled), CallError::Cancelled);
    }
}
