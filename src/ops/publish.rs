//! Publish: the draft becomes Live (spec 3.1, 4.2 r4).

use super::access::{self, Action};
use super::drafts;
use super::flow_files;
use super::live::{self, LiveChange, NewCanvas, Origin};
use super::outbox::Recorded;
use crate::app::App;
use crate::clock::iso;
use crate::domain::caller::Caller;
use crate::domain::draft::{Draft, Verdict};
use crate::domain::error::{Conflict, Result};
use crate::domain::flow::Flow;
use crate::domain::ids::FlowId;
use crate::domain::version::{Version, VersionKind};
use crate::files::flow_files::StoredName;
use crate::store::tables::FLOWS;
use serde_json::{Value, json};

/// `POST /flow-drafts/:id/publish`.
///
/// # Errors
/// 404, 403, and the 409s of spec 4.2: drafts off, nothing to publish, stale without `overwrite_live_changes`,
/// another kind of flow, Live changed meanwhile.
pub fn publish(app: &App, caller: &Caller, id: &FlowId, overwrite_live_changes: bool) -> Result<Value> {
    let found = app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, Action::Update)?;
        drafts::must_be_on(app)?;
        let draft = drafts::of(tx, &flow)?.ok_or(Conflict::NoDraft)?;
        let canvas = drafts::canvas(tx, &flow)?.ok_or(Conflict::NoDraft)?;
        Ok((flow, draft, canvas))
    });
    let (flow, draft, canvas) = found?;
    match draft.settle(&flow, overwrite_live_changes) {
        Verdict::OtherKind => Err(Conflict::KindChangedSinceEdits.into()),
        Verdict::Stale => Err(Conflict::StaleDraft.into()),
        Verdict::Unchanged => clear(app, caller, &flow, &draft),
        Verdict::Publish => put_live(app, caller, &flow, &draft, canvas),
    }
}

fn put_live(app: &App, caller: &Caller, seen: &Flow, draft: &Draft, canvas: String) -> Result<Value> {
    let draft_canvas = NewCanvas::check(canvas)?;
    let draft_files = flow_files::of_draft(&draft_canvas);
    let canvas = flow_files::publish(app, &caller.workspace, &seen.id, draft_canvas)?;
    let now = app.clock.now();
    let edit = |_: &_, mut flow: Flow| {
        flow.updated = live::later(now, flow.updated);
        Ok(flow)
    };
    let change = LiveChange {
        flow: &seen.id,
        kind: VersionKind::Publish,
        origin: Origin::Edit,
        seen: Some(seen.digest),
        canvas: Some(&canvas),
        edit: &edit,
        publishes: Some(draft.digest),
    };
    let written = live::write(app, caller, &change).inspect_err(|_| {
        // The Live names were given before; nobody uses them now.
        let linked: Vec<_> = draft_files.iter().filter_map(StoredName::published).collect();
        flow_files::remove(app, &caller.workspace, &seen.id, &linked);
    })?;
    // A newer draft may still use files of the one that was published.
    let newer = app.store.read(|tx| drafts::canvas(tx, seen))?;
    if newer.is_none() {
        flow_files::remove(app, &caller.workspace, &seen.id, &draft_files);
    }
    tracing::info!(flow = %seen.id, by = ?caller.principal, "published");
    answer(app, &written.flow, &written.recorded, false)
}

/// A draft that is Live already: it goes, and nothing is recorded. If either moved meanwhile, the caller tries again.
fn clear(app: &App, caller: &Caller, seen: &Flow, draft: &Draft) -> Result<Value> {
    app.store.write(|tx| {
        let same_live =
            FLOWS.get(tx, &caller.workspace, &seen.id)?.is_some_and(|flow| flow.digest == seen.digest);
        let same_draft = drafts::of(tx, seen)?.is_some_and(|now| now.digest == draft.digest);
        if !same_live || !same_draft {
            return Err(Conflict::LiveChangedWhilePublishing.into());
        }
        drafts::remove(tx, seen)
    })?;
    answer(app, seen, &Recorded::Nothing, true)
}

fn answer(app: &App, flow: &Flow, recorded: &Recorded, unchanged: bool) -> Result<Value> {
    // The status is read anew: a newer draft may have been saved meanwhile.
    let status = app.store.read(|tx| drafts::status_in(app, tx, flow))?;
    Ok(json!({
        "chatflow": brief(flow),
        "version": recorded.version().map(Version::wire),
        "unchanged": unchanged,
        "recorded": recorded.version().is_some(),
        "historyError": recorded.error(),
        "status": status.wire(),
    }))
}

/// What answers about a flow say of it (spec 4.2 r4, 4.3 r5).
#[must_use]
pub fn brief(flow: &Flow) -> Value {
    json!({"id": flow.id, "name": flow.name, "type": flow.kind, "updatedDate": iso(flow.updated)})
}
