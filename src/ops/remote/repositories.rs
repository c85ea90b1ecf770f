//! The repositories that a token reaches. Nothing of the token is kept.

use super::credential::given_token;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::remote::connection::TokenSource;
use crate::domain::remote::repository::NewRepositoryName;
use crate::domain::remote::status::{HostRepository, RepositoryList};

/// Lists them, most recently changed first.
///
/// # Errors
/// 400 for what is no token, and where the host does not answer as it should.
pub(crate) fn list(
    app: &App,
    caller: &Caller,
    token: TokenSource,
    cancel: &CancelToken,
) -> Result<RepositoryList> {
    let given = given_token(app, caller, token)?;
    let found = app.git_host.repositories(given.token(), cancel);
    found.map_err(|fault| fault.into_error(app.git_host.host()))
}

/// Makes a private, empty one in the account of the token.
///
/// # Errors
/// As [`list`], and 400 for a token that may not; 409 for a name that is taken.
pub(crate) fn create(
    app: &App,
    caller: &Caller,
    name: &str,
    token: TokenSource,
    cancel: &CancelToken,
) -> Result<HostRepository> {
    let name = NewRepositoryName::parse(name)?;
    let given = given_token(app, caller, token)?;
    let made = app.git_host.create(&name, given.token(), cancel);
    made.map_err(|fault| fault.into_error(app.git_host.host()))
}
