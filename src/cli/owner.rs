//! `flowkeep owner reset-password`: the way back in for whoever can reach the data folder.

use super::operator::{execute, unexpected_reply};
use super::{CliError, Context, print, prompt};
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use clap::Subcommand;

/// Helps the owner back in
#[derive(clap::Args)]
pub(super) struct OwnerArgs {
    #[command(subcommand)]
    action: OwnerCommand,
}

#[derive(Subcommand)]
enum OwnerCommand {
    ResetPassword(ResetOwnerPassword),
}

/// Sets a new password and ends the owner's sessions; asks for it, or reads one line of standard input
#[derive(clap::Args)]
struct ResetOwnerPassword {
    /// The new password; others on this machine may see it in the list of processes [env: SERVICE_RESET_PASSWORD]
    #[arg(long, allow_hyphen_values = true)]
    password: Option<String>,
    /// Make a random password and print it [env: SERVICE_RESET_RANDOM]
    #[arg(long, conflicts_with = "password")]
    random: bool,
}

pub(super) fn run(args: &OwnerArgs, context: &Context<'_>) -> Result<(), CliError> {
    let OwnerCommand::ResetPassword(reset) = &args.action;
    let settings = context.settings_and_log()?;
    let given = context.text(&reset.password, "SERVICE_RESET_PASSWORD");
    let password = match given {
        Some(password) if !reset.random => Some(password),
        _ if context.is_switched_on(reset.random, "SERVICE_RESET_RANDOM") => None,
        _ => Some(prompt::password("New password: ")?),
    };
    match execute(settings, context, OperatorCommand::OwnerResetPassword { password })? {
        CommandReply::PasswordReset { email, password: Some(made) } => {
            print(&format!("The new password of {} is: {made}\n", email.escape_debug()))
        }
        CommandReply::PasswordReset { email, password: None } => {
            print(&format!("The password of {} is set.\n", email.escape_debug()))
        }
        _ => Err(unexpected_reply()),
    }
}
