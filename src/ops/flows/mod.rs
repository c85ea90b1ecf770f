//! Flow records: make, read, list, change, delete (manual 5.1, 5.4).

pub(crate) mod access;
pub(crate) mod drafts;
pub(crate) mod files;
pub mod live;
pub(crate) mod outbox;
pub(crate) mod password_masks;
pub(crate) mod public_config;
pub(crate) mod publish;
pub(crate) mod references;
pub(crate) mod refused_origins;
pub(crate) mod restore;
pub(crate) mod settings;
pub(crate) mod snapshot;
pub(crate) mod titles;
pub(crate) mod usage;
pub(crate) mod validation;
pub(crate) mod version_answers;
pub(crate) mod version_index;
pub mod versions;

use self::access::FlowAction;
use self::live::precondition::LivePrecondition;
use self::live::{ChangeOrigin, NewFlow, ParsedCanvas};
use crate::app::App;
use crate::canvas::Canvas;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::change::Change;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::draft::{CanvasSide, EditTarget, FlowOutline};
use crate::domain::flows::flow::{CanvasDigest, Flow, FlowKind, FlowWithCanvas};
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::flows::settings::{AllowedOrigins, FlowSettings, ReadSetting, Setting};
use crate::domain::ids::{FlowId, KeyId, WorkspaceId};
use crate::domain::paging::PageRequest;
use crate::store::tables::{CANVASES, FLOW_WORKSPACE, FLOWS, WEBHOOK_SECRETS};
use crate::store::{ReadTx, Tx};
use serde_json::Value;

const fn origin_of(change: &FlowChange) -> ChangeOrigin {
    if change.imported.is_some() { ChangeOrigin::File } else { ChangeOrigin::Edit }
}

/// A canvas that comes in, with the passwords of the flow `of` where marks stand for them.
///
/// # Errors
/// 400 when it is no canvas, or holds what cannot be kept as it is (manual 9.1); when the database cannot be read.
pub(in crate::ops) fn take_in(sent: &str, of: Option<(&App, &Flow)>) -> Result<ParsedCanvas> {
    // Numbers are judged in the text that was sent: whoever writes it anew writes what was read of them.
    Canvas::check_numbers(sent).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let text = match of {
        Some((app, flow)) => app.store.read(|tx| password_masks::restore(tx, flow, sent.to_owned()))?,
        None => password_masks::restore_from(&[], sent.to_owned()),
    };
    ParsedCanvas::parse(text)
}

fn parse_canvas(change: &FlowChange, of: Option<(&App, &Flow)>) -> Result<Option<ParsedCanvas>> {
    change.canvas.as_deref().map(|sent| take_in(sent, of)).transpose()
}

/// The settings as they shall be: each field sent takes the place of the old one as a whole, because
/// writers read the whole text first (manual 5.1 r2).
fn apply_settings(
    change: &FlowChange,
    tx: &impl Tx,
    workspace: &WorkspaceId,
    old: FlowSettings,
) -> Result<FlowSettings> {
    let mut new = old.clone();
    let key = match &change.api_key {
        Change::Keep => new.api_key,
        Change::Clear => None,
        Change::Set(key) => settings::resolve_bound_key(tx, workspace, key, old.api_key)?,
    };
    let has_unknown_key = change.imported.is_some_and(|imported| imported.has_unknown_key);
    new.api_key = if has_unknown_key { Some(KeyId::random()) } else { key };
    new.is_public = change.is_public.apply(new.is_public);
    new.deployed = change.deployed.apply(new.deployed);
    new.publish_instantly = change.publish_instantly.unwrap_or(new.publish_instantly);
    replace("chatbotConfig", &change.chatbot_config, &mut new.chatbot_config)?;
    replace("apiConfig", &change.api_config, &mut new.api_config)?;
    replace("analytic", &change.analytic, &mut new.analytic)?;
    replace("speechToText", &change.speech_to_text, &mut new.speech_to_text)?;
    replace("textToSpeech", &change.text_to_speech, &mut new.text_to_speech)?;
    replace("followUpPrompts", &change.follow_up_prompts, &mut new.follow_up_prompts)?;
    replace("mcpServerConfig", &change.mcp_server_config, &mut new.mcp_server_config)?;
    settings::preserve_unsent(&mut new, &old);
    Ok(new)
}

/// Puts a settings object that was sent in the place of the stored one.
fn replace<T: ReadSetting>(name: &str, sent: &Change<Value>, kept: &mut Setting<T>) -> Result<()> {
    match sent {
        Change::Keep => {}
        Change::Clear => *kept = None.into(),
        Change::Set(sent) => *kept = settings::parse(name, Some(sent))?.into(),
    }
    Ok(())
}

fn mask(found: FlowWithCanvas, caller: &Caller) -> FlowWithCanvas {
    FlowWithCanvas { canvas: password_masks::mask_for(caller, found.flow.kind, found.canvas), ..found }
}

fn with_canvas(tx: &impl Tx, flow: Flow) -> Result<FlowWithCanvas> {
    let canvas = CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
    let has_webhook_secret = WEBHOOK_SECRETS.has(tx, &flow.workspace, &flow.id)?;
    Ok(FlowWithCanvas { flow, canvas, has_webhook_secret })
}

/// Makes a flow (manual 5.4 r1). In draft mode its Live is the empty canvas, and a canvas with cards becomes its
/// draft; otherwise the canvas is Live at once.
///
/// # Errors
/// 400 for a bad field, 403 without the permission for its kind, 409 when another harness has its name.
pub fn create(app: &App, caller: &Caller, change: &FlowChange) -> Result<FlowWithCanvas> {
    if change.parse_kind()? == Some(FlowKind::Assistant) {
        access::check_permission(caller, FlowKind::Assistant, FlowAction::Create)?;
        return Err(no_drawn_assistant());
    }
    make(app, caller, FlowId::random(), change, TakenName::Refused)
}

fn no_drawn_assistant() -> Error {
    Error::invalid("Invalid type: an assistant is not drawn. Make it with POST /assistants.")
}

/// As [`create`], under an id that a file brought along, and of assistants too. A harness whose name is taken gets another.
///
/// # Errors
/// As [`create`]; 409 when the id is in use.
pub fn create_as(app: &App, caller: &Caller, id: FlowId, change: &FlowChange) -> Result<FlowWithCanvas> {
    make(app, caller, id, change, TakenName::Numbered)
}

/// What becomes of a harness whose name another one has (manual 22.1 r3).
#[derive(Clone, Copy, PartialEq, Eq)]
enum TakenName {
    Refused,
    /// It gets a number behind its name.
    Numbered,
}

fn make(
    app: &App,
    caller: &Caller,
    id: FlowId,
    change: &FlowChange,
    taken: TakenName,
) -> Result<FlowWithCanvas> {
    let kind = change.parse_kind()?.ok_or_else(|| Error::invalid("Invalid type: it is required."))?;
    access::check_permission(caller, kind, FlowAction::Create)?;
    let name =
        change.parse_name()?.ok_or_else(|| Error::invalid("Invalid name: it is required."))?.to_owned();
    let posted = parse_canvas(change, None)?.unwrap_or_else(ParsedCanvas::empty);
    let settings =
        app.store.read(|tx| apply_settings(change, tx, &caller.workspace, FlowSettings::default()))?;
    let now = app.clock.monotonic_now();
    let flow = Flow {
        id,
        workspace: caller.workspace,
        name,
        kind,
        category: change.category.clone().apply(None),
        digest: CanvasDigest::compute(kind, posted.text()),
        card_count: 0,
        settings,
        last_published: None,
        last_promoted: None,
        harness: None,
        live_version: None,
        created: now,
        updated: now,
    };
    let posted = match taken {
        TakenName::Refused => posted,
        TakenName::Numbered => app.store.read(|tx| live::harnesses::with_free_name(tx, &flow, posted))?,
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
    let new = NewFlow { flow, canvas: &live, draft: draft.as_ref(), origin: origin_of(change), guard: None };
    let flow = live::create(app, caller, new)
        .inspect_err(|error| files::roll_back(app, &workspace, &id, &fresh, error))?
        .flow;
    tracing::info!(flow = %flow.id, kind = %flow.kind, by = %caller.principal, "a flow was made");
    Ok(FlowWithCanvas { flow, canvas: live.text().to_owned(), has_webhook_secret: false })
}

/// Reads a flow; who may not change it, without the passwords that were typed into its cards.
///
/// # Errors
/// 404 or 403, as [`access::flow`].
pub fn read(app: &App, caller: &Caller, id: &FlowId) -> Result<FlowWithCanvas> {
    let found = app.store.read(|tx| with_canvas(tx, access::flow(tx, caller, id, FlowAction::Read)?))?;
    Ok(mask(found, caller))
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
    pub page: Option<PageRequest>,
}

/// The flows of the workspace that the caller may see, newest change first, and how many there are in all.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &App, caller: &Caller, filter: FlowFilter) -> Result<(Vec<FlowWithCanvas>, usize)> {
    app.store.read(|tx| {
        let (found, total) = find_matching(tx, caller, filter)?;
        let shown = |flow| Ok(mask(with_canvas(tx, flow)?, caller));
        Ok((found.into_iter().map(shown).collect::<Result<_>>()?, total))
    })
}

/// The records of the same flows, without their canvases, which are not read.
///
/// # Errors
/// As [`list`].
pub fn records(app: &App, caller: &Caller, filter: FlowFilter) -> Result<(Vec<Flow>, usize)> {
    app.store.read(|tx| find_matching(tx, caller, filter))
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
    if let Some(page) = filter.page {
        flows = flows.drain(page.range(total)).collect();
    }
    Ok((flows, total))
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
pub fn update(app: &App, caller: &Caller, id: &FlowId, change: &FlowChange) -> Result<FlowWithCanvas> {
    update_expected(app, caller, id, change, &LivePrecondition::Any)
}

/// As [`update`], while the flow is still the one that its editor saw.
///
/// # Errors
/// As [`update`]; 409 when it was changed meanwhile, and nothing is stored then.
pub(crate) fn update_expected(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    change: &FlowChange,
    expected: &LivePrecondition,
) -> Result<FlowWithCanvas> {
    let editor = if change.imported.is_some() { Editor::Assistant } else { Editor::Canvas };
    save_change(app, caller, id, change, (expected, editor))
}

/// As [`update_expected`], of a flow whose assistant was edited.
///
/// # Errors
/// As [`update_expected`].
pub(in crate::ops) fn redraw_assistant(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    change: &FlowChange,
    expected: &LivePrecondition,
) -> Result<FlowWithCanvas> {
    save_change(app, caller, id, change, (expected, Editor::Assistant))
}

/// What a change of a flow comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Editor {
    /// Its record and its canvas.
    Canvas,
    /// Its assistant, or a file that holds one.
    Assistant,
}

/// Name, type and canvas of an assistant's flow follow from the assistant, and no other flow becomes one's.
fn check_not_drawn(before: &Flow, after: &Flow, canvas: Option<&ParsedCanvas>) -> Result<()> {
    let kinds = (before.kind, after.kind);
    if kinds.0 != FlowKind::Assistant {
        return if kinds.1 == FlowKind::Assistant { Err(no_drawn_assistant()) } else { Ok(()) };
    }
    let is_redrawn =
        canvas.is_some_and(|canvas| CanvasDigest::compute(before.kind, canvas.text()) != before.digest);
    if is_redrawn || kinds.1 != FlowKind::Assistant || after.name != before.name {
        return Err(Conflict::FlowOfAssistant.into());
    }
    Ok(())
}

fn save_change(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    change: &FlowChange,
    (expected, editor): (&LivePrecondition, Editor),
) -> Result<FlowWithCanvas> {
    // Who may not change it learns nothing about the body.
    let seen = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Save))?;
    check_save(caller, seen.kind)?;
    let kind = change.parse_kind()?;
    let name = change.parse_name()?;
    let canvas = parse_canvas(change, Some((app, &seen)))?;
    if let Some(kind) = kind {
        check_save(caller, kind)?;
    }
    let now = app.clock.monotonic_now();
    let drawn = canvas.clone();
    let edit = |tx: &ReadTx, mut flow: Flow| {
        let before = flow.clone();
        check_save(caller, flow.kind)?;
        if !expected.matches(&flow) {
            return Err(Conflict::FlowMoved.into());
        }
        flow.settings = apply_settings(change, tx, &caller.workspace, flow.settings)?;
        if flow.settings.publish_instantly
            && change.publish_instantly == Some(true)
            && drafts::find(tx, &flow)?.is_some()
        {
            return Err(Conflict::DraftInTheWay.into());
        }
        flow.name = name.map_or(flow.name, str::to_owned);
        flow.kind = kind.unwrap_or(flow.kind);
        flow.category = change.category.clone().apply(flow.category);
        if editor == Editor::Canvas {
            check_not_drawn(&before, &flow, drawn.as_ref())?;
        }
        flow.updated = live::later(now, flow.updated);
        Ok(flow)
    };
    let save = |canvas: Option<&ParsedCanvas>| live::save(app, caller, id, canvas, &edit, origin_of(change));
    let written = match canvas {
        None => save(None)?,
        Some(canvas) => {
            let files::CanvasFiles { canvas, new_files: fresh } =
                files::store_inline_files(app, &caller.workspace, id, canvas, CanvasSide::Live)?;
            // An editor that holds the draft may name its files; Live has its own, which no draft takes along.
            files::put_live(app, &caller.workspace, id, canvas, |canvas| save(Some(canvas)))
                .inspect_err(|error| files::roll_back(app, &caller.workspace, id, &fresh, error))?
        }
    };
    let flow = written.flow;
    Ok(mask(app.store.read(|tx| with_canvas(tx, flow.clone()))?, caller))
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
        Ok(flow) => Ok(Some(flow.settings.chatbot_config.allowed_origins.clone())),
        Err(Error::NotFound(_)) => Ok(None),
        Err(other) => Err(other),
    }
}
