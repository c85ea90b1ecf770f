//! Runs an operator's command: through the control socket of the service that uses the data folder, or on the folder
//! itself when no service does.

use super::data::folder::{Audience, folder_problem};
use super::{CliError, Context};
use crate::app::{App, AppOpenError};
use crate::base::cancel::CancelToken;
use crate::ops::service::backup::restore::settle_interrupted;
use crate::ops::service::control::{self, OperatorCommand};
use crate::settings::Settings;
use crate::tasks::command_reply::command_reply;
use crate::tasks::control::{ControlReply, call};
use crate::wire::service::operator::CommandReply;
use std::io::ErrorKind;

pub(super) fn execute(
    settings: Settings,
    context: &Context<'_>,
    command: OperatorCommand,
) -> Result<CommandReply, CliError> {
    if let Some(why) = folder_problem(&settings.data_dir, Audience::Operator) {
        return Err(CliError::Failed(why));
    }
    if let Some(outcome) = ask_service(&settings, &command)? {
        return Ok(outcome);
    }
    if let OperatorCommand::HistoryVerify = command {
        let output = control::verify_stopped(&settings, &CancelToken::new(None)).map_err(open_error)?;
        return Ok(command_reply(output)?);
    }
    let app = App::open(settings, context.environment.clone()).map_err(open_error)?;
    Ok(command_reply(control::execute(&app, command, &CancelToken::new(None))?)?)
}

pub(super) fn open_error(error: AppOpenError) -> CliError {
    let hint = if cfg!(unix) { "" } else { "; stop the running service first" };
    CliError::Failed(format!("{error}{hint}"))
}

/// What the service that uses the data folder answers; `None` when there is none.
pub(super) fn ask_service(
    settings: &Settings,
    command: &OperatorCommand,
) -> Result<Option<CommandReply>, CliError> {
    let reply = call(&settings.data_dir, command).map_err(|error| match error.kind() {
        ErrorKind::TimedOut => CliError::other(
            "the running service does not answer; it may still carry this out, so look at its log before you run this \
             again, or start the service anew",
        ),
        _ => CliError::Failed(format!(
            "the running service could not be reached: {error}; run this as the user who runs the service"
        )),
    })?;
    match reply {
        Some(ControlReply::Done(outcome)) => return Ok(Some(outcome)),
        Some(ControlReply::Failed(message)) => return Err(CliError::Failed(message)),
        Some(ControlReply::Stream) => return Err(unexpected_reply()),
        None => {}
    }
    require_data(settings)?;
    Ok(None)
}

/// Refuses a folder without data, after what a restore left there that was killed.
pub(super) fn require_data(settings: &Settings) -> Result<(), CliError> {
    let folder = settings.data_dir.display();
    let settled = settle_interrupted(&settings.data_dir);
    if settled
        .map_err(|error| CliError::Failed(format!("the data folder {folder} cannot be used: {error}")))?
    {
        return Err(CliError::Failed(format!(
            "a backup is being restored into {folder}; run this again when that is done"
        )));
    }
    if !settings.database().exists() {
        return Err(CliError::Failed(format!(
            "there is no data in {folder} yet; start the service once, or name its folder with --data-dir"
        )));
    }
    Ok(())
}

/// What a program of another version might answer.
pub(super) fn unexpected_reply() -> CliError {
    CliError::other(
        "the running service gave an answer this program does not know; use the program of the same version",
    )
}
