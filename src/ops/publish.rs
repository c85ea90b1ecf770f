//! Publish: the draft becomes Live (manual 5.7).

use super::access::{self, Action};
use super::drafts;
use super::flow_files;
use super::live::{self, LiveChange, NewCanvas, Origin};
use super::outbox::Recorded;
use super::validation::{Validator, can_run};
use crate::app::App;
use crate::clock::iso;
use crate::domain::caller::Caller;
use crate::domain::draft::{Draft, Verdict};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flow::Flow;
use crate::domain::ids::FlowId;
use crate::domain::version::{Version, VersionKind};
use crate::files::flow_files::StoredName;
use crate::store::ReadTx;
use crate::store::tables::{CANVASES, FLOWS};
use serde::Serialize;
use serde_json::{Value, json};

/// Flows that one request publishes.
pub const FLOWS_MAX: usize = 1_000;

/// `POST /flow-drafts/:id/publish`.
///
/// # Errors
/// 404, 403, and the 409s of Publish (manual 5.7): drafts off, nothing to publish, stale without `overwrite_live_changes`,
/// another kind of flow, Live changed meanwhile.
pub fn publish(app: &App, caller: &Caller, id: &FlowId, overwrite_live_changes: bool) -> Result<Value> {
    app.store.read(|tx| Unpublished::of(app, tx, caller, id))?.publish(app, caller, overwrite_live_changes)
}

/// What of a flow is not published yet, as it was when somebody looked.
struct Unpublished {
    flow: Flow,
    draft: Draft,
    canvas: String,
}

impl Unpublished {
    fn of(app: &App, tx: &ReadTx, caller: &Caller, id: &FlowId) -> Result<Self> {
        let flow = access::flow(tx, caller, id, Action::Update)?;
        drafts::must_be_on(app)?;
        let draft = drafts::of(tx, &flow)?.ok_or(Conflict::NoDraft)?;
        let canvas = drafts::canvas(tx, &flow)?.ok_or(Conflict::NoDraft)?;
        Ok(Self { flow, draft, canvas })
    }

    fn publish(self, app: &App, caller: &Caller, overwrite_live_changes: bool) -> Result<Value> {
        match self.draft.settle(&self.flow, overwrite_live_changes) {
            Verdict::OtherKind => Err(Conflict::KindChangedSinceEdits.into()),
            Verdict::Stale => Err(Conflict::StaleDraft.into()),
            Verdict::Unchanged => clear(app, caller, &self.flow, &self.draft),
            Verdict::Publish => put_live(app, caller, &self.flow, &self.draft, self.canvas),
        }
    }
}

/// What became of one of many flows that were to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    /// Its draft is Live now.
    Published,
    /// There was nothing to publish.
    Unchanged,
    /// It could not answer: it stays as it was.
    Blocked,
    /// It stays as it was, for another reason.
    Refused,
}

/// `POST /flow-drafts/publish`: publishes those of these flows that can run, each for itself.
///
/// # Errors
/// 404 when none of them is a flow of the workspace.
pub fn publish_each(app: &App, caller: &Caller, ids: &[FlowId]) -> Result<Value> {
    app.store.read(|tx| {
        let is_here = |id: &FlowId| FLOWS.has(tx, &caller.workspace, id);
        let found = ids.iter().map(is_here).collect::<Result<Vec<bool>>>()?;
        match ids.first() {
            Some(first) if !found.contains(&true) => Err(Error::no_flow(first)),
            _ => Ok(()),
        }
    })?;
    Ok(told(ids.iter().map(|id| publish_if_it_runs(app, caller, id)).collect()))
}

/// As [`publish_each`], of every flow of the workspace that has unpublished changes and that the caller may change.
///
/// # Errors
/// 409 while drafts are off; when the database cannot be read.
pub fn publish_all(app: &App, caller: &Caller) -> Result<Value> {
    drafts::must_be_on(app)?;
    let ids = app.store.read(|tx| {
        let mut flows = FLOWS.list(tx, &caller.workspace)?;
        flows.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.id.cmp(&b.id)));
        flows.retain(|flow| access::permitted(caller, flow.kind, Action::Update).is_ok());
        let mut ids = Vec::new();
        for flow in flows {
            if drafts::of(tx, &flow)?.is_some() {
                ids.push(flow.id);
            }
        }
        Ok(ids)
    })?;
    publish_each(app, caller, &ids)
}

/// The result of one flow. What stands in the way of it stands in nobody else's.
pub fn publish_if_it_runs(app: &App, caller: &Caller, id: &FlowId) -> Value {
    let seen = app.store.read(|tx| {
        let name = access::flow(tx, caller, id, Action::Update)?.name;
        let draft = match Unpublished::of(app, tx, caller, id) {
            Err(Error::Conflict(Conflict::NoDraft)) => None,
            other => {
                let draft = other?;
                let problems = Validator::of(app, tx, &caller.workspace).of_flow(&draft.flow, &draft.canvas);
                Some((draft, problems))
            }
        };
        Ok((name, draft))
    });
    let row = |name: Option<&str>, outcome: Outcome, reason: Option<String>| {
        json!({
            "id": id, "name": name, "outcome": outcome, "reason": reason, "problems": [],
            "version": null, "recorded": false, "historyError": null,
        })
    };
    let refused = |name: Option<&str>, fault: &Error| {
        if let Error::Internal(cause) = fault {
            tracing::error!(%cause, flow = %id, "a flow could not be published");
        }
        row(name, Outcome::Refused, Some(fault.to_string()))
    };
    let (name, draft) = match seen {
        Ok(seen) => seen,
        Err(fault) => return refused(None, &fault),
    };
    let Some((draft, problems)) = draft else {
        return row(Some(&name), Outcome::Unchanged, Some(Conflict::NoDraft.to_string()));
    };
    let problems = match problems {
        Ok(problems) => problems,
        Err(fault) => return refused(Some(&name), &fault),
    };
    if !can_run(&problems) {
        let mut blocked = row(Some(&name), Outcome::Blocked, Some("It could not answer yet.".to_owned()));
        blocked["problems"] = json!(problems);
        return blocked;
    }
    match draft.publish(app, caller, false) {
        Err(fault) => refused(Some(&name), &fault),
        Ok(mut answer) => {
            let is_new = answer["unchanged"] == false;
            let outcome = if is_new { Outcome::Published } else { Outcome::Unchanged };
            let mut done = row(Some(&name), outcome, None);
            for field in ["problems", "version", "recorded", "historyError"] {
                done[field] = answer[field].take();
            }
            done
        }
    }
}

/// The results of many, counted.
#[must_use]
pub fn told(results: Vec<Value>) -> Value {
    let count = |outcome: Outcome| results.iter().filter(|row| row["outcome"] == json!(outcome)).count();
    json!({
        "published": count(Outcome::Published), "unchanged": count(Outcome::Unchanged),
        "blocked": count(Outcome::Blocked), "refused": count(Outcome::Refused), "results": results,
    })
}

fn put_live(app: &App, caller: &Caller, seen: &Flow, draft: &Draft, canvas: String) -> Result<Value> {
    let draft_canvas = NewCanvas::check(canvas)?;
    let draft_files = flow_files::of_draft(&draft_canvas);
    let canvas = flow_files::publish(app, &caller.workspace, &seen.id, draft_canvas)?;
    let now = app.clock.date();
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
    let written = live::write(app, caller, &change).inspect_err(|error| {
        // The Live names were given before; nobody uses them now.
        let linked: Vec<_> = draft_files.iter().filter_map(StoredName::published).collect();
        flow_files::undo(app, &caller.workspace, &seen.id, &linked, error);
    })?;
    // A newer draft may still use files of the one that was published.
    let newer = app.store.read(|tx| drafts::canvas(tx, seen))?;
    if newer.is_none() {
        flow_files::remove(app, &caller.workspace, &seen.id, &draft_files);
    }
    tracing::info!(flow = %seen.id, by = %caller.principal, "a flow was published");
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
    // Both are read anew: a newer draft may have been saved meanwhile, or the flow deleted.
    let (status, problems) = app.store.read(|tx| {
        let live = CANVASES.get(tx, &flow.workspace, &flow.id)?;
        let judged = live.map(|live| Validator::of(app, tx, &flow.workspace).of_flow(flow, &live));
        Ok((drafts::status_in(app, tx, flow)?, judged.transpose()?.unwrap_or_default()))
    })?;
    Ok(json!({
        "chatflow": brief(flow),
        "version": recorded.version().map(Version::wire),
        "unchanged": unchanged,
        "recorded": recorded.version().is_some(),
        "historyError": recorded.error(),
        "status": status.wire(),
        "problems": problems,
    }))
}

/// What answers about a flow say of it (manual 5.7, 6.7).
#[must_use]
pub fn brief(flow: &Flow) -> Value {
    json!({"id": flow.id, "name": flow.name, "type": flow.kind, "updatedDate": iso(flow.updated)})
}
