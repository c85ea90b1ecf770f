//! `flowkeep data`: the data folder as a whole.

use super::operator::{execute, unexpected};
use super::table::shown;
use super::{Context, Failure, say};
use crate::ops::control::{Command, Outcome};
use clap::Subcommand;
use serde_json::Value;

/// Looks after the data folder
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Checks that every row of the database and every file is what was stored
    Verify {
        /// Print what was found as JSON [env: SERVICE_JSON]
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(args: &Args, context: &Context<'_>) -> Result<(), Failure> {
    let Action::Verify { json } = &args.action;
    let settings = context.settings_and_log()?;
    let Outcome::Data { answer } = execute(settings, context, Command::DataVerify)? else {
        return Err(unexpected());
    };
    let damaged = answer["damaged"].as_u64().unwrap_or_default();
    if context.switch(*json, "SERVICE_JSON") {
        say(&format!("{answer:#}\n"))?;
    } else {
        say(&told(&answer))?;
    }
    if damaged == 0 {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "{damaged} of what is stored is damaged; everything else goes on working. Stop the service, copy the data folder, and \
         put a backup of the whole folder in its place"
    )))
}

fn told(answer: &Value) -> String {
    let lines = |list: &str, label: &str| -> String {
        let texts = answer[list].as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(|text| format!("{label}: {}\n", shown(text))).collect()
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
