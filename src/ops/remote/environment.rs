//! The label of this server.

use super::load;
use super::status;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Result};
use crate::domain::remote::environment::{Environment, Role};
use crate::domain::remote::status::CopyStatus;
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::flows::versions::{history_error, require_history};
use crate::ops::workspace::audit;

/// What the list of changes calls a server without a label.
const NO_LABEL: &str = "none";

/// What the owner labelled this server as.
#[must_use]
pub(crate) fn environment_of(app: &App) -> Option<Environment> {
    app.state.remote_copy.environment()
}

/// Labels this server as Dev, as Prod or as neither.
///
/// # Errors
/// 409 while history is off, and for a label that would turn copying into reading, or the reverse, while a repository is
/// connected.
pub(crate) fn label(app: &App, caller: &Caller, environment: Option<Environment>) -> Result<CopyStatus> {
    require_history(&app.history)?;
    let _changes = app.state.remote_copy.lock_changes();
    let before = app.state.remote_copy.environment();
    if Role::of(before) != Role::of(environment) && load(app)?.is_some() {
        return Err(Conflict::EnvironmentWhileConnected.into());
    }
    app.history.set_environment(environment).map_err(history_error)?;
    app.state.remote_copy.set_environment(environment);
    if before != environment {
        let word = environment.map_or(NO_LABEL, Environment::as_str);
        let entry = AuditEntry::by_caller(caller, AuditAction::EnvironmentChanged, app.clock.monotonic_now())
            .with_target(AuditTargetKind::Server, word, word);
        app.store.write(|tx| audit::record(tx, &entry))?;
        tracing::info!(environment = word, by = %caller.principal, "the server was labelled");
    }
    status::read(app)
}
