//! Who answers on one side of a check.

use super::drive::Respondent;
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::checks::answer::{Answer, StepTrace, digest};
use crate::domain::checks::facts::structure::parse_json;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::predictions::execution::{ExecutionEntry, StepStatus};
use crate::domain::predictions::prediction::RunOutput;
use crate::engine::FlowPlan;
use crate::engine::answer_shape::declares_shape;
use crate::ops::predictions::offline::{OfflineFlow, OfflineServices};
use crate::ops::predictions::{Replay, ReplayMemory, ReplayedRun};
use serde_json::Value;

/// Steps of one answer that are compared (manual 14.4).
const STEPS_MAX: usize = 500;
/// Tools and chunks of one answer that are compared (manual 14.4).
const TRACES_MAX: usize = 200;
/// Longest answer in JSON that is compared as such, in bytes (manual 14.4).
const JSON_MAX_BYTES: usize = 64 * 1024;

/// The steps of an agentflow whose tokens count: those that say what they used.
const COUNTED_STEPS: [&str; 2] = ["llmAgentflow", "agentAgentflow"];

/// A canvas of a flow of this server.
pub(super) struct CanvasRespondent<'a> {
    app: &'a App,
    replay: Replay,
    memory: &'a ReplayMemory,
    form: AnswerForm,
}

/// What a canvas says of its answers.
#[derive(Clone, Copy)]
struct AnswerForm {
    kind: FlowKind,
    /// They have a shape that it declares.
    is_declared: bool,
}

impl<'a> CanvasRespondent<'a> {
    /// # Errors
    /// Why the canvas cannot run.
    pub(super) fn new(
        app: &'a App,
        flow: &Flow,
        canvas: &str,
        memory: &'a ReplayMemory,
        has_effects: bool,
    ) -> Result<Self> {
        let replay = Replay::new(flow, canvas, has_effects)?;
        let form = AnswerForm { kind: flow.kind, is_declared: replay.declares_shape };
        Ok(Self { app, replay, memory, form })
    }
}

impl Respondent for CanvasRespondent<'_> {
    fn ask(&self, question: &str, cancel: &CancelToken) -> Answer {
        answer(self.replay.ask(self.app, self.memory, question, cancel), self.form, cancel)
    }
}

/// What is compared of a run.
fn answer(run: ReplayedRun, form: AnswerForm, cancel: &CancelToken) -> Answer {
    let ReplayedRun { result, usage, steps } = run;
    let is_agentflow = form.kind == FlowKind::Agentflow;
    let tokens = if is_agentflow { step_tokens(&steps) } else { usage.map(|usage| usage.total()) };
    let said = match result {
        Ok(output) => answer_of(&output, form),
        Err(fault) => Answer::from_error(told(&fault, cancel)),
    };
    let traces: Vec<StepTrace> = steps.iter().take(STEPS_MAX).map(|entry| trace(entry)).collect();
    Answer { tokens, steps: traces, ..said }
}

/// A flow of a file, without a service.
pub(super) struct FileRespondent<'a> {
    services: &'a OfflineServices,
    flow: &'a OfflineFlow,
    plan: FlowPlan,
    form: AnswerForm,
}

impl<'a> FileRespondent<'a> {
    /// # Errors
    /// Why the flow cannot run.
    pub(super) fn new(services: &'a OfflineServices, flow: &'a OfflineFlow) -> Result<Self> {
        let is_declared = declares_shape(flow.kind, &flow.canvas);
        let form = AnswerForm { kind: flow.kind, is_declared };
        Ok(Self { services, flow, plan: flow.compile()?, form })
    }
}

impl Respondent for FileRespondent<'_> {
    fn ask(&self, question: &str, cancel: &CancelToken) -> Answer {
        let run = self.services.replay(self.flow, &self.plan, question, cancel);
        answer(run, self.form, cancel)
    }
}

/// A canvas that cannot run at all: that is its answer to every question.
pub(super) struct BrokenCanvas(pub(super) String);

impl Respondent for BrokenCanvas {
    fn ask(&self, _question: &str, _cancel: &CancelToken) -> Answer {
        Answer::from_error(self.0.clone())
    }
}

fn told(fault: &Error, cancel: &CancelToken) -> String {
    match cancel.reason() {
        Some(CancelReason::TimedOut) => super::drive::timed_out(),
        _ => fault.to_string(),
    }
}

fn answer_of(output: &RunOutput, form: AnswerForm) -> Answer {
    let written = output.json.as_ref().map(Value::to_string);
    let text = match &written {
        Some(written) if output.text.is_empty() => written,
        _ => &output.text,
    };
    let is_declared = form.is_declared || output.json.is_some();
    let has_shape = || output.json.is_some() || parse_json(&output.text).is_some();
    let is_short = written.as_ref().is_some_and(|written| written.len() <= JSON_MAX_BYTES);
    Answer {
        tools: output.used_tools.iter().take(TRACES_MAX).map(|used| used.tool.clone()).collect(),
        sources: output
            .source_documents
            .iter()
            .take(TRACES_MAX)
            .map(|one| digest(&one.page_content))
            .collect(),
        structured: is_declared.then(has_shape),
        json: output.json.clone().filter(|_| is_short),
        ..Answer::from_text(text)
    }
}

/// Tokens as the steps report them; `None` where none does.
fn step_tokens(steps: &[std::sync::Arc<ExecutionEntry>]) -> Option<u64> {
    let reported = steps.iter().filter_map(|entry| {
        let name = entry.data.get("name")?.as_str()?;
        let used = entry.data.get("output")?.get("usageMetadata")?.get("total_tokens")?.as_u64()?;
        COUNTED_STEPS.contains(&name).then_some(used)
    });
    reported.fold(None, |sum, used| Some(sum.unwrap_or(0) + used))
}

fn trace(entry: &ExecutionEntry) -> StepTrace {
    let output = entry.data.get("output");
    let tools = output.and_then(|output| output.get("usedTools")).and_then(Value::as_array);
    let named = tools.into_iter().flatten().filter_map(|used| used.get("tool")?.as_str());
    let status = match entry.status {
        StepStatus::Finished => "FINISHED",
        StepStatus::Error => "ERROR",
        StepStatus::Stopped => "STOPPED",
        StepStatus::Terminated => "TERMINATED",
    };
    StepTrace {
        node_id: entry.node_id.clone(),
        node_label: entry.node_label.clone(),
        status: status.to_owned(),
        output: digest(entry.text().unwrap_or_default()),
        tools: named.take(TRACES_MAX).map(str::to_owned).collect(),
    }
}
