//! What a workspace holds of the things of a file: found by id, or by what they say where a file gives them none.

use super::export::{flow_row, redact_tool, rows};
use super::import::parse_body;
use super::parse::{ImportItem, SETTINGS};
use super::{ItemKind, assistants};
use crate::app::App;
use crate::canvas::{Canvas, Node};
use crate::domain::accounts::api_key::ApiKey;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::{
    AssistantId, CredentialId, DocumentStoreId, FlowId, KeyId, TemplateId, ToolId, ToolServerId, VariableId,
    WorkspaceId,
};
use crate::domain::workspace::assistant::AssistantKind;
use crate::domain::workspace::tool::WorkspaceTool;
use crate::ops::checks::carried;
use crate::ops::flows::access::{self, FlowAction as ImportMode};
use crate::ops::flows::{drafts, live, snapshot};
use crate::ops::knowledge::stores;
use crate::ops::workspace::{templates, tool_servers, tools, variables};
use crate::store::Tx;
use crate::store::tables::{
    API_KEYS, CANVASES, CREDENTIALS, DOCUMENT_STORES, FLOWS, HOSTED_ASSISTANTS, TEMPLATES, TOOL_SERVERS,
    TOOLS, VARIABLES, WORKSPACES,
};
use crate::wire::knowledge::stores::DocumentStoreView;
use crate::wire::workspace::templates::TemplateView;
use crate::wire::workspace::tool_servers::ToolServerView;
use crate::wire::workspace::tools::{ToolEdit, ToolView};
use crate::wire::workspace::variables::VariableView;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use uuid::Uuid;

/// What is here of a thing of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LocalMatch {
    Nothing,
    /// Something under its id, which says the same or not.
    ById {
        same: bool,
    },
    /// Something that says the same, though the file gives it no id: its name, for those who may see it.
    ByContent(Option<String>),
}

/// Who may ask a flow that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyBinding {
    /// It was bound to no key.
    Open,
    /// Whoever holds this key of the workspace.
    Key(KeyId),
    /// It was bound to a key that is not here: nobody, until somebody chooses.
    Nobody,
}

/// The workspace as one import sees it; each kind is read once, when a thing of the file needs it.
pub(super) struct WorkspaceView<'a> {
    app: &'a App,
    caller: &'a Caller,
    /// Things that are not flows, as files show them.
    rows: HashMap<String, (ItemKind, Value)>,
    tools: Vec<WorkspaceTool>,
    keys: Vec<ApiKey>,
    /// Flows by the digest of what their canvases say: the kind, and the name.
    flows: OnceCell<HashMap<ContentDigest, (FlowKind, String)>>,
}

type ContentDigest = [u8; 32];

impl<'a> WorkspaceView<'a> {
    pub(super) fn load(app: &'a App, caller: &'a Caller, items: &[ImportItem]) -> Result<Self> {
        type List<'a> = (ItemKind, &'a dyn Fn(&App, &Caller) -> Result<Vec<Value>>);
        let lists: [List<'_>; 6] = [
            (ItemKind::ToolServer, &|app, caller| {
                rows::<ToolServerView, _>(tool_servers::list(app, caller)?)
            }),
            (ItemKind::Variable, &|app, caller| rows::<VariableView, _>(variables::list(app, caller)?)),
            (ItemKind::DocumentStore, &|app, caller| {
                rows::<DocumentStoreView, _>(stores::list(app, caller)?)
            }),
            (ItemKind::Template, &|app, caller| rows::<TemplateView, _>(templates::list(app, caller)?)),
            (ItemKind::OpenAiAssistant, &|app, caller| {
                assistants::hosted_rows(app, caller, AssistantKind::OpenAi)
            }),
            (ItemKind::AzureAssistant, &|app, caller| {
                assistants::hosted_rows(app, caller, AssistantKind::Azure)
            }),
        ];
        let mut found = HashMap::new();
        let is_wanted = |kind| items.iter().any(|item| item.kind == kind);
        let named = |kind, row: Value| Some((row["id"].as_str()?.to_owned(), (kind, row)));
        for (kind, list) in lists {
            if is_wanted(kind) {
                found.extend(list(app, caller)?.into_iter().filter_map(|row| named(kind, row)));
            }
        }
        let tools = if is_wanted(ItemKind::Tool) { tools::list(app, caller)? } else { Vec::new() };
        let shown = rows::<ToolView, _>(tools.iter().cloned().map(redact_tool).collect())?;
        found.extend(shown.into_iter().filter_map(|row| named(ItemKind::Tool, row)));
        let keys = app.store.read(|tx| API_KEYS.list(tx, &caller.workspace))?;
        Ok(Self { app, caller, rows: found, tools, keys, flows: OnceCell::new() })
    }

    /// A thing that is no flow, as files show it.
    fn row(&self, id: &Uuid) -> Option<&Value> {
        self.rows.get(&id.to_string()).map(|(_, row)| row)
    }

    pub(super) fn tool(&self, id: &Uuid) -> Option<&WorkspaceTool> {
        self.tools.iter().find(|tool| tool.id == ToolId::from_bytes(*id.as_bytes()))
    }

    /// The id of the variable of this name.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let mut variables = self.rows.values().filter(|(kind, _)| *kind == ItemKind::Variable);
        variables.find_map(|(_, row)| row["id"].as_str().filter(|_| row["name"] == name))
    }

    /// What is here of a thing that shall have this id here.
    pub(super) fn find(&self, item: &ImportItem, id: Uuid) -> Result<LocalMatch> {
        if item.id.is_some() {
            let is_here = self
                .app
                .store
                .read(|tx| has_record(tx, &self.caller.workspace, item.kind, *id.as_bytes()))?;
            return Ok(if is_here {
                LocalMatch::ById { same: self.is_same(item, id)? }
            } else {
                LocalMatch::Nothing
            });
        }
        match item.kind {
            ItemKind::Flow(kind) => self.find_by_canvas(item, kind),
            // Two variables never have the same name, which is looked at for itself.
            ItemKind::Variable => Ok(LocalMatch::Nothing),
            kind => {
                let alike = |row: &Value| has_same_content(kind, row.clone(), &item.fields);
                let twin = self.rows.values().find(|(of, row)| *of == kind && alike(row));
                let name = |row: &Value| row["name"].as_str().map(str::to_owned);
                Ok(twin.map_or(LocalMatch::Nothing, |(_, row)| LocalMatch::ByContent(name(row))))
            }
        }
    }

    /// A flow with the same canvas, in its draft or Live.
    fn find_by_canvas(&self, item: &ImportItem, kind: FlowKind) -> Result<LocalMatch> {
        let Some(digest) = content_digest(kind, super::flow::canvas_of(item)) else {
            return Ok(LocalMatch::Nothing);
        };
        if self.flows.get().is_none() {
            // Nobody else sets it: an import runs on one thread.
            let _ = self.flows.set(self.digests()?);
        }
        let found = self.flows.get().and_then(|flows| flows.get(&digest));
        let may_see = access::check_permission(self.caller, kind, ImportMode::Read).is_ok();
        Ok(found
            .map_or(LocalMatch::Nothing, |(_, name)| LocalMatch::ByContent(may_see.then(|| name.clone()))))
    }

    fn digests(&self) -> Result<HashMap<ContentDigest, (FlowKind, String)>> {
        let flows = self.app.store.read(|tx| FLOWS.list(tx, &self.caller.workspace))?;
        let mut found = HashMap::new();
        for flow in flows {
            let canvases = self
                .app
                .store
                .read(|tx| Ok([CANVASES.get(tx, &flow.workspace, &flow.id)?, drafts::canvas(tx, &flow)?]))?;
            let digests = canvases.iter().flatten().filter_map(|text| content_digest(flow.kind, text));
            digests.for_each(|digest| drop(found.insert(digest, (flow.kind, flow.name.clone()))));
        }
        Ok(found)
    }

    /// True when what is here says the same as the file: both as a file shows them, without secrets.
    fn is_same(&self, item: &ImportItem, id: Uuid) -> Result<bool> {
        let ItemKind::Flow(kind) = item.kind else {
            return Ok(self
                .row(&id)
                .is_some_and(|row| has_same_content(item.kind, row.clone(), &item.fields)));
        };
        let (flow, canvas) = self.app.store.read(|tx| {
            let flow = FLOWS.get(tx, &self.caller.workspace, &FlowId::from_bytes(*id.as_bytes()))?;
            let canvas = flow.as_ref().map(|flow| flow_canvas(tx, flow)).transpose()?;
            Ok((flow, canvas.unwrap_or_default()))
        })?;
        let Some(flow) = flow else { return Ok(false) };
        let here = serde_json::to_value(flow_row(self.app, &flow, false)?).map_err(Error::internal)?;
        let own = ["name", "type", "category", "isPublic"];
        let is_same = |field: &&str| has_same_value(here.get(*field), item.fields.get(*field));
        let sent = super::flow::canvas_of(item);
        Ok(own.iter().chain(SETTINGS).all(is_same)
            && content_digest(kind, &canvas) == content_digest(kind, sent)
            && self.credentials_agree(&canvas, sent)?
            && item.questions.as_ref().map_or(Ok(true), |sent| carried::is_same(self.app, &flow, sent))?)
    }

    /// True when each credential that a file names and that is here is the one its card has here.
    fn credentials_agree(&self, here: &str, sent: &str) -> Result<bool> {
        let of = |text: &str| -> Vec<(String, CredentialId)> {
            let canvas = Canvas::parse(text).ok();
            let nodes = canvas.iter().flat_map(|canvas| canvas.nodes());
            let named =
                |node: &Node| Some((node.id.clone(), CredentialId::parse(node.credential.as_deref()?)?));
            nodes.filter_map(named).collect()
        };
        let here = of(here);
        self.app.store.read(|tx| {
            for named in of(sent) {
                let is_known = CREDENTIALS.has(tx, &self.caller.workspace, &named.1)?;
                if is_known && !here.contains(&named) {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Who may ask a flow of the file. Of a key under another id the hash tells whether it is here.
    pub(super) fn binding(&self, item: &ImportItem, carried: &Map<String, Value>) -> KeyBinding {
        let id = item.fields.get("apikeyid").and_then(Value::as_str).filter(|id| !id.is_empty());
        if id.is_none() && item.fields.get("keyBound") != Some(&Value::Bool(true)) {
            return KeyBinding::Open;
        }
        let hash = id.and_then(|id| carried.get(id)?.get("hash")?.as_str());
        let of_id = self.keys.iter().find(|key| id.and_then(KeyId::parse) == Some(key.id));
        let of_hash = || self.keys.iter().find(|key| hash.is_some_and(|hash| key.fingerprint() == hash));
        of_id.or_else(of_hash).map_or(KeyBinding::Nobody, |key| KeyBinding::Key(key.id))
    }
}

/// The canvas of a flow that an update would meet: the draft's, or Live's.
pub(super) fn flow_canvas(tx: &impl Tx, flow: &Flow) -> Result<String> {
    match drafts::canvas(tx, flow)? {
        Some(draft) => Ok(draft),
        None => Ok(CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default()),
    }
}

/// True when a file says nothing of a field, or what is here; settings are JSON text, which may be written in many ways.
fn has_same_value(here: Option<&Value>, sent: Option<&Value>) -> bool {
    let read = |value: &Value| match value.as_str() {
        Some("") => Value::Null,
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        None => value.clone(),
    };
    sent.is_none_or(|sent| read(sent) == here.map(read).unwrap_or_default())
}

/// True when a row says what a file says, as far as a file says it.
fn has_same_content(kind: ItemKind, here: Value, fields: &Map<String, Value>) -> bool {
    let mut sent = Cow::Borrowed(fields);
    let (here, compared): (Value, &[&str]) = match kind {
        ItemKind::Tool => {
            // Schemas are written in more than one way: both are compared as a list shows them.
            let tool = parse_body::<ToolEdit>(fields).and_then(|tool| tools::preview(&tool.into()));
            let shown = tool.map(|tool| serde_json::to_value(ToolView::from(redact_tool(tool))));
            if let Ok(Ok(Value::Object(shown))) = shown {
                sent = Cow::Owned(shown);
            }
            (here, &["name", "description", "color", "iconSrc", "schema", "func"])
        }
        ItemKind::ToolServer => (here, &["name", "serverUrl", "color", "iconSrc", "authType", "authConfig"]),
        ItemKind::Variable => (here, &["name", "type"]),
        ItemKind::DocumentStore => (here, &["name", "description"]),
        ItemKind::Template => {
            if let Ok((_, content)) = templates::content_of(fields) {
                sent.to_mut().insert("flowData".to_owned(), content.into());
            }
            (here, &["name", "templateName", "description", "badge", "usecases", "flowData"])
        }
        ItemKind::OpenAiAssistant | ItemKind::AzureAssistant => (here, &["details", "iconSrc"]),
        ItemKind::Flow(_) => return false,
    };
    compared.iter().all(|field| has_same_value(here.get(*field), sent.get(*field)))
}

/// What a canvas says, wherever it lies: without secrets and without credentials, whose ids differ from place to place.
fn content_digest(kind: FlowKind, canvas: &str) -> Option<ContentDigest> {
    let said: Value = serde_json::from_str(&snapshot::anonymize(canvas).ok()?).ok()?;
    if said["nodes"].as_array().is_none_or(Vec::is_empty) {
        return None;
    }
    let mut hash = Sha256::new();
    hash.update(kind.as_str());
    hash.update([0]);
    hash.update(said["nodes"].to_string());
    hash.update(said["edges"].to_string());
    Some(hash.finalize().into())
}

/// The id under which this workspace holds what a file says under `sent`.
///
/// Only ids of flows and of document stores lead to something by themselves, so no two workspaces may have one in common.
/// Of the other kinds each workspace may have one under the same id.
///
/// Whether another workspace uses an id must not show in an answer, be it a dry run's or an import's. So nobody looks
/// there: an id stays what it is where it is known to be this workspace's own (something is here under it, or was and
/// went) and where there is no other workspace, which is how a whole service moves. Anywhere else it is derived from the
/// workspace and the id in the file: the same each time, so that a file finds again what it brought before.
pub(super) fn local_id(app: &App, caller: &Caller, kind: ItemKind, sent: Uuid) -> Result<Uuid> {
    let bytes = *sent.as_bytes();
    let is_own = |owner: Option<WorkspaceId>| owner == Some(caller.workspace);
    let (is_here, is_alone) = app
        .store
        .read(|tx| Ok((has_record(tx, &caller.workspace, kind, bytes)?, WORKSPACES.list(tx)?.len() == 1)))?;
    let stays = match kind {
        ItemKind::Tool
        | ItemKind::ToolServer
        | ItemKind::Variable
        | ItemKind::Template
        | ItemKind::OpenAiAssistant
        | ItemKind::AzureAssistant => true,
        ItemKind::DocumentStore => is_here || is_alone,
        ItemKind::Flow(_) => {
            // A workspace that was deleted leaves its ids behind; nobody else is let to its versions.
            let owner = live::workspace_of_id(app, &FlowId::from_bytes(bytes))?;
            is_own(owner) || (is_alone && owner.is_none())
        }
    };
    Ok(if stays { sent } else { derive_id(&caller.workspace, sent) })
}

/// An id of the usual form (version 4) that only this workspace and this id give.
fn derive_id(workspace: &WorkspaceId, sent: Uuid) -> Uuid {
    let mut hash = Sha256::new();
    hash.update(b"imported");
    hash.update(workspace.bytes());
    hash.update(sent.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

fn has_record(tx: &impl Tx, workspace: &WorkspaceId, kind: ItemKind, bytes: [u8; 16]) -> Result<bool> {
    match kind {
        ItemKind::Flow(_) => FLOWS.has(tx, workspace, &FlowId::from_bytes(bytes)),
        ItemKind::Tool => TOOLS.has(tx, workspace, &ToolId::from_bytes(bytes)),
        ItemKind::ToolServer => TOOL_SERVERS.has(tx, workspace, &ToolServerId::from_bytes(bytes)),
        ItemKind::Variable => VARIABLES.has(tx, workspace, &VariableId::from_bytes(bytes)),
        ItemKind::DocumentStore => DOCUMENT_STORES.has(tx, workspace, &DocumentStoreId::from_bytes(bytes)),
        ItemKind::Template => TEMPLATES.has(tx, workspace, &TemplateId::from_bytes(bytes)),
        ItemKind::OpenAiAssistant | ItemKind::AzureAssistant => {
            HOSTED_ASSISTANTS.has(tx, workspace, &AssistantId::from_bytes(bytes))
        }
    }
}
