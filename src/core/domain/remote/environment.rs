//! What a server is in a pair of servers (manual 19.5).

use serde::{Deserialize, Serialize};

/// The label that the owner gave this server. A server without one copies its versions as Dev does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub enum Environment {
    /// Flows are edited here; versions are copied to the host.
    Dev,
    /// Versions of the host are promoted to Live here; nothing is copied.
    Prod,
}

impl Environment {
    /// The word in the repository's internal folder and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Prod => "prod",
        }
    }

    /// Reads [`Self::as_str`]; `None` for any other word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Dev, Self::Prod].into_iter().find(|one| one.as_str() == text)
    }
}

/// What a server does with a connected repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Copies its versions there.
    Copy,
    /// Reads the versions there, and never copies its own.
    Read,
}

impl Role {
    /// The role of a server with this label.
    #[must_use]
    pub const fn of(environment: Option<Environment>) -> Self {
        match environment {
            Some(Environment::Prod) => Self::Read,
            Some(Environment::Dev) | None => Self::Copy,
        }
    }
}
