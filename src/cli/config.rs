//! `flowkeep config`: the settings in force, where each comes from, and whether all of them mean something.

use super::table::{json_lines, table};
use super::{CliError, Context, print};
use crate::domain::service::server_setting::ServerSetting;
use crate::settings::{Flags, warnings};
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
    let settings = context.settings(Flags::default())?;
    if let Some(ConfigCommand::Check) = args.action {
        let found = setting_warnings(context);
        if found.is_empty() {
            return print("Every setting can be used.\n");
        }
        return Err(CliError::Usage(found.join("\nflowkeep: ")));
    }
    let rows = settings.in_force();
    if context.is_switched_on(args.json, "SERVICE_JSON") {
        let row =
            |row: &ServerSetting| json!({"name": row.name, "value": shown(row), "from": row.origin.as_str()});
        let rows: Vec<_> = rows.iter().map(row).collect();
        return print(&json_lines(&rows.into())?);
    }
    let cells = rows.iter().map(|row| {
        [row.name.to_owned(), shown(row).escape_debug().to_string(), row.origin.as_str().to_owned()]
    });
    print(&table(["NAME", "VALUE", "FROM"], cells))
}

/// Its value; dots for a secret, nothing for none.
fn shown(row: &ServerSetting) -> &str {
    if row.is_secret && row.is_set {
        "••••••••"
    } else {
        row.value.as_deref().unwrap_or_default()
    }
}

/// What of the environment means nothing to any command.
pub(super) fn setting_warnings(context: &Context<'_>) -> Vec<String> {
    let (switches, others) = super::variables_of_commands();
    warnings(context.vars, &context.paths.variable_names, &switches, &others)
}
