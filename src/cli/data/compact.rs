//! `flowkeep compact`: makes database and history smaller, beside a running service or on a folder nobody uses.

use crate::cli::operator::{execute, unexpected_reply};
use crate::cli::{CliError, Context, print};
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use serde_json::Value;

/// Gives back to the disk what deletions left free in the database, and packs the version history
///
/// It works beside a running service, which goes on meanwhile, and needs as much free room on the disk as the database takes, for a
/// while. A kill at any moment leaves everything that was stored.
#[derive(clap::Args)]
pub(in crate::cli) struct CompactArgs {
    /// Print the figures as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &CompactArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    let CommandReply::Data { answer } = execute(settings, context, OperatorCommand::Compact)? else {
        return Err(unexpected_reply());
    };
    if context.is_switched_on(args.json, "SERVICE_JSON") {
        return print(&format!("{answer:#}\n"));
    }
    print(&render(&answer))
}

fn render(answer: &Value) -> String {
    let (database, history) = (&answer["database"], &answer["history"]);
    let mut told = if database["bytesBefore"] == database["bytesAfter"] {
        format!("The database stays at {} bytes.\n", database["bytesAfter"])
    } else {
        format!("The database had {} bytes and has {}.\n", database["bytesBefore"], database["bytesAfter"])
    };
    if history.is_object() {
        told += &format!(
            "The history had {} bytes in {} loose objects and {} packs, and has {} in {} and {}.\n",
            history["bytesBefore"],
            history["looseBefore"],
            history["packsBefore"],
            history["bytesAfter"],
            history["looseAfter"],
            history["packsAfter"]
        );
    }
    told + &format!("It took {} ms.\n", answer["tookMs"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_told_in_sentences() {
        let answer = json!({"tookMs": 5, "database": {"bytesBefore": 9, "bytesAfter": 4}, "history": null});
        assert_eq!(render(&answer), "The database had 9 bytes and has 4.\nIt took 5 ms.\n");
        let answer = json!({"tookMs": 5, "database": {"bytesBefore": 9, "bytesAfter": 9}, "history": {
            "bytesBefore": 8, "looseBefore": 3, "packsBefore": 0, "bytesAfter": 2, "looseAfter": 0, "packsAfter": 1}});
        assert_eq!(
            render(&answer),
            "The database stays at 9 bytes.\nThe history had 8 bytes in 3 loose objects and 0 packs, and has 2 in 0 and 1.\n\
             It took 5 ms.\n"
        );
    }
}
