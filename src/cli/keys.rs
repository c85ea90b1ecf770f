//! `flowkeep key create|list|revoke`: API keys without the web page.

use super::operator::{execute, unexpected_reply};
use super::table::{cell, json_lines, table};
use super::{CliError, Context, print};
use crate::domain::accounts::caller::{Permission, key_permission_names};
use crate::domain::ids::{KeyId, WorkspaceId};
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use clap::Subcommand;
use serde_json::Value;

/// Makes, lists and revokes API keys
#[derive(clap::Args)]
pub(super) struct KeyArgs {
    #[command(subcommand)]
    action: KeyCommand,
}

#[derive(Subcommand)]
enum KeyCommand {
    Create(CreateKey),
    List(ListKeys),
    Revoke(RevokeKey),
}

/// Lists the keys, without their values
#[derive(clap::Args)]
struct ListKeys {
    /// Print them as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

/// Makes a key and prints its value, this once
#[derive(clap::Args)]
#[command(after_help = format!("Permissions, such as chatflows:view:\n{}", permission_groups()))]
struct CreateKey {
    /// Name of the key [env: SERVICE_KEY_NAME]
    #[arg(long)]
    name: Option<String>,
    /// A permission such as chatflows:view; repeat for more [env: SERVICE_KEY_PERMISSIONS, comma-separated]
    #[arg(long = "permission", value_name = "PERMISSION", value_delimiter = ',')]
    permissions: Vec<String>,
    /// Every permission a key can hold [env: SERVICE_KEY_ALL]
    #[arg(long, conflicts_with = "permissions")]
    all: bool,
    /// Workspace of the key, by id; the default one if not given [env: SERVICE_KEY_WORKSPACE]
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

/// Deletes a key; it stops working at once
#[derive(clap::Args)]
struct RevokeKey {
    /// Id of the key, as `key list` shows it
    id: String,
}

pub(super) fn run(args: &KeyArgs, context: &Context<'_>) -> Result<(), CliError> {
    let command = match &args.action {
        KeyCommand::Create(create) => create_command(create, context)?,
        KeyCommand::List(_) => OperatorCommand::KeyList,
        KeyCommand::Revoke(revoke) => OperatorCommand::KeyRevoke {
            id: KeyId::parse(&revoke.id).ok_or_else(|| {
                CliError::Usage("this is not a key's id; `flowkeep key list` shows them".to_owned())
            })?,
        },
    };
    let json =
        matches!(&args.action, KeyCommand::List(list) if context.is_switched_on(list.json, "SERVICE_JSON"));
    match execute(context.settings_and_log()?, context, command)? {
        CommandReply::Keys { keys } if json => print(&json_lines(&keys.into())?),
        CommandReply::KeyCreated { key } => match key["apiKey"].as_str() {
            Some(value) => print(&format!("{value}\n")),
            None => Err(unexpected_reply()),
        },
        CommandReply::Keys { keys } => print(&render_keys(&keys)),
        CommandReply::KeyRevoked => print("The key is revoked.\n"),
        _ => Err(unexpected_reply()),
    }
}

fn create_command(create: &CreateKey, context: &Context<'_>) -> Result<OperatorCommand, CliError> {
    let usage = |text: &str| CliError::Usage(text.to_owned());
    let name =
        context.text(&create.name, "SERVICE_KEY_NAME").ok_or_else(|| usage("name the key with --name"))?;
    let workspace = match context.text(&create.workspace, "SERVICE_KEY_WORKSPACE") {
        None => None,
        Some(text) => {
            Some(WorkspaceId::parse(&text).ok_or_else(|| usage("--workspace is not a workspace's id"))?)
        }
    };
    Ok(OperatorCommand::KeyCreate { name, permissions: requested_permissions(create, context)?, workspace })
}

fn requested_permissions(create: &CreateKey, context: &Context<'_>) -> Result<Vec<String>, CliError> {
    // What was typed says more than what the environment happens to hold.
    if create.permissions.is_empty() && context.is_switched_on(create.all, "SERVICE_KEY_ALL") {
        return Ok(key_permission_names().collect());
    }
    let mut wanted = create.permissions.clone();
    if wanted.is_empty() {
        let listed = (context.vars)("SERVICE_KEY_PERMISSIONS").unwrap_or_default();
        wanted =
            listed.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    }
    if wanted.is_empty() {
        return Err(CliError::Usage(
            "say what the key may do: --permission chatflows:view (repeat for more), or --all".to_owned(),
        ));
    }
    if let Some(unknown) = wanted.iter().find(|name| Permission::parse(name).is_none()) {
        return Err(CliError::Usage(format!(
            "there is no permission {unknown:?}; there are:\n{}",
            permission_groups()
        )));
    }
    Ok(wanted)
}

/// The permissions a key can hold, a line for each kind of thing.
fn permission_groups() -> String {
    let mut groups: Vec<(String, String)> = Vec::new();
    for name in key_permission_names() {
        let Some((group, action)) = name.split_once(':') else { continue };
        match groups.last_mut().filter(|(last, _)| last == group) {
            Some((_, actions)) => *actions = format!("{actions} {action}"),
            None => groups.push((group.to_owned(), action.to_owned())),
        }
    }
    let width = groups.iter().map(|(group, _)| group.len()).max().unwrap_or(0);
    let line = |(group, actions): &(String, String)| format!("  {group:width$}  {actions}");
    groups.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn render_keys(keys: &[Value]) -> String {
    if keys.is_empty() {
        return "There are no keys. Make one with: flowkeep key create --name NAME --all\n".to_owned();
    }
    let fields = ["id", "keyName", "apiKey", "usage", "permissions"];
    let rows = keys.iter().map(|key| fields.map(|field| cell(&key[field])));
    table(["ID", "NAME", "KEY", "USED", "PERMISSIONS"], rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_line_up_and_hold_no_control_characters() {
        let keys = [
            json!({"id": "1", "keyName": "a\u{1b}[2Jb", "apiKey": "fk_••••abcd", "usage": 7, "permissions": ["x:y", "z:w"]}),
            json!({"id": "22", "keyName": "c"}),
        ];
        let shown = render_keys(&keys);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "ID  NAME         KEY          USED  PERMISSIONS");
        assert_eq!(lines[1], "1   a\\u{1b}[2Jb  fk_••••abcd  7     x:y z:w");
        assert_eq!(lines[2], "22  c");
    }
}
