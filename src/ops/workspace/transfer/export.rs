//! Writing the file.

use super::credentials;
use super::{GROUPS, ItemKind, assistants, runs};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::{CredentialId, KeyId};
use crate::domain::secrets::{redact, tree};
use crate::domain::workspace::assistant::AssistantKind;
use crate::domain::workspace::tool::WorkspaceTool;
use crate::domain::workspace::variable::Variable;
use crate::ops::checks::carried;
use crate::ops::conversations::feedback;
use crate::ops::conversations::messages::{self, Budget};
use crate::ops::flows::drafts;
use crate::ops::flows::snapshot::Snapshot;
use crate::ops::knowledge::stores;
use crate::ops::workspace::{templates, tool_servers, tools, variables};
use crate::store::tables::{API_KEYS, CANVASES, FLOWS};
use crate::store::{Order, ReadTx};
use crate::wire::checks::kept::KeptQuestionView;
use crate::wire::conversations::feedback::FeedbackView;
use crate::wire::conversations::messages::MessageView;
use crate::wire::workspace::export::{
    CredentialNote, DocumentStoreRow, DraftRow, ExportFile, ExportSelection, FlowRow, FlowSettingTexts,
    KeyNote,
};
use crate::wire::workspace::templates::TemplateView;
use crate::wire::workspace::tool_servers::ToolServerView;
use crate::wire::workspace::tools::ToolView;
use crate::wire::workspace::variables::VariableView;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Largest file.
const BYTES_MAX: usize = 128 * 1024 * 1024;
/// Messages in one file.
const MESSAGES_MAX: usize = 10_000;
/// Length of all messages and ratings of one file.
const MESSAGE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The kinds of things that are wanted. Where nothing is named, those are all that the caller may have.
fn wanted_kinds(wanted: &ExportSelection, caller: &Caller) -> Result<Vec<ItemKind>> {
    let named = [
        (wanted.chatflow, ItemKind::Flow(FlowKind::Chatflow)),
        (wanted.chatflow, ItemKind::Flow(FlowKind::Harness)),
        (wanted.chatflow, ItemKind::Flow(FlowKind::Etl)),
        (wanted.agentflow, ItemKind::Flow(FlowKind::Multiagent)),
        (wanted.agentflowv2, ItemKind::Flow(FlowKind::Agentflow)),
        (wanted.assistant_custom, ItemKind::Flow(FlowKind::Assistant)),
        (wanted.assistant_open_ai, ItemKind::OpenAiAssistant),
        (wanted.assistant_azure, ItemKind::AzureAssistant),
        (wanted.tool, ItemKind::Tool),
        (wanted.tool, ItemKind::ToolServer),
        (wanted.variable, ItemKind::Variable),
        (wanted.document_store, ItemKind::DocumentStore),
        (wanted.custom_template, ItemKind::Template),
    ];
    let kinds: Vec<ItemKind> = named.into_iter().filter(|(on, _)| *on).map(|(_, kind)| kind).collect();
    if kinds.is_empty() && !wanted.chat_message && !wanted.chat_feedback && !wanted.execution {
        return Ok(GROUPS
            .map(|(_, kind)| kind)
            .into_iter()
            .filter(|kind| kind.check_export(caller).is_ok())
            .collect());
    }
    kinds.iter().try_for_each(|kind| kind.check_export(caller))?;
    Ok(kinds)
}

/// The file.
///
/// # Errors
/// 403 for a kind the caller may not have, 400 when it would be too large.
pub(crate) fn export(app: &App, caller: &Caller, wanted: &ExportSelection) -> Result<ExportFile> {
    let kinds = wanted_kinds(wanted, caller)?;
    let (mut file, mut flows, mut bytes) = (ExportFile::default(), Vec::new(), 0);
    for kind in kinds {
        bytes += match kind {
            ItemKind::Flow(of) => {
                let found = flows_of(app, caller, of)?;
                let row = |flow: &Flow| flow_row(app, flow, wanted.chat_message);
                let rows = found.iter().map(row).collect::<Result<Vec<_>>>()?;
                if of == FlowKind::Assistant {
                    let drawn_from =
                        found.iter().zip(&rows).map(|(flow, row)| assistants::custom_row(flow, row));
                    bytes += put_rows(&mut file.assistant_custom, drawn_from.collect::<Result<_>>()?)?;
                }
                flows.extend(found);
                put_rows(flow_rows(&mut file, of), rows)?
            }
            ItemKind::Tool => {
                let tools = tools::list(app, caller)?.into_iter().map(redact_tool);
                put_rows(&mut file.tool, tools.map(ToolView::from).collect())?
            }
            ItemKind::ToolServer => {
                let servers = tool_servers::list(app, caller)?.into_iter().map(ToolServerView::from);
                put_rows(&mut file.custom_mcp_server, servers.collect())?
            }
            ItemKind::Variable => {
                let variables = variables::list(app, caller)?.into_iter().map(without_value);
                put_rows(&mut file.variable, variables.map(VariableView::from).collect())?
            }
            ItemKind::DocumentStore => {
                let stores = stores::list(app, caller)?.into_iter().map(DocumentStoreRow::from);
                put_rows(&mut file.document_store, stores.collect())?
            }
            ItemKind::OpenAiAssistant => {
                let hosted = assistants::hosted_rows(app, caller, AssistantKind::OpenAi)?;
                put_rows(&mut file.assistant_open_ai, hosted)?
            }
            ItemKind::AzureAssistant => {
                let hosted = assistants::hosted_rows(app, caller, AssistantKind::Azure)?;
                put_rows(&mut file.assistant_azure, hosted)?
            }
            ItemKind::Template => {
                let templates = templates::list(app, caller)?.into_iter().map(TemplateView::from);
                put_rows(&mut file.custom_template, templates.collect())?
            }
        };
        if bytes > BYTES_MAX {
            return Err(Error::invalid("The file would be too large: export some kinds at a time."));
        }
    }
    file.notes.credentials = named_credentials(app, caller, &file)?;
    file.notes.keys = keys_of(app, caller, &flows)?;
    if (wanted.chat_message || wanted.chat_feedback) && add_messages(app, caller, wanted, &mut file)? {
        file.notes.truncated = Some(true);
    }
    if wanted.execution && runs::add_runs(app, caller, &mut file)? {
        file.notes.truncated = Some(true);
    }
    tracing::info!(flows = flows.len(), by = %caller.principal, "a workspace was exported");
    Ok(file)
}

/// The file of everything the caller may have but conversations.
///
/// # Errors
/// As [`export`].
pub(crate) fn export_all(app: &App, caller: &Caller) -> Result<ExportFile> {
    export(app, caller, &ExportSelection::default())
}

/// The list of a file that holds the flows of a kind.
const fn flow_rows(file: &mut ExportFile, kind: FlowKind) -> &mut Vec<FlowRow> {
    match kind {
        FlowKind::Multiagent => &mut file.agent_flow,
        FlowKind::Agentflow => &mut file.agent_flow_v2,
        FlowKind::Assistant => &mut file.assistant_flow,
        FlowKind::Chatflow | FlowKind::Harness | FlowKind::Etl => &mut file.chat_flow,
    }
}

/// Adds rows to a list of the file; how long they are as JSON text.
fn put_rows<T: Serialize>(list: &mut Vec<T>, rows: Vec<T>) -> Result<usize> {
    let length = |row| serde_json::to_vec(row).map(|text| text.len()).map_err(Error::internal);
    let added = rows.iter().map(length).sum();
    list.extend(rows);
    added
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
fn named_credentials(
    app: &App,
    caller: &Caller,
    file: &ExportFile,
) -> Result<BTreeMap<CredentialId, CredentialNote>> {
    if !caller.permissions.has("credentials:view") {
        return Ok(BTreeMap::new());
    }
    let known = credentials::load(app, &caller.workspace)?;
    let text = serde_json::to_string(file).map_err(Error::internal)?;
    Ok(credentials::find_names_in(&known, &text))
}

/// Name and hash of the keys that flows are bound to, by id, so that a place that has one of them finds it.
fn keys_of(app: &App, caller: &Caller, flows: &[Flow]) -> Result<BTreeMap<KeyId, KeyNote>> {
    if !caller.permissions.has("apikeys:view") {
        return Ok(BTreeMap::new());
    }
    let bound: BTreeSet<KeyId> = flows.iter().filter_map(|flow| flow.settings.api_key).collect();
    app.store.read(|tx| {
        let mut keys = BTreeMap::new();
        for id in bound {
            if let Some(key) = API_KEYS.get(tx, &caller.workspace, &id)? {
                keys.insert(id, KeyNote { name: redact(&key.name).text, hash: key.fingerprint() });
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

/// A flow as history keeps it: Live, its settings and its draft. Beside it stand the questions of its checks, those that people
/// asked too `with_people`.
///
/// # Errors
/// When the database cannot be read, or the canvas is not one.
pub(super) fn flow_row(app: &App, flow: &Flow, with_people: bool) -> Result<FlowRow> {
    let read = |tx: &ReadTx| Ok((CANVASES.get(tx, &flow.workspace, &flow.id)?, drafts::canvas(tx, flow)?));
    let (live, draft) = app.store.read(read)?;
    let live = Snapshot::take(app, flow, &live.unwrap_or_default())?;
    let kept = carried::of_flow(app, flow, with_people)?;
    let text = |name: &str| live.settings.get(name).map(Value::to_string);
    let settings = FlowSettingTexts {
        chatbot_config: text("chatbotConfig"),
        api_config: text("apiConfig"),
        analytic: text("analytic"),
        speech_to_text: text("speechToText"),
        text_to_speech: text("textToSpeech"),
        follow_up_prompts: text("followUpPrompts"),
        mcp_server_config: text("mcpServerConfig"),
    };
    let draft =
        draft.map(|draft| Snapshot::take(app, flow, &draft)?.exported_canvas(app, flow)).transpose()?;
    Ok(FlowRow {
        id: flow.id,
        flow_data: live.exported_canvas(app, flow)?,
        name: live.name,
        r#type: flow.kind,
        category: live.category,
        created_date: flow.created.into(),
        updated_date: flow.updated.into(),
        publish_instantly: flow.settings.publish_instantly,
        deployed: flow.settings.deployed,
        is_public: flow.settings.is_public,
        settings,
        draft: draft.map(|flow_data| DraftRow { flow_data }),
        kept_questions: kept.into_iter().map(KeptQuestionView::from).collect(),
        key_bound: flow.settings.api_key.map(|_| true),
        api_key: flow.settings.api_key,
    })
}

/// A tool with secret-shaped text hidden, wherever people leave secrets.
pub(super) fn redact_tool(tool: WorkspaceTool) -> WorkspaceTool {
    let (description, code) = (redact(&tool.description).text, redact(&tool.code).text);
    WorkspaceTool { description, code, ..tool }
}

/// Lets texts of a tool that hold placeholders stay as they are `here`; says which would have read otherwise.
pub(super) fn merge_redacted(sent: &mut Map<String, Value>, here: &WorkspaceTool) -> Vec<&'static str> {
    let hidden = redact_tool(here.clone());
    let texts = [("description", &hidden.description, &here.description), ("func", &hidden.code, &here.code)];
    let mut kept = Vec::new();
    for (field, hidden, here) in texts {
        let Some(value) = sent.get_mut(field).filter(|value| tree::count_placeholders_in(value) > 0) else {
            continue;
        };
        if value != hidden {
            kept.push(field);
        }
        *value = here.as_str().into();
    }
    kept
}

fn without_value(variable: Variable) -> Variable {
    Variable { value: String::new(), ..variable }
}

/// The newest messages and their ratings, of flows the caller may export and see; true when some were left out. Flows
/// with few come whole and the others share what is left.
fn add_messages(app: &App, caller: &Caller, wanted: &ExportSelection, file: &mut ExportFile) -> Result<bool> {
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
    file.chat_message = told;
    file.chat_message_feedback = ratings;
    Ok(room.is_truncated() || rated_room.is_truncated())
}
