//! A pipeline that is asked: whoever may start it reads what its run came to (manual 10.13).

use super::{RunOrder, Starter, begin};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::PipelineReport;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result, Unauthorized};
use crate::domain::flows::flow::Flow;
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::ids::{ChatId, FlowId, MessageId, WorkspaceId};
use crate::domain::pipelines::run::{PipelineRun, PipelineState, PipelineTrigger};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::prediction::{Question, RunIds, RunOutput};
use crate::ops::predictions;
use crate::store::queries::pipelines;
use crate::store::tables::FLOWS;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// How long whoever asks a pipeline waits for the end of its run, in seconds (manual 14.4).
const PIPELINE_ANSWER_SECONDS: u64 = 60;
const PIPELINE_ANSWER_TIME: Duration = Duration::from_secs(PIPELINE_ANSWER_SECONDS);
/// The longest time for which nobody looks whether the caller is still there.
const LOOK: Duration = Duration::from_millis(500);

/// A pipeline that was asked, and runs.
pub(crate) struct AskedPipeline {
    run: PipelineRun,
    question: String,
    /// What of Live runs.
    pub(crate) version: Option<LiveVersion>,
}

/// Starts a run for whoever asks the flow with the key that it is bound to. That the key is the right one is judged before.
///
/// # Errors
/// 404 when nothing of it is published; 401 when it is bound to no key; as [`super::start`].
pub(crate) fn ask(app: &App, flow: &Flow, question: Question) -> Result<AskedPipeline> {
    predictions::require_cards(flow)?;
    if flow.settings.api_key.is_none() {
        return Err(Error::Unauthorized(Unauthorized::PipelineWithoutKey));
    }
    start(app, Starter::Workspace(flow.workspace), &flow.id, order_of_question(), question)
}

/// Starts a run for a call of the flow's webhook, which was judged before. Of the `values` that its card declares and the call
/// brought, those bear on the run that are params of the pipeline.
///
/// # Errors
/// As [`super::start`].
pub(crate) fn ask_by_webhook(app: &App, flow: &Flow, values: Map<String, Value>) -> Result<AskedPipeline> {
    let order = RunOrder { trigger: PipelineTrigger::Webhook, is_dry: false, params: values };
    start(app, Starter::Workspace(flow.workspace), &flow.id, order, Question::default())
}

/// Starts a run for somebody who is signed in and asks the flow.
///
/// # Errors
/// As [`super::start`].
pub(crate) fn ask_by_caller(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    question: Question,
) -> Result<AskedPipeline> {
    start(app, Starter::Caller(caller), id, order_of_question(), question)
}

fn order_of_question() -> RunOrder {
    RunOrder { trigger: PipelineTrigger::Question, is_dry: false, params: Map::new() }
}

fn start(
    app: &App,
    starter: Starter<'_>,
    id: &FlowId,
    order: RunOrder,
    question: Question,
) -> Result<AskedPipeline> {
    let run = begin(app, starter, id, order)?;
    tracing::info!(flow = %id, run = %run.id, "a pipeline was started from outside");
    let flow = app.store.read(|tx| FLOWS.get(tx, &run.workspace, id))?;
    let version = flow.and_then(|flow| predictions::live_version(app, &flow));
    Ok(AskedPipeline { run, question: question.text, version })
}

impl AskedPipeline {
    /// Waits for the end of the run, for a while. A caller that leaves stops nothing.
    ///
    /// # Errors
    /// When the caller left, or the run cannot be read.
    pub(crate) fn answer(&self, app: &App, cancel: &CancelToken) -> Result<PredictionAnswer> {
        let run =
            wait_for_end(app, self.run.clone(), Some(PIPELINE_ANSWER_TIME), &|| cancel.reason().is_some())?;
        Ok(self.answer_of(app, &run))
    }

    /// How far the run is by now.
    ///
    /// # Errors
    /// When the run cannot be read.
    pub(crate) fn answer_now(&self, app: &App) -> Result<PredictionAnswer> {
        let run = wait_for_end(app, self.run.clone(), Some(Duration::ZERO), &|| false)?;
        Ok(self.answer_of(app, &run))
    }

    fn answer_of(&self, app: &App, run: &PipelineRun) -> PredictionAnswer {
        // Each run stands alone: there is no conversation to go on with.
        let chat = ChatId::random();
        let ids = RunIds { flow: run.flow, chat, answer: MessageId::random(), question: MessageId::random() };
        PredictionAnswer {
            output: RunOutput::from_text(run.summary()),
            question: self.question.clone(),
            form: None,
            ids,
            session: chat.to_string(),
            memory_type: None,
            session_token: app.secrets.tokens.mint(&run.flow, &chat),
            version: self.version,
            is_stream_valid: false,
        }
    }
}

/// Starts a run for a card of another flow of the workspace, and waits for its end, for a while.
///
/// # Errors
/// As [`super::start`], but for permissions: what its owner picked is the owner's affair; [`Error::Cancelled`] when the asking
/// run is stopped, and this one goes on.
pub(in crate::ops) fn run_for_flow(
    app: &App,
    workspace: &WorkspaceId,
    id: &FlowId,
    params: &Map<String, Value>,
    cancel: &CancelToken,
) -> Result<PipelineReport> {
    let order = RunOrder { trigger: PipelineTrigger::Flow, is_dry: false, params: params.clone() };
    let run = begin(app, Starter::Workspace(*workspace), id, order)?;
    tracing::info!(flow = %id, run = %run.id, "a pipeline was started by another flow");
    let run = wait_for_end(app, run, Some(PIPELINE_ANSWER_TIME), &|| cancel.reason().is_some())?;
    Ok(PipelineReport {
        run: run.id,
        summary: run.summary(),
        has_failed: run.state == PipelineState::Failed,
        read: run.counts.read,
        written: run.counts.written,
    })
}

/// Starts a run at a time of its schedule, and waits for its end. One that the stop of the service cut off is under way still.
///
/// # Errors
/// 409 while a run is under way, and as [`super::start`]; [`Error::Cancelled`] when nobody waits any longer.
pub(in crate::ops) fn run_scheduled(app: &App, flow: &Flow, cancel: &CancelToken) -> Result<PipelineRun> {
    let order = RunOrder { trigger: PipelineTrigger::Schedule, is_dry: false, params: Map::new() };
    let run = begin(app, Starter::Workspace(flow.workspace), &flow.id, order)?;
    tracing::info!(flow = %flow.id, run = %run.id, "a pipeline was started by its schedule");
    // It may take longer than runs of other flows, and goes on with the next start.
    wait_for_end(app, run, None, &|| cancel.reason() == Some(CancelReason::Shutdown))
}

/// The run at its end, or as far as it is when nobody waits any longer.
///
/// # Errors
/// [`Error::Cancelled`] when whoever waits has gone; when the run cannot be read.
fn wait_for_end(
    app: &App,
    run: PipelineRun,
    most: Option<Duration>,
    has_left: &dyn Fn() -> bool,
) -> Result<PipelineRun> {
    let stored = |run: PipelineRun| {
        let now = app.store.read(|tx| pipelines::get(tx, &run.flow, run.number))?;
        Ok(now.unwrap_or(run))
    };
    let Some(active) = app.state.pipelines.find(&run.flow) else { return stored(run) };
    let (mut now, mut seen, mut is_over) = active.wait(0, Duration::ZERO);
    // That run may be over, and the next one under way.
    if now.id != run.id {
        return stored(run);
    }
    let (begin, began) = (Instant::now(), app.clock.now());
    // Whoever waits counts the time, too, for which this machine slept.
    let waited = || {
        let by_clock = app.clock.now().duration_since(began);
        begin.elapsed().max(Duration::try_from(by_clock).unwrap_or_default())
    };
    while !is_over && most.is_none_or(|most| waited() < most) {
        if has_left() {
            return Err(Error::Cancelled);
        }
        (now, seen, is_over) = active.wait(seen, LOOK);
    }
    Ok(now)
}
