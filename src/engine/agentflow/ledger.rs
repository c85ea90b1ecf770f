//! What a run knows of its steps: those that may start, what came of those that ended, and what of it goes out.

use super::again::{StepNote, TakenSteps, list_of};
use super::entry::{self, EndedStep, ItemPlace, StepFrame};
use super::items::{self, ItemsNote, OpenItems};
use super::outlet::Outlet;
use super::pauses::{self, OpenPause};
use super::record::{StepRecord, update_state};
use super::run::{AgentOutcome, AgentRun};
use super::sink::RunSink;
use super::step::{StepEnding, StepReady};
use super::walk::{Misfit, Next, Standing, StepEnd, StepId, Walk};
use crate::base::cancel::CancelToken;
use crate::cards::kit::{NextSteps, OnError, StepOutcome, StepResume};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::execution::{ExecutionEntry, Pause, StepStatus};
use crate::domain::predictions::prediction::RunOutput;
use crate::domain::predictions::run_event::{RunEvent, StepLabel};
use crate::limits::NESTING_MAX;
use crate::llm::{ReplyStream, StreamEnd};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The answer of a run in which nothing was said: clients take an empty text for a failure.
const NO_TEXT: &str = " ";

/// See the head of this file.
pub(super) struct Ledger<'s> {
    pub(super) walk: Walk,
    outlet: Outlet<'s>,
    pub(super) records: HashMap<StepId, Arc<StepRecord>>,
    /// In the order of the record.
    pub(super) entries: Vec<Arc<ExecutionEntry>>,
    /// How many of them are of earlier requests.
    pub(super) entries_before: usize,
    /// Iterations whose items are under way.
    pub(super) open_items: HashMap<StepId, OpenItems>,
    pub(super) pauses: HashMap<StepId, OpenPause>,
    /// What the steps that failed failed with.
    pub(super) errors: HashMap<StepId, Error>,
    /// The tokens of steps that are under way.
    pub(super) cancels: HashMap<StepId, CancelToken>,
    /// Steps that go on from a pause.
    pub(super) resumes: HashMap<StepId, StepResume>,
    /// Threads that help the one that asked.
    pub(super) helpers: usize,
    /// What stays of an earlier run and was not reached yet.
    pub(super) taken: TakenSteps,
    /// Iterations that end as they did in an earlier run.
    pub(super) kept_iterations: HashMap<StepId, (StepRecord, StepEnd)>,
}

/// What a thread has to do.
pub(super) enum Move {
    Run(Box<StepReady>),
    /// Others have something to do.
    Wait,
    End,
}

impl<'s> Ledger<'s> {
    pub(super) fn new(walk: Walk, sink: &'s mut dyn RunSink) -> Self {
        Self {
            walk,
            outlet: Outlet::new(sink),
            records: HashMap::new(),
            entries: Vec::new(),
            entries_before: 0,
            open_items: HashMap::new(),
            pauses: HashMap::new(),
            errors: HashMap::new(),
            cancels: HashMap::new(),
            resumes: HashMap::new(),
            helpers: 0,
            taken: TakenSteps::default(),
            kept_iterations: HashMap::new(),
        }
    }

    /// What comes next. What is certain by now goes out first.
    pub(super) fn next_move(&mut self, run: &AgentRun<'_>) -> Move {
        loop {
            self.publish(run);
            if run.turn.host.cancel().reason().is_some() {
                self.walk.stop();
            }
            self.cancel_steps();
            match self.walk.next() {
                Some(Next::Start(step)) => match self.take_kept(step) {
                    Some(kept) => self.take_over(run, step, kept),
                    None => return Move::Run(Box::new(self.prepare(run, step))),
                },
                Some(Next::Breach(step)) => self.refuse(run, step),
                Some(Next::Close(step)) if self.close_kept(run, step) => {}
                Some(Next::Close(step)) => self.close_items(run, step),
                None if self.walk.standing() == Standing::Open => return Move::Wait,
                None => return Move::End,
            }
        }
    }

    /// Ends the steps that are of no use any more.
    fn cancel_steps(&mut self) {
        for step in self.walk.take_cancelled() {
            if let Some(token) = self.cancels.get(&step) {
                token.cancel(crate::base::cancel::CancelReason::Failed);
            }
        }
    }

    /// True when another thread would have something to do.
    pub(super) fn wants_helper(&self) -> bool {
        self.walk.has_next()
    }

    pub(super) fn prepare(&mut self, run: &AgentRun<'_>, step: StepId) -> StepReady {
        let node = self.walk.node(step);
        let past = self.walk.past(step);
        let record = |id: &StepId| self.records.get(id).cloned();
        let before: Vec<Arc<StepRecord>> = past.iter().filter_map(|id| record(&id)).collect();
        let outer = before.len() - past.own().iter().filter(|id| self.records.contains_key(id)).count();
        let mut state = run.state.clone();
        update_state(&mut state, &before[..outer]);
        self.add_earlier_items(step, &mut state);
        update_state(&mut state, &before[outer..]);
        let cancel = run.turn.host.cancel().child();
        self.cancels.insert(step, cancel.token.clone());
        let frame = StepFrame {
            step,
            node,
            item: self.item_place(step),
            previous: self.parent_nodes(step),
            began: run.turn.host.now(),
            state,
        };
        let ready = StepReady {
            frame,
            before,
            is_last: self.walk.graph().is_last(node),
            resume: self.resumes.remove(&step),
            cancel,
        };
        let graph = self.walk.graph().clone();
        let label = StepLabel { node: &graph.node(node).id, label: &graph.node(node).label };
        self.send(run, &RunEvent::Begin(label));
        run.journal.begin_step(step.at(), entry::start_of(&graph, &ready.frame));
        ready
    }

    fn item_place(&self, step: StepId) -> Option<ItemPlace> {
        let (owner, index) = self.walk.item(step)?;
        let open = self.open_items.get(&owner)?;
        Some(ItemPlace {
            index,
            count: open.items.len(),
            value: open.items.get(index).cloned().unwrap_or_default(),
            parent: self.walk.graph().node(self.walk.node(owner)).id.clone(),
        })
    }

    fn parent_nodes(&self, step: StepId) -> Vec<String> {
        let id = |step: &StepId| self.walk.graph().node(self.walk.node(*step)).id.clone();
        self.walk.parents(step).iter().map(id).collect()
    }

    /// Takes what came of a step.
    pub(super) fn end(&mut self, run: &AgentRun<'_>, ready: StepReady, ending: StepEnding) {
        let StepEnding { result, on_error, attempts, sent } = ending;
        let cancelled = ready.cancel.token.reason().is_some();
        self.cancels.remove(&ready.frame.step);
        let (step, is_iteration) = (ready.frame.step, self.walk.graph().is_iteration(ready.frame.node));
        let ended = EndedStep { frame: ready.frame, attempts, sent, now: run.turn.host.now() };
        match result {
            Ok(outcome) => self.take_outcome(run, ended, outcome, on_error),
            Err(fault) if cancelled || matches!(fault, Error::Cancelled) => {
                let record =
                    ended.record(self.walk.graph(), StepStatus::Terminated, StepOutcome::default(), None);
                self.errors.insert(step, fault);
                self.finish(run, step, record, StepEnd::Cancelled);
            }
            Err(fault) => {
                let on_error = if is_iteration { items::of_the_card(on_error) } else { on_error };
                self.fail(run, ended, fault, on_error, StepOutcome::default());
            }
        }
    }

    fn take_outcome(
        &mut self,
        run: &AgentRun<'_>,
        ended: EndedStep,
        mut outcome: StepOutcome,
        on_error: OnError,
    ) {
        let step = ended.frame.step;
        let mut status = StepStatus::Finished;
        let mut loop_count = None;
        let end = match std::mem::take(&mut outcome.next) {
            NextSteps::All => StepEnd::Done,
            NextSteps::Outputs(taken) => StepEnd::Outputs(taken),
            NextSteps::Back(_) if self.walk.may_jump(step) => {
                loop_count = Some(self.walk.jumps(step) + 1);
                StepEnd::Jump
            }
            NextSteps::Back(back) => {
                outcome.output.insert(crate::cards::kit::CONTENT.to_owned(), back.fallback.into());
                loop_count = Some(self.walk.jumps(step));
                StepEnd::Done
            }
            NextSteps::Pause(pause) => {
                let open = pauses::open(self.walk.graph(), &ended.frame, pause, ended.now);
                outcome.output.insert(pauses::ACTION.to_owned(), Value::Object(open.pause.action.clone()));
                self.pauses.insert(step, open);
                status = StepStatus::Stopped;
                StepEnd::Paused
            }
            NextSteps::Items(items) => {
                let (count, at_once) = (items.items.len(), items.at_once);
                let open = OpenItems::new(ended, outcome.input, on_error, items);
                self.open_items.insert(step, open);
                let owners = self.walk.graph().owners(self.walk.node(step)).count();
                let opened = match run.depth + owners < NESTING_MAX {
                    true => self.walk.open(step, count, at_once),
                    false => Err(Misfit::TooDeep),
                };
                match opened {
                    Ok(()) => self.note_items(run, step),
                    Err(fault) => self.refuse_items(run, step, fault),
                }
                return;
            }
        };
        let mut record = ended.record(self.walk.graph(), status, outcome, None);
        record.loop_count = loop_count;
        self.finish(run, step, record, end);
    }

    pub(super) fn refuse_items(&mut self, run: &AgentRun<'_>, step: StepId, fault: Misfit) {
        let Some(open) = self.open_items.remove(&step) else { return };
        let label = &self.walk.graph().node(self.walk.node(step)).label;
        let fault = match fault {
            Misfit::TooManyItems => {
                Error::RunFailed(format!("{label}: a list of {} items is too long", open.items.len()))
            }
            Misfit::TooDeep => Error::RunFailed(format!(
                "{label}: flows that ask one another and iterations stand at most {NESTING_MAX} deep inside of one another"
            )),
            _ => Error::RunFailed(format!("{label}: only an Iteration runs once for each item of a list")),
        };
        self.fail(run, open.ended, fault, items::of_the_card(open.on_error), StepOutcome::default());
    }

    /// Ends a step that failed, as its card says.
    pub(super) fn fail(
        &mut self,
        run: &AgentRun<'_>,
        ended: EndedStep,
        fault: Error,
        on_error: OnError,
        outcome: StepOutcome,
    ) {
        self.fail_with(run, (ended, None), fault, on_error, outcome);
    }

    /// As [`Self::fail`], for a step that may have had items.
    pub(super) fn fail_with(
        &mut self,
        run: &AgentRun<'_>,
        (ended, items): (EndedStep, Option<ItemsNote>),
        fault: Error,
        on_error: OnError,
        outcome: StepOutcome,
    ) {
        let step = ended.frame.step;
        let end = match on_error {
            OnError::Stop => StepEnd::Failed,
            OnError::Branch => StepEnd::ErrorOutput,
            OnError::Continue => match run.plan.step(ended.frame.node).last_output() {
                Some(last) => StepEnd::Outputs(vec![last]),
                None => StepEnd::Done,
            },
        };
        let record = ended.record(self.walk.graph(), StepStatus::Error, outcome, Some((&fault, on_error)));
        self.errors.insert(step, fault);
        self.finish(run, step, StepRecord { items, ..record }, end);
    }

    /// A step that is one too many for its run or its item.
    fn refuse(&mut self, run: &AgentRun<'_>, step: StepId) {
        let ready = self.prepare(run, step);
        let label = &self.walk.graph().node(ready.frame.node).label;
        let fault = Error::RunFailed(format!(
            "{label}: a run takes at most {} steps; this one would be one more",
            super::walk::STEPS_MAX
        ));
        self.cancels.remove(&step);
        let ended =
            EndedStep { frame: ready.frame, attempts: 1, sent: String::new(), now: run.turn.host.now() };
        self.fail(run, ended, fault, OnError::Stop, StepOutcome::default());
    }

    pub(super) fn finish(&mut self, run: &AgentRun<'_>, step: StepId, record: StepRecord, end: StepEnd) {
        let note = StepNote::new(self.walk.graph(), &self.walk.place(step), &record, &end);
        run.journal.end_step(step.at(), &record.entry, &note);
        self.records.insert(step, Arc::new(record));
        if let Err(fault) = self.walk.end(step, end) {
            // Only a fault of this program gets here; the run ends rather than wait for what never comes.
            tracing::error!(?fault, "a step ended that was not under way");
            self.walk.stop();
        }
    }

    pub(super) fn error_text(&self, step: StepId) -> String {
        self.errors.get(&step).map(ToString::to_string).unwrap_or_default()
    }

    /// Sends what is certain by now: entries in the order of the record, and the text of the step whose turn it is.
    fn publish(&mut self, run: &AgentRun<'_>) {
        while let Some(step) = self.walk.next_entry() {
            let Some(record) = self.records.get(&step).cloned() else { continue };
            run.journal.place_step(step.at());
            let sent = self.publish_step(step, &record);
            self.stop_on_error(run, sent);
        }
        let waiting: Vec<StepId> = self.outlet.waiting().filter(|&step| self.walk.may_stream(step)).collect();
        for step in waiting {
            let sent = self.outlet.release(step);
            self.stop_on_error(run, sent);
        }
    }

    fn publish_step(&mut self, step: StepId, record: &StepRecord) -> Result<()> {
        let went_back = self.walk.ending(step) == Some(&StepEnd::Jump);
        let is_last = self.walk.graph().is_last(record.node) && !went_back;
        self.outlet.release(step)?;
        if (is_last || record.entry.status == StepStatus::Stopped) && !self.outlet.has_text_of(step) {
            self.outlet.token(step, true, record.text())?;
        }
        let output = record.output().filter(|_| is_last);
        // Clients take the list of a model's last step as the sign that its tools are done, also where it called none.
        let none =
            output.filter(|output| output.contains_key("usageMetadata")).map(|_| Value::Array(Vec::new()));
        if let Some(calls) = output.and_then(|output| output.get("calledTools")).or(none.as_ref()) {
            self.outlet.event(&RunEvent::CalledTools(calls))?;
        }
        if let Some(usage) = output.and_then(|output| output.get("usageMetadata")) {
            self.outlet.event(&RunEvent::Usage(usage))?;
        }
        if let Some(pictures) = output.and_then(|output| output.get("artifacts")) {
            self.outlet.event(&RunEvent::Artifacts(pictures))?;
        }
        if let Some(files) = output.and_then(|output| output.get("fileAnnotations")) {
            self.outlet.event(&RunEvent::FileAnnotations(files))?;
        }
        let entry = &record.entry;
        let label = StepLabel { node: &entry.node_id, label: &entry.node_label };
        let error = entry.data.get("error").and_then(Value::as_str);
        self.outlet.event(&RunEvent::End { step: label, status: entry.status, error })?;
        self.entries.push(entry.clone());
        self.outlet.event(&RunEvent::Entries(&self.entries))
    }

    pub(super) fn send(&mut self, run: &AgentRun<'_>, event: &RunEvent<'_>) {
        let sent = self.outlet.event(event);
        self.stop_on_error(run, sent);
    }

    /// Nobody reads any more, so nothing more is done.
    fn stop_on_error(&mut self, run: &AgentRun<'_>, sent: Result<()>) {
        if sent.is_err() && run.turn.host.cancel().reason().is_none() {
            run.turn.host.cancel().cancel(crate::base::cancel::CancelReason::CallerLeft);
        }
    }

    /// A fragment of a step's text.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn token(&mut self, step: StepId, text: &str) -> Result<()> {
        let is_its_turn = self.walk.may_stream(step);
        self.outlet.token(step, is_its_turn, text)
    }

    /// A fragment of the reasoning of a step's model, which is shown only when it is the step's turn.
    ///
    /// # Errors
    /// When the caller left.
    pub(super) fn thinking(&mut self, step: StepId, text: &str) -> Result<()> {
        if self.walk.may_stream(step) { self.outlet.thinking(text) } else { Ok(()) }
    }

    /// True when nothing else is under way or ready.
    pub(super) fn is_alone(&self, step: StepId) -> bool {
        self.helpers == 0 && self.walk.may_stream(step) && !self.walk.has_next()
    }

    pub(super) fn follow(&mut self, step: StepId, stream: ReplyStream) -> StreamEnd {
        self.outlet.follow(step, stream)
    }

    /// What the run came to.
    pub(super) fn into_outcome(mut self, run: &AgentRun<'_>) -> Result<AgentOutcome> {
        match self.walk.standing() {
            Standing::Failed(step) => {
                return Err(self.errors.remove(&step).unwrap_or(Error::Cancelled));
            }
            Standing::Stopped | Standing::Open => return Err(Error::Cancelled),
            Standing::Paused | Standing::Complete => {}
        }
        if self.outlet.answer().is_empty() {
            let texts = self.entries[self.entries_before..].iter().rev().filter_map(|entry| entry.text());
            let text = texts.map(str::to_owned).next().unwrap_or_else(|| NO_TEXT.to_owned());
            self.outlet.answer_with(&text)?;
        }
        let in_order: Vec<Arc<StepRecord>> =
            self.walk.record().iter().filter_map(|step| self.records.get(step).cloned()).collect();
        let of_request = &in_order[self.entries_before.min(in_order.len())..];
        let waiting = self.walk.standing() == Standing::Paused;
        let snapshot = waiting.then(|| Box::new(self.snapshot(run)));
        let pauses: Vec<Pause> = self
            .walk
            .pauses()
            .iter()
            .filter_map(|step| self.pauses.get(step))
            .map(|open| open.pause.clone())
            .collect();
        let last: Vec<&Arc<StepRecord>> =
            of_request.iter().filter(|step| self.walk.graph().is_last(step.node)).collect();
        let output = RunOutput {
            artifacts: last.iter().flat_map(|step| list_of(&step.entry, "artifacts")).collect(),
            file_annotations: last.iter().flat_map(|step| list_of(&step.entry, "fileAnnotations")).collect(),
            used_tools: of_request.iter().flat_map(|step| step.used_tools.iter().cloned()).collect(),
            source_documents: of_request.iter().flat_map(|step| step.sources.iter().cloned()).collect(),
            ..RunOutput::default()
        };
        let mut state = run.state.clone();
        update_state(&mut state, &in_order);
        Ok(AgentOutcome {
            pauses,
            state,
            snapshot,
            entries: self.entries,
            output: RunOutput { text: self.outlet.into_answer(), ..output },
        })
    }
}
