//! Publish: the draft becomes Live (manual 5.7).

use super::access::{self, FlowAction};
use super::drafts::{self, DraftPrecondition};
use super::files;
use super::live::{self, ChangeOrigin, LiveChange, ParsedCanvas};
use super::validation::Validator;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::card_problems::{CardProblems, can_run};
use crate::domain::flows::draft::{Draft, PublishDecision};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::publish::{FlowPublication, PublishOutcome, PublishResult};
use crate::domain::flows::record_result::RecordResult;
use crate::domain::flows::version::VersionKind;
use crate::domain::ids::FlowId;
use crate::store::ReadTx;
use crate::store::tables::{CANVASES, FLOWS};

/// Flows that one request publishes.
pub(crate) const FLOWS_MAX: usize = 1_000;

/// `POST /flow-drafts/:id/publish` of the draft that the caller saw.
///
/// # Errors
/// 404, 403, and the 409s of Publish (manual 5.7): drafts off, nothing to publish, another draft than `expected`, stale without
/// `overwrite_live_changes`, another kind of flow, Live changed meanwhile.
pub(crate) fn publish(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    expected: &DraftPrecondition,
    overwrite_live_changes: bool,
) -> Result<PublishResult> {
    let seen = app.store.read(|tx| PublishableDraft::load(app, tx, caller, id))?;
    if !expected.matches(Some(&seen.draft)) {
        return Err(Conflict::DraftMovedBeforePublish.into());
    }
    seen.publish(app, caller, overwrite_live_changes)
}

/// What of a flow is not published yet, as it was when somebody looked.
struct PublishableDraft {
    flow: Flow,
    draft: Draft,
    canvas: String,
}

impl PublishableDraft {
    fn load(app: &App, tx: &ReadTx, caller: &Caller, id: &FlowId) -> Result<Self> {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        drafts::require_drafts(app)?;
        let draft = drafts::find(tx, &flow)?.ok_or(Conflict::NoDraft)?;
        let canvas = drafts::canvas(tx, &flow)?.ok_or(Conflict::NoDraft)?;
        Ok(Self { flow, draft, canvas })
    }

    fn publish(self, app: &App, caller: &Caller, overwrite_live_changes: bool) -> Result<PublishResult> {
        match self.draft.decide_publish(&self.flow, overwrite_live_changes) {
            PublishDecision::OtherKind => Err(Conflict::KindChangedSinceEdits.into()),
            PublishDecision::Stale => Err(Conflict::StaleDraft.into()),
            PublishDecision::Unchanged => discard_unchanged(app, caller, &self.flow, &self.draft),
            PublishDecision::Publish => put_live(app, caller, &self.flow, &self.draft, self.canvas),
        }
    }
}

/// `POST /flow-drafts/publish`: publishes those of these flows that can run, each for itself.
///
/// # Errors
/// 404 when none of them is a flow of the workspace.
pub(crate) fn publish_each(app: &App, caller: &Caller, ids: &[FlowId]) -> Result<Vec<FlowPublication>> {
    app.store.read(|tx| {
        let is_here = |id: &FlowId| FLOWS.has(tx, &caller.workspace, id);
        let found = ids.iter().map(is_here).collect::<Result<Vec<bool>>>()?;
        match ids.first() {
            Some(first) if !found.contains(&true) => Err(Error::no_flow(first)),
            _ => Ok(()),
        }
    })?;
    Ok(ids.iter().map(|id| publish_if_valid(app, caller, id)).collect())
}

/// As [`publish_each`], of every flow of the workspace that has unpublished changes and that the caller may change.
///
/// # Errors
/// 409 while drafts are off; when the database cannot be read.
pub(crate) fn publish_all(app: &App, caller: &Caller) -> Result<Vec<FlowPublication>> {
    drafts::require_drafts(app)?;
    let ids = app.store.read(|tx| {
        let mut flows = FLOWS.list(tx, &caller.workspace)?;
        flows.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.id.cmp(&b.id)));
        flows.retain(|flow| access::check_permission(caller, flow.kind, FlowAction::Update).is_ok());
        let mut ids = Vec::new();
        for flow in flows {
            if drafts::find(tx, &flow)?.is_some() {
                ids.push(flow.id);
            }
        }
        Ok(ids)
    })?;
    publish_each(app, caller, &ids)
}

/// The result of one flow. What stands in the way of it stands in nobody else's.
pub(crate) fn publish_if_valid(app: &App, caller: &Caller, id: &FlowId) -> FlowPublication {
    let seen = app.store.read(|tx| {
        let name = access::flow(tx, caller, id, FlowAction::Update)?.name;
        let draft = match PublishableDraft::load(app, tx, caller, id) {
            Err(Error::Conflict(Conflict::NoDraft)) => None,
            other => {
                let draft = other?;
                let problems =
                    Validator::new(app, tx, &caller.workspace).check_flow(&draft.flow, &draft.canvas);
                Some((draft, problems))
            }
        };
        Ok((name, draft))
    });
    let (name, outcome) = match seen {
        Err(fault) => (None, Err(fault)),
        Ok((name, None)) => {
            let reason = Some(Conflict::NoDraft.to_string());
            (Some(name), Ok(PublishOutcome::Unchanged { reason, problems: Vec::new() }))
        }
        Ok((name, Some((draft, problems)))) => {
            (Some(name), problems.and_then(|problems| publish_unless_blocked(app, caller, draft, problems)))
        }
    };
    let refused = |fault: Error| {
        if let Error::Internal(cause) = &fault {
            tracing::error!(%cause, flow = %id, "a flow could not be published");
        }
        PublishOutcome::Refused { reason: fault.to_string() }
    };
    FlowPublication { id: *id, name, outcome: outcome.unwrap_or_else(refused) }
}

fn publish_unless_blocked(
    app: &App,
    caller: &Caller,
    draft: PublishableDraft,
    problems: Vec<CardProblems>,
) -> Result<PublishOutcome> {
    if !can_run(&problems) {
        return Ok(PublishOutcome::Blocked { problems });
    }
    let PublishResult { unchanged, recorded, problems, .. } = draft.publish(app, caller, false)?;
    Ok(if unchanged {
        PublishOutcome::Unchanged { reason: None, problems }
    } else {
        PublishOutcome::Published { recorded, problems }
    })
}

fn put_live(app: &App, caller: &Caller, seen: &Flow, draft: &Draft, canvas: String) -> Result<PublishResult> {
    let canvas = ParsedCanvas::parse(canvas)?;
    let draft_files = files::draft_file_names(&canvas);
    let now = app.clock.monotonic_now();
    let edit = |_: &_, mut flow: Flow| {
        flow.updated = live::later(now, flow.updated);
        Ok(flow)
    };
    let written = files::put_live(app, &caller.workspace, &seen.id, canvas, |canvas| {
        let change = LiveChange {
            flow: &seen.id,
            kind: VersionKind::Publish,
            origin: ChangeOrigin::Edit,
            expected_live: Some(seen.digest),
            canvas: Some(canvas),
            edit: &edit,
            published_draft: Some(draft.digest),
            guard: None,
        };
        live::write(app, caller, &change)
    })?;
    // A newer draft may still use files of the one that was published.
    let newer = app.store.read(|tx| drafts::canvas(tx, seen))?;
    if newer.is_none() {
        files::remove(app, &caller.workspace, &seen.id, &draft_files);
    }
    tracing::info!(flow = %seen.id, by = %caller.principal, "a flow was published");
    result(app, written.flow, written.record_result, false)
}

/// A draft that is Live already: it goes, and nothing is recorded. If either moved meanwhile, the caller tries again.
fn discard_unchanged(app: &App, caller: &Caller, seen: &Flow, draft: &Draft) -> Result<PublishResult> {
    app.store.write(|tx| {
        let same_live =
            FLOWS.get(tx, &caller.workspace, &seen.id)?.is_some_and(|flow| flow.digest == seen.digest);
        let same_draft = drafts::find(tx, seen)?.is_some_and(|now| now.digest == draft.digest);
        if !same_live || !same_draft {
            return Err(Conflict::LiveChangedWhilePublishing.into());
        }
        drafts::remove(tx, seen)
    })?;
    result(app, seen.clone(), RecordResult::Nothing, true)
}

fn result(app: &App, flow: Flow, recorded: RecordResult, unchanged: bool) -> Result<PublishResult> {
    // Both are read anew: a newer draft may have been saved meanwhile, or the flow deleted.
    let (status, problems) = app.store.read(|tx| {
        let live = CANVASES.get(tx, &flow.workspace, &flow.id)?;
        let judged = live.map(|live| Validator::new(app, tx, &flow.workspace).check_flow(&flow, &live));
        Ok((drafts::status_in(app, tx, &flow)?, judged.transpose()?.unwrap_or_default()))
    })?;
    Ok(PublishResult { flow, unchanged, recorded, status, problems })
}
