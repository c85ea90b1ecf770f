//! `flowkeep publish`: drafts become Live without the web page.

use super::operator::{execute, unexpected_reply};
use super::table::cell;
use super::transfer::parse_workspace_id;
use super::{CliError, Context, print};
use crate::domain::ids::FlowId;
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use serde_json::Value;
use std::fmt::Write as _;

/// Publishes the drafts of flows that can run, each with a version of its own
#[derive(clap::Args)]
pub(super) struct PublishArgs {
    #[arg(value_name = "FLOW", required_unless_present = "all", conflicts_with = "all")]
    flows: Vec<String>,
    /// Every flow of the workspace that has unpublished changes [env: SERVICE_PUBLISH_ALL]
    #[arg(long)]
    all: bool,
    /// Workspace, by id; the default one if not given [env: SERVICE_PUBLISH_WORKSPACE]
    #[arg(long, value_name = "ID", requires = "all")]
    workspace: Option<String>,
    /// Print the results as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PublishArgs, context: &Context<'_>) -> Result<(), CliError> {
    let id = |text: &String| {
        FlowId::parse(text)
            .ok_or_else(|| CliError::Usage(format!("{} is not a flow's id", text.escape_debug())))
    };
    let flows = args.flows.iter().map(id).collect::<Result<Vec<_>, _>>()?;
    let workspace = parse_workspace_id(context.text(&args.workspace, "SERVICE_PUBLISH_WORKSPACE"))?;
    let CommandReply::Published { answer } =
        execute(context.settings_and_log()?, context, OperatorCommand::Publish { flows, workspace })?
    else {
        return Err(unexpected_reply());
    };
    let shown = if context.is_switched_on(args.json, "SERVICE_JSON") {
        format!("{answer:#}\n")
    } else {
        render_results(&answer)
    };
    print(&shown)?;
    // Of all flows those that can run were asked for; a flow that was named was to be published.
    let count = |field: &str| answer[field].as_u64().unwrap_or(0);
    let left = count("refused") + if args.all { 0 } else { count("blocked") };
    if left == 0 {
        return Ok(());
    }
    Err(CliError::Failed(format!("{left} could not be published; the list says why")))
}

/// A line for each flow, and what is wrong with it below. Names come from people: nothing in them may move the cursor.
fn render_results(answer: &Value) -> String {
    let mut shown = String::new();
    for row in answer["results"].as_array().into_iter().flatten() {
        let name = if row["name"].is_null() { cell(&row["id"]) } else { cell(&row["name"]) };
        let version = row["version"]["shortSha"].as_str().map_or_else(String::new, |sha| format!("  {sha}"));
        let line = format!("{:<9}  {name}{version}", cell(&row["outcome"]));
        writeln!(shown, "{}", line.trim_end()).expect("writing to a text cannot fail");
        for why in [&row["reason"], &row["historyError"]].into_iter().filter(|why| why.is_string()) {
            writeln!(shown, "           {}", cell(why)).expect("writing to a text cannot fail");
        }
        render_problems(&row["problems"], &mut shown);
    }
    if shown.is_empty() { "There are no unpublished changes.\n".to_owned() } else { shown }
}

/// Problems of one flow that a list shows.
const PROBLEMS_SHOWN: usize = 5;

/// Writes what is wrong with a flow below its line, the first of it.
pub(super) fn render_problems(list: &Value, shown: &mut String) {
    let cards = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let issues = cards.iter().flat_map(|card| {
        let issues = card["issues"].as_array().into_iter().flatten();
        issues.map(|issue| format!("{}: {}", cell(&card["label"]), cell(issue)))
    });
    let issues: Vec<String> = issues.collect();
    for issue in issues.iter().take(PROBLEMS_SHOWN) {
        writeln!(shown, "           {issue}").expect("writing to a text cannot fail");
    }
    if issues.len() > PROBLEMS_SHOWN {
        let more = issues.len() - PROBLEMS_SHOWN;
        writeln!(shown, "           and {more} more").expect("writing to a text cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_flow_has_its_result_and_its_reason() {
        let answer = json!({"results": [
            {"name": "a\u{1b}b", "outcome": "published", "version": {"shortSha": "abc1234"}, "reason": null, "problems": []},
            {"id": "1", "name": null, "outcome": "refused", "reason": "There is none."},
            {"name": "c", "outcome": "blocked", "problems": [{"label": "Chain", "issues": ["1", "2", "3", "4", "5", "6", "7"]}]},
        ]});
        let shown = render_results(&answer);
        assert!(shown.starts_with(
            "published  a\\u{1b}b  abc1234\nrefused    1\n           There is none.\nblocked    c\n"
        ));
        assert!(shown.ends_with("Chain: 5\n           and 2 more\n"), "{shown}");
        assert_eq!(render_results(&json!({"results": []})), "There are no unpublished changes.\n");
    }
}
