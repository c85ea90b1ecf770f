//! Runs an operator's command: through the control socket of the service that uses the data folder, or on the folder
//! itself when no service does.

use super::folder::{Asker, unusable};
use super::{Context, Failure};
use crate::app::{App, OpenError};
use crate::domain::cancel::Cancel;
use crate::ops::control::{self, Command, Outcome};
use crate::settings::Settings;
use crate::tasks::control::{Reply, call};
use std::io::ErrorKind;

pub(super) fn execute(
    settings: Settings,
    context: &Context<'_>,
    command: Command,
) -> Result<Outcome, Failure> {
    if let Some(why) = unusable(&settings.data_dir, Asker::Operator) {
        return Err(Failure::Failed(why));
    }
    if let Some(outcome) = ask_service(&settings, &command)? {
        return Ok(outcome);
    }
    if let Command::HistoryVerify = command {
        return control::verify_stopped(&settings, &Cancel::new(None)).map_err(unopened);
    }
    let app = App::open(settings, context.environment.clone()).map_err(unopened)?;
    Ok(control::execute(&app, command, &Cancel::new(None))?)
}

fn unopened(error: OpenError) -> Failure {
    let hint = if cfg!(unix) { "" } else { "; stop the running service first" };
    Failure::Failed(format!("{error}{hint}"))
}

/// What the service that uses the data folder answers; `None` when there is none.
fn ask_service(settings: &Settings, command: &Command) -> Result<Option<Outcome>, Failure> {
    let reply = call(&settings.data_dir, command).map_err(|error| match error.kind() {
        ErrorKind::TimedOut => Failure::failed(
            "the running service does not answer; it may still carry this out, so look at its log before you run this \
             again, or start the service anew",
        ),
        _ => Failure::Failed(format!(
            "the running service could not be reached: {error}; run this as the user who runs the service"
        )),
    })?;
    match reply {
        Some(Reply::Done(outcome)) => return Ok(Some(outcome)),
        Some(Reply::Failed(message)) => return Err(Failure::Failed(message)),
        None => {}
    }
    if !settings.data_dir.join("flowkeep.redb").exists() {
        let folder = settings.data_dir.display();
        return Err(Failure::Failed(format!(
            "there is no data in {folder} yet; start the service once, or name its folder with --data-dir"
        )));
    }
    Ok(None)
}

/// What a program of another version might answer.
pub(super) fn unexpected() -> Failure {
    Failure::failed(
        "the running service gave an answer this program does not know; use the program of the same version",
    )
}
