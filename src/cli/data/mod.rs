//! `flowkeep data`, `backup`, `compact`, `verify`, `restore` and `upgrade`: the data folder as a whole.

pub(super) mod backup;
pub(super) mod compact;
pub(super) mod folder;
mod passphrase;
pub(super) mod restore;
pub(super) mod upgrade;

/// Stands for the standard input or output in place of a file.
const STANDARD_STREAM: &str = "-";

use super::operator::{execute, unexpected_reply};
use super::table::replace_controls;
use super::{CliError, Context, print};
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use clap::Subcommand;
use serde_json::Value;

/// Looks after the data folder
#[derive(clap::Args)]
pub(super) struct DataArgs {
    #[command(subcommand)]
    action: DataCommand,
}

#[derive(Subcommand)]
enum DataCommand {
    /// Checks that every row of the database and every file is what was stored
    Verify {
        /// Print what was found as JSON [env: SERVICE_JSON]
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(args: &DataArgs, context: &Context<'_>) -> Result<(), CliError> {
    let DataCommand::Verify { json } = &args.action;
    let settings = context.settings_and_log()?;
    let CommandReply::Data { answer } = execute(settings, context, OperatorCommand::DataVerify)? else {
        return Err(unexpected_reply());
    };
    let damaged = answer["damaged"].as_u64().unwrap_or_default();
    if context.is_switched_on(*json, "SERVICE_JSON") {
        print(&format!("{answer:#}\n"))?;
    } else {
        print(&render_report(&answer))?;
    }
    if damaged == 0 {
        return Ok(());
    }
    Err(CliError::Failed(format!(
        "{damaged} of what is stored is damaged; everything else goes on working. Stop the service, copy the data folder, and \
         restore a backup over it with 'flowkeep restore'"
    )))
}

fn render_report(answer: &Value) -> String {
    let lines = |list: &str, label: &str| -> String {
        let texts = answer[list].as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(|text| format!("{label}: {}\n", replace_controls(text))).collect()
    };
    let list = lines("problems", "damaged") + &lines("warnings", "warning");
    let counted = format!("{} rows and {} files were looked at.\n", answer["rows"], answer["files"]);
    let unknown = match answer["filesWithoutChecksum"].as_u64() {
        Some(0) | None => String::new(),
        Some(count) => {
            format!("{count} of the files are from before there were checksums and were not judged.\n")
        }
    };
    format!("{list}{counted}{unknown}")
}
