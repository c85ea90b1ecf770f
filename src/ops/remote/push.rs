//! Copying on demand.
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::remote::status::CopyStatus;

pub(crate) fn push(app: &App, caller: &Caller, cancel: &CancelToken) -> Result<CopyStatus> {
    let _ = (caller, cancel);
    super::status::read(app)
}
