//! Upserts into the vector stores of flows (manual 10.5), and what is remembered of it.

use super::progress::{OnProgress, ProgressReporter};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::Canvas;
use crate::cards::kit::{RunContext, UpsertObserver as _, UpsertReport};
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FlowId, MessageId, UpsertId};
use crate::domain::knowledge::upsert::{
    self, UploadSession, UpsertCard, UpsertCounts, UpsertOutcome, UpsertProgress, UpsertRecord,
};
use crate::domain::predictions::consumption::ModelCalls;
use crate::domain::predictions::prediction::{ChatType, ConversationProof, RunIds, UploadFile};
use crate::engine::{self, Overrides, Plan};
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::{self, drafts};
use crate::ops::predictions::consumption;
use crate::ops::predictions::{self, RunHost, UploadPolicy};
use crate::store::tables::{CANVASES, UPSERTS};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Fillings of vector stores that are remembered for one flow; older ones go (manual 14.8).
const FILLINGS_KEPT_MAX: usize = 100;

/// A request to upsert into a vector store.
#[derive(Debug, Default)]
pub(crate) struct UpsertRequest {
    /// The node of the store; needed when the canvas has several.
    pub store: Option<String>,
    /// The request's overrides, judged as those of a question.
    pub overrides: Map<String, Value>,
    /// Files for loaders, where the owner listed them.
    pub files: Vec<UploadFile>,
    /// The conversation whose files these are; without it they are for everybody.
    pub conversation: Option<ChatId>,
}

/// Who sends files in a chat.
#[derive(Debug)]
pub(crate) struct Uploader {
    /// The conversation they say it is.
    pub chat: Option<String>,
    pub proofs: Vec<ConversationProof>,
    pub chat_type: ChatType,
}

/// The conversation that files go to, sent ahead of a question: the sender's, else a new one (manual 10.8 r3).
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn resolve_conversation(app: &App, flow: &Flow, sender: &Uploader) -> Result<ChatId> {
    let claim = predictions::ConversationClaim {
        chat: sender.chat.as_deref(),
        proofs: &sender.proofs,
        goes_ahead: true,
    };
    Ok(predictions::resolve_conversation(app, flow, claim, sender.chat_type)?.chat_id())
}

/// True when what is sent are files of a chat: there are some, and the store that is meant takes such files.
///
/// # Errors
/// When the canvas cannot be read.
pub(crate) fn targets_conversation(
    app: &App,
    flow: &Flow,
    fill: &UpsertRequest,
    side: CanvasSide,
) -> Result<bool> {
    if fill.files.is_empty() {
        return Ok(false);
    }
    let canvas = load_canvas(app, &mut flow.clone(), side)?;
    let is_meant = |node: &str| fill.store.as_deref().is_none_or(|wanted| wanted == node);
    Ok(engine::find_upload_store(&canvas).is_some_and(|uploading| is_meant(&uploading.store)))
}

/// True when this caller may upsert into the stores of this flow: one of its workspace who may change it.
#[must_use]
pub(crate) fn can_upsert(caller: &Caller, flow: &Flow) -> bool {
    caller.workspace == flow.workspace
        && access::check_permission(caller, flow.kind, FlowAction::Update).is_ok()
}

/// The flow, for a caller who may upsert into its stores.
///
/// # Errors
/// 404 or 403.
pub(crate) fn flow(app: &App, caller: &Caller, id: &FlowId) -> Result<Flow> {
    app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Update))
}

/// An upsert of which everything is known but what it brings.
pub(crate) struct UpsertJob {
    flow: Flow,
    plan: Plan,
    overrides: Overrides,
    /// The conversation whose files it takes in; without it, it is for everybody.
    conversation: Option<ChatId>,
}

fn count_result<T>(app: &App, filled: Result<T>) -> Result<T> {
    let metrics = &app.state.metrics;
    if filled.is_ok() { &metrics.upserts_completed } else { &metrics.upserts_failed }.increment();
    filled
}

/// Settles all that can be refused before something is loaded.
///
/// # Errors
/// 404 when the flow has no vector store, 403 and 400 for files that no loader of it takes, 400 when it is not clear which
/// one is meant.
pub(crate) fn prepare(app: &App, flow: Flow, fill: UpsertRequest, side: CanvasSide) -> Result<UpsertJob> {
    build_job(app, flow, fill, side).or_else(|error| count_result(app, Err(error)))
}

fn load_canvas(app: &App, flow: &mut Flow, side: CanvasSide) -> Result<Canvas> {
    let drafted = match side {
        CanvasSide::Draft => drafts::draft_for_run(app, flow)?,
        CanvasSide::Live => None,
    };
    let text = match drafted {
        Some(text) => text,
        None => app
            .store
            .read(|tx| CANVASES.get(tx, &flow.workspace, &flow.id))?
            .ok_or_else(|| Error::no_flow(&flow.id))?,
    };
    Canvas::parse(&text).map_err(|fault| Error::RunFailed(fault.to_string()))
}

fn build_job(app: &App, mut flow: Flow, fill: UpsertRequest, side: CanvasSide) -> Result<UpsertJob> {
    flow.kind.require_answers()?;
    let canvas = load_canvas(app, &mut flow, side)?;
    if let Some(chat) = fill.conversation {
        return build_conversation_job(app, flow, &canvas, fill, chat);
    }
    let plan = Plan::compile_for_upsert(&canvas, find_store_node(&canvas, &flow, fill.store.as_deref())?)?;
    let loaded = predictions::uploads::loader_files::require_loader_files(&plan, &flow.settings, fill.files)?;
    let mut overrides = predictions::evaluate_overrides(app, &flow, &plan.places(), &fill.overrides)?;
    predictions::uploads::loader_files::pass_to_loaders(&mut overrides, &plan, &flow.settings, &loaded)?;
    Ok(UpsertJob { flow, plan, overrides, conversation: None })
}

/// As [`build_job`], for files of a conversation.
fn build_conversation_job(
    app: &App,
    flow: Flow,
    canvas: &Canvas,
    fill: UpsertRequest,
    chat: ChatId,
) -> Result<UpsertJob> {
    let offer = UploadPolicy::for_store(engine::find_upload_store(canvas));
    let (store, given) = predictions::uploads::store_files::assign_store_files(&offer, fill.files)?;
    let plan = Plan::compile_for_uploads(canvas, &store, &given)?;
    let mut overrides = predictions::evaluate_overrides(app, &flow, &plan.places(), &fill.overrides)?;
    overrides.take_uploads(&plan, &given);
    Ok(UpsertJob { flow, plan, overrides, conversation: Some(chat) })
}

/// Builds everything the store needs and lets it take in what is wired into it.
///
/// # Errors
/// 500 when a card fails, 413 and 507 when there is no room for files of a conversation.
pub(crate) fn upsert(
    app: &App,
    prepared: &UpsertJob,
    tell: OnProgress<'_>,
    cancel: &CancelToken,
) -> Result<UpsertOutcome> {
    count_result(app, run_job(app, prepared, tell, cancel))
}

fn run_job(
    app: &App,
    prepared: &UpsertJob,
    tell: OnProgress<'_>,
    cancel: &CancelToken,
) -> Result<UpsertOutcome> {
    let UpsertJob { flow, plan, overrides, conversation } = prepared;
    let watch = ProgressReporter::new(app, tell);
    watch.report(UpsertProgress::STARTED);
    let ids = ids(flow, conversation.unwrap_or_else(ChatId::random));
    let calls = ModelCalls::default();
    let host = RunHost::for_flow(app, flow, ids, overrides, "", cancel.clone())?
        .with_progress(&watch)
        .with_calls(&calls);
    let host = if conversation.is_some() { host.with_conversation() } else { host };
    let turn = RunContext { question: "", documents: "", uploads: &[], history: &[], host: &host };
    let done = engine::run_upsert(plan, overrides, &turn, &host);
    consumption::store_calls(app, flow, &calls);
    let done = done.map_err(|fault| predictions::run_error(fault, cancel))?;
    let session = match conversation {
        // The list of upserts tells nothing of it: what people send is theirs.
        Some(chat) => Some(UploadSession { chat: *chat, token: app.secrets.tokens.mint(&flow.id, chat) }),
        None => {
            append_history(app, flow, plan, &done)?;
            None
        }
    };
    Ok(UpsertOutcome { session, ..outcome(done) })
}

fn ids(flow: &Flow, chat: ChatId) -> RunIds {
    RunIds { flow: flow.id, chat, answer: MessageId::random(), question: MessageId::random() }
}

/// The node of the store that is meant (manual 10.5).
fn find_store_node<'c>(canvas: &'c Canvas, flow: &Flow, wanted: Option<&str>) -> Result<&'c str> {
    let stores = engine::upsertable_stores(canvas);
    match (wanted, &stores[..]) {
        (_, []) => Err(Error::NotFound(format!("Chatflow {} has no vector store to fill.", flow.id))),
        (None, [only]) => Ok(&only.id),
        (Some(wanted), some) => some
            .iter()
            .find(|node| node.id == wanted)
            .map(|node| node.id.as_str())
            .ok_or_else(|| Error::invalid("'stopNodeId' names no vector store of this flow.")),
        (None, some) => {
            let ids: Vec<&str> = some.iter().map(|node| node.id.as_str()).collect();
            Err(Error::Invalid(format!(
                "The flow has several vector stores: name one in 'stopNodeId' ({}).",
                ids.join(", ")
            )))
        }
    }
}

const fn counts(done: &UpsertReport) -> UpsertCounts {
    UpsertCounts {
        num_added: done.added,
        num_deleted: done.deleted,
        num_updated: done.updated,
        num_skipped: done.skipped,
        total_keys: done.total,
    }
}

/// What callers learn of an upsert.
pub(super) fn outcome(done: UpsertReport) -> UpsertOutcome {
    let counts = counts(&done);
    UpsertOutcome { counts, shown: done.shown, session: None }
}

/// Notes an upsert with the flow; the oldest beyond the limit go.
fn append_history(app: &App, flow: &Flow, plan: &Plan, done: &UpsertReport) -> Result<()> {
    let card = |(id, name, label): (&str, &'static str, &str)| UpsertCard {
        id: id.to_owned(),
        name: name.to_owned(),
        label: label.to_owned(),
    };
    let filling = UpsertRecord {
        id: UpsertId::random(),
        date: app.clock.monotonic_now(),
        counts: counts(done),
        samples: upsert::sample_chunks(&done.shown),
        cards: plan.cards().map(card).collect(),
    };
    app.store.write(|tx| {
        // A flow that was deleted meanwhile leaves nothing behind.
        let flow = flows::find(tx, &flow.id)?;
        let mut kept = UPSERTS.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
        kept.push(filling.clone());
        let beyond = kept.len().saturating_sub(FILLINGS_KEPT_MAX);
        kept.drain(..beyond);
        UPSERTS.put(tx, &flow.workspace, &flow.id, &kept)
    })
}

/// Which upserts are wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct HistoryFilter {
    /// Newest first; else oldest first.
    pub newest_first: bool,
    /// Not before.
    pub start: Option<Timestamp>,
    /// Not after.
    pub end: Option<Timestamp>,
}

/// The upserts into the stores of a flow.
///
/// # Errors
/// 404 or 403.
pub(crate) fn history(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    filter: &HistoryFilter,
) -> Result<Vec<UpsertRecord>> {
    let mut kept = app.store.read(|tx| {
        access::flow(tx, caller, id, FlowAction::Read)?;
        Ok(UPSERTS.get(tx, &caller.workspace, id)?.unwrap_or_default())
    })?;
    kept.retain(|filling| {
        filter.start.is_none_or(|start| filling.date >= start)
            && filter.end.is_none_or(|end| filling.date <= end)
    });
    if filter.newest_first {
        kept.reverse();
    }
    Ok(kept)
}

/// Deletes upserts from the lists of the workspace's flows; all of them or none.
///
/// # Errors
/// 404 when one of them is not there, 403 without the permission for its flow.
pub(crate) fn delete_history(app: &App, caller: &Caller, ids: &BTreeSet<UpsertId>) -> Result<usize> {
    let unknown = || Error::NotFound("There is no such entry in the upsert history.".to_owned());
    let flows = app.store.read(|tx| {
        let mut holding = Vec::new();
        for flow in crate::store::tables::FLOWS.list(tx, &caller.workspace)? {
            let kept = UPSERTS.get(tx, &caller.workspace, &flow.id)?.unwrap_or_default();
            if kept.iter().any(|filling| ids.contains(&filling.id)) {
                holding.push(flow.id);
            }
        }
        Ok(holding)
    })?;
    app.store.write(|tx| {
        let mut gone = 0;
        for id in &flows {
            access::flow(tx, caller, id, FlowAction::Update)?;
            let mut kept = UPSERTS.get(tx, &caller.workspace, id)?.unwrap_or_default();
            let before = kept.len();
            kept.retain(|filling| !ids.contains(&filling.id));
            gone += before - kept.len();
            UPSERTS.put(tx, &caller.workspace, id, &kept)?;
        }
        if gone == ids.len() { Ok(gone) } else { Err(unknown()) }
    })
}
