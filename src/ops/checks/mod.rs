//! Behaviour checks: the same questions to two canvases of a flow, before one takes the place of the other (manual 18).

mod canvases;
pub(crate) mod carried;
pub(crate) mod drive;
#[cfg(test)]
mod drive_tests;
pub(crate) mod files;
pub(crate) mod kept;
mod offered;
pub(crate) mod promotion;
#[cfg(test)]
mod promotion_tests;
mod respondent;
mod runs;
mod sides;
mod silence;

use self::canvases::{FlowCanvases, Sources};
use self::runs::BackgroundCheck;
use crate::app::App;
use crate::base::cancel::CancelReason;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::check::{
    CHECK_REPEAT_MAX, Check, CheckLimits, CheckOptions, CheckRequest, NewCheck,
};
use crate::domain::checks::kept::KeptQuestion;
use crate::domain::checks::questions;
use crate::domain::checks::setup::{CheckSetup, Unavailable};
use crate::domain::checks::sides::Comparison;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{CheckId, FlowId};
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::drafts;
use crate::state::checks::{CheckEntry, CheckRefusal};
use std::sync::Arc;
use std::time::Duration;

/// How long a stop of the service waits for the runs of checks to end (manual 14.4).
const STOP_SECONDS: u64 = 5;

/// A check, and whether it still tells of what it compared.
#[derive(Debug)]
pub(crate) struct CheckReport {
    pub check: Check,
    /// The draft was saved, published or discarded since the check began, or Dev published another version.
    pub draft_changed: bool,
}

/// What a check of the draft would be, and the newest one.
///
/// # Errors
/// 404, 403.
pub(crate) fn setup(app: &App, caller: &Caller, id: &FlowId) -> Result<(CheckSetup, Option<CheckReport>)> {
    let canvases = FlowCanvases::read(app, caller, id, FlowAction::View, Sources::DRAFT)?;
    let flow = canvases.flow.clone();
    let setup = prepare(app, canvases, None)?;
    let newest = app.state.checks.newest_of(&(*id, Comparison::Draft), app.clock.now());
    let report = newest.map(|entry| report(app, &flow, &entry)).transpose()?;
    Ok((setup, report))
}

/// What a check of these canvases would be; `unavailable` is what stands against it besides them.
fn prepare(app: &App, canvases: FlowCanvases, unavailable: Option<Unavailable>) -> Result<CheckSetup> {
    let recent = offered::recent(app, &canvases.flow)?;
    Ok(CheckSetup {
        risky_steps: canvases.risky_steps(),
        limits: limits(app, false),
        control_seconds_max: limits(app, true).seconds_max,
        live_empty: canvases.is_left_empty(),
        estimate: recent.estimate,
        questions: recent.questions,
        unavailable: canvases.into_sides(app).err().or(unavailable),
    })
}

/// Begins a check; its runs go on in the background.
///
/// # Errors
/// 404, 403; 400 for wrong questions or sides; 409 where there is nothing to check, or what would run is risky, or a check of
/// the same is running; 429 while too many are.
pub(crate) fn start(app: &App, caller: &Caller, id: &FlowId, request: CheckRequest) -> Result<CheckReport> {
    let wanted = (request.left.clone(), request.right.clone());
    let sources = Sources::wanted(app, caller, id, wanted)?;
    let canvases = FlowCanvases::read(app, caller, id, FlowAction::Update, sources)?;
    let flow = canvases.flow.clone();
    let entry = begin(app, canvases, None, request)?;
    report(app, &flow, &entry)
}

/// Begins a check of these canvases; `unavailable` is what stands against it besides them.
fn begin(
    app: &App,
    canvases: FlowCanvases,
    unavailable: Option<Unavailable>,
    request: CheckRequest,
) -> Result<Arc<CheckEntry>> {
    let options = options(&request)?;
    let kept = if request.use_kept == Some(true) { kept::of_flow(app, &canvases.flow)? } else { Vec::new() };
    let new = new_check(app, &canvases, request, options, kept)?;
    let flow = canvases.flow.clone();
    let sides = canvases.into_sides(app).and_then(|sides| unavailable.map_or(Ok(sides), Err));
    let sides = sides.map_err(|unavailable| Error::from(unavailable.conflict()))?;
    sides.refuse_risky(new.include_risky_steps)?;
    let has_effects = new.include_risky_steps;
    let entry =
        app.state.checks.begin(Check::new(new), app.clock.now()).map_err(|refusal| match refusal {
            CheckRefusal::UnderWay => Conflict::CheckUnderWay.into(),
            CheckRefusal::TooMany => Error::TooManyChecks,
        })?;
    let background = BackgroundCheck { app: app.clone(), entry: entry.clone(), flow, sides, has_effects };
    background.start()?;
    Ok(entry)
}

/// The newest check of the draft or of versions, if it is this one.
///
/// # Errors
/// 404, 403.
pub(crate) fn read(app: &App, caller: &Caller, id: &FlowId, check: Option<CheckId>) -> Result<CheckReport> {
    let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::View))?;
    report(app, &flow, &*find(app, id, check, &[Comparison::Draft, Comparison::Versions])?)
}

/// Stops a check. One that ended stays as it is; one that runs is stopped once the run that is under way has ended.
///
/// # Errors
/// 404, 403, 409 while drafts are off.
pub(crate) fn stop(app: &App, caller: &Caller, id: &FlowId, check: Option<CheckId>) -> Result<CheckReport> {
    let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Update))?;
    drafts::require_drafts(app)?;
    let entry = find(app, id, check, &[Comparison::Draft, Comparison::Versions])?;
    entry.cancel.cancel(CancelReason::Aborted);
    report(app, &flow, &entry)
}

/// Ends the checks that run, because the service stops.
pub(crate) fn stop_all(app: &App) {
    app.state.checks.stop_all(Duration::from_secs(STOP_SECONDS));
}

/// The newest check of one of these, if it is this one.
fn find(app: &App, flow: &FlowId, check: Option<CheckId>, among: &[Comparison]) -> Result<Arc<CheckEntry>> {
    let now = app.clock.now();
    let mut newest = among.iter().filter_map(|of| app.state.checks.newest_of(&(*flow, *of), now));
    let found = check.and_then(|check| newest.find(|entry| entry.check().id == check));
    found.ok_or_else(|| Error::NotFound("That check was not found. Run it again.".to_owned()))
}

fn report(app: &App, flow: &Flow, entry: &CheckEntry) -> Result<CheckReport> {
    let check = entry.check().clone();
    let draft = app.store.read(|tx| drafts::find(tx, flow))?;
    let draft_changed = check.sides.has_draft() && draft.map(|draft| draft.updated) != check.draft_saved;
    Ok(CheckReport { check, draft_changed })
}

fn limits(app: &App, control: bool) -> CheckLimits {
    let settings = &app.settings;
    let seconds = if control { settings.check_control_seconds_max } else { settings.check_seconds_max };
    CheckLimits::new(settings.check_tokens_max, seconds)
}

fn options(request: &CheckRequest) -> Result<CheckOptions> {
    let repeat = match request.repeat.map(usize::try_from) {
        None => 1,
        Some(Ok(repeat)) if (1..=CHECK_REPEAT_MAX).contains(&repeat) => repeat,
        Some(_) => {
            return Err(Error::Invalid(format!(
                "Invalid repeat: it must be a number from 1 to {CHECK_REPEAT_MAX}."
            )));
        }
    };
    let confirms = request.control.is_some() || request.repeat.is_some() || request.use_kept.is_some();
    Ok(CheckOptions { control: request.control == Some(true), repeat, confirms })
}

fn new_check(
    app: &App,
    canvases: &FlowCanvases,
    request: CheckRequest,
    options: CheckOptions,
    kept: Vec<KeptQuestion>,
) -> Result<NewCheck> {
    let most = limits(app, options.control);
    let limits = CheckLimits {
        tokens_max: lower(most.tokens_max, request.tokens_max, "maxTokens")?,
        seconds_max: lower(most.seconds_max, request.seconds_max, "maxSeconds")?,
        ..most
    };
    Ok(NewCheck {
        flow: canvases.flow.id,
        sides: canvases.names,
        started: app.clock.now(),
        questions: questions::choose(request.questions, kept)?,
        options,
        limits,
        include_risky_steps: request.include_risky_steps,
        live_empty: canvases.is_left_empty(),
        draft_saved: canvases.draft_saved,
    })
}

/// A caller can want less than the server allows, and not more.
fn lower(most: u64, wanted: Option<u64>, name: &str) -> Result<u64> {
    match wanted {
        Some(0) => Err(Error::Invalid(format!("Invalid {name}: it must be a number above 0."))),
        wanted => Ok(wanted.map_or(most, |wanted| wanted.min(most))),
    }
}
