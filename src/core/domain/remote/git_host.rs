//! The git host that this server works with.

use std::fmt;

/// The address of the provider that counts unless the operator names another host (manual 19.7).
const PROVIDER_WEB: &str = "https://github.com";
const PROVIDER_API: &str = "https://api.github.com";
/// What people call the provider.
const PROVIDER_NAME: &str = "GitHub";

/// A git host: where its repositories are, and where its API is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHost {
    web: String,
    api: String,
}

impl GitHost {
    /// A host by its two addresses, neither of which ends in a slash.
    #[must_use]
    pub fn new(web: &str, api: &str) -> Self {
        Self { web: web.to_owned(), api: api.to_owned() }
    }

    /// The host that is meant where the settings name none.
    #[must_use]
    pub fn provider() -> Self {
        Self::new(PROVIDER_WEB, PROVIDER_API)
    }

    /// As [`Self::provider`], with the API of a test in the place of its own.
    #[must_use]
    pub fn with_stand_in(api: &str) -> Self {
        Self::new(PROVIDER_WEB, api)
    }

    /// The address below which repositories are: `<web>/owner/name`.
    #[must_use]
    pub fn web(&self) -> &str {
        &self.web
    }

    /// The address of its API.
    #[must_use]
    pub fn api(&self) -> &str {
        &self.api
    }

    /// What messages call it.
    #[must_use]
    pub fn name(&self) -> &str {
        host_name(&self.web)
    }
}

impl fmt::Display for GitHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What messages call the host of this address: the provider by its name, any other by its address without the scheme.
#[must_use]
pub fn host_name(web: &str) -> &str {
    match web {
        PROVIDER_WEB => PROVIDER_NAME,
        other => other.split_once("://").map_or(other, |(_, rest)| rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_has_a_name_and_others_their_address() {
        assert_eq!(GitHost::provider().name(), "GitHub");
        assert_eq!(GitHost::new("https://git.example.org/code", "x").name(), "git.example.org/code");
        assert_eq!(GitHost::new("http://127.0.0.1:3000", "x").to_string(), "127.0.0.1:3000");
    }
}
