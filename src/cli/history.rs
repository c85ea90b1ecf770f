//! `flowkeep history`: the versions of flows without the web page.

use super::operator::{execute, unexpected_reply};
use super::table::{json_lines, replace_controls};
use super::{CliError, Context, print};
use crate::domain::ids::FlowId;
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use clap::Subcommand;
use serde_json::Value;

/// Reads the version history
#[derive(clap::Args)]
pub(super) struct HistoryArgs {
    #[command(subcommand)]
    action: HistoryCommand,
}

#[derive(Subcommand)]
enum HistoryCommand {
    /// Lists versions, newest first
    Log {
        /// Only those of this flow
        flow: Option<String>,
        /// At most so many [env: SERVICE_HISTORY_LIMIT] [default: 50]
        #[arg(long)]
        limit: Option<usize>,
        /// Print them as JSON [env: SERVICE_JSON]
        #[arg(long)]
        json: bool,
    },
    /// Prints the canvas of a version
    Show {
        flow: String,
        /// The version's id, or at least its first 7 characters
        #[arg(value_name = "VERSION")]
        sha: String,
    },
    /// Says what changed in a version
    Diff {
        flow: String,
        /// The version's id, or at least its first 7 characters
        #[arg(value_name = "VERSION")]
        sha: String,
        /// previous, current, or another version's id [env: SERVICE_HISTORY_AGAINST] [default: previous]
        #[arg(long)]
        against: Option<String>,
        /// Print it as JSON [env: SERVICE_JSON]
        #[arg(long)]
        json: bool,
    },
    /// Checks that the history is sound, has every version that was recorded and holds no secret-shaped text; writes
    /// nothing
    Verify,
    /// Copies the versions that wait to the connected repository, or reads those there, and waits for the end
    Push {
        /// Print how the copy stands as JSON [env: SERVICE_JSON]
        #[arg(long)]
        json: bool,
    },
    /// Goes on with the history as it is, or begins a new one where it is missing; removes nothing
    Restart,
}

pub(super) fn run(args: &HistoryArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    let command = match &args.action {
        HistoryCommand::Log { flow, limit, .. } => OperatorCommand::HistoryLog {
            flow: flow.as_deref().map(parse_flow_id).transpose()?,
            limit: parse_limit(*limit, context)?,
        },
        HistoryCommand::Show { flow, sha } => {
            OperatorCommand::HistoryShow { flow: parse_flow_id(flow)?, sha: sha.clone() }
        }
        HistoryCommand::Diff { flow, sha, against, .. } => OperatorCommand::HistoryDiff {
            flow: parse_flow_id(flow)?,
            sha: sha.clone(),
            against: context
                .text(against, "SERVICE_HISTORY_AGAINST")
                .unwrap_or_else(|| "previous".to_owned()),
        },
        HistoryCommand::Verify => OperatorCommand::HistoryVerify,
        HistoryCommand::Push { .. } => OperatorCommand::HistoryPush,
        HistoryCommand::Restart => OperatorCommand::HistoryRestart,
    };
    let CommandReply::History { answer } = execute(settings, context, command)? else {
        return Err(unexpected_reply());
    };
    match &args.action {
        HistoryCommand::Log { json, .. }
        | HistoryCommand::Diff { json, .. }
        | HistoryCommand::Push { json }
            if context.is_switched_on(*json, "SERVICE_JSON") =>
        {
            print(&json_lines(&answer)?)
        }
        HistoryCommand::Log { .. } => print(&render_log(&answer)),
        HistoryCommand::Show { .. } => print(&format!("{}\n", text(&answer["flowData"]))),
        HistoryCommand::Diff { .. } => print(&render_difference(&answer)),
        HistoryCommand::Push { .. } => print_copy(&answer),
        HistoryCommand::Restart => print(restart_message(&answer)),
        HistoryCommand::Verify => print_verdict(&answer),
    }
}

fn restart_message(answer: &Value) -> &'static str {
    if answer["isNew"] == true {
        "A new history begins: what is saved from now on is recorded. Versions from before are not in it.\n"
    } else {
        "The history goes on as it is. Versions that are not in it are forgotten.\n"
    }
}

/// What came of a copy; it failed when something is still to be done.
fn print_copy(answer: &Value) -> Result<(), CliError> {
    let repository = replace_controls(text(&answer["repo"]));
    match (text(&answer["state"]), text(&answer["role"])) {
        ("retrying" | "stopped", _) => Err(CliError::Failed(replace_controls(text(&answer["message"])))),
        (_, "read") => print(&match answer["incomingVersion"].as_str() {
            Some(version) => format!("{repository} was read; its newest version is {version}.\n"),
            None => format!("{repository} was read; it has no versions yet.\n"),
        }),
        _ => print(&format!(
            "The versions are copied to {repository}; the newest there is {}.\n",
            text(&answer["lastCopiedVersion"])
        )),
    }
}

/// The most versions `history log` prints unless told otherwise.
const LOG_LIMIT_COUNT: usize = 50;

fn parse_limit(flag: Option<usize>, context: &Context<'_>) -> Result<usize, CliError> {
    let text = context.text(&flag.map(|limit| limit.to_string()), "SERVICE_HISTORY_LIMIT");
    let wrong = |_| CliError::Usage("SERVICE_HISTORY_LIMIT must be a number".to_owned());
    text.map_or(Ok(LOG_LIMIT_COUNT), |text| text.parse().map_err(wrong))
}

fn parse_flow_id(text: &str) -> Result<FlowId, CliError> {
    FlowId::parse(text).ok_or_else(|| CliError::Usage(format!("{} is not a flow's id", text.escape_debug())))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// One line a version. Titles and names come from people: nothing in them may move the cursor.
fn render_log(answer: &Value) -> String {
    let line = |version: &Value| {
        let (title, author) =
            (replace_controls(text(&version["title"])), replace_controls(text(&version["author"])));
        let (short, date, kind) =
            (text(&version["shortSha"]), text(&version["date"]), text(&version["kind"]));
        format!("{short}  {date}  {kind:8}  {}  {author}: {title}\n", text(&version["flowId"]))
    };
    let lines: String = answer.as_array().into_iter().flatten().map(line).collect();
    if lines.is_empty() { "There are no versions.\n".to_owned() } else { lines }
}

/// A line for each card that came, went or changed, and for what else differs.
fn render_difference(answer: &Value) -> String {
    let rows = |field: &str| answer[field].as_array().cloned().unwrap_or_default();
    let card = |row: &Value| {
        format!("{} ({})", replace_controls(text(&row["label"])), replace_controls(text(&row["name"])))
    };
    let mut lines = Vec::new();
    if answer["renamed"].is_object() {
        let [from, to] = ["from", "to"].map(|end| replace_controls(text(&answer["renamed"][end])));
        lines.push(format!("renamed from '{from}' to '{to}'"));
    }
    lines.extend(rows("added").iter().map(|row| format!("+ {}", card(row))));
    lines.extend(rows("removed").iter().map(|row| format!("- {}", card(row))));
    lines.extend(rows("changed").iter().map(|row| {
        let fields =
            row["fields"].as_array().into_iter().flatten().map(|field| replace_controls(text(field)));
        format!("~ {}: {}", replace_controls(text(&row["label"])), fields.collect::<Vec<_>>().join(", "))
    }));
    let settings = rows("settings");
    if !settings.is_empty() {
        let names: Vec<String> = settings.iter().map(|name| replace_controls(text(name))).collect();
        lines.push(format!("settings: {}", names.join(", ")));
    }
    if answer["edgesChanged"] == true {
        lines.push("connections changed".to_owned());
    }
    match rows("moved").len() {
        0 => {}
        1 => lines.push("1 card moved".to_owned()),
        count => lines.push(format!("{count} cards moved")),
    }
    if lines.is_empty() { "Nothing differs.\n".to_owned() } else { lines.join("\n") + "\n" }
}

fn print_verdict(answer: &Value) -> Result<(), CliError> {
    let problems: Vec<&str> = answer["problems"].as_array().into_iter().flatten().map(text).collect();
    if problems.is_empty() {
        return print(&format!(
            "The history is sound: {} versions, {} objects.\n",
            answer["versions"], answer["objects"]
        ));
    }
    let list: String = problems.iter().map(|problem| format!("\n  {}", replace_controls(problem))).collect();
    Err(CliError::Failed(format!("the history has problems:{list}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_is_read_line_by_line() {
        let answer = json!({
            "added": [{"label": "Tool\u{1b}", "name": "calculator"}], "removed": [],
            "changed": [{"label": "Model", "fields": ["rules", "fallback"]}], "moved": ["a", "b"],
            "edgesChanged": true, "renamed": {"from": "a", "to": "b"},
        });
        let told = render_difference(&answer);
        assert_eq!(
            told,
            "renamed from 'a' to 'b'\n+ Tool\u{fffd} (calculator)\n~ Model: rules, fallback\nconnections changed\n2 cards moved\n"
        );
        assert_eq!(render_difference(&json!({})), "Nothing differs.\n");
    }
}
