//! Drafts: canvas edits that touch nothing but themselves until they are published (manual 5.5, 5.6, 5.9).

use super::access::{self, FlowAction};
use super::files::{self, CanvasFiles};
use super::live::precondition;
use super::live::{self, ParsedCanvas};
use super::password_masks;
use crate::app::App;
use crate::canvas::Canvas;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::draft::{CanvasSide, DirectEditReason, Draft, DraftStatus, EditTarget};
use crate::domain::flows::flow::{CanvasDigest, Flow, FlowKind};
use crate::domain::ids::FlowId;
use crate::files::flow_files::FlowFileName;
use crate::ops::workspace::credential_destinations;
use crate::store::tables::{CANVASES, DRAFT_CANVASES, DRAFTS};
use crate::store::{ReadTx, Tx, WriteTx};

/// What a caller says about the draft it edited (`If-Match`, manual 5.6 r3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DraftPrecondition {
    /// Nothing: the save goes through whatever is there.
    Any,
    None,
    /// The draft of this `updatedDate`.
    Saved(String),
}

impl DraftPrecondition {
    /// Reads an `If-Match` header: a quoted date, or `"none"`.
    ///
    /// # Errors
    /// 400 for anything else.
    pub(crate) fn parse(header: Option<&str>) -> Result<Self> {
        let Some(header) = header.map(str::trim) else { return Ok(Self::Any) };
        if header == "*" {
            return Ok(Self::Any);
        }
        match precondition::unquote(header) {
            Some("none") => Ok(Self::None),
            Some(date) if !date.is_empty() => Ok(Self::Saved(date.to_owned())),
            _ => {
                Err(Error::invalid("Invalid If-Match: send the draft's updatedDate in quotes, or \"none\"."))
            }
        }
    }

    /// What a caller saw who looks now.
    #[must_use]
    pub(crate) fn from_current(draft: Option<&Draft>) -> Self {
        draft.map_or(Self::None, |draft| Self::Saved(iso(draft.updated)))
    }

    /// True when this is what is there.
    #[must_use]
    pub(crate) fn matches(&self, draft: Option<&Draft>) -> bool {
        match self {
            Self::Any => true,
            Self::None => draft.is_none(),
            Self::Saved(date) => draft.is_some_and(|draft| iso(draft.updated) == *date),
        }
    }
}

/// The mode of a flow on this server.
#[must_use]
pub(crate) fn mode(app: &App, flow: &Flow) -> EditTarget {
    EditTarget::for_flow(app.settings.drafts, flow.kind, flow.settings.publish_instantly)
}

/// The draft of a flow; `None` when there are no unpublished changes. With drafts off, saved drafts wait.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn find(tx: &impl Tx, flow: &Flow) -> Result<Option<Draft>> {
    DRAFTS.get(tx, &flow.workspace, &flow.id)
}

/// The canvas of a flow's draft.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn canvas(tx: &impl Tx, flow: &Flow) -> Result<Option<String>> {
    DRAFT_CANVASES.get(tx, &flow.workspace, &flow.id)
}

/// The draft of a flow with its canvas, where it may stand for Live: drafts are on, and it is of the kind that the flow has.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn find_current(app: &App, tx: &impl Tx, flow: &Flow) -> Result<Option<(Draft, String)>> {
    if !app.settings.drafts {
        return Ok(None);
    }
    let found = find(tx, flow)?.filter(|draft| draft.kind == Some(flow.kind));
    Ok(found.zip(canvas(tx, flow)?))
}

/// Lets `flow` stand for its draft, when there is one: returns the draft's canvas.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn draft_for_run(app: &App, flow: &mut Flow) -> Result<Option<String>> {
    let found = app.store.read(|tx| find_current(app, tx, flow))?;
    let Some((draft, text)) = found else { return Ok(None) };
    flow.digest = draft.digest;
    flow.card_count = Canvas::parse(&text).map_or(0, |canvas| canvas.card_count());
    Ok(Some(text))
}

/// The status of a flow's draft, inside a transaction.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn status_in(app: &App, tx: &impl Tx, flow: &Flow) -> Result<DraftStatus> {
    let mut status = outline_in(app, tx, flow)?;
    if status.draft.is_some() {
        status.canvas = canvas(tx, flow)?;
    }
    Ok(status)
}

/// As [`status_in`], without the canvas.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn outline_in(app: &App, tx: &impl Tx, flow: &Flow) -> Result<DraftStatus> {
    let draft = if app.settings.drafts { find(tx, flow)? } else { None };
    Ok(DraftStatus {
        mode: mode(app, flow),
        enabled: app.settings.drafts,
        publish_instantly: flow.settings.publish_instantly,
        stale: draft.as_ref().is_some_and(|draft| draft.is_stale(flow)),
        draft,
        canvas: None,
        last_published: flow.last_published.clone(),
    })
}

/// `GET /flow-drafts/:id`.
///
/// # Errors
/// 404, 403.
pub(crate) fn status(app: &App, caller: &Caller, id: &FlowId) -> Result<DraftStatus> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::View)?;
        let mut status = status_in(app, tx, &flow)?;
        status.canvas = status.canvas.map(|canvas| password_masks::mask_for(caller, flow.kind, canvas));
        Ok(status)
    })
}

/// Refuses what needs drafts while they are off (manual 6.10 r2).
///
/// # Errors
/// 409.
pub(crate) fn require_drafts(app: &App) -> Result<()> {
    if app.settings.drafts { Ok(()) } else { Err(Conflict::DraftsOff.into()) }
}

/// `PUT /flow-drafts/:id`: saves the canvas as the draft. A canvas that is Live already leaves no draft.
/// Live is never touched.
///
/// # Errors
/// 400 for a bad canvas, 404, 403, and 409 where the flow has no draft (manual 5.6 r2); nothing is stored then.
pub(crate) fn save(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    flow_data: &str,
    expected: &DraftPrecondition,
) -> Result<DraftStatus> {
    let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Update))?;
    let seen = flow.kind;
    // The body is judged before what the server allows (manual 1.3).
    let sent = super::take_in(flow_data, Some((app, &flow)))?;
    require_drafts(app)?;
    let CanvasFiles { canvas, new_files: fresh } =
        files::store_inline_files(app, &caller.workspace, id, sent, CanvasSide::Draft)?;
    let saved = put_checked(app, caller, id, &canvas, seen, expected);
    match &saved {
        Ok((_, unused)) => files::remove(app, &caller.workspace, id, unused),
        Err(error) => files::roll_back(app, &caller.workspace, id, &fresh, error),
    }
    saved.map(|(status, _)| status).inspect(|_| app.state.metrics.drafts_saved.increment())
}

/// Stores the draft if nothing speaks against it; says which files of the draft before are not used any more.
fn put_checked(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    canvas: &ParsedCanvas,
    seen: FlowKind,
    expected: &DraftPrecondition,
) -> Result<(DraftStatus, Vec<FlowFileName>)> {
    let now = app.clock.monotonic_now();
    app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        let used_before = files_of(tx, &flow)?;
        match mode(app, &flow) {
            EditTarget::Draft => {}
            EditTarget::Live(DirectEditReason::Off) => return Err(Conflict::DraftsOff.into()),
            EditTarget::Live(DirectEditReason::Type) => return Err(Conflict::KindWithoutDrafts.into()),
            EditTarget::Live(DirectEditReason::PublishInstantly) => {
                return Err(Conflict::PublishInstantly.into());
            }
        }
        let before = find(tx, &flow)?;
        if seen != flow.kind || before.as_ref().is_some_and(|draft| draft.kind != Some(flow.kind)) {
            return Err(Conflict::KindChangedSinceEdits.into());
        }
        if !expected.matches(before.as_ref()) {
            return Err(Conflict::DraftMoved.into());
        }
        check_destinations(tx, caller, &flow, canvas)?;
        let digest = CanvasDigest::compute(flow.kind, canvas.text());
        if digest == flow.digest || is_live_without_foreign(tx, &flow, canvas)? {
            remove(tx, &flow)?;
        } else {
            let draft = Draft {
                flow: flow.id,
                workspace: flow.workspace,
                kind: Some(flow.kind),
                base: before.as_ref().map_or(flow.digest, |draft| draft.base),
                digest,
                // Two saves within one millisecond still differ, so that `If-Match` can tell them apart.
                updated: before.map_or(now, |draft| live::later(now, draft.updated)),
                updated_by: caller.user(),
            };
            put(tx, &draft, canvas.text())?;
        }
        let used = files::draft_file_names(canvas);
        let unused = used_before.into_iter().filter(|name| !used.contains(name)).collect();
        Ok((status_in(app, tx, &flow)?, unused))
    })
}

/// True when this is Live but for what no canvas holds: a Live that was stored with it is sent back without it.
fn is_live_without_foreign(tx: &impl Tx, flow: &Flow, canvas: &ParsedCanvas) -> Result<bool> {
    // What was taken out made the text shorter, so that an ordinary save reads nothing twice.
    let live = CANVASES.get(tx, &flow.workspace, &flow.id)?.filter(|live| live.len() > canvas.text().len());
    Ok(live.and_then(|live| ParsedCanvas::parse(live).ok()).is_some_and(|live| live.text() == canvas.text()))
}

/// Settles where the credentials of a canvas are sent that becomes the draft.
fn check_destinations(tx: &WriteTx, caller: &Caller, flow: &Flow, canvas: &ParsedCanvas) -> Result<()> {
    let sent = credential_destinations::of_canvas(canvas.canvas());
    credential_destinations::check_and_remember(tx, caller, &sent, || {
        credential_destinations::of_flow(tx, flow)
    })
}

/// The files the draft of a flow names.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn files_of(tx: &impl Tx, flow: &Flow) -> Result<Vec<FlowFileName>> {
    let canvas = canvas(tx, flow)?.and_then(|text| ParsedCanvas::parse(text).ok());
    Ok(canvas.as_ref().map(files::draft_file_names).unwrap_or_default())
}

/// `DELETE /flow-drafts/:id`: discards the draft. Without one, nothing happens.
///
/// # Errors
/// 404, 403, 409 while drafts are off.
pub(crate) fn discard(app: &App, caller: &Caller, id: &FlowId) -> Result<DraftStatus> {
    access::require_flow(app, caller, id, FlowAction::Update)?;
    require_drafts(app)?;
    let (status, unused) = app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        let unused = files_of(tx, &flow)?;
        remove(tx, &flow)?;
        Ok((status_in(app, tx, &flow)?, unused))
    })?;
    files::remove(app, &caller.workspace, id, &unused);
    Ok(status)
}

/// `PUT /flow-drafts/:id/settings`: switches Publish instantly.
///
/// # Errors
/// 404, 403, 409 while drafts are off or when turning it on over unpublished changes.
pub(crate) fn set_publish_instantly(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    on: bool,
) -> Result<DraftStatus> {
    access::require_flow(app, caller, id, FlowAction::Update)?;
    require_drafts(app)?;
    let now = app.clock.monotonic_now();
    let edit = |tx: &ReadTx, mut flow: Flow| {
        access::check_permission(caller, flow.kind, FlowAction::Update)?;
        if on && find(tx, &flow)?.is_some() {
            return Err(Conflict::DraftInTheWay.into());
        }
        flow.settings.publish_instantly = on;
        flow.updated = live::later(now, flow.updated);
        Ok(flow)
    };
    let written = live::save(app, caller, id, None, &edit, live::ChangeOrigin::Edit)?;
    app.store.read(|tx| status_in(app, tx, &written.flow))
}

/// Makes the first draft of a flow that has just been made (manual 5.4 r1).
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn create_first(tx: &WriteTx, flow: &Flow, canvas: &ParsedCanvas, caller: &Caller) -> Result<()> {
    let draft = Draft {
        flow: flow.id,
        workspace: flow.workspace,
        kind: Some(flow.kind),
        base: flow.digest,
        digest: CanvasDigest::compute(flow.kind, canvas.text()),
        updated: flow.updated,
        updated_by: caller.user(),
    };
    put(tx, &draft, canvas.text())
}

/// Puts a version's canvas in place of the draft (manual 5.9). A canvas that is Live leaves no draft.
///
/// # Errors
/// 403 for a credential that would be sent elsewhere; when the database cannot be written.
pub(crate) fn replace(
    app: &App,
    tx: &WriteTx,
    flow: &Flow,
    canvas: &ParsedCanvas,
    caller: &Caller,
) -> Result<()> {
    check_destinations(tx, caller, flow, canvas)?;
    let digest = CanvasDigest::compute(flow.kind, canvas.text());
    if digest == flow.digest {
        return remove(tx, flow);
    }
    let before = find(tx, flow)?;
    let now = app.clock.monotonic_now();
    let draft = Draft {
        flow: flow.id,
        workspace: flow.workspace,
        kind: Some(flow.kind),
        // What the draft held is gone, so it starts anew from the Live of today.
        base: flow.digest,
        digest,
        updated: before.map_or(now, |draft| live::later(now, draft.updated)),
        updated_by: caller.user(),
    };
    put(tx, &draft, canvas.text())
}

/// Lets a draft go on from another Live.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn rebase(tx: &WriteTx, draft: Draft, base: CanvasDigest) -> Result<()> {
    DRAFTS.put(tx, &draft.workspace, &draft.flow, &Draft { base, ..draft })
}

/// Stores a draft with its canvas.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn put(tx: &WriteTx, draft: &Draft, canvas: &str) -> Result<()> {
    DRAFT_CANVASES.put(tx, &draft.workspace, &draft.flow, canvas)?;
    DRAFTS.put(tx, &draft.workspace, &draft.flow, draft)
}

/// Removes a flow's draft, if it has one.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn remove(tx: &WriteTx, flow: &Flow) -> Result<()> {
    DRAFT_CANVASES.remove(tx, &flow.workspace, &flow.id)?;
    DRAFTS.remove(tx, &flow.workspace, &flow.id)?;
    Ok(())
}
