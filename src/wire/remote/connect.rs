//! Which repository is connected, and by whose token.

use crate::domain::ids::CredentialId;
use crate::domain::remote::connection::{ConnectRequest, TokenSource};
use serde::Deserialize;
use std::fmt;

/// Which repository to connect, and a token, either as text or as a credential that is stored already.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct RepositoryConnection {
    /// `owner/name`, or the address of the repository at the host.
    repo: String,
    /// A token that may read and write the contents of this repository.
    token: Option<String>,
    /// What the credential made of the token is called.
    credential_name: Option<String>,
    /// A credential that holds a token.
    credential_id: Option<CredentialId>,
}

impl From<RepositoryConnection> for ConnectRequest {
    fn from(sent: RepositoryConnection) -> Self {
        let RepositoryConnection { repo, token, credential_name, credential_id } = sent;
        Self { repository: repo, token: TokenSource { token, credential: credential_id }, credential_name }
    }
}

impl fmt::Debug for RepositoryConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the token.
        f.debug_struct("RepositoryConnection").field("repo", &self.repo).finish_non_exhaustive()
    }
}

/// A token, either as text or as a credential that is stored already.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct HostToken {
    token: Option<String>,
    credential_id: Option<CredentialId>,
}

impl From<HostToken> for TokenSource {
    fn from(HostToken { token, credential_id }: HostToken) -> Self {
        Self { token, credential: credential_id }
    }
}

/// The name of a repository to make, and a token that may.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct NewRepository {
    /// Without the owner, who is the account of the token.
    pub name: String,
    token: Option<String>,
    credential_id: Option<CredentialId>,
}

impl NewRepository {
    /// The name, and the token.
    #[must_use]
    pub fn into_parts(self) -> (String, TokenSource) {
        let Self { name, token, credential_id } = self;
        (name, TokenSource { token, credential: credential_id })
    }
}
