//! What the owner sees of the copy.
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::git_host::GitHost;
use crate::domain::remote::status::CopyStatus;

pub(crate) fn read(app: &App) -> Result<CopyStatus> {
    let state = if app.settings.history { CopyState::NotConnected } else { CopyState::Off };
    let host = GitHost::provider();
    Ok(CopyStatus {
        host: host.name().to_owned(),
        host_url: host.web().to_owned(),
        state,
        environment: None,
        connection: None,
    })
}
