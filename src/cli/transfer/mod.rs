//! `flowkeep export` and `flowkeep import`: files of a workspace without the web page.

mod move_in;

use super::operator::{execute, unexpected_reply};
use super::publish::render_problems;
use super::table::cell;
use super::{CliError, Context, print};
use crate::domain::ids::WorkspaceId;
use crate::domain::workspace::import::ExistingPolicy;
use crate::limits::IMPORT_FILE_MAX_BYTES;
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the flows, tools, variables and templates of a workspace to a file, without secrets
#[derive(clap::Args)]
pub(super) struct ExportArgs {
    /// The file to write; standard output if not given [env: SERVICE_EXPORT_FILE]
    file: Option<PathBuf>,
    /// Workspace, by id; the default one if not given [env: SERVICE_EXPORT_WORKSPACE]
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

/// Takes in an export, a flow, a tool or a canvas; what is there already stays as it is unless you say otherwise
///
/// With --from-flowise it takes in a whole data folder of Flowise: flows, credentials, variables, tools, assistants, document
/// stores, API keys, conversations and more. Look with --preview first.
///
/// Flows of files of n8n, Langflow and Dify (also YAML) come in where all of them has a counterpart here; of others it says
/// what stands in the way.
#[derive(clap::Args)]
pub(super) struct ImportArgs {
    /// The file; with --from-flowise there is none
    file: Option<PathBuf>,
    #[command(flatten)]
    moving: move_in::MoveInFlags,
    /// Only says what would become of the file [env: SERVICE_IMPORT_PREVIEW]
    #[arg(long)]
    preview: bool,
    #[command(flatten)]
    existing: ExistingFlags,
    /// Print what became of each thing as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
    /// Workspace, by id; the default one if not given [env: SERVICE_IMPORT_WORKSPACE]
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

/// What is done with things that are there already.
#[derive(clap::Args)]
#[group(multiple = false)]
struct ExistingFlags {
    /// Leave what is there already as it is, which is usual [env: SERVICE_IMPORT_EXISTING=skip]
    #[arg(long)]
    skip: bool,
    /// Change what is there already to what the file says [env: SERVICE_IMPORT_EXISTING=update]
    #[arg(long)]
    update: bool,
    /// Make what is there already once more, under new ids [env: SERVICE_IMPORT_EXISTING=duplicate]
    #[arg(long)]
    duplicate: bool,
}

impl ExistingFlags {
    fn choice(&self, context: &Context<'_>) -> Result<ExistingPolicy, CliError> {
        match (self.skip, self.update, self.duplicate) {
            (true, ..) => return Ok(ExistingPolicy::Skip),
            (_, true, _) => return Ok(ExistingPolicy::Update),
            (.., true) => return Ok(ExistingPolicy::Duplicate),
            (false, false, false) => {}
        }
        match context.text(&None, "SERVICE_IMPORT_EXISTING").as_deref() {
            None | Some("skip") => Ok(ExistingPolicy::Skip),
            Some("update") => Ok(ExistingPolicy::Update),
            Some("duplicate") => Ok(ExistingPolicy::Duplicate),
            Some(_) => {
                Err(CliError::Usage("SERVICE_IMPORT_EXISTING must be skip, update or duplicate".to_owned()))
            }
        }
    }
}

pub(super) fn parse_workspace_id(text: Option<String>) -> Result<Option<WorkspaceId>, CliError> {
    let wrong = || CliError::Usage("--workspace is not a workspace's id".to_owned());
    text.map(|text| WorkspaceId::parse(&text).ok_or_else(wrong)).transpose()
}

pub(super) fn export(args: &ExportArgs, context: &Context<'_>) -> Result<(), CliError> {
    let workspace = parse_workspace_id(context.text(&args.workspace, "SERVICE_EXPORT_WORKSPACE"))?;
    let file = args.file.clone().or_else(|| context.text(&None, "SERVICE_EXPORT_FILE").map(PathBuf::from));
    let CommandReply::Exported { file: exported } =
        execute(context.settings_and_log()?, context, OperatorCommand::Export { workspace })?
    else {
        return Err(unexpected_reply());
    };
    let text = serde_json::to_string_pretty(&exported).map_err(CliError::other)? + "\n";
    match file {
        None => print(&text),
        Some(path) => {
            fs::write(&path, text).map_err(|error| file_error(&path, "written", &error))?;
            print(&format!("Wrote {} to {}.\n", summarize_contents(&exported), path.display()))
        }
    }
}

/// What is in an export, in words.
fn summarize_contents(exported: &Value) -> String {
    const KINDS: [(&[&str], &str, &str); 6] = [
        (&["ChatFlow", "AgentFlow", "AgentFlowV2", "AssistantFlow"], "flow", "flows"),
        (&["Tool"], "tool", "tools"),
        (&["Variable"], "variable", "variables"),
        (&["DocumentStore"], "document store", "document stores"),
        (&["CustomTemplate"], "template", "templates"),
        (&["AssistantOpenAI", "AssistantAzure"], "hosted assistant", "hosted assistants"),
    ];
    let parts = KINDS.iter().filter_map(|(lists, one, many)| {
        let count: usize = lists.iter().filter_map(|list| exported[*list].as_array()).map(Vec::len).sum();
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "an empty workspace".to_owned() } else { parts.join(", ") }
}

pub(super) fn import(args: &ImportArgs, context: &Context<'_>) -> Result<(), CliError> {
    let workspace = parse_workspace_id(context.text(&args.workspace, "SERVICE_IMPORT_WORKSPACE"))?;
    let preview = context.is_switched_on(args.preview, "SERVICE_IMPORT_PREVIEW");
    let json = context.is_switched_on(args.json, "SERVICE_JSON");
    let Some(file) = &args.file else { return move_in::run(&args.moving, preview, json, workspace, context) };
    let length = fs::metadata(file).map_err(|error| file_error(file, "read", &error))?.len();
    if length > IMPORT_FILE_MAX_BYTES as u64 {
        let most = IMPORT_FILE_MAX_BYTES >> 20;
        return Err(CliError::Failed(format!(
            "the file is larger than {most} MiB; export some kinds at a time"
        )));
    }
    let text = fs::read_to_string(file).map_err(|error| file_error(file, "read", &error))?;
    let file_name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let existing = args.existing.choice(context)?;
    let command = OperatorCommand::Import { text, file_name, existing, preview, workspace };
    let CommandReply::Imported { answer } = execute(context.settings_and_log()?, context, command)? else {
        return Err(unexpected_reply());
    };
    print(&if json { format!("{answer:#}\n") } else { render_report(&answer) })?;
    check_refused(&answer)
}

fn check_refused(answer: &Value) -> Result<(), CliError> {
    match answer["refused"].as_u64() {
        Some(0) | None => Ok(()),
        Some(count) => Err(CliError::Failed(format!("{count} could not come in; the list says why"))),
    }
}

fn file_error(path: &Path, verb: &str, error: &std::io::Error) -> CliError {
    CliError::Failed(format!("{} cannot be {verb}: {error}", path.display()))
}

/// What became of a file, and what to do next.
fn render_report(answer: &Value) -> String {
    let mut shown = render_items(answer);
    let unsupported = answer["unsupported"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !unsupported.is_empty() {
        shown.push_str("\nThis server does not run:\n");
    }
    for row in unsupported {
        let (what, name, flows) =
            (cell(&row["what"]), cell(&row["name"]), row["flows"].as_u64().unwrap_or(0));
        let flows = if flows == 1 { "1 flow".to_owned() } else { format!("{flows} flows") };
        let line = match what.as_str() {
            "card" => format!("  card {name}: {} in {flows}", row["count"]),
            _ => format!("  type {name}: {flows}"),
        };
        writeln!(shown, "{line}").expect("writing to a text cannot fail");
    }
    let items = answer["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let skipped = items.iter().filter(|row| row["action"] == "skip");
    let offered: BTreeSet<&str> =
        skipped.filter_map(|row| row["choices"].as_array()).flatten().filter_map(Value::as_str).collect();
    let flags = ["update", "duplicate"].into_iter().filter(|choice| offered.contains(choice));
    let flags: Vec<String> = flags.map(|choice| format!("--{choice}")).collect();
    if !flags.is_empty() {
        let flags = flags.join(" or ");
        writeln!(shown, "\nWhat is here already stays as it is; to have it otherwise add {flags}.")
            .expect("writing to a text cannot fail");
    }
    let waits = |row: &Value| row["type"].is_string() && row["action"] != "refused";
    if items.iter().any(waits) {
        shown.push_str("\nWhat can run is published with: flowkeep publish --all\n");
    }
    shown
}

/// A line for each thing. Names come from the file: nothing in them may move the cursor.
fn render_items(answer: &Value) -> String {
    let text = cell;
    let mut shown = String::new();
    for row in answer["items"].as_array().into_iter().flatten() {
        let name = match row["count"].as_u64() {
            Some(count) => format!("({count})"),
            None => text(&row["name"]),
        };
        let line = format!("{:<8} {:<14} {name}", text(&row["action"]), text(&row["kind"]));
        writeln!(shown, "{}", line.trim_end()).expect("writing to a text cannot fail");
        let notes = row["notes"].as_array().into_iter().flatten();
        for why in std::iter::once(&row["reason"]).chain(notes).filter(|why| why.is_string()) {
            writeln!(shown, "         {}", text(why)).expect("writing to a text cannot fail");
        }
        render_problems(&row["problems"], &mut shown);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_became_of_a_file_is_told_line_by_line() {
        let answer = json!({"items": [
            {"kind": "ChatFlow", "name": "a\u{1b}b", "action": "create", "reason": null, "notes": ["Look."]},
            {"kind": "ChatMessage", "count": 3, "action": "skip", "reason": "They stay."},
        ]});
        let shown = render_items(&answer);
        assert_eq!(
            shown,
            "create   ChatFlow       a\\u{1b}b\n         Look.\nskip     ChatMessage    (3)\n         They stay.\n"
        );
    }

    #[test]
    fn an_export_says_what_it_wrote() {
        let exported = json!({"ChatFlow": [1], "AgentFlowV2": [1], "Tool": [1], "Variable": []});
        assert_eq!(summarize_contents(&exported), "2 flows, 1 tool");
        assert_eq!(summarize_contents(&json!({})), "an empty workspace");
    }

    #[test]
    fn only_what_can_be_chosen_is_offered() {
        let row =
            |action: &str, choices: &[&str]| json!({"kind": "Tool", "action": action, "choices": choices});
        let offer = |row: Value| render_report(&json!({"message": "preview", "items": [row]}));
        assert!(offer(row("skip", &["skip", "update", "duplicate"])).contains("--update or --duplicate"));
        assert!(!offer(row("skip", &["skip", "duplicate"])).contains("--update"));
        assert!(!offer(row("skip", &["skip"])).contains("--"));
        assert!(!offer(row("create", &["create", "skip"])).contains("--"));
        let rows = json!([
            {"what": "type", "name": "AGENTFLOW", "count": 2, "flows": 2},
            {"what": "card", "name": "odd", "count": 3, "flows": 1},
        ]);
        let shown = render_report(&json!({"message": "preview", "items": [], "unsupported": rows}));
        assert!(shown.ends_with("  type AGENTFLOW: 2 flows\n  card odd: 3 in 1 flow\n"), "{shown}");
    }
}
