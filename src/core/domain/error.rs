//! What an operation can fail with. The one map from these to HTTP is `http/reply/error.rs`.

pub use super::conflict::Conflict;
use super::damage::Damage;
use super::ids::FlowId;
use super::predictions::consumption::BudgetRefusal;
use super::triggers::webhook_signature::SignatureFault;
use super::workspace::quota::QuotaRefusal;
use crate::base::cancel::CancelToken;
use std::fmt;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation did not do what was asked. Every text here may be shown to the caller: it says what to
/// fix, and never holds a path, a secret or another caller's value.
#[derive(Debug)]
pub enum Error {
    /// The request itself is wrong (400).
    Invalid(String),
    /// The request asks, by this parameter, for what is not done here (400).
    Unsupported { parameter: &'static str, message: &'static str },
    /// Who is asking was not proven (401).
    Unauthorized(Unauthorized),
    /// The caller is known and may not (403).
    Forbidden(String),
    /// A page of this origin may not ask this flow (403); the text is the flow's configured message.
    OriginRefused(String),
    /// There is no such thing, or none the caller may see (404).
    NotFound(String),
    /// What was called takes another method (405).
    MethodRefused {
        /// The method that it takes.
        allow: String,
    },
    /// What was called takes a body of another type (415).
    MediaType(String),
    /// The request contradicts an earlier one that it says it repeats (422).
    Contradiction(String),
    /// The request does not fit the present state (409).
    Conflict(Conflict),
    /// There is no room for it (409, 413, 507).
    QuotaExceeded(FullQuota),
    /// The flow's own rate limit was reached (429, plain text).
    RateLimited(RateLimitExceeded),
    /// The budget of the flow, the key or the workspace is used up for today (429, manual 5.16).
    BudgetUsedUp(BudgetRefusal),
    /// Too many failed attempts; wait before the next one (429).
    TooManyAttempts {
        /// Seconds until another attempt is judged.
        retry_after_seconds: u64,
    },
    /// As many checks are under way as there may be at once (429).
    TooManyChecks,
    /// The model provider kept answering 429 (manual 2.10).
    ProviderThrottled {
        /// Seconds the provider asked to wait, or the default.
        retry_after_seconds: u64,
    },
    /// The flow failed while it ran (500); the text names the card.
    RunFailed(String),
    /// As [`Self::RunFailed`], for what may pass: the other side was busy, unreachable or too slow.
    Transient(TransientFault),
    /// The service is shutting down or full (503).
    Unavailable(UnavailableReason),
    /// The run was ended because its caller left.
    Cancelled,
    /// Something stored is not what was stored (500); the log names it too.
    Damaged(Damage),
    /// A fault of the service itself (500). The caller sees a fixed sentence; the log gets the cause.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

/// Which proof was missing (401).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unauthorized {
    /// No key, a wrong key, or no session where one is needed.
    NoProof,
    SessionExpired,
    /// E-mail or password is wrong: never which.
    WrongPassword,
    /// A signed-in person did not know their own password.
    WrongCurrentPassword,
    /// A pipeline is asked that no key is bound to: nobody can prove that they may start it.
    PipelineWithoutKey,
    /// A call of a webhook does not prove that it knows the secret.
    Signature(SignatureFault),
}

impl Unauthorized {
    /// The sentence the caller reads.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NoProof => "Unauthorized",
            Self::SessionExpired => "Token Expired",
            Self::WrongPassword => "The e-mail or the password is wrong.",
            Self::WrongCurrentPassword => "The current password is not right.",
            Self::PipelineWithoutKey => {
                "Whoever asks a pipeline starts it, which takes an API key that it is bound to, and it is bound to none."
            }
            Self::Signature(fault) => fault.message(),
        }
    }
}

/// Why the service cannot take the request now (503).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnavailableReason {
    /// It is stopping (manual 13.6).
    Restarting,
    /// As many runs as it allows are under way.
    Busy,
}

/// A failure of another server that the same request may not meet again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransientFault {
    /// Names the card.
    pub message: String,
    /// How long the other server asked to wait, in seconds.
    pub retry_after_seconds: Option<u64>,
}

/// A refused request of a rate-limited flow (manual 2.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitExceeded {
    pub message: String,
    /// The state of the window, for the headers.
    pub window: super::flows::rate_limit::WindowState,
}

/// What has no room for more (manual 4.4, 5.17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FullQuota {
    /// The conversation holds as many files as one may (413).
    Conversation,
    /// The files of the workspace's conversations are as large as they may be (507).
    Workspace,
    /// The disk is nearly full (507).
    Disk,
    /// What the owner lets the workspace hold is reached (409; for files 507).
    OwnersBound(QuotaRefusal),
}

/// The sentence the caller reads.
impl fmt::Display for FullQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conversation => f.write_str(
                "This conversation holds as many files as one may. Start a new conversation, or send fewer files.",
            ),
            Self::Workspace => f.write_str(
                "This workspace holds as many files of conversations as it may. Delete conversations that are not needed.",
            ),
            Self::Disk => f.write_str(
                "This server has no room for files at the moment. Ask its operator to free some space.",
            ),
            Self::OwnersBound(refusal) => refusal.fmt(f),
        }
    }
}

impl From<QuotaRefusal> for Error {
    fn from(refusal: QuotaRefusal) -> Self {
        Self::QuotaExceeded(FullQuota::OwnersBound(refusal))
    }
}

/// `1 person has`, `2 people have`.
#[must_use]
pub fn count_phrase(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

impl Error {
    /// Ends what goes on for a while once its token is cancelled.
    ///
    /// # Errors
    /// [`Self::Cancelled`] then.
    pub fn check_cancelled(cancel: &CancelToken) -> Result<()> {
        if cancel.reason().is_some() { Err(Self::Cancelled) } else { Ok(()) }
    }

    /// The 404 of a thing of this kind; the id is the one the caller sent.
    #[must_use]
    pub fn no_such(what: &str, id: &str) -> Self {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
        Self::NotFound(format!("{what} {shown} not found"))
    }

    /// The 404 of a flow, which names the id the caller sent (manual 1.4).
    #[must_use]
    pub fn no_flow(id: &FlowId) -> Self {
        Self::no_flow_text(&id.to_string())
    }

    /// As [`Self::no_flow`], for an id that is not even a UUID: the two answers are alike.
    #[must_use]
    pub fn no_flow_text(id: &str) -> Self {
        Self::no_such("Chatflow", id)
    }

    /// A 400 with this text.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::Invalid(text.into())
    }

    /// A 401 without a hint.
    #[must_use]
    pub const fn unauthorized() -> Self {
        Self::Unauthorized(Unauthorized::NoProof)
    }

    /// What a log says of it. The text of an error is for the caller: it may hold what a person asked, what code threw
    /// or what a provider answered. So a log names the kind alone, and the causes of what the service itself got wrong.
    #[must_use]
    pub fn for_log(&self) -> String {
        let kind = match self {
            Self::Invalid(_) | Self::Unsupported { .. } => "something in the request is wrong",
            Self::Unauthorized(_) => "nobody proved who asks",
            Self::Forbidden(_) => "the caller may not do this",
            Self::OriginRefused(_) => "the flow does not admit this page",
            Self::NotFound(_) => "what was asked for is not there",
            Self::MethodRefused { .. } => "the method is not one that is taken",
            Self::MediaType(_) => "the body is of another type",
            Self::Contradiction(_) => "it contradicts an earlier request",
            Self::Conflict(_) => "it does not fit the present state",
            Self::QuotaExceeded(_) => "a quota has no room for it",
            Self::RateLimited(_) => "the rate limit of the flow was reached",
            Self::BudgetUsedUp(_) => "the daily budget is used up",
            Self::TooManyAttempts { .. } => "there were too many failed attempts",
            Self::TooManyChecks => "as many checks run as there may be at once",
            Self::ProviderThrottled { .. } => "the provider is limiting requests",
            Self::RunFailed(_) | Self::Transient(_) => "a card of the flow failed",
            Self::Unavailable(_) => "the service is stopping or full",
            Self::Cancelled => "it was stopped",
            Self::Internal(cause) => return causes(cause.as_ref()),
            Self::Damaged(what) => return what.to_string(),
        };
        kind.to_owned()
    }

    /// True when nothing was changed: the operation was refused. After a fault of the service nobody knows, because a commit
    /// that failed may have reached the disk all the same; what belongs to it must stay then.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        !matches!(self, Self::Internal(_) | Self::Damaged(_))
    }

    /// What may pass, where nobody said when.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::Transient(TransientFault { message: message.into(), retry_after_seconds: None })
    }

    /// True for what the same request may not meet again.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Transient(_) | Self::ProviderThrottled { .. })
    }

    /// How long the other side asked to wait, in seconds.
    #[must_use]
    pub const fn retry_after_seconds(&self) -> Option<u64> {
        match self {
            Self::Transient(fault) => fault.retry_after_seconds,
            Self::ProviderThrottled { retry_after_seconds } => Some(*retry_after_seconds),
            _ => None,
        }
    }

    /// A fault of the service, with its cause for the log.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }
}

impl Error {
    /// The same as a failure of a card: what may pass still may, and what is the service's own stays so.
    #[must_use]
    pub fn of_card(self, label: &str) -> Self {
        match self {
            Self::Transient(fault) => {
                Self::Transient(TransientFault { message: format!("{label}: {}", fault.message), ..fault })
            }
            same @ (Self::ProviderThrottled { .. }
            | Self::QuotaExceeded(FullQuota::OwnersBound(_))
            | Self::Cancelled
            | Self::Unavailable(_)
            | Self::Internal(_)
            | Self::Damaged(_)) => same,
            other => Self::RunFailed(format!("{label}: {other}")),
        }
    }
}

/// Longest text of causes in a log, in characters.
const CAUSES_CHARACTERS_MAX: usize = 4_000;

/// A cause and what caused it. A reader of JSON quotes what it read, which may be anybody's words: of it only the place.
fn causes(first: &(dyn std::error::Error + 'static)) -> String {
    let mut told = Vec::new();
    let mut next = Some(first);
    while let Some(cause) = next {
        told.push(match cause.downcast_ref::<serde_json::Error>() {
            Some(json) => {
                format!("JSON that cannot be read, at line {} column {}", json.line(), json.column())
            }
            None => cause.to_string(),
        });
        next = cause.source();
    }
    let told = told.join(": ");
    told.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CAUSES_CHARACTERS_MAX).collect()
}

impl From<Conflict> for Error {
    fn from(conflict: Conflict) -> Self {
        Self::Conflict(conflict)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text)
            | Self::Forbidden(text)
            | Self::OriginRefused(text)
            | Self::NotFound(text)
            | Self::MediaType(text)
            | Self::Contradiction(text)
            | Self::RunFailed(text) => f.write_str(text),
            Self::Unsupported { message, .. } => f.write_str(message),
            Self::MethodRefused { allow } => write!(f, "This address takes {allow} only."),
            Self::Unauthorized(why) => f.write_str(why.message()),
            Self::Transient(fault) => f.write_str(&fault.message),
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::QuotaExceeded(full) => full.fmt(f),
            Self::RateLimited(limited) => f.write_str(&limited.message),
            Self::BudgetUsedUp(refusal) => write!(f, "{refusal}"),
            Self::TooManyAttempts { retry_after_seconds } => {
                write!(f, "Too many failed attempts. Try again in {retry_after_seconds} seconds.")
            }
            Self::TooManyChecks => {
                f.write_str("Too many checks are running on this server. Try again in a minute.")
            }
            Self::ProviderThrottled { retry_after_seconds } => write!(
                f,
                "The model provider is limiting requests. Try again in {retry_after_seconds} seconds."
            ),
            Self::Unavailable(UnavailableReason::Restarting) => {
                f.write_str("The service is restarting. Try again in a minute.")
            }
            Self::Unavailable(UnavailableReason::Busy) => {
                f.write_str("The service is running as many flows as it can. Try again in a moment.")
            }
            Self::Cancelled => f.write_str("The run was stopped."),
            Self::Damaged(damage) => damage.fmt(f),
            Self::Internal(_) => f.write_str("The service failed to do this. Its log says why."),
        }
    }
}

impl std::error::Error for Error {}
