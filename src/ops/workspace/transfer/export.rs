//! Writing the file.

use super::credentials;
use super::{GROUPS, ItemKind};
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::KeyId;
use crate::domain::secrets::{redact, tree};
use crate::ops::conversations::feedback;
use crate::ops::conversations::messages::{self, Budget};
use crate::ops::flows::drafts;
use crate::ops::flows::snapshot::Snapshot;
use crate::ops::knowledge::stores;
use crate::ops::workspace::{templates, tools, variables};
use crate::store::tables::{API_KEYS, CANVASES, FLOWS};
use crate::store::{Order, ReadTx};
use crate::wire::conversations::feedback::FeedbackView;
use crate::wire::conversations::messages::MessageView;
use crate::wire::knowledge::stores::DocumentStoreView;
use crate::wire::workspace::variables::VariableView;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Largest file.
const BYTES_MAX: usize = 128 * 1024 * 1024;
/// Messages in one file.
const MESSAGES_MAX: usize = 10_000;
/// Length of all messages and ratings of one file.
const MESSAGE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What shall be in the file, in Flowise's words. Nothing named is everything the caller may have but messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExportSelection {
    agentflow: bool,
    agentflowv2: bool,
    #[serde(rename = "assistantCustom")]
    assistant_custom: bool,
    chatflow: bool,
    chat_message: bool,
    chat_feedback: bool,
    custom_template: bool,
    document_store: bool,
    tool: bool,
    variable: bool,
}

impl ExportSelection {
    fn kinds(&self, caller: &Caller) -> Result<Vec<ItemKind>> {
        let named = [
            (self.chatflow, ItemKind::Flow(FlowKind::Chatflow)),
            (self.agentflow, ItemKind::Flow(FlowKind::Multiagent)),
            (self.agentflowv2, ItemKind::Flow(FlowKind::Agentflow)),
            (self.assistant_custom, ItemKind::Flow(FlowKind::Assistant)),
            (self.tool, ItemKind::Tool),
            (self.variable, ItemKind::Variable),
            (self.document_store, ItemKind::DocumentStore),
            (self.custom_template, ItemKind::Template),
        ];
        let kinds: Vec<ItemKind> = named.into_iter().filter(|(on, _)| *on).map(|(_, kind)| kind).collect();
        if kinds.is_empty() && !self.chat_message && !self.chat_feedback {
            return Ok(GROUPS
                .map(|(_, kind)| kind)
                .into_iter()
                .filter(|kind| kind.check_export(caller).is_ok())
                .collect());
        }
        kinds.iter().try_for_each(|kind| kind.check_export(caller))?;
        Ok(kinds)
    }
}

/// The file.
///
/// # Errors
/// 403 for a kind the caller may not have, 400 when it would be too large.
pub fn export(app: &App, caller: &Caller, wanted: &ExportSelection) -> Result<Value> {
    let kinds = wanted.kinds(caller)?;
    let mut file = Map::new();
    file.insert("FileDefaultName".to_owned(), "ExportData.json".into());
    let lists =
        GROUPS.iter().map(|(name, _)| *name).chain(super::parse::LEFT_OUT.iter().map(|(name, _)| *name));
    lists.for_each(|name| drop(file.insert(name.to_owned(), json!([]))));
    let (mut flows, mut bytes) = (Vec::new(), 0);
    for kind in kinds {
        let rows = match kind {
            ItemKind::Flow(of) => {
                let found = flows_of(app, caller, of)?;
                let rows = found.iter().map(|flow| flow_row(app, flow)).collect::<Result<Vec<_>>>()?;
                flows.extend(found);
                rows
            }
            ItemKind::Tool => tools::list(app, caller)?.into_iter().map(redact_tool).collect(),
            ItemKind::Variable => rows::<VariableView, _>(variables::list(app, caller)?)?
                .into_iter()
                .map(without_value)
                .collect(),
            ItemKind::DocumentStore => rows::<DocumentStoreView, _>(stores::list(app, caller)?)?
                .into_iter()
                .map(without_chunks)
                .collect(),
            ItemKind::Template => templates::list(app, caller)?,
        };
        bytes += rows.iter().map(|row| row.to_string().len()).sum::<usize>();
        if bytes > BYTES_MAX {
            return Err(Error::invalid("The file would be too large: export some kinds at a time."));
        }
        file.insert(kind.group().to_owned(), rows.into());
    }
    let named = named_credentials(app, caller, &file)?;
    let mut ours = json!({"version": 1, "credentials": named, "keys": keys_of(app, caller, &flows)?});
    if (wanted.chat_message || wanted.chat_feedback) && add_messages(app, caller, wanted, &mut file)? {
        ours["truncated"] = true.into();
    }
    file.insert("flowkeep".to_owned(), ours);
    tracing::info!(flows = flows.len(), by = %caller.principal, "a workspace was exported");
    Ok(Value::Object(file))
}

/// Records as rows of the file, which are the rows of the API.
///
/// # Errors
/// [`Error::Internal`] when a row cannot be written as JSON.
pub(super) fn rows<V: From<T> + Serialize, T>(records: Vec<T>) -> Result<Vec<Value>> {
    to_values(&records.into_iter().map(V::from).collect::<Vec<V>>())
}

/// Rows as JSON values.
///
/// # Errors
/// [`Error::Internal`] when a row cannot be written as JSON.
pub(super) fn to_values(rows: &[impl Serialize]) -> Result<Vec<Value>> {
    rows.iter().map(|row| serde_json::to_value(row).map_err(Error::internal)).collect()
}

/// What the flows of the file call their credentials, for those who may see credentials.
fn named_credentials(app: &App, caller: &Caller, file: &Map<String, Value>) -> Result<Map<String, Value>> {
    if !caller.permissions.has("credentials:view") {
        return Ok(Map::new());
    }
    let known = credentials::load(app, &caller.workspace)?;
    Ok(credentials::find_names_in(&known, &Value::from(file.clone()).to_string()))
}

/// Name and hash of the keys that flows are bound to, by id, so that a place that has one of them finds it.
fn keys_of(app: &App, caller: &Caller, flows: &[Flow]) -> Result<Map<String, Value>> {
    if !caller.permissions.has("apikeys:view") {
        return Ok(Map::new());
    }
    let bound: BTreeSet<KeyId> = flows.iter().filter_map(|flow| flow.settings.api_key).collect();
    app.store.read(|tx| {
        let mut keys = Map::new();
        for id in bound {
            if let Some(key) = API_KEYS.get(tx, &caller.workspace, &id)? {
                keys.insert(
                    id.to_string(),
                    json!({"name": redact(&key.name).text, "hash": key.fingerprint()}),
                );
            }
        }
        Ok(keys)
    })
}

fn flows_of(app: &App, caller: &Caller, kind: FlowKind) -> Result<Vec<Flow>> {
    let mut found = app.store.read(|tx| FLOWS.list(tx, &caller.workspace))?;
    found.retain(|flow| flow.kind == kind);
    found.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

/// A flow as history keeps it: Live, its settings and its draft.
///
/// # Errors
/// When the database cannot be read, or the canvas is not one.
pub(super) fn flow_row(app: &App, flow: &Flow) -> Result<Value> {
    let read = |tx: &ReadTx| Ok((CANVASES.get(tx, &flow.workspace, &flow.id)?, drafts::canvas(tx, flow)?));
    let (live, draft) = app.store.read(read)?;
    let live = Snapshot::take(app, flow, &live.unwrap_or_default())?;
    let mut row = json!({
        "id": flow.id, "name": live.name, "flowData": live.exported_canvas(app, flow)?, "type": flow.kind,
        "category": live.category, "createdDate": iso(flow.created), "updatedDate": iso(flow.updated),
        "publishInstantly": flow.settings.publish_instantly,
        "deployed": flow.settings.deployed, "isPublic": flow.settings.is_public,
    });
    for name in super::parse::SETTINGS {
        row[*name] = live.settings.get(*name).map_or(Value::Null, |value| value.to_string().into());
    }
    if let Some(draft) = draft {
        row["draft"] = json!({"flowData": Snapshot::take(app, flow, &draft)?.exported_canvas(app, flow)?});
    }
    if let Some(key) = flow.settings.api_key {
        row["keyBound"] = true.into();
        row["apikeyid"] = json!(key);
    }
    Ok(row)
}

/// Texts of a tool in which people leave secrets.
const REDACTED_FIELDS: [&str; 2] = ["description", "func"];

/// A tool with secret-shaped text hidden.
pub(super) fn redact_tool(mut row: Value) -> Value {
    for field in REDACTED_FIELDS {
        if let Some(text) = row[field].as_str() {
            row[field] = redact(text).text.into();
        }
    }
    row
}

/// Lets texts of a tool that hold placeholders stay as they are `here`; says which would have read otherwise.
pub(super) fn merge_redacted(sent: &mut Map<String, Value>, here: &Value) -> Vec<&'static str> {
    let hidden = redact_tool(here.clone());
    let mut kept = Vec::new();
    for field in REDACTED_FIELDS {
        let Some(value) = sent.get_mut(field).filter(|value| tree::count_placeholders_in(value) > 0) else {
            continue;
        };
        if hidden[field] != *value {
            kept.push(field);
        }
        value.clone_from(&here[field]);
    }
    kept
}

fn without_value(mut row: Value) -> Value {
    row["value"] = "".into();
    row
}

/// A store without what its loaders brought: they are run again where it comes in.
fn without_chunks(mut row: Value) -> Value {
    if let Value::Object(map) = &mut row {
        map.retain(|name, _| {
            matches!(name.as_str(), "id" | "name" | "description" | "createdDate" | "updatedDate")
        });
        map.insert("loaders".to_owned(), "[]".into());
        map.insert("status".to_owned(), "EMPTY".into());
    }
    row
}

/// The newest messages and their ratings, of flows the caller may export and see; true when some were left out. Flows
/// with few come whole and the others share what is left.
fn add_messages(
    app: &App,
    caller: &Caller,
    wanted: &ExportSelection,
    file: &mut Map<String, Value>,
) -> Result<bool> {
    let mut flows = Vec::new();
    for flow in app.store.read(|tx| FLOWS.list(tx, &caller.workspace))? {
        if ItemKind::Flow(flow.kind).check_export(caller).is_ok() {
            let count = messages::count_up_to(app, &caller.workspace, &flow.id, MESSAGES_MAX)?;
            flows.push((count, flow));
        }
    }
    flows.sort_by_key(|(count, flow)| (*count, flow.id));
    let (mut told, mut ratings) = (Vec::new(), Vec::new());
    let mut room = Budget::new(MESSAGES_MAX, MESSAGE_BYTES_MAX);
    if wanted.chat_message {
        for (at, (_, flow)) in flows.iter().enumerate() {
            let mut share = room.share(flows.len() - at);
            let all = messages::MessageFilter::default();
            let found: Vec<MessageView> =
                messages::newest_within(app, caller, &flow.id, &all, false, &mut share)?;
            told.extend(to_values(&found)?);
            room.return_share(share);
        }
    }
    let mut rated_room = Budget::new(MESSAGES_MAX, room.bytes());
    if wanted.chat_feedback {
        for (at, (_, flow)) in flows.iter().enumerate() {
            let mut share = rated_room.share(flows.len() - at);
            let newest =
                feedback::FeedbackFilter { chat: None, order: Order::Descending, start: None, end: None };
            let mut found: Vec<FeedbackView> =
                feedback::list_within(app, caller, &flow.id, newest, &mut share)?;
            found.reverse();
            ratings.extend(to_values(&found)?);
            rated_room.return_share(share);
        }
    }
    file.insert("ChatMessage".to_owned(), told.into());
    file.insert("ChatMessageFeedback".to_owned(), ratings.into());
    Ok(room.is_truncated() || rated_room.is_truncated())
}
