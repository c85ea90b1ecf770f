//! `flowkeep config`: the settings in force, where each comes from, and whether all of them mean something.

use super::table::{json_lines, table};
use super::{Context, Failure, say};
use crate::settings::{Flags, in_force, warnings};
use clap::Subcommand;
use serde_json::json;

/// Prints every setting in force and where it comes from, without secrets
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print them as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum Action {
    /// Ends with code 2 when a setting cannot be used or means nothing, and says which
    Check,
}

pub(super) fn run(args: &Args, context: &Context<'_>) -> Result<(), Failure> {
    let flags = context.flags(Flags::default());
    let settings = context.settings(Flags::default())?;
    if let Some(Action::Check) = args.action {
        let found = meaningless(context);
        if found.is_empty() {
            return say("Every setting can be used.\n");
        }
        return Err(Failure::Usage(found.join("\nflowkeep: ")));
    }
    let rows = in_force(&settings, context.vars, &flags);
    if context.switch(args.json, "SERVICE_JSON") {
        let rows: Vec<_> =
            rows.iter().map(|row| json!({"name": row.name, "value": row.value, "from": row.from})).collect();
        return say(&json_lines(&rows.into())?);
    }
    let cells =
        rows.iter().map(|row| [row.name.to_owned(), row.value.escape_debug().to_string(), row.from.clone()]);
    say(&table(["NAME", "VALUE", "FROM"], cells))
}

/// What of the environment means nothing to any command.
pub(super) fn meaningless(context: &Context<'_>) -> Vec<String> {
    let (switches, others) = super::variables_of_commands();
    warnings(context.vars, &context.place.variables, &switches, &others)
}
