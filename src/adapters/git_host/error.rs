//! Why the host's API did not do what was asked.

use crate::domain::conflict::Conflict;
use crate::domain::error::Error;
use crate::domain::remote::git_host::GitHost;
use crate::net::NetError;

/// Why the host's API did not do what was asked. None of it holds a word of the host's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitHostError {
    Net(NetError),
    /// 401, or 403 for what every token of the host may do.
    TokenRefused,
    /// The token cannot make repositories.
    MayNotCreate,
    NameTaken,
    /// Too many requests; how many seconds to wait, 0 where the host did not say.
    Throttled {
        seconds: u64,
    },
    /// A redirect, which is never followed: the token would go along.
    Redirected,
    /// The next page of a list is on another host.
    LinkElsewhere,
    /// What came is not what the API answers.
    NotAnApi,
    /// Any other status.
    Status(u16),
}

impl From<NetError> for GitHostError {
    fn from(fault: NetError) -> Self {
        Self::Net(fault)
    }
}

impl GitHostError {
    /// What the owner hears of it.
    #[must_use]
    pub fn into_error(self, host: &GitHost) -> Error {
        let text = match self {
            Self::Net(NetError::Cancelled) => return Error::Cancelled,
            Self::NameTaken => {
                return Conflict::NameTaken { what: "repository" }.into();
            }
            Self::Net(fault) => format!("{host} could not be reached: {fault}."),
            Self::TokenRefused => format!("{host} did not accept the token."),
            Self::MayNotCreate => format!(
                "This token cannot create repositories. Creating one needs Administration read and write: make an empty \
                 repository at {host} yourself, or use another token."
            ),
            Self::Throttled { seconds: 0 } => format!("{host} asks to wait before the next request."),
            Self::Throttled { seconds } => format!("{host} asks to wait {seconds} seconds."),
            Self::Redirected => format!("{host} answered with a redirect, which is not followed."),
            Self::LinkElsewhere => {
                format!("{host} continues its list of repositories on another host, which is not asked.")
            }
            Self::NotAnApi => format!("{host} did not answer as the API of a git host."),
            Self::Status(status) => format!("{host} answered with status {status}."),
        };
        Error::Invalid(text)
    }
}
