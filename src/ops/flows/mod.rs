//! Flow records: make, read, list, change, delete (manual 5.1, 5.4).

pub mod access;
pub mod drafts;
pub mod files;
pub mod live;
pub mod outbox;
pub mod password_masks;
pub mod public_config;
pub mod publish;
pub mod refused_origins;
pub mod restore;
pub mod settings;
pub mod snapshot;
pub mod titles;
pub mod usage;
pub mod validation;
pub mod version_index;
pub mod versions;

use self::access::FlowAction;
use self::files::CanvasSide;
use self::live::{ChangeOrigin, ParsedCanvas};
use self::settings::TOKEN;
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::draft::{DraftStatus, EditTarget};
use crate::domain::flows::flow::{AllowedOrigins, CanvasDigest, Flow, FlowKind, FlowSettings};
use crate::domain::ids::{FlowId, KeyId, WorkspaceId};
use crate::store::tables::{CANVASES, FLOW_WORKSPACE, FLOWS};
use crate::store::{ReadTx, Tx};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// The fields a caller may set. Absent: keep; `null`: clear. Fields not listed here are ignored; those of
/// another type are refused.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FlowEdit {
    name: Option<String>,
    flow_data: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(deserialize_with = "given")]
    category: Option<Option<String>>,
    #[serde(deserialize_with = "given")]
    deployed: Option<Option<bool>>,
    #[serde(deserialize_with = "given")]
    is_public: Option<Option<bool>>,
    #[serde(deserialize_with = "given")]
    apikeyid: Option<Option<String>>,
    publish_instantly: Option<bool>,
    #[serde(deserialize_with = "given")]
    chatbot_config: Option<Option<Value>>,
    #[serde(deserialize_with = "given")]
    api_config: Option<Option<Value>>,
    #[serde(deserialize_with = "given")]
    analytic: Option<Option<Value>>,
    #[serde(deserialize_with = "given")]
    speech_to_text: Option<Option<Value>>,
    #[serde(deserialize_with = "given")]
    text_to_speech: Option<Option<Value>>,
    #[serde(deserialize_with = "given")]
    follow_up_prompts: Option<Option<Value>>,
    #[serde(deserialize_with = "given")]
    mcp_server_config: Option<Option<Value>>,
    /// Of a file that is imported; no request says this.
    #[serde(skip)]
    file: Option<ImportedFlow>,
}

/// What only an import says of a flow.
#[derive(Debug, Clone, Copy)]
struct ImportedFlow {
    /// It was bound to a key that is not here.
    has_unknown_key: bool,
}

/// Tells `null` from absent.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

const NAME_CHARS_MAX: usize = 255;

impl FlowEdit {
    /// What a file says of a flow. One that was bound to a key that is not here stays bound, to a key that nobody holds,
    /// until its owner chooses who may ask it.
    #[must_use]
    pub fn from_file(self, keeps_everybody_out: bool) -> Self {
        Self { file: Some(ImportedFlow { has_unknown_key: keeps_everybody_out }), ..self }
    }

    const fn origin(&self) -> ChangeOrigin {
        if self.file.is_some() { ChangeOrigin::File } else { ChangeOrigin::Edit }
    }

    fn kind(&self) -> Result<Option<FlowKind>> {
        let Some(text) = &self.kind else {
            return Ok(None);
        };
        let known = || FlowKind::ALL.map(FlowKind::as_str).join(", ");
        FlowKind::parse(text)
            .map(Some)
            .ok_or_else(|| Error::Invalid(format!("Invalid type: it must be one of {}.", known())))
    }

    fn name(&self) -> Result<Option<&str>> {
        let Some(name) = self.name.as_deref() else {
            return Ok(None);
        };
        if name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX {
            return Err(Error::Invalid(format!(
                "Invalid name: it must have 1 to {NAME_CHARS_MAX} characters."
            )));
        }
        Ok(Some(name))
    }

    /// The canvas, with the passwords of the flow `of` where marks stand for them.
    fn canvas(&self, of: Option<(&App, &Flow)>) -> Result<Option<ParsedCanvas>> {
        let Some(sent) = self.flow_data.clone() else {
            return Ok(None);
        };
        let sent = match of {
            Some((app, flow)) => app.store.read(|tx| password_masks::restore(tx, flow, sent.clone()))?,
            None => password_masks::restore_from(&[], sent),
        };
        ParsedCanvas::parse(sent).map(Some)
    }

    /// The settings as they shall be: each field sent takes the place of the old one as a whole, because
    /// writers read the whole text first (manual 5.1 r2).
    fn settings(&self, tx: &impl Tx, workspace: &WorkspaceId, old: FlowSettings) -> Result<FlowSettings> {
        let mut new = old.clone();
        if let Some(key) = &self.apikeyid {
            new.api_key = settings::resolve_bound_key(tx, workspace, key.as_deref(), old.api_key)?;
        }
        if self.file.is_some_and(|file| file.has_unknown_key) {
            new.api_key = Some(KeyId::random());
        }
        new.is_public = self.is_public.unwrap_or(new.is_public);
        new.deployed = self.deployed.unwrap_or(new.deployed);
        new.publish_instantly = self.publish_instantly.unwrap_or(new.publish_instantly);
        let texts = [
            ("chatbotConfig", &self.chatbot_config, &mut new.chatbot_config),
            ("apiConfig", &self.api_config, &mut new.api_config),
            ("analytic", &self.analytic, &mut new.analytic),
            ("speechToText", &self.speech_to_text, &mut new.speech_to_text),
            ("textToSpeech", &self.text_to_speech, &mut new.text_to_speech),
            ("followUpPrompts", &self.follow_up_prompts, &mut new.follow_up_prompts),
            ("mcpServerConfig", &self.mcp_server_config, &mut new.mcp_server_config),
        ];
        for (name, sent, kept) in texts {
            if let Some(sent) = sent {
                *kept = settings::parse(name, sent.as_ref())?;
            }
        }
        settings::preserve_unsent(&mut new, &old);
        Ok(new)
    }
}

/// A flow with its canvas text.
#[derive(Debug, Clone)]
pub struct FlowWithCanvas {
    pub flow: Flow,
    /// `flowData`.
    pub canvas: String,
}

impl FlowWithCanvas {
    fn masked_for(self, caller: &Caller) -> Self {
        Self { canvas: password_masks::mask_for(caller, self.flow.kind, self.canvas), ..self }
    }

    /// The record on the wire (manual 5.1).
    #[must_use]
    pub fn wire(&self) -> Value {
        record(&self.flow, Some(&self.canvas))
    }
}

/// A flow's record on the wire (manual 5.1), with its canvas where one is given.
#[must_use]
fn record(flow: &Flow, canvas: Option<&str>) -> Value {
    let settings = &flow.settings;
    let text = |config: &Option<Map<String, Value>>| {
        config.as_ref().map(|map| Value::Object(map.clone()).to_string())
    };
    // The token of the flow's MCP endpoint is a credential: it stays here.
    let mcp = settings.mcp_server_config.clone().map(|mut map| {
        map.remove(TOKEN);
        map
    });
    let mut record = json!({
        "id": flow.id,
        "name": flow.name,
        "flowData": canvas,
        "deployed": settings.deployed,
        "isPublic": settings.is_public,
        "apikeyid": settings.api_key,
        "chatbotConfig": text(&settings.chatbot_config),
        "apiConfig": text(&settings.api_config),
        "analytic": text(&settings.analytic),
        "speechToText": text(&settings.speech_to_text),
        "textToSpeech": text(&settings.text_to_speech),
        "followUpPrompts": text(&settings.follow_up_prompts),
        "mcpServerConfig": text(&mcp),
        "category": flow.category,
        "type": flow.kind,
        "publishInstantly": settings.publish_instantly,
        "webhookSecretConfigured": false,
        "workspaceId": flow.workspace,
        "createdDate": iso(flow.created),
        "updatedDate": iso(flow.updated),
    });
    if let (None, Some(map)) = (canvas, record.as_object_mut()) {
        map.shift_remove("flowData");
    }
    record
}

/// A flow in a list: its record without the canvas, and the state of its draft.
pub struct FlowOutline {
    flow: Flow,
    status: DraftStatus,
}

impl FlowOutline {
    #[must_use]
    pub fn wire(&self) -> Value {
        let flow = &self.flow;
        let mut state = self.status.wire();
        state["hasLive"] = (flow.card_count > 0).into();
        json!({
            "id": flow.id,
            "name": flow.name,
            "category": flow.category,
            "type": flow.kind,
            "isPublic": flow.settings.is_public,
            "apikeyid": flow.settings.api_key,
            "publishInstantly": flow.settings.publish_instantly,
            "workspaceId": flow.workspace,
            "createdDate": iso(flow.created),
            "updatedDate": iso(flow.updated),
            "state": state,
        })
    }
}

fn with_canvas(tx: &impl Tx, flow: Flow) -> Result<FlowWithCanvas> {
    let canvas = CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
    Ok(FlowWithCanvas { flow, canvas })
}

/// Makes a flow (manual 5.4 r1). In draft mode its Live is the empty canvas, and a canvas with cards becomes its
/// draft; otherwise the canvas is Live at once.
///
/// # Errors
/// 400 for a bad field, 403 without the permission for its kind.
pub fn create(app: &App, caller: &Caller, edit: &FlowEdit) -> Result<FlowWithCanvas> {
    create_as(app, caller, FlowId::random(), edit)
}

/// As [`create`], under an id that a file brought along.
///
/// # Errors
/// As [`create`]; 409 when the id is in use.
pub fn create_as(app: &App, caller: &Caller, id: FlowId, edit: &FlowEdit) -> Result<FlowWithCanvas> {
    let kind = edit.kind()?.ok_or_else(|| Error::invalid("Invalid type: it is required."))?;
    access::check_permission(caller, kind, FlowAction::Create)?;
    let name = edit.name()?.ok_or_else(|| Error::invalid("Invalid name: it is required."))?.to_owned();
    let posted = edit.canvas(None)?.unwrap_or_else(ParsedCanvas::empty);
    let settings = app.store.read(|tx| edit.settings(tx, &caller.workspace, FlowSettings::default()))?;
    let now = app.clock.monotonic_now();
    let mut flow = Flow {
        id,
        workspace: caller.workspace,
        name,
        kind,
        category: edit.category.clone().flatten(),
        digest: CanvasDigest::compute(kind, posted.text()),
        card_count: 0,
        settings,
        last_published: None,
        created: now,
        updated: now,
    };
    let mode = drafts::mode(app, &flow);
    let side = if mode == EditTarget::Draft { CanvasSide::Draft } else { CanvasSide::Live };
    let files::CanvasFiles { canvas: posted, new_files: fresh } =
        files::store_inline_files(app, &caller.workspace, &flow.id, posted, side)?;
    let (live, draft) = match mode {
        // A canvas of notes alone is an edit too: it waits for Publish like any other.
        EditTarget::Draft if !posted.canvas().nodes().is_empty() => (ParsedCanvas::empty(), Some(posted)),
        EditTarget::Draft | EditTarget::Live(_) => (posted, None),
    };
    let (workspace, id) = (flow.workspace, flow.id);
    flow = live::create(app, caller, flow, &live, draft.as_ref(), &edit.origin())
        .inspect_err(|error| files::roll_back(app, &workspace, &id, &fresh, error))?
        .flow;
    tracing::info!(flow = %flow.id, kind = %flow.kind, by = %caller.principal, "a flow was made");
    Ok(FlowWithCanvas { flow, canvas: live.text().to_owned() })
}

/// Reads a flow; who may not change it, without the passwords that were typed into its cards.
///
/// # Errors
/// 404 or 403, as [`access::flow`].
pub fn read(app: &App, caller: &Caller, id: &FlowId) -> Result<FlowWithCanvas> {
    let found = app.store.read(|tx| with_canvas(tx, access::flow(tx, caller, id, FlowAction::Read)?))?;
    Ok(found.masked_for(caller))
}

/// A flow with its canvas, for who was found to be allowed to see it: passwords are not among what is shown.
///
/// # Errors
/// When the database cannot be read.
pub fn read_masked(app: &App, flow: Flow) -> Result<FlowWithCanvas> {
    let found = app.store.read(|tx| with_canvas(tx, flow.clone()))?;
    Ok(FlowWithCanvas { canvas: password_masks::mask(found.canvas), ..found })
}

/// True when a flow was saved since its `updatedDate` was this text (manual 5.4).
///
/// # Errors
/// 404 or 403, as [`access::flow`].
pub fn has_changed(app: &App, caller: &Caller, id: &FlowId, seen: &str) -> Result<bool> {
    let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Update))?;
    Ok(iso(flow.updated) != seen)
}

/// Which flows a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlowFilter {
    /// Only this kind.
    pub kind: Option<FlowKind>,
    /// The page and the page size, from 1.
    pub page: Option<(usize, usize)>,
}

/// The flows of the workspace that the caller may see, newest change first, and how many there are in all.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &App, caller: &Caller, filter: FlowFilter) -> Result<(Vec<FlowWithCanvas>, usize)> {
    app.store.read(|tx| {
        let (found, total) = find_matching(tx, caller, filter)?;
        let shown = |flow| Ok(with_canvas(tx, flow)?.masked_for(caller));
        Ok((found.into_iter().map(shown).collect::<Result<_>>()?, total))
    })
}

/// The records of the same flows, without their canvases, which are not read.
///
/// # Errors
/// As [`list`].
pub fn records(app: &App, caller: &Caller, filter: FlowFilter) -> Result<(Vec<Value>, usize)> {
    let (found, total) = app.store.read(|tx| find_matching(tx, caller, filter))?;
    Ok((found.iter().map(|flow| record(flow, None)).collect(), total))
}

/// As [`list`], without the canvases and with what a person wants to know of each at a glance.
///
/// # Errors
/// As [`list`].
pub fn outlines(app: &App, caller: &Caller, filter: FlowFilter) -> Result<(Vec<FlowOutline>, usize)> {
    app.store.read(|tx| {
        let (found, total) = find_matching(tx, caller, filter)?;
        let outline = |flow: Flow| Ok(FlowOutline { status: drafts::outline_in(app, tx, &flow)?, flow });
        Ok((found.into_iter().map(outline).collect::<Result<_>>()?, total))
    })
}

fn find_matching(tx: &ReadTx, caller: &Caller, filter: FlowFilter) -> Result<(Vec<Flow>, usize)> {
    let mut flows = FLOWS.list(tx, &caller.workspace)?;
    flows.retain(|flow| {
        filter.kind.is_none_or(|kind| flow.kind == kind)
            && access::check_permission(caller, flow.kind, FlowAction::Read).is_ok()
    });
    flows.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| a.id.cmp(&b.id)));
    let total = flows.len();
    let (skip, take) =
        filter.page.map_or((0, total), |(page, size)| (page.saturating_sub(1).saturating_mul(size), size));
    Ok((flows.into_iter().skip(skip).take(take).collect(), total))
}

/// A save answers with the whole record: whoever may only make flows does not read others by it.
fn check_save(caller: &Caller, kind: FlowKind) -> Result<()> {
    access::check_permission(caller, kind, FlowAction::Save)?;
    access::check_permission(caller, kind, FlowAction::Read)
}

/// Changes a flow; every save moves `updatedDate`.
///
/// # Errors
/// 400 for a bad field, 404 or 403 as [`access::flow`].
pub fn update(app: &App, caller: &Caller, id: &FlowId, edit: &FlowEdit) -> Result<FlowWithCanvas> {
    // Who may not change it learns nothing about the body.
    let seen = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Save))?;
    check_save(caller, seen.kind)?;
    let kind = edit.kind()?;
    let name = edit.name()?;
    let canvas = edit.canvas(Some((app, &seen)))?;
    if let Some(kind) = kind {
        check_save(caller, kind)?;
    }
    let now = app.clock.monotonic_now();
    let change = |tx: &ReadTx, mut flow: Flow| {
        check_save(caller, flow.kind)?;
        flow.settings = edit.settings(tx, &caller.workspace, flow.settings)?;
        if flow.settings.publish_instantly
            && edit.publish_instantly == Some(true)
            && drafts::find(tx, &flow)?.is_some()
        {
            return Err(Conflict::DraftInTheWay.into());
        }
        flow.name = name.map_or(flow.name, str::to_owned);
        flow.kind = kind.unwrap_or(flow.kind);
        flow.category = edit.category.clone().unwrap_or(flow.category);
        flow.updated = live::later(now, flow.updated);
        Ok(flow)
    };
    let keep = |canvas| {
        let kept = files::store_inline_files(app, &caller.workspace, id, canvas, CanvasSide::Live)?;
        // An editor that holds the draft may name its files; Live has its own, which no draft takes along.
        let canvas = files::promote_to_live(app, &caller.workspace, id, kept.canvas)?;
        Ok::<_, Error>(files::CanvasFiles { canvas, ..kept })
    };
    let kept = canvas.map(keep).transpose()?;
    let canvas = kept.as_ref().map(|kept| &kept.canvas);
    let written = live::save(app, caller, id, canvas, &change, edit.origin());
    if let (Err(error), Some(kept)) = (&written, &kept) {
        files::roll_back(app, &caller.workspace, id, &kept.new_files, error);
    }
    let flow = written?.flow;
    Ok(app.store.read(|tx| with_canvas(tx, flow.clone()))?.masked_for(caller))
}

/// Deletes a flow, its canvas and its conversations.
///
/// # Errors
/// 404 or 403.
pub fn delete(app: &App, caller: &Caller, id: &FlowId) -> Result<()> {
    live::delete(app, caller, id, |flow| access::check_permission(caller, flow.kind, FlowAction::Delete))?;
    tracing::info!(flow = %id, by = %caller.principal, "a flow was deleted");
    Ok(())
}

/// The flow somebody asks, wherever it lives: asking needs no workspace.
///
/// # Errors
/// 404 naming the id.
pub fn find(tx: &impl Tx, id: &FlowId) -> Result<Flow> {
    let home = FLOW_WORKSPACE.get(tx, id)?.ok_or_else(|| Error::no_flow(id))?;
    FLOWS.get(tx, &home, id)?.ok_or_else(|| Error::no_flow(id))
}

/// Allowed Domains of a flow; `None` when there is no such flow.
///
/// # Errors
/// When the database cannot be read.
pub fn allowed_origins(app: &App, id: &FlowId) -> Result<Option<AllowedOrigins>> {
    match app.flow_cache.flow(app, id) {
        Ok(flow) => Ok(Some(flow.settings.allowed_origins())),
        Err(Error::NotFound(_)) => Ok(None),
        Err(other) => Err(other),
    }
}
