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

/// The label as the database keeps it. The one in the history's folder is gone when that folder is, and a server that was Prod
/// must not pass for one that copies then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerLabel {
    pub environment: Option<Environment>,
}

impl ServerLabel {
    /// What this server is where its history says `found`: Prod as soon as one of the two says so.
    #[must_use]
    pub const fn beside(self, found: Option<Environment>) -> Option<Environment> {
        match (self.environment, found) {
            (Some(Environment::Prod), _) | (_, None) => self.environment,
            (_, found) => found,
        }
    }

    /// True when a history that says `found` says the same of what this server does.
    #[must_use]
    pub fn agrees_with(self, found: Option<Environment>) -> bool {
        Role::of(self.environment) == Role::of(found)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_prod_as_soon_as_its_database_or_its_history_says_so() {
        let labels = [None, Some(Environment::Dev), Some(Environment::Prod)];
        for kept in labels {
            for found in labels {
                let label = ServerLabel { environment: kept };
                let is_prod = [kept, found].contains(&Some(Environment::Prod));
                assert_eq!(Role::of(label.beside(found)) == Role::Read, is_prod, "{kept:?} {found:?}");
                assert_eq!(label.agrees_with(found), !is_prod || kept == found, "{kept:?} {found:?}");
            }
        }
    }
}
