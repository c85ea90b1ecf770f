//! What a copy or a read came to, in words and as a move of the machine.

use crate::domain::error::{Conflict, Error};
use crate::domain::remote::copy_state::{Failure, StopReason};
use crate::history::remote::RemoteError;
use crate::net::NetError;

/// What a copy or a read came to.
pub(super) enum Outcome {
    /// Everything is there. A copy says how many versions went over.
    Done {
        versions: usize,
    },
    Failed(Failure),
    Stopped(StopReason),
    /// It was cut off, and says nothing of the host.
    GivenUp,
}

impl Outcome {
    /// What a fault means for the copy: what the host reports of its branch needs the owner, and everything else is tried again.
    pub(super) fn of_fault(fault: RemoteError, host: &str) -> Self {
        match fault {
            RemoteError::Cancelled | RemoteError::Net(NetError::Cancelled) => Self::GivenUp,
            RemoteError::Foreign(_) => Self::Stopped(StopReason::ForeignCommits),
            RemoteError::Declined(answer) => Self::Stopped(StopReason::Declined { answer }),
            RemoteError::Secret(found) => Self::Stopped(StopReason::SecretFound {
                version: found.version,
                pattern: found.family.to_owned(),
            }),
            RemoteError::Throttled { seconds } => {
                Self::Failed(Failure { message: sentence(&fault, host), wait_seconds: seconds })
            }
            fault => Self::Failed(Failure { message: sentence(&fault, host), wait_seconds: None }),
        }
    }

    /// A fault of the service itself.
    pub(super) fn of_error(error: &Error) -> Self {
        Self::Failed(Failure { message: error.to_string(), wait_seconds: None })
    }
}

/// What somebody who connects a repository hears of a fault.
pub(super) fn connect_error(fault: RemoteError, host: &str) -> Error {
    match fault {
        RemoteError::Cancelled | RemoteError::Net(NetError::Cancelled) => Error::Cancelled,
        RemoteError::Foreign(_) | RemoteError::OtherReferences => {
            Conflict::OtherContent { host: host.to_owned() }.into()
        }
        RemoteError::History(fault) => crate::ops::flows::versions::history_error(fault),
        fault => Error::invalid(sentence(&fault, host)),
    }
}

/// One sentence for the owner, which names the host.
fn sentence(fault: &RemoteError, host: &str) -> String {
    match fault {
        RemoteError::Net(fault @ NetError::Broken(_)) => format!("{host} gave no whole answer: {fault}."),
        RemoteError::Net(fault) => format!("{host} could not be reached: {fault}."),
        RemoteError::TokenRefused => format!("{host} did not accept the token."),
        RemoteError::NoRepository => {
            format!("{host} has no such repository, or none that this token may use.")
        }
        RemoteError::Redirected => {
            format!("The repository moved: {host} answered with a redirect, which is not followed.")
        }
        RemoteError::ReadOnly => format!("The repository at {host} is archived or read-only."),
        RemoteError::NotGit => format!("{host} did not answer as a git server."),
        RemoteError::Outdated => format!("The git server of {host} is too old."),
        RemoteError::Said(line) => format!("{host} could not do it: {line}"),
        RemoteError::Moved => format!("The main branch at {host} moved while it was copied to."),
        RemoteError::OtherReferences => {
            format!("The repository at {host} has other branches or tags and no main branch.")
        }
        RemoteError::Throttled { seconds: Some(seconds) } => {
            format!("{host} asks to wait {seconds} seconds.")
        }
        RemoteError::Throttled { seconds: None } => format!("{host} asks to wait."),
        RemoteError::Status(status) => format!("{host} answered with status {status}."),
        RemoteError::Broken => format!("The answer of {host} was cut off or damaged."),
        RemoteError::ObjectFormat => {
            "This repository uses an object format that is not supported. Make it with SHA-1.".to_owned()
        }
        RemoteError::Refused(why) => format!("The history at {host} is refused: {why}."),
        RemoteError::History(fault) => fault.to_string(),
        RemoteError::Foreign(_) => StopReason::ForeignCommits.message(host),
        RemoteError::Declined(answer) => StopReason::Declined { answer: answer.clone() }.message(host),
        RemoteError::Secret(found) => {
            let pattern = found.family.to_owned();
            StopReason::SecretFound { version: found.version, pattern }.message(host)
        }
        RemoteError::Cancelled => "The copy was stopped.".to_owned(),
    }
}
