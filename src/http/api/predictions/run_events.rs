//! What a run shows while it runs becomes events (manual 2.8).

use crate::base::json_size::json_size;
use crate::domain::predictions::execution::ExecutionEntry;
use crate::domain::predictions::prediction::ChatType;
use crate::domain::predictions::run_event::RunEvent;
use crate::domain::predictions::team::{TeamEvent, TeamOutput};
use crate::http::reply::host_redaction::redact_hosts;
use crate::http::reply::sse::EventSink;
use crate::ops::predictions::{ReplyStream, RunSink, StreamClosed, StreamEnd, TokenSink};
use crate::wire::predictions::run_events::{
    RunStepView, SpecialistEventView, SpecialistTextView, StepEventView, TeamHandoffView, TeamRouteView,
};
use crate::wire::predictions::run_facts::reasoning_views;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of steps up to which all of them are told each time when there is one more (manual 2.8).
const STEPS_TOLD_EACH_MAX_BYTES: usize = 64 * 1024;
/// What is longer is told when it has grown by a tenth, and after this time: told each time, a thousand steps of ten kilobytes
/// would be five gigabytes.
const STEPS_TOLD_AFTER: Duration = Duration::from_secs(1);

/// Tokens of the answer, and what happens on the way to it, become events.
pub(in crate::http::api) struct RunEvents<'a> {
    events: &'a EventSink,
    told: RunTeller<'a, EventSink>,
    /// The answer of a team begins when its work is done.
    start_is_due: bool,
}

/// Tells what happens in a run, and of its steps no more often than there is something to tell.
pub(in crate::http::api) struct RunTeller<'a, T> {
    target: &'a T,
    reader: ChatType,
    steps: ToldSteps,
}

/// Which steps of a record its reader was told of.
#[derive(Default)]
struct ToldSteps {
    /// How many there are, and their bytes.
    count: usize,
    bytes: usize,
    /// How many bytes were told last, and when.
    told: Option<(usize, Instant)>,
    /// The record, where its newest steps were not told yet.
    untold: Option<Vec<Arc<ExecutionEntry>>>,
}

impl ToldSteps {
    /// Notes what there is by now; true when it is to be told.
    fn add(&mut self, entries: &[Arc<ExecutionEntry>]) -> bool {
        for entry in &entries[self.count.min(entries.len())..] {
            self.bytes += json_size(&RunStepView::from(&**entry));
        }
        self.count = entries.len();
        let is_due =
            |(told, at): (usize, Instant)| self.bytes >= told + told / 10 || at.elapsed() >= STEPS_TOLD_AFTER;
        self.bytes <= STEPS_TOLD_EACH_MAX_BYTES || self.told.is_none_or(is_due)
    }
}

impl<'a> RunEvents<'a> {
    pub(in crate::http::api) fn new(events: &'a EventSink, reader: ChatType) -> Self {
        Self { events, told: RunTeller::new(events, reader), start_is_due: false }
    }

    /// Of a flow whose answer begins later than its run.
    pub(in crate::http::api) fn starting_late(self, is_late: bool) -> Self {
        Self { start_is_due: is_late, ..self }
    }

    /// Tells that the answer begins, where nobody was told.
    ///
    /// # Errors
    /// [`StreamClosed`] when nobody reads any more.
    pub(in crate::http::api) fn start(&mut self) -> Result<(), StreamClosed> {
        if !std::mem::take(&mut self.start_is_due) {
            return Ok(());
        }
        self.events.send("start", "")
    }
}

impl<'a, T: EventTarget> RunTeller<'a, T> {
    pub(in crate::http::api) fn new(target: &'a T, reader: ChatType) -> Self {
        Self { target, reader, steps: ToldSteps::default() }
    }

    /// Tells an event, as far as its reader may see it.
    ///
    /// # Errors
    /// [`StreamClosed`] when nobody reads any more.
    pub(in crate::http::api) fn tell(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        match *event {
            RunEvent::Entries(entries) if self.steps.add(entries) => return self.tell_steps(entries),
            RunEvent::Entries(entries) => {
                self.steps.untold = Some(entries.to_vec());
                return Ok(());
            }
            RunEvent::State(_) | RunEvent::Action(_) => self.tell_rest()?,
            _ => {}
        }
        send_run_event(self.target, self.reader, event)
    }

    fn tell_steps(&mut self, entries: &[Arc<ExecutionEntry>]) -> Result<(), StreamClosed> {
        self.steps.told = Some((self.steps.bytes, Instant::now()));
        self.steps.untold = None;
        send_run_event(self.target, self.reader, &RunEvent::Entries(entries))
    }

    /// Tells of the steps that were left out, before something that is said of all of them.
    fn tell_rest(&mut self) -> Result<(), StreamClosed> {
        self.steps.untold.take().map_or(Ok(()), |entries| self.tell_steps(&entries))
    }
}

impl TokenSink for RunEvents<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        if text.is_empty() {
            return Ok(());
        }
        self.start()?;
        self.events.token(text)
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.start()?;
        self.events.thinking(text)
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        // A reader who left is noticed by the stream itself.
        let _ = self.start();
        self.events.follow(streaming)
    }
}

impl RunSink for RunEvents<'_> {
    fn event(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        self.told.tell(event)
    }
}

/// Somewhere that events go.
pub(in crate::http::api) trait EventTarget {
    /// Sends one event.
    ///
    /// # Errors
    /// [`StreamClosed`] when nobody reads any more.
    fn tell<T: Serialize + ?Sized>(&self, name: &'static str, data: &T) -> Result<(), StreamClosed>;
}

impl EventTarget for EventSink {
    fn tell<T: Serialize + ?Sized>(&self, name: &'static str, data: &T) -> Result<(), StreamClosed> {
        self.send(name, data)
    }
}

/// Sends what happened in a run, as far as `reader` may see it.
fn send_run_event(
    events: &impl EventTarget,
    reader: ChatType,
    event: &RunEvent<'_>,
) -> Result<(), StreamClosed> {
    match *event {
        RunEvent::State(state) => events.tell("agentFlowEvent", state.as_str()),
        RunEvent::Begin(step) => events.tell("nextAgentFlow", &StepEventView::from_start(step)),
        RunEvent::End { step, status, error } => {
            let shown = error.map(|error| visible_text(reader, error));
            events.tell("nextAgentFlow", &StepEventView::from_end(step, status, shown.as_deref()))
        }
        RunEvent::Entries(entries) => {
            let shown = visible_entries(reader, entries.to_vec());
            let steps: Vec<RunStepView<'_>> = shown.iter().map(|entry| (&**entry).into()).collect();
            events.tell("agentFlowExecutedData", &steps)
        }
        RunEvent::CalledTools(calls) => events.tell("calledTools", calls),
        RunEvent::Usage(usage) => events.tell("usageMetadata", usage),
        RunEvent::Artifacts(pictures) => events.tell("artifacts", pictures),
        RunEvent::FileAnnotations(files) => events.tell("fileAnnotations", files),
        RunEvent::Action(action) => events.tell("action", action),
        RunEvent::Reasoning(turns) => events.tell("agentReasoning", &reasoning_views(turns)),
        RunEvent::NextAgent(name) => events.tell("nextAgent", name),
        RunEvent::AnswerBegins => events.tell("start", ""),
        RunEvent::Team(ref event) => send_team_event(events, reader, event),
    }
}

/// Sends what a team does, as far as `reader` may see it.
fn send_team_event(
    events: &impl EventTarget,
    reader: ChatType,
    event: &TeamEvent<'_>,
) -> Result<(), StreamClosed> {
    match *event {
        TeamEvent::Route { harness, assignments, ms } => {
            events.tell("harness.route", &TeamRouteView { harness, assignments, ms })
        }
        TeamEvent::Begin { name, task } => {
            events.tell("harness.specialist", &SpecialistEventView::begun(name, task))
        }
        TeamEvent::Partial { name, text } => {
            events.tell("harness.partial", &SpecialistTextView { name, text })
        }
        TeamEvent::End { name, status, ms, error } => {
            let shown = error.map(|error| visible_text(reader, error));
            events.tell("harness.specialist", &SpecialistEventView::ended(name, status, ms, shown.as_deref()))
        }
        TeamEvent::Handoff { from } => events.tell("harness.handoff", &TeamHandoffView { from }),
    }
}

/// What somebody from outside reads of a team: no server that it calls.
pub(in crate::http::api) fn hide_hosts(reader: ChatType, team: &mut TeamOutput) {
    if let Some(error) = &mut team.report_error {
        *error = visible_text(reader, error);
    }
}

fn visible_text(reader: ChatType, text: &str) -> String {
    match reader {
        ChatType::External | ChatType::Scheduled | ChatType::Webhook | ChatType::Mcp => redact_hosts(text),
        ChatType::Internal => text.to_owned(),
    }
}

/// What somebody from outside reads of steps that failed: no server that the flow calls.
pub(in crate::http::api) fn visible_entries(
    reader: ChatType,
    mut entries: Vec<Arc<ExecutionEntry>>,
) -> Vec<Arc<ExecutionEntry>> {
    if reader.is_from_outside() {
        for entry in entries.iter_mut().filter(|entry| entry.data.contains_key(ERROR)) {
            let shown = Arc::make_mut(entry);
            if let Some(Value::String(error)) = shown.data.get_mut(ERROR) {
                *error = redact_hosts(error);
            }
            let told = shown.data.get_mut("output").and_then(|output| output.pointer_mut("/error/message"));
            if let Some(Value::String(message)) = told {
                *message = redact_hosts(message);
            }
        }
    }
    entries
}

/// The entry of a step's data that says what it failed with.
const ERROR: &str = "error";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::predictions::execution::{ExecutionState, StepStatus};
    use std::cell::RefCell;

    /// Keeps how long each event was.
    #[derive(Default)]
    struct Lengths(RefCell<Vec<usize>>);

    impl EventTarget for Lengths {
        fn tell<T: Serialize + ?Sized>(&self, _: &'static str, data: &T) -> Result<(), StreamClosed> {
            self.0.borrow_mut().push(serde_json::to_string(data).unwrap().len());
            Ok(())
        }
    }

    fn entry() -> Arc<ExecutionEntry> {
        let data = [("output".to_owned(), Value::from("x".repeat(10_000)))];
        Arc::new(ExecutionEntry {
            node_id: "a".to_owned(),
            node_label: "A".to_owned(),
            data: data.into_iter().collect(),
            previous_node_ids: Vec::new(),
            status: StepStatus::Finished,
        })
    }

    #[test]
    fn what_is_told_of_steps_grows_as_they_do_and_all_are_told_in_the_end() {
        let (target, mut entries) = (Lengths::default(), Vec::new());
        let mut teller = RunTeller::new(&target, ChatType::Internal);
        for _ in 0..500 {
            entries.push(entry());
            teller.tell(&RunEvent::Entries(&entries)).unwrap();
        }
        teller.tell(&RunEvent::State(ExecutionState::Finished)).unwrap();
        let told = target.0.into_inner();
        let (all, whole) = (told.iter().sum::<usize>(), told[told.len() - 2]);
        assert!(whole > 5_000_000 && all < 30 * whole, "{all} for {whole}");
    }
}
