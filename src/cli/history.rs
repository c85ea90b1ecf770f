//! `flowkeep history`: the versions of flows without the web page.

use super::operator::{execute, unexpected};
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
    },
    /// Checks that the history is sound, agrees with its index and holds no secret-shaped text
    Verify,
}

pub(super) fn run(args: &Args, context: &Context<'_>) -> Result<(), Failure> {
    let settings = context.settings_and_log()?;
    let command = match &args.action {
        Action::Log { flow, limit } => Command::HistoryLog {
            flow: flow.as_deref().map(id).transpose()?,
            limit: limit_of(*limit, context)?,
        },
        Action::Show { flow, sha } => Command::HistoryShow { flow: id(flow)?, sha: sha.clone() },
        Action::Diff { flow, sha, against } => Command::HistoryDiff {
            flow: id(flow)?,
            sha: sha.clone(),
            against: context
                .text(against, "SERVICE_HISTORY_AGAINST")
                .unwrap_or_else(|| "previous".to_owned()),
        },
        Action::Verify => Command::HistoryVerify,
    };
    let Outcome::History { answer } = execute(settings, context, command)? else { return Err(unexpected()) };
    match &args.action {
        Action::Log { .. } => say(&log(&answer)),
        Action::Show { .. } => say(&format!("{}\n", text(&answer["flowData"]))),
        Action::Diff { .. } => say(&format!("{answer:#}\n")),
        Action::Verify => verdict(&answer),
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

/// A text of people, without what would move the cursor.
fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
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
