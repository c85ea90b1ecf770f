//! Connecting a repository, forgetting it, and the label of this server.
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::remote::connection::ConnectRequest;
use crate::domain::remote::environment::Environment;
use crate::domain::remote::status::CopyStatus;

pub(crate) fn connect(
    app: &App,
    caller: &Caller,
    request: ConnectRequest,
    cancel: &CancelToken,
) -> Result<CopyStatus> {
    let _ = (
        caller,
        request.repository,
        request.token.token,
        request.token.credential,
        request.credential_name,
        cancel,
    );
    super::status::read(app)
}

pub(crate) fn disconnect(app: &App, caller: &Caller) -> Result<CopyStatus> {
    let _ = caller;
    super::status::read(app)
}

pub(crate) fn label(app: &App, caller: &Caller, environment: Option<Environment>) -> Result<CopyStatus> {
    let _ = (caller, environment);
    super::status::read(app)
}
