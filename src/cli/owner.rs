//! `flowkeep owner reset-password`: the way back in for whoever can reach the data folder.

use super::operator::{execute, unexpected};
use super::{Context, Failure, prompt, say};
use crate::ops::control::{Command, Outcome};
use clap::Subcommand;

/// Helps the owner back in
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    ResetPassword(ResetPassword),
}

/// Sets a new password and ends the owner's sessions; asks for it, or reads one line of standard input
#[derive(clap::Args)]
struct ResetPassword {
    /// The new password; others on this machine may see it in the list of processes [env: SERVICE_RESET_PASSWORD]
    #[arg(long)]
    password: Option<String>,
    /// Make a random password and print it [env: SERVICE_RESET_RANDOM]
    #[arg(long, conflicts_with = "password")]
    random: bool,
}

pub(super) fn run(args: &Args, context: &Context<'_>) -> Result<(), Failure> {
    let Action::ResetPassword(reset) = &args.action;
    let settings = context.settings_and_log()?;
    let given = context.text(&reset.password, "SERVICE_RESET_PASSWORD");
    let password = match given {
        Some(password) if !reset.random => Some(password),
        _ if context.switch(reset.random, "SERVICE_RESET_RANDOM") => None,
        _ => Some(prompt::password("New password: ")?),
    };
    match execute(settings, context, Command::OwnerResetPassword { password })? {
        Outcome::PasswordReset { email, password: Some(made) } => {
            say(&format!("The new password of {} is: {made}\n", email.escape_debug()))
        }
        Outcome::PasswordReset { email, password: None } => {
            say(&format!("The password of {} is set.\n", email.escape_debug()))
        }
        _ => Err(unexpected()),
    }
}
