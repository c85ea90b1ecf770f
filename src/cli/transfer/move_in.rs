//! `flowkeep import --from-flowise`: a data folder of Flowise, and how its flows run here.

use super::super::operator::{execute, unexpected_reply};
use super::super::table::cell;
use super::super::{CliError, Context, print};
use super::{check_refused, render_items};
use crate::domain::ids::WorkspaceId;
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Another product's folder, and what of it.
#[derive(clap::Args)]
pub(super) struct MoveInFlags {
    /// Takes in the data folder of Flowise, or its database.sqlite, instead of a file; the folder stays as it is [env:
    /// SERVICE_IMPORT_FROM_FLOWISE]
    #[arg(long, value_name = "PATH", conflicts_with_all = ["file", "skip", "update", "duplicate"])]
    from_flowise: Option<PathBuf>,
    /// The file with Flowise's key; encryption.key in its data folder if not given [env: SERVICE_IMPORT_KEY]
    #[arg(long = "key", value_name = "FILE", conflicts_with = "file")]
    key_file: Option<PathBuf>,
    /// Of several workspaces in it, the id of the one to take in [env: SERVICE_IMPORT_FROM_WORKSPACE]
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    from_workspace: Option<String>,
}

/// The service that runs reads the folder itself, so it is told where that lies from the root on.
pub(super) fn run(
    flags: &MoveInFlags,
    preview: bool,
    json: bool,
    workspace: Option<WorkspaceId>,
    context: &Context<'_>,
) -> Result<(), CliError> {
    let path_of = |flag: &Option<PathBuf>, variable: &str| {
        flag.clone().or_else(|| context.text(&None, variable).map(PathBuf::from))
    };
    let path = path_of(&flags.from_flowise, "SERVICE_IMPORT_FROM_FLOWISE").ok_or_else(|| {
        CliError::Usage(
            "name the file to take in, or a data folder of Flowise with --from-flowise".to_owned(),
        )
    })?;
    let key = path_of(&flags.key_file, "SERVICE_IMPORT_KEY");
    let from_workspace = context.text(&flags.from_workspace, "SERVICE_IMPORT_FROM_WORKSPACE");
    let (path, key) = (resolve(&path)?, key.as_deref().map(resolve).transpose()?);
    let command = OperatorCommand::MoveIn { path, key, from_workspace, preview, workspace };
    let CommandReply::Imported { answer } = execute(context.settings_and_log()?, context, command)? else {
        return Err(unexpected_reply());
    };
    print(&if json { format!("{answer:#}\n") } else { render(&answer) })?;
    check_refused(&answer)
}

fn resolve(path: &Path) -> Result<PathBuf, CliError> {
    fs::canonicalize(path).map_err(|error| super::file_error(path, "read", &error))
}

/// How the flows run, and what became of each thing.
fn render(answer: &Value) -> String {
    let mut shown = render_coverage(&answer["coverage"]);
    if !shown.is_empty() {
        shown.push('\n');
    }
    shown.push_str(&render_items(answer));
    let notes = answer["notes"].as_array().into_iter().flatten().map(cell);
    for note in notes {
        writeln!(shown, "\n{note}").expect("writing to a text cannot fail");
    }
    let count = |name: &str| answer[name].as_u64().unwrap_or(0);
    let counts = (count("created"), count("skipped"), count("refused"));
    let (made, left, refused) = counts;
    let verb = if answer["message"] == "preview" { "would come in" } else { "came in" };
    writeln!(shown, "\n{made} {verb}, {left} stay as they are or outside, {refused} cannot come in.")
        .expect("writing to a text cannot fail");
    if made > 0 && answer["message"] != "preview" {
        shown.push_str("What can run is published with: flowkeep publish --all\n");
    }
    shown
}

/// The flows by how they run here, with what is to be known of each, and the cards that are missing.
fn render_coverage(coverage: &Value) -> String {
    const GROUPS: [(&str, &str); 3] = [
        ("runs", "Run as they are"),
        ("differs", "Run with differences"),
        ("waits", "Run once this is done"),
    ];
    let mut shown = String::new();
    for (group, title) in GROUPS {
        let flows = coverage[group].as_array().map(Vec::as_slice).unwrap_or_default();
        if flows.is_empty() {
            continue;
        }
        writeln!(shown, "{title}: {}", flows.len()).expect("writing to a text cannot fail");
        for flow in flows {
            writeln!(shown, "  {:<10} {}", cell(&flow["type"]), cell(&flow["name"]))
                .expect("writing to a text cannot fail");
            for note in flow["notes"].as_array().into_iter().flatten() {
                writeln!(shown, "             {}", cell(note)).expect("writing to a text cannot fail");
            }
        }
    }
    let missing = coverage["missingCards"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !missing.is_empty() {
        writeln!(shown, "Cards that this server does not have: {}", missing.len())
            .expect("writing to a text cannot fail");
    }
    for card in missing {
        let flows: Vec<String> = card["flows"].as_array().into_iter().flatten().map(cell).collect();
        writeln!(shown, "  {} ({}): {}", cell(&card["name"]), card["count"], flows.join(", "))
            .expect("writing to a text cannot fail");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn flows_are_told_by_how_they_run_and_cards_by_who_needs_them() {
        let flow = |name: &str, notes: &[&str]| json!({"name": name, "type": "CHATFLOW", "notes": notes});
        let answer = json!({
            "message": "preview", "created": 3, "skipped": 1, "refused": 0, "notes": ["Look."],
            "coverage": {
                "runs": [flow("A", &[])], "differs": [], "waits": [flow("B\u{1b}", &["x: There is no card 'x'."])],
                "missingCards": [{"name": "x", "count": 2, "flows": ["B", "C"]}],
            },
            "items": [{"kind": "Credential", "name": "c", "action": "create"}],
        });
        let expected = "Run as they are: 1\n  CHATFLOW   A\nRun once this is done: 1\n  CHATFLOW   B\\u{1b}\n             \
                        x: There is no card 'x'.\nCards that this server does not have: 1\n  x (2): B, C\n\n\
                        create   Credential     c\n\nLook.\n\n3 would come in, 1 stay as they are or outside, 0 cannot come in.\n";
        assert_eq!(render(&answer), expected);
    }
}
