//! Making a version of Dev Live: what was worked out before is worked out once more in the transaction that writes Live, and
//! written only where it is still the same.

use super::assessment::Candidate;
use super::offer::{self, Offer};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, LastPromotion};
use crate::domain::flows::restore::MissingCredential;
use crate::domain::flows::version::{Sha, Version, VersionKind};
use crate::domain::ids::FlowId;
use crate::domain::promotion::entry::Promotion;
use crate::ops::flows::live::{self, ChangeOrigin, LiveChange, LiveUpdate, NewFlow, ParsedCanvas};
use crate::store::{Tx, WriteTx};
use std::cell::Cell;

/// How often a promotion is worked out anew because something changed under it.
const TRIES_MAX: u32 = 8;

/// Makes the newest version of Dev Live.
///
/// # Errors
/// 400 for what is no full version id; 409 when it is not what would be promoted now, or not what was shown.
pub(crate) fn promote(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    sha: &str,
    digest: Option<&str>,
) -> Result<Promotion> {
    let sha = Sha::parse(sha).ok_or_else(|| {
        Error::invalid("Invalid sha: a version to promote is named by all 40 lowercase hex characters.")
    })?;
    offer::require_prod(app)?;
    for _ in 0..TRIES_MAX {
        let offer = offer::newest(app, id)?.ok_or(Conflict::NotOffered)?;
        if offer.version.sha != sha {
            return Err(refusal(app, id, &sha)?.into());
        }
        let line = offer::line(app, id)?;
        let planned = super::find(app, caller, &offer)?.ok_or(Conflict::NotOffered)?;
        let attempt = Attempt { app, caller, offer: &offer, line: &line, moved: Cell::new(false) };
        match attempt.run(&planned, digest) {
            // The next look says what became of it.
            Err(_) if attempt.moved.get() => {}
            done => return done,
        }
    }
    Err(Conflict::LiveChangedWhileSaving.into())
}

/// Why a version that is not Dev's newest is not promoted.
fn refusal(app: &App, id: &FlowId, sha: &Sha) -> Result<Conflict> {
    let is_older = offer::line(app, id)?.iter().any(|version| version.sha == *sha);
    Ok(if is_older { Conflict::NewerOnDev } else { Conflict::NotOffered })
}

/// One try with what was found at one moment.
struct Attempt<'a> {
    app: &'a App,
    caller: &'a Caller,
    offer: &'a Offer,
    line: &'a [Version],
    /// What was found is not so any more.
    moved: Cell<bool>,
}

impl Attempt<'_> {
    fn run(&self, planned: &Candidate, digest: Option<&str>) -> Result<Promotion> {
        let (app, offer) = (self.app, self.offer);
        let shown = app.store.read(|tx| self.digest(tx, planned))?;
        if digest.is_some_and(|digest| digest != shown) {
            return Err(Conflict::PromotionChanged.into());
        }
        refuse_missing(planned.missing_credentials())?;
        let canvas = ParsedCanvas::parse(planned.canvas.clone())?;
        let guard = |tx: &WriteTx| self.require_unchanged(tx, planned, &shown);
        let written = self.write(planned, &canvas, &guard)?;
        tracing::info!(
            flow = %written.flow.id, version = %offer.version.sha, by = %self.caller.principal, "a version from Dev was put Live"
        );
        Ok(Promotion {
            flow: written.flow,
            from: offer.version.sha,
            recorded: written.record_result,
            notes: planned.notes().clone(),
            is_new: planned.here.is_none(),
            has_draft: planned.has_draft(),
        })
    }

    fn digest(&self, tx: &impl Tx, candidate: &Candidate) -> Result<String> {
        Ok(candidate.show(self.app, tx, self.offer, self.line.to_vec())?.digest)
    }

    /// In the transaction: this server still promotes, Dev still stands where it was, and the same would become of it.
    fn require_unchanged(&self, tx: &WriteTx, planned: &Candidate, shown: &str) -> Result<()> {
        let app = self.app;
        let stands = offer::is_prod(app)? && offer::tip(app)? == Some(self.offer.tip);
        let now = Candidate::find(app, tx, &self.caller.workspace, self.offer)?;
        let is_same = match &now {
            Some(now) if stands => now.canvas == planned.canvas && self.digest(tx, now)? == shown,
            _ => false,
        };
        if is_same {
            return Ok(());
        }
        self.moved.set(true);
        Err(Conflict::PromotionChanged.into())
    }

    fn write(
        &self,
        planned: &Candidate,
        canvas: &ParsedCanvas,
        guard: &live::LiveGuard<'_>,
    ) -> Result<LiveUpdate> {
        let (app, caller, version) = (self.app, self.caller, &self.offer.version);
        let now = app.clock.monotonic_now();
        let promoted = |flow: Flow| Flow {
            name: planned.flow.name.clone(),
            kind: planned.flow.kind,
            category: planned.flow.category.clone(),
            last_promoted: Some(LastPromotion { from: version.sha, date: now }),
            updated: live::later(now, flow.updated),
            ..flow
        };
        let origin = ChangeOrigin::Dev { title: version.title.clone(), sha: version.sha };
        if planned.here.is_none() {
            let flow = Flow { created: now, ..promoted(planned.flow.clone()) };
            let new = NewFlow { flow, canvas, draft: None, origin, guard: Some(guard) };
            return live::create(app, caller, new);
        }
        let edit = |_: &_, flow: Flow| Ok(promoted(flow));
        let change = LiveChange {
            flow: &planned.flow.id,
            kind: VersionKind::Promote,
            origin,
            expected_live: None,
            canvas: Some(canvas),
            edit: &edit,
            published_draft: None,
            guard: Some(guard),
        };
        // A flow that was deleted since it was read here is new by now.
        live::write(app, caller, &change)
            .inspect_err(|error| self.moved.set(self.moved.get() || matches!(error, Error::NotFound(_))))
    }
}

fn refuse_missing(missing: &[MissingCredential]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let named = |one: &MissingCredential| (one.name.clone(), one.credential_name.clone());
    Err(Conflict::CredentialsMissing { credentials: missing.iter().map(named).collect() }.into())
}
