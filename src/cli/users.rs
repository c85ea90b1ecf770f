//! `flowkeep user list|disable|enable`: who may sign in, without the web page.

use super::operator::{execute, unexpected_reply};
use super::table::{cell, json_lines, table};
use super::{CliError, Context, print};
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use clap::Subcommand;
use serde_json::Value;

/// Lists people, keeps them out and lets them in again
#[derive(clap::Args)]
pub(super) struct UserArgs {
    #[command(subcommand)]
    action: UserCommand,
}

#[derive(Subcommand)]
enum UserCommand {
    List(ListUsers),
    /// Keeps a person out and ends their sessions; what they made stays
    Disable(UserSelector),
    /// Lets a person in again
    Enable(UserSelector),
}

/// Lists the people with their workspaces and roles
#[derive(clap::Args)]
struct ListUsers {
    /// Print them as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct UserSelector {
    /// The person's e-mail, or their id as `user list` shows it
    user: String,
}

pub(super) fn run(args: &UserArgs, context: &Context<'_>) -> Result<(), CliError> {
    let command = match &args.action {
        UserCommand::List(_) => OperatorCommand::UserList,
        UserCommand::Disable(who) => OperatorCommand::UserStatus { user: who.user.clone(), active: false },
        UserCommand::Enable(who) => OperatorCommand::UserStatus { user: who.user.clone(), active: true },
    };
    let done = execute(context.settings_and_log()?, context, command)?;
    match (done, &args.action) {
        (CommandReply::Users { users }, UserCommand::List(list))
            if context.is_switched_on(list.json, "SERVICE_JSON") =>
        {
            print(&json_lines(&users.into())?)
        }
        (CommandReply::Users { users }, _) => print(&render_users(&users)),
        (CommandReply::UserStatusSet { email }, UserCommand::Enable(_)) => {
            print(&format!("{} may sign in.\n", email.escape_debug()))
        }
        (CommandReply::UserStatusSet { email }, _) => {
            print(&format!("{} is kept out.\n", email.escape_debug()))
        }
        _ => Err(unexpected_reply()),
    }
}

fn render_users(users: &[Value]) -> String {
    let row = |user: &Value| {
        let place = |place: &Value| format!("{}: {}", cell(&place["name"]), cell(&place["role"]));
        let places: Vec<String> = user["workspaces"].as_array().into_iter().flatten().map(place).collect();
        let places = if user["isOwner"] == true { "owner".to_owned() } else { places.join(", ") };
        let [id, name, email, status, seen] = [
            &user["userId"],
            &user["user"]["name"],
            &user["user"]["email"],
            &user["status"],
            &user["lastLogin"],
        ]
        .map(cell);
        [id, name, email, status, seen, places]
    };
    table(["ID", "NAME", "E-MAIL", "STATUS", "LAST SIGN-IN", "WORKSPACES"], users.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_person_is_one_line_whatever_their_name_holds() {
        let users = [
            json!({"userId": "1", "user": {"name": "Ada", "email": "a@x"}, "status": "active", "isOwner": true, "workspaces": []}),
            json!({
                "userId": "2", "user": {"name": "B\u{1b}\nob", "email": "b@x"}, "status": "disabled", "lastLogin": "2026",
                "workspaces": [{"name": "Team", "role": "viewer"}, {"name": "Shop", "role": "editor"}],
            }),
        ];
        let shown = render_users(&users);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "ID  NAME         E-MAIL  STATUS    LAST SIGN-IN  WORKSPACES");
        assert_eq!(lines[1], "1   Ada          a@x     active                  owner");
        assert_eq!(lines[2], "2   B\\u{1b}\\nob  b@x     disabled  2026          Team: viewer, Shop: editor");
        assert_eq!(lines.len(), 3);
    }
}
