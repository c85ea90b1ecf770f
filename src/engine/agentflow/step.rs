//! One step of a run: its inputs are bound, its card does its work, and what came of it becomes an entry of the record.

pub(in crate::engine) mod inputs;

use self::inputs::Binder;
use super::entry::StepFrame;
use super::plan::StepPlan;
use super::record::{StepRecord, said_by};
use super::run::{AgentRun, Executor};
use super::values::scope::StepScope;
use crate::base::cancel::{CancelToken, ChildToken};
use crate::cards::kit::{
    Capabilities, Capability, Card, FlowCall, Flows, Grant, Host, HostContext, InputValues, Inputs, NullSink,
    OnError, Retries, RunContext, StepContext, StepFn, StepOutcome, StepResume, StreamClosed, TokenSink,
    require_needs,
};
use crate::cards::unsupported;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{HistoryMessage, RunOutput};
use crate::engine::credential;
use crate::engine::run::refuse_redacted;
use crate::limits::RUN_SECONDS;
use crate::llm::{ReplyStream, StreamEnd};
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// A step that may start, with all that it works with.
pub(super) struct StepReady {
    pub(super) frame: StepFrame,
    /// The steps before it along the connections that were taken, in the order of the record.
    pub(super) before: Vec<Arc<StepRecord>>,
    pub(super) is_last: bool,
    /// It goes on from a pause.
    pub(super) resume: Option<StepResume>,
    /// Ends it alone.
    pub(super) cancel: ChildToken,
}

/// What came of running a step.
pub(super) struct StepEnding {
    pub(super) result: Result<StepOutcome>,
    pub(super) on_error: OnError,
    /// How often it was tried.
    pub(super) attempts: u64,
    /// What it sent as its text before it ended.
    pub(super) sent: String,
}

/// Runs a step. One that panics has failed like any other: the run goes on as its other steps let it.
pub(super) fn run(executor: &Executor<'_, '_>, run: &AgentRun<'_>, ready: &StepReady) -> StepEnding {
    catch_unwind(AssertUnwindSafe(|| perform_with_retries(executor, run, ready))).unwrap_or_else(|_| {
        StepEnding {
            result: Err(Error::internal("a step panicked; the log says where")),
            on_error: OnError::Stop,
            attempts: 1,
            sent: String::new(),
        }
    })
}

/// Runs a step, and again where its card says so and the failure may pass.
fn perform_with_retries(executor: &Executor<'_, '_>, run: &AgentRun<'_>, ready: &StepReady) -> StepEnding {
    let mut ending = StepEnding {
        result: Err(Error::Cancelled),
        on_error: OnError::default(),
        attempts: 0,
        sent: String::new(),
    };
    let StepPlan::Known { card, run: work, inputs, credential, updates } = run.plan.step(ready.frame.node)
    else {
        ending.result = Err(unknown_card(run, ready));
        return ending;
    };
    let said = said_by(|| run.asked(), &ready.before);
    let host = StepHost::new(run, ready);
    let turn = RunContext { host: &host, ..*run.turn };
    let scope = |own_output| StepScope {
        turn: &turn,
        start: run.start,
        conversation: run.conversation,
        before: &ready.before,
        said: &said,
        state: &ready.frame.state,
        item: ready.frame.item.as_ref().map(|item| &item.value),
        own_output,
    };
    let label = &run.plan.graph.node(ready.frame.node).label;
    let span = crate::engine::run::span(card.name, label);
    let _entered = span.enter();
    let binder = Binder {
        label,
        scope: &scope(None),
        host: &host,
        credentials: run.credentials,
        overrides: run.overrides,
        step: ready.frame.node.at(),
    };
    let step = StepCall {
        run,
        turn: &turn,
        ready,
        said: &said,
        card,
        work: *work,
        credential: credential.as_deref(),
        label,
    };
    let mut sink = StepSink { executor, ready, sent: String::new() };
    // What the card says of its failures is read first: a card that is picked in it may fail while it is built.
    let settings = step.inputs(binder.bind_settings(card, inputs), None);
    ending.on_error = OnError::from_inputs(&settings);
    let retries = match Retries::from_inputs(&settings) {
        Ok(retries) => retries,
        Err(fault) => {
            ending.result = Err(fault);
            return ending;
        }
    };
    let bind = || binder.bind(card, inputs);
    (ending.result, ending.attempts) = step.perform_until_done(bind, retries, &mut sink);
    ending.sent = sink.sent;
    if let Ok(outcome) = &mut ending.result {
        let scope = scope(Some(&outcome.output));
        let values: Map<String, Value> =
            updates.iter().map(|(key, source)| (key.clone(), source.resolve(&scope))).collect();
        outcome.state.extend(values);
    }
    ending
}

/// A wait that doubles with each retry; a provider that asks for more gets it.
fn wait_before_retry(fault: &Error, retries: Retries, attempts: u64) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(16);
    let own = Duration::from_secs(retries.wait_seconds).saturating_mul(1 << doublings);
    let asked = Duration::from_secs(fault.retry_after_seconds().unwrap_or(0));
    // Many runs that failed together do not come back together.
    let jitter = own.mul_f64(f64::from(uuid::Uuid::new_v4().as_bytes()[0]) / 1024.0);
    (own + jitter).max(asked)
}

fn unknown_card(run: &AgentRun<'_>, ready: &StepReady) -> Error {
    let label = &run.plan.graph.node(ready.frame.node).label;
    let StepPlan::Unknown { name } = run.plan.step(ready.frame.node) else {
        return Error::internal("a card that is known was taken for one that is not");
    };
    let unknown = || format!("{label}: this server has no step '{name}'");
    Error::RunFailed(unsupported::reason(name).map_or_else(unknown, str::to_owned))
}

/// A call of a step's card.
struct StepCall<'a> {
    run: &'a AgentRun<'a>,
    /// The question, and the world as this step sees it.
    turn: &'a RunContext<'a>,
    ready: &'a StepReady,
    said: &'a [HistoryMessage],
    card: &'static Card,
    work: StepFn,
    credential: Option<&'a str>,
    label: &'a str,
}

impl StepCall<'_> {
    fn inputs(&self, values: InputValues, credential: Option<Map<String, Value>>) -> Inputs<'_> {
        Inputs {
            card: self.card,
            fields: self.card.inputs,
            row: None,
            label: self.label,
            node: Some(&self.run.plan.graph.node(self.ready.frame.node).id),
            host: self.turn.host,
            values,
            credential,
            credential_id: self.credential,
        }
    }

    /// Tries again while a failure may pass and there are retries left; how often it was tried.
    fn perform_until_done(
        &self,
        bind: impl Fn() -> Result<InputValues>,
        retries: Retries,
        sink: &mut StepSink<'_, '_, '_>,
    ) -> (Result<StepOutcome>, u64) {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let result = bind().and_then(|values| self.perform(values, sink));
            // What was sent cannot be taken back, so a try that sent something is the last one.
            let is_last = attempts > retries.max || !sink.sent.is_empty();
            let Some(fault) = result.as_ref().err().filter(|fault| fault.may_pass() && !is_last) else {
                return (result, attempts);
            };
            let (token, wait) = (&self.ready.cancel.token, wait_before_retry(fault, retries, attempts));
            // A wait that outlasts the run helps nobody. A run for which somebody waits has no end of its own: who waits gives up.
            if token.time_left().unwrap_or(Duration::from_secs(RUN_SECONDS)) <= wait {
                return (result, attempts);
            }
            if !token.sleep(wait) {
                return (Err(Error::Cancelled), attempts);
            }
        }
    }

    fn perform(&self, values: InputValues, sink: &mut StepSink<'_, '_, '_>) -> Result<StepOutcome> {
        let Self { run, turn, ready, card, label, .. } = *self;
        require_needs(card, label, turn.host)?;
        let credential = credential::fields(card, label, self.credential, run.credentials)?;
        let inputs = self.inputs(values, credential);
        refuse_redacted(&inputs)?;
        let context = StepContext {
            node: &run.plan.graph.node(ready.frame.node).id,
            turn,
            start: run.start,
            said: self.said,
            past: run.conversation,
            state: &ready.frame.state,
            is_last: ready.is_last,
            resume: ready.resume.as_ref(),
        };
        if ready.is_last {
            (self.work)(&inputs, &context, sink)
        } else {
            (self.work)(&inputs, &context, &mut NullSink)
        }
    }
}

/// The world as a step sees it, which can be ended alone.
struct StepHost<'a> {
    host: &'a dyn Host,
    cancel: &'a CancelToken,
    /// How many iterations stand around the step: a flow that it asks stands inside of them too.
    iterations: usize,
}

impl<'a> StepHost<'a> {
    fn new(run: &AgentRun<'a>, ready: &'a StepReady) -> Self {
        let iterations = run.plan.graph.owners(ready.frame.node).count();
        Self { host: run.turn.host, cancel: &ready.cancel.token, iterations }
    }
}

impl Host for StepHost<'_> {
    fn context(&self) -> HostContext<'_> {
        HostContext { cancel: self.cancel, ..self.host.context() }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let given = self.host.capabilities();
        if given.has(Capability::Flows) { given.with_flows(self) } else { given }
    }
}

impl Flows for StepHost<'_> {
    fn ask_flow(&self, call: &FlowCall<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        let call = FlowCall { iterations: call.iterations + self.iterations, ..*call };
        Grant::<dyn Flows>::for_service().of(self.host)?.ask_flow(&call, sink)
    }
}

/// Takes what a last step writes while it works.
struct StepSink<'e, 'r, 's> {
    executor: &'e Executor<'r, 's>,
    ready: &'e StepReady,
    sent: String,
}

impl TokenSink for StepSink<'_, '_, '_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.sent.push_str(text);
        self.executor.ledger().token(self.ready.frame.step, text).map_err(|_| StreamClosed)
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.executor.ledger().thinking(self.ready.frame.step, text).map_err(|_| StreamClosed)
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        let mut ledger = self.executor.ledger();
        // Nobody else needs the board meanwhile, so the stream can be left to whoever reads it with the least effort.
        if ledger.is_alone(self.ready.frame.step) {
            let end = ledger.follow(self.ready.frame.step, streaming);
            self.sent.push_str(&end.text);
            return end;
        }
        drop(ledger);
        streaming.follow(&mut |delta: crate::llm::Delta<'_>| match delta {
            crate::llm::Delta::Text(text) => self.token(text),
            crate::llm::Delta::Thinking(text) => self.thinking(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::TransientFault;

    #[test]
    fn a_longer_wait_that_a_provider_asks_for_counts_however_long_it_is() {
        let retries = Retries { max: 5, wait_seconds: 60 };
        let wait = |asked, attempts| {
            let message = "busy".to_owned();
            let fault = Error::Transient(TransientFault { message, retry_after_seconds: asked });
            wait_before_retry(&fault, retries, attempts).as_secs()
        };
        assert_eq!(wait(Some(500), 1), 500);
        assert!((60..=75).contains(&wait(Some(7), 1)));
        assert!((480..=600).contains(&wait(None, 4)), "the wait doubles with each retry");
    }
}
