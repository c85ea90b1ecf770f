//! What an export of the folder would hold, made of its database: so flows, tools, variables, stores, assistants and templates come in
//! as those of any export do. Files that canvases name are put into them, as an editor would.

use super::report::{MoveReport, Outcome};
use super::{Homes, Move};
use crate::canvas::{Canvas, files};
use crate::domain::error::Result;
use crate::domain::flows::flow::FlowKind;
use crate::domain::ids::FlowId;
use crate::flowise::{FlowiseError, Folder, Row, Table};
use crate::limits::DOCUMENT_BYTES_MAX;
use crate::ops::triggers::webhooks;
use crate::ops::workspace::transfer::parse::SETTINGS;
use crate::store::tables::WEBHOOK_SECRETS;
use serde_json::{Map, Value, json};

/// The lists of flows, by the type in a row.
const FLOW_LISTS: [(&str, &str); 4] = [
    ("CHATFLOW", "ChatFlow"),
    ("MULTIAGENT", "AgentFlow"),
    ("AGENTFLOW", "AgentFlowV2"),
    ("ASSISTANT", "AssistantFlow"),
];
/// The lists of assistants, by the type in a row. The first is what rows without one are.
const ASSISTANT_LISTS: [(&str, &str); 3] =
    [("OPENAI", "AssistantOpenAI"), ("CUSTOM", "AssistantCustom"), ("AZURE", "AssistantAzure")];
/// Columns of a flow that are taken as they are, beside its settings.
const FLOW_TEXTS: [&str; 3] = ["name", "category", "flowData"];

/// The file. Of a folder without any of these things it is empty.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn build(folder: &Folder) -> std::result::Result<Map<String, Value>, FlowiseError> {
    let mut file = Map::new();
    for mut row in folder.list(Table::Flow)? {
        let kind = row.filled("type").unwrap_or(FlowKind::Chatflow.as_str()).to_owned();
        let list =
            FLOW_LISTS.iter().find(|(known, _)| *known == kind).map_or(FLOW_LISTS[0].1, |(_, list)| list);
        push(&mut file, list, flow(folder, &mut row, &kind));
    }
    for row in folder.list(Table::Assistant)? {
        let kind = row.filled("type").unwrap_or(ASSISTANT_LISTS[0].0);
        let list = ASSISTANT_LISTS.iter().find(|(known, _)| *known == kind);
        push(
            &mut file,
            list.map_or(ASSISTANT_LISTS[0].1, |(_, list)| list),
            texts(&row, &["details", "credential", "iconSrc", "type"]),
        );
    }
    let lists: [(Table, &str, &[&str]); 4] = [
        (Table::Tool, "Tool", &["name", "description", "color", "iconSrc", "schema", "func"]),
        (Table::Variable, "Variable", &["name", "value", "type"]),
        (Table::DocumentStore, "DocumentStore", &["name", "description"]),
        (
            Table::Template,
            "CustomTemplate",
            &["name", "flowData", "description", "badge", "framework", "type"],
        ),
    ];
    for (table, list, columns) in lists {
        for row in folder.list(table)? {
            let mut thing = texts(&row, columns);
            if let Some(usecases) = row.json("usecases") {
                thing["usecases"] = usecases;
            }
            push(&mut file, list, thing);
        }
    }
    Ok(file)
}

fn push(file: &mut Map<String, Value>, list: &str, thing: Value) {
    let list = file.entry(list).or_insert_with(|| json!([]));
    if let Value::Array(list) = list {
        list.push(thing);
    }
}

/// A thing with its id and these columns, as far as they are filled.
fn texts(row: &Row, columns: &[&str]) -> Value {
    let filled = columns.iter().filter_map(|name| Some(((*name).to_owned(), row.text(name)?.into())));
    let mut thing = Map::from_iter([("id".to_owned(), id_text(row).into())]);
    thing.extend(filled);
    thing.into()
}

fn id_text(row: &Row) -> String {
    row.id("id").map_or_else(|| row.text("id").unwrap_or_default().to_owned(), |id| id.to_string())
}

fn flow(folder: &Folder, row: &mut Row, kind: &str) -> Value {
    let columns: Vec<&str> = FLOW_TEXTS.iter().chain(SETTINGS).copied().collect();
    let mut thing = texts(row, &columns);
    thing["type"] = kind.into();
    for name in ["deployed", "isPublic"] {
        if let Some(flag) = row.flag(name) {
            thing[name] = flag.into();
        }
    }
    if let Some(key) = row.filled("apikeyid") {
        // Versions before 3 write the ids of keys without hyphens.
        thing["apikeyid"] = row.id("apikeyid").map_or_else(|| key.to_owned(), |id| id.to_string()).into();
    }
    let owner = row.text("id").unwrap_or_default();
    let drawn = row.text("flowData").and_then(|text| Canvas::parse(text).ok());
    let mut find = |name: &str| folder.flow_file(owner, name, DOCUMENT_BYTES_MAX as u64);
    if let Some(with_files) = drawn.and_then(|canvas| files::inline_stored_files(&canvas, &mut find)) {
        thing["flowData"] = with_files.into();
    }
    thing
}

/// The secrets with which callers of webhooks sign, for flows that have none here.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn webhook_secrets(moving: &Move<'_>, homes: &Homes, report: &mut MoveReport) -> Result<()> {
    for row in moving.folder.list(Table::Flow)? {
        moving.go_on()?;
        let Some(sealed) = row.filled("webhookSecret") else { continue };
        let outcome = Outcome::judge(webhook_secret(moving, homes, &row, sealed))?;
        report.tell("WebhookSecret", row.id("id"), row.text("name").unwrap_or_default(), outcome);
    }
    Ok(())
}

fn webhook_secret(moving: &Move<'_>, homes: &Homes, row: &Row, sealed: &str) -> Result<Outcome> {
    let home = row.id("id").and_then(|id| homes.flows.get(&FlowId::from_bytes(*id.as_bytes())));
    let Some(home) = home else { return Ok(Outcome::Left("Its flow did not come in.".to_owned())) };
    let opened = moving.folder.open_sealed(sealed)?;
    let Some(secret) = opened.get("secret").and_then(Value::as_str).filter(|secret| !secret.is_empty())
    else {
        return Ok(Outcome::Refused("It is not written as Flowise writes it.".to_owned()));
    };
    let workspace = &moving.caller.workspace;
    let is_here = moving.app.store.read(|tx| WEBHOOK_SECRETS.has(tx, workspace, home))?;
    let is_kept =
        !is_here && (!moving.is_real || webhooks::adopt_secret(moving.app, moving.caller, home, secret)?);
    Ok(if is_kept { Outcome::MADE } else { Outcome::Here })
}
