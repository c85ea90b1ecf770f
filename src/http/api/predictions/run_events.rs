//! What a run shows while it runs becomes events (manual 2.8).

use crate::domain::predictions::execution::ExecutionEntry;
use crate::domain::predictions::prediction::ChatType;
use crate::domain::predictions::run_event::RunEvent;
use crate::http::reply::host_redaction::redact_hosts;
use crate::http::reply::sse::EventSink;
use crate::ops::predictions::{ReplyStream, RunSink, StreamClosed, StreamEnd, TokenSink};
use crate::wire::predictions::run_events::{RunStepView, StepEventView};
use serde_json::Value;
use std::sync::Arc;

/// Tokens of the answer, and what happens on the way to it, become events.
pub(super) struct RunEvents<'a> {
    pub(super) events: &'a EventSink,
    pub(super) reader: ChatType,
}

impl TokenSink for RunEvents<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        if text.is_empty() { Ok(()) } else { self.events.token(text) }
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.events.send("thinking", text)
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        self.events.follow(streaming)
    }
}

impl RunSink for RunEvents<'_> {
    fn event(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        let events = self.events;
        match *event {
            RunEvent::State(state) => events.send("agentFlowEvent", state.as_str()),
            RunEvent::Begin(step) => events.send("nextAgentFlow", &StepEventView::from_start(step)),
            RunEvent::End { step, status, error } => {
                let shown = error.map(|error| visible_text(self.reader, error));
                events.send("nextAgentFlow", &StepEventView::from_end(step, status, shown.as_deref()))
            }
            RunEvent::Entries(entries) => {
                let shown = visible_entries(self.reader, entries.to_vec());
                let steps: Vec<RunStepView<'_>> = shown.iter().map(|entry| (&**entry).into()).collect();
                events.send("agentFlowExecutedData", &steps)
            }
            RunEvent::CalledTools(calls) => events.send("calledTools", calls),
            RunEvent::Usage(usage) => events.send("usageMetadata", usage),
            RunEvent::Action(action) => events.send("action", action),
        }
    }
}

fn visible_text(reader: ChatType, text: &str) -> String {
    match reader {
        ChatType::External => redact_hosts(text),
        ChatType::Internal => text.to_owned(),
    }
}

/// What somebody from outside reads of steps that failed: no server that the flow calls.
pub(super) fn visible_entries(
    reader: ChatType,
    mut entries: Vec<Arc<ExecutionEntry>>,
) -> Vec<Arc<ExecutionEntry>> {
    if reader == ChatType::External {
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
