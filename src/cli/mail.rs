//! `flowkeep mail test`: whether the mail server of the settings takes a message, in one line.

use super::operator::{execute, unexpected_reply};
use super::{CliError, Context, print};
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use clap::Subcommand;

/// Tries whether the service can send mail
#[derive(clap::Args)]
pub(super) struct MailArgs {
    #[command(subcommand)]
    action: MailCommand,
}

#[derive(Subcommand)]
enum MailCommand {
    /// Sends one message and says what the mail server made of it
    ///
    /// The settings are those of the running service, or of this command where none runs.
    Test(MailReceiver),
}

#[derive(clap::Args)]
struct MailReceiver {
    /// Who gets it, such as ada@example.org
    address: String,
}

pub(super) fn run(args: &MailArgs, context: &Context<'_>) -> Result<(), CliError> {
    let MailCommand::Test(receiver) = &args.action;
    let command = OperatorCommand::MailTest { address: receiver.address.clone() };
    match execute(context.settings_and_log()?, context, command)? {
        CommandReply::MailTaken { server } => {
            print(&format!("{} took a message to {}.\n", server, receiver.address.escape_debug()))
        }
        _ => Err(unexpected_reply()),
    }
}
