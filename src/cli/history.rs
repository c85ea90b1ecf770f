//! `flowkeep history`: the versions of flows without the web page.

use super::operator::{execute, unexpected};
use super::table::{json_lines, shown};
use super::{Context, Failure, say};
use crate::domain::ids::FlowId;
use crate::ops::control::{Command, Outcome};
use clap::Subcommand;
use serde_json::Value;

/// Reads the version history
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
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
        /// The flow's id
        flow: String,
        /// The version's id, or at least its first 7 characters
        #[arg(value_name = "VERSION")]
        sha: String,
    },
    /// Says what changed in a version
    Diff {
        /// The flow's id
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
    /// Goes on with the history as it is, or begins a new one where it is missing; removes nothing
    Restart,
}

pub(super) fn run(args: &Args, context: &Context<'_>) -> Result<(), Failure> {
    let settings = context.settings_and_log()?;
    let command = match &args.action {
        Action::Log { flow, limit, .. } => Command::HistoryLog {
            flow: flow.as_deref().map(id).transpose()?,
            limit: limit_of(*limit, context)?,
        },
        Action::Show { flow, sha } => Command::HistoryShow { flow: id(flow)?, sha: sha.clone() },
        Action::Diff { flow, sha, against, .. } => Command::HistoryDiff {
            flow: id(flow)?,
            sha: sha.clone(),
            against: context
                .text(against, "SERVICE_HISTORY_AGAINST")
                .unwrap_or_else(|| "previous".to_owned()),
        },
        Action::Verify => Command::HistoryVerify,
        Action::Restart => Command::HistoryRestart,
    };
    let Outcome::History { answer } = execute(settings, context, command)? else { return Err(unexpected()) };
    match &args.action {
        Action::Log { json, .. } | Action::Diff { json, .. } if context.switch(*json, "SERVICE_JSON") => {
            say(&json_lines(&answer)?)
        }
        Action::Log { .. } => say(&log(&answer)),
        Action::Show { .. } => say(&format!("{}\n", text(&answer["flowData"]))),
        Action::Diff { .. } => say(&difference(&answer)),
        Action::Restart => say(restarted(&answer)),
        Action::Verify => verdict(&answer),
    }
}

fn restarted(answer: &Value) -> &'static str {
    if answer["isNew"] == true {
        "A new history begins: what is saved from now on is recorded. Versions from before are not in it.\n"
    } else {
        "The history goes on as it is. Versions that are not in it are forgotten.\n"
    }
}

/// The most versions `history log` prints unless told otherwise.
const LOG_LIMIT_COUNT: usize = 50;

fn limit_of(flag: Option<usize>, context: &Context<'_>) -> Result<usize, Failure> {
    let text = context.text(&flag.map(|limit| limit.to_string()), "SERVICE_HISTORY_LIMIT");
    let wrong = |_| Failure::Usage("SERVICE_HISTORY_LIMIT must be a number".to_owned());
    text.map_or(Ok(LOG_LIMIT_COUNT), |text| text.parse().map_err(wrong))
}

fn id(text: &str) -> Result<FlowId, Failure> {
    FlowId::parse(text).ok_or_else(|| Failure::Usage(format!("{} is not a flow's id", text.escape_debug())))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// One line a version. Titles and names come from people: nothing in them may move the cursor.
fn log(answer: &Value) -> String {
    let line = |version: &Value| {
        let (title, author) = (shown(text(&version["title"])), shown(text(&version["author"])));
        let (short, date, kind) =
            (text(&version["shortSha"]), text(&version["date"]), text(&version["kind"]));
        format!("{short}  {date}  {kind:8}  {}  {author}: {title}\n", text(&version["flowId"]))
    };
    let lines: String = answer.as_array().into_iter().flatten().map(line).collect();
    if lines.is_empty() { "There are no versions.\n".to_owned() } else { lines }
}

/// A line for each card that came, went or changed, and for what else differs.
fn difference(answer: &Value) -> String {
    let rows = |field: &str| answer[field].as_array().cloned().unwrap_or_default();
    let card = |row: &Value| format!("{} ({})", shown(text(&row["label"])), shown(text(&row["name"])));
    let mut lines = Vec::new();
    if answer["renamed"].is_object() {
        let [from, to] = ["from", "to"].map(|end| shown(text(&answer["renamed"][end])));
        lines.push(format!("renamed from '{from}' to '{to}'"));
    }
    lines.extend(rows("added").iter().map(|row| format!("+ {}", card(row))));
    lines.extend(rows("removed").iter().map(|row| format!("- {}", card(row))));
    lines.extend(rows("changed").iter().map(|row| {
        let fields = row["fields"].as_array().into_iter().flatten().map(|field| shown(text(field)));
        format!("~ {}: {}", shown(text(&row["label"])), fields.collect::<Vec<_>>().join(", "))
    }));
    let settings = rows("settings");
    if !settings.is_empty() {
        let names: Vec<String> = settings.iter().map(|name| shown(text(name))).collect();
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

fn verdict(answer: &Value) -> Result<(), Failure> {
    let problems: Vec<&str> = answer["problems"].as_array().into_iter().flatten().map(text).collect();
    if problems.is_empty() {
        return say(&format!(
            "The history is sound: {} versions, {} objects.\n",
            answer["versions"], answer["objects"]
        ));
    }
    let list: String = problems.iter().map(|problem| format!("\n  {}", shown(problem))).collect();
    Err(Failure::Failed(format!("the history has problems:{list}")))
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
        let told = difference(&answer);
        assert_eq!(
            told,
            "renamed from 'a' to 'b'\n+ Tool\u{fffd} (calculator)\n~ Model: rules, fallback\nconnections changed\n2 cards moved\n"
        );
        assert_eq!(difference(&json!({})), "Nothing differs.\n");
    }
}
