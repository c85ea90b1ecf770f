//! `flowkeep config`: the settings in force, where each comes from, and whether all of them mean something.

use super::table::{json_lines, table};
use super::{CliError, Context, print};
use crate::settings::{Flags, effective_settings, warnings};
use clap::Subcommand;
use serde_json::json;

/// Prints every setting in force and where it comes from, without secrets
#[derive(clap::Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    action: Option<ConfigCommand>,
    /// Print them as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Ends with code 2 when a setting cannot be used or means nothing, and says which
    Check,
}

pub(super) fn run(args: &ConfigArgs, context: &Context<'_>) -> Result<(), CliError> {
    let flags = context.flags(Flags::default());
    let settings = context.settings(Flags::default())?;
    if let Some(ConfigCommand::Check) = args.action {
        let found = setting_warnings(context);
        if found.is_empty() {
            return print("Every setting can be used.\n");
        }
        return Err(CliError::Usage(found.join("\nflowkeep: ")));
    }
    let rows = effective_settings(&settings, context.vars, &flags);
    if context.is_switched_on(args.json, "SERVICE_JSON") {
        let rows: Vec<_> =
            rows.iter().map(|row| json!({"name": row.name, "value": row.value, "from": row.from})).collect();
        return print(&json_lines(&rows.into())?);
    }
    let cells =
        rows.iter().map(|row| [row.name.to_owned(), row.value.escape_debug().to_string(), row.from.clone()]);
    print(&table(["NAME", "VALUE", "FROM"], cells))
}

/// What of the environment means nothing to any command.
pub(super) fn setting_warnings(context: &Context<'_>) -> Vec<String> {
    let (switches, others) = super::variables_of_commands();
    warnings(context.vars, &context.paths.variable_names, &switches, &others)
}
