//! The repositories that a token reaches.
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::remote::connection::TokenSource;
use crate::domain::remote::status::{HostRepository, RepositoryList};

pub(crate) fn list(
    app: &App,
    caller: &Caller,
    token: TokenSource,
    cancel: &CancelToken,
) -> Result<RepositoryList> {
    let _ = (app, caller, token.token, token.credential, cancel);
    Err(Error::invalid("The host cannot be reached."))
}

pub(crate) fn create(
    app: &App,
    caller: &Caller,
    name: &str,
    token: TokenSource,
    cancel: &CancelToken,
) -> Result<HostRepository> {
    let _ = (app, caller, name, token.token, token.credential, cancel);
    Err(Error::invalid("The host cannot be reached."))
}
