//! `flowkeep promote`: versions of Dev become Live on Prod without the web page.

use super::operator::{execute, unexpected_reply};
use super::table::{cell, json_lines, table};
use super::transfer::parse_workspace_id;
use super::{CliError, Context, print};
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::ops::service::control::{OperatorCommand, PromotionCommand};
use crate::wire::service::operator::CommandReply;
use serde_json::Value;
use std::fmt::Write as _;

/// Lists what Dev has that is not Live here, or makes the newest version of a flow Live
#[derive(clap::Args)]
pub(super) struct PromoteArgs {
    /// The flow to promote, by id; what there is to promote is listed if it is not given
    #[arg(value_name = "FLOW")]
    flow: Option<String>,
    /// Only show what promoting the flow would do [env: SERVICE_PROMOTE_SHOW]
    #[arg(long, requires = "flow")]
    show: bool,
    /// Promote although the flow would fail when it is asked [env: SERVICE_PROMOTE_BLOCKED]
    #[arg(long, requires = "flow")]
    blocked: bool,
    /// Workspace, by id; the flow's own, or the default one, if not given [env: SERVICE_PROMOTE_WORKSPACE]
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// Print the answer as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PromoteArgs, context: &Context<'_>) -> Result<(), CliError> {
    let workspace = parse_workspace_id(context.text(&args.workspace, "SERVICE_PROMOTE_WORKSPACE"))?;
    let is_json = context.is_switched_on(args.json, "SERVICE_JSON");
    let show = |answer: &Value, render: fn(&Value) -> String| {
        print(&if is_json { json_lines(answer)? } else { render(answer) })
    };
    let Some(flow) = &args.flow else {
        return show(&ask(context, PromotionCommand::List, workspace)?, render_list);
    };
    let flow = FlowId::parse(flow)
        .ok_or_else(|| CliError::Usage(format!("{} is not a flow's id", flow.escape_debug())))?;
    let shown = ask(context, PromotionCommand::Show(flow), workspace)?;
    if context.is_switched_on(args.show, "SERVICE_PROMOTE_SHOW") {
        return show(&shown, render_flow);
    }
    let is_let = context.is_switched_on(args.blocked, "SERVICE_PROMOTE_BLOCKED");
    if has_blocking(&shown) && !is_let {
        print(&render_flow(&shown))?;
        return Err(CliError::other(
            "the flow would fail when it is asked, so it was not promoted; see to what is marked with '!', or promote it all \
             the same with --blocked",
        ));
    }
    // What is promoted is what was shown: anything else by now is refused.
    let text = |name: &str| shown.pointer(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let wanted = PromotionCommand::Promote { flow, sha: text("/version/sha"), digest: text("/digest") };
    let answer = ask(context, wanted, workspace)?;
    if is_json {
        return print(&json_lines(&answer)?);
    }
    print(&(render_flow(&shown) + &render_result(&answer)))
}

fn ask(
    context: &Context<'_>,
    wanted: PromotionCommand,
    workspace: Option<WorkspaceId>,
) -> Result<Value, CliError> {
    let command = OperatorCommand::Promotion { wanted, workspace };
    match execute(context.settings_and_log()?, context, command)? {
        CommandReply::Promotion { answer } => Ok(answer),
        _ => Err(unexpected_reply()),
    }
}

fn has_blocking(shown: &Value) -> bool {
    rows(shown, "warnings").iter().any(|warning| warning["blocking"] == true)
}

fn rows<'v>(answer: &'v Value, name: &str) -> &'v [Value] {
    answer[name].as_array().map_or(&[], Vec::as_slice)
}

/// Names and titles come from people of another server: nothing in them may move the cursor.
fn render_list(answer: &Value) -> String {
    let flows = rows(answer, "flows");
    if flows.is_empty() {
        return "Dev has nothing that is not Live here.\n".to_owned();
    }
    let row = |flow: &Value| {
        let version = &flow["version"];
        [
            cell(&flow["flowId"]),
            cell(&flow["status"]),
            cell(&version["shortSha"]),
            cell(&flow["name"]),
            cell(&version["title"]),
        ]
    };
    table(["FLOW", "STATUS", "VERSION", "NAME", "TITLE"], flows.iter().map(row))
}

/// What promoting a flow would do.
fn render_flow(shown: &Value) -> String {
    let version = &shown["version"];
    let mut text = String::new();
    let mut line =
        |words: String| writeln!(text, "{}", words.trim_end()).expect("writing to a text cannot fail");
    line(format!("{}  {}  {}", cell(&shown["name"]), cell(&version["shortSha"]), cell(&version["title"])));
    for sentence in rows(&shown["diff"], "sentences") {
        line(format!("  {}", cell(sentence)));
    }
    for missing in rows(shown, "missingCredentials") {
        let (name, sort) = (cell(&missing["name"]), cell(&missing["credentialName"]));
        line(format!("! The credential '{name}' ({sort}) is not in this workspace."));
    }
    for warning in rows(shown, "warnings") {
        let mark = if warning["blocking"] == true { '!' } else { '-' };
        line(format!("{mark} {}", cell(&warning["message"])));
    }
    text
}

fn render_result(answer: &Value) -> String {
    let made = if answer["created"] == true { "made and promoted" } else { "promoted" };
    let mut text = format!("{} is {made}.\n", cell(&answer["chatflow"]["name"]));
    if let Some(why) = answer["historyError"].as_str() {
        writeln!(text, "It is Live, and no version was recorded: {}", cell(&why.into()))
            .expect("writing to a text cannot fail");
    }
    if answer["hasDraft"] == true {
        text.push_str("Its unpublished changes stay; they started from the old Live.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_would_happen_is_told_before_what_happened() {
        let shown = json!({
            "name": "a\u{1b}b", "version": {"shortSha": "abc1234", "title": "Published: prompt"},
            "diff": {"sentences": ["The prompt changed."]},
            "missingCredentials": [{"name": "Key", "credentialName": "openAIApi"}],
            "warnings": [{"message": "One.", "blocking": false}, {"message": "Two.", "blocking": true}],
        });
        assert_eq!(
            render_flow(&shown),
            "a\\u{1b}b  abc1234  Published: prompt\n  The prompt changed.\n! The credential 'Key' (openAIApi) is not in \
             this workspace.\n- One.\n! Two.\n"
        );
        assert!(has_blocking(&shown));
        let answer = json!({"chatflow": {"name": "Desk"}, "created": true, "hasDraft": false});
        assert_eq!(render_result(&answer), "Desk is made and promoted.\n");
        assert_eq!(render_list(&json!({"flows": []})), "Dev has nothing that is not Live here.\n");
    }
}
