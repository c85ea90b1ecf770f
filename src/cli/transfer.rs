//! `flowkeep export` and `flowkeep import`: files of a workspace without the web page.

use super::operator::{execute, unexpected};
use super::{Context, Failure, say};
use crate::domain::ids::WorkspaceId;
use crate::limits::IMPORT_FILE_MAX_BYTES;
use crate::ops::control::{Command, Outcome};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the flows, tools, variables and templates of a workspace to a file, without secrets
#[derive(clap::Args)]
pub(super) struct Export {
    /// The file to write; standard output if not given [env: SERVICE_EXPORT_FILE]
    file: Option<PathBuf>,
    /// Workspace, by id; the default one if not given [env: SERVICE_EXPORT_WORKSPACE]
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

/// Takes in an export, a flow or a canvas; nothing that is there is overwritten
#[derive(clap::Args)]
pub(super) struct Import {
    /// The file
    file: PathBuf,
    /// Only says what would become of the file [env: SERVICE_IMPORT_PREVIEW]
    #[arg(long)]
    preview: bool,
    /// Workspace, by id; the default one if not given [env: SERVICE_IMPORT_WORKSPACE]
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
}

fn workspace(text: Option<String>) -> Result<Option<WorkspaceId>, Failure> {
    let wrong = || Failure::Usage("--workspace is not a workspace's id".to_owned());
    text.map(|text| WorkspaceId::parse(&text).ok_or_else(wrong)).transpose()
}

pub(super) fn export(args: &Export, context: &Context<'_>) -> Result<(), Failure> {
    let workspace = workspace(context.text(&args.workspace, "SERVICE_EXPORT_WORKSPACE"))?;
    let file = args.file.clone().or_else(|| context.text(&None, "SERVICE_EXPORT_FILE").map(PathBuf::from));
    let Outcome::Exported { file: exported } =
        execute(context.settings_and_log()?, context, Command::Export { workspace })?
    else {
        return Err(unexpected());
    };
    let text = serde_json::to_string_pretty(&exported).map_err(Failure::failed)? + "\n";
    match file {
        None => say(&text),
        Some(path) => fs::write(&path, text).map_err(|error| unusable(&path, "written", &error)),
    }
}

pub(super) fn import(args: &Import, context: &Context<'_>) -> Result<(), Failure> {
    let workspace = workspace(context.text(&args.workspace, "SERVICE_IMPORT_WORKSPACE"))?;
    let preview = context.switch(args.preview, "SERVICE_IMPORT_PREVIEW");
    let length = fs::metadata(&args.file).map_err(|error| unusable(&args.file, "read", &error))?.len();
    if length > IMPORT_FILE_MAX_BYTES as u64 {
        let most = IMPORT_FILE_MAX_BYTES >> 20;
        return Err(Failure::Failed(format!(
            "the file is larger than {most} MiB; export some kinds at a time"
        )));
    }
    let text = fs::read_to_string(&args.file).map_err(|error| unusable(&args.file, "read", &error))?;
    let command = Command::Import { text, preview, workspace };
    let Outcome::Imported { answer } = execute(context.settings_and_log()?, context, command)? else {
        return Err(unexpected());
    };
    say(&table(&answer))?;
    match answer["refused"].as_u64() {
        Some(0) | None => Ok(()),
        Some(count) => Err(Failure::Failed(format!("{count} could not come in; the list says why"))),
    }
}

fn unusable(path: &Path, verb: &str, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("{} cannot be {verb}: {error}", path.display()))
}

/// A line for each thing. Names come from the file: nothing in them may move the cursor.
fn table(answer: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().escape_debug().to_string();
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
        let shown = table(&answer);
        assert_eq!(
            shown,
            "create   ChatFlow       a\\u{1b}b\n         Look.\nskip     ChatMessage    (3)\n         They stay.\n"
        );
    }
}
