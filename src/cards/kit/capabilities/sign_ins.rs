//! Credentials that somebody signed in to at another service.

use crate::domain::error::Result;

pub trait SignIns: Send + Sync {
    /// What people call a stored credential of the flow's workspace.
    fn credential_name(&self, id: &str) -> Option<String>;

    /// The token with which requests are signed in the name of whoever signed in to a stored credential: not the one that
    /// was `refused`, and renewed where it ends soon.
    ///
    /// # Errors
    /// Why there is none, naming the credential.
    fn access_token(&self, id: &str, refused: Option<&str>) -> Result<String>;
}
