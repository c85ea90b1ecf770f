//! A reply as it grows, and the tool calls assembled from its fragments.

use super::endpoint::json_size::{REPLY_VALUES_MAX, is_within};
use super::{Citation, Completion, Delta, MadeFile, ModelError, StreamClosed, ToolCall};
use crate::domain::predictions::prediction::{Usage, UsedTool};
use crate::net::NetError;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Tools one reply may call.
const CALLS_MAX: usize = 128;
/// Pages that are kept of those a reply leans on.
const CITATIONS_MAX: usize = 50;
/// Files that are kept of those that a provider's tools made for a reply.
const FILES_MAX: usize = 20;

/// The stream ended before the provider said that it was complete.
pub(super) fn broken_off_error() -> ModelError {
    ModelError::Garbled("the stream broke off".into())
}

/// Reads one event or line of a stream; one that ends too early belongs to a stream that broke off. `what` says what is
/// wrong with any other.
pub(super) fn parse_event<'a, T: Deserialize<'a>>(text: &'a str, what: &str) -> Result<T, ModelError> {
    if !is_within(text.as_bytes(), REPLY_VALUES_MAX) {
        return Err(NetError::TooLarge.into());
    }
    serde_json::from_str(text).map_err(|error| {
        if error.is_eof() { broken_off_error() } else { ModelError::Garbled(what.to_owned()) }
    })
}

/// An id for a call whose provider gave none.
pub(super) fn new_call_id() -> String {
    format!("call_{}", uuid::Uuid::new_v4().simple())
}

/// Arguments as written by a model: an object where they are one, else the raw text.
pub(super) fn arguments(raw: &str) -> Value {
    if raw.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(raw) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::String(raw.to_owned()),
    }
}

/// Arguments as an object, for providers that take nothing else.
pub(super) fn argument_object(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        Value::Null => Value::Object(Map::new()),
        other => serde_json::json!({ "input": other }),
    }
}

/// A tool call in the making.
pub(super) struct PartialCall {
    /// The provider's own number for it.
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    pub arguments: String,
}

impl PartialCall {
    /// Goes on with a further fragment.
    pub(super) fn extend(&mut self, fragment: Self) {
        if self.id.is_empty() {
            self.id = fragment.id;
        }
        if self.name.is_empty() {
            self.name = fragment.name;
        }
        self.arguments.push_str(&fragment.arguments);
    }
}

/// What ended a reply before its model had said all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutReason {
    /// The most that the model may write.
    Length,
    /// The provider's judgement of what it wrote.
    Filter,
}

/// A fragment that was not handed on yet: where it lies in the text, or in the reasoning.
enum NewFragment {
    Text(Range<usize>),
    Thinking(Range<usize>),
}

/// Gathers the whole, and keeps what of it was not handed on yet.
#[derive(Default)]
pub(super) struct ReplyBuilder {
    completion: Completion,
    new_fragments: Vec<NewFragment>,
    partial: Vec<PartialCall>,
    cut: Option<CutReason>,
    thinking_time: ThinkingTime,
}

/// When a model thought before it said anything.
#[derive(Default)]
struct ThinkingTime {
    from: Option<Instant>,
    until: Option<Instant>,
}

impl ThinkingTime {
    /// In whole seconds; `None` for what took no time worth naming.
    fn seconds(&self) -> Option<u64> {
        let took = self.until.unwrap_or_else(Instant::now).saturating_duration_since(self.from?);
        Some((took + Duration::from_millis(500)).as_secs()).filter(|seconds| *seconds > 0)
    }
}

impl ReplyBuilder {
    pub(super) fn add_text(&mut self, text: &str) {
        if let Some(range) = append(&mut self.completion.text, text) {
            self.new_fragments.push(NewFragment::Text(range));
            if self.thinking_time.from.is_some() {
                self.thinking_time.until.get_or_insert_with(Instant::now);
            }
        }
    }

    pub(super) fn add_thinking(&mut self, text: &str) {
        if let Some(range) = append(&mut self.completion.thinking, text) {
            self.new_fragments.push(NewFragment::Thinking(range));
            self.thinking_time.from.get_or_insert_with(Instant::now);
        }
    }

    /// Hands on what was added since the last time, fragment by fragment.
    ///
    /// # Errors
    /// [`ModelError::Cancelled`] when the receiver wants no more.
    pub(super) fn emit(
        &mut self,
        mut on: impl FnMut(Delta<'_>) -> Result<(), StreamClosed>,
    ) -> Result<(), ModelError> {
        let completion = &self.completion;
        self.new_fragments.drain(..).try_for_each(|fresh| {
            let taken = match fresh {
                NewFragment::Text(range) => on(Delta::Text(&completion.text[range])),
                NewFragment::Thinking(range) => on(Delta::Thinking(&completion.thinking[range])),
            };
            taken.map_err(|_| ModelError::Cancelled)
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.completion.text
    }

    /// Adds a call that is complete.
    pub(super) fn add_call(&mut self, call: ToolCall) -> Result<(), ModelError> {
        if self.completion.calls.len() >= CALLS_MAX {
            return Err(ModelError::Garbled("it calls too many tools".into()));
        }
        self.completion.calls.push(call);
        Ok(())
    }

    /// Begins a call whose arguments follow.
    pub(super) fn begin_call(&mut self, partial: PartialCall) -> Result<(), ModelError> {
        if self.partial.len() >= CALLS_MAX {
            return Err(ModelError::Garbled("it calls too many tools".into()));
        }
        self.partial.push(partial);
        Ok(())
    }

    /// The calls in the making.
    pub(super) fn partial_calls(&mut self) -> &mut Vec<PartialCall> {
        &mut self.partial
    }

    /// The tokens so far, to be filled in.
    pub(super) fn usage_mut(&mut self) -> &mut Usage {
        self.completion.usage.get_or_insert_default()
    }

    /// Takes the pages the reply leans on so far, in place of those before: providers repeat them in every event.
    pub(super) fn set_citations(&mut self, citations: Vec<Citation>) {
        self.completion.citations = citations;
    }

    /// Adds pages the reply leans on, each address once.
    pub(super) fn add_citations(&mut self, citations: impl IntoIterator<Item = Citation>) {
        for citation in citations {
            let known = &mut self.completion.citations;
            if known.len() < CITATIONS_MAX && known.iter().all(|page| page.url != citation.url) {
                known.push(citation);
            }
        }
    }

    /// Notes a call of a tool that the provider ran itself.
    pub(super) fn add_provider_call(&mut self, call: UsedTool) {
        self.completion.provider_calls.push(call);
    }

    /// Notes what the provider says of the reply, beside what it holds.
    pub(super) fn describe(&mut self, name: &str, fact: Option<&str>) {
        let Some(fact) = fact.filter(|fact| !fact.is_empty()) else { return };
        let known = self.completion.metadata.get(name);
        if known.and_then(Value::as_str) != Some(fact) {
            self.completion.metadata.insert(name.to_owned(), fact.into());
        }
    }

    /// Adds a file that a tool of the provider made.
    pub(super) fn add_file(&mut self, file: MadeFile) {
        if self.completion.files.len() < FILES_MAX {
            self.completion.files.push(file);
        }
    }

    /// Notes that the reply was cut short.
    pub(super) fn mark_cut(&mut self, by: CutReason) {
        self.cut = Some(by);
    }

    /// Notes that the provider stopped in the midst of the reply, and goes on when it gets it back.
    pub(super) fn mark_paused(&mut self) {
        self.completion.is_paused = true;
    }

    /// True when the model has said or called nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.completion.text.is_empty()
            && self.completion.calls.is_empty()
            && self.completion.files.is_empty()
            && self.partial.is_empty()
    }

    /// The whole.
    ///
    /// # Errors
    /// [`ModelError::OutOfTokens`] when the model reached its limit before it said anything.
    pub(super) fn finish(mut self) -> Result<Completion, ModelError> {
        for partial in std::mem::take(&mut self.partial) {
            if partial.name.is_empty() {
                return Err(ModelError::Garbled("it calls a tool without naming it".into()));
            }
            // Results find their calls by these ids.
            let is_taken = self.completion.calls.iter().any(|call| call.id == partial.id);
            let id = if partial.id.is_empty() || is_taken { new_call_id() } else { partial.id };
            let arguments = arguments(&partial.arguments);
            self.completion.calls.push(ToolCall { id, name: partial.name, arguments });
        }
        self.completion.thinking_seconds = self.thinking_time.seconds();
        let says_nothing = self.completion.text.trim().is_empty()
            && self.completion.calls.is_empty()
            && self.completion.files.is_empty();
        if says_nothing && self.cut == Some(CutReason::Length) {
            return Err(ModelError::OutOfTokens);
        }
        // Files are of this run: another one has nothing of their bytes.
        self.completion.once = says_nothing
            || self.cut.is_some()
            || self.completion.is_paused
            || !self.completion.files.is_empty();
        Ok(self.completion)
    }
}

/// Appends to `all`; where it lies there, unless there is nothing to append.
fn append(all: &mut String, text: &str) -> Option<Range<usize>> {
    let begin = all.len();
    all.push_str(text);
    (!text.is_empty()).then_some(begin..all.len())
}

/// Stop words of card and request together: each once, none empty, at most `most`.
pub(super) fn join_stops(card: &[String], request: &[String], most: usize) -> Vec<String> {
    let mut stops: Vec<String> = Vec::new();
    for stop in card.iter().chain(request) {
        if !stop.is_empty() && !stops.contains(stop) && stops.len() < most {
            stops.push(stop.clone());
        }
    }
    stops
}

/// Puts `value` into a body when the card sets it.
pub(super) fn set_optional(body: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_an_object_or_the_raw_text() {
        assert_eq!(arguments(r#"{"a":1}"#), json!({"a":1}));
        assert_eq!(arguments(" "), json!({}));
        assert_eq!(arguments("[1]"), json!("[1]"));
        assert_eq!(arguments("{\"a\":"), json!("{\"a\":"));
        assert_eq!(argument_object(&json!("raw")), json!({"input":"raw"}));
    }

    #[test]
    fn stop_words_are_joined() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(join_stops(&words(&["a", "", "b"]), &words(&["b", "c", "d"]), 3), words(&["a", "b", "c"]));
    }

    #[test]
    fn a_receiver_that_wants_no_more_ends_the_call() {
        let on = |_: Delta<'_>| Err(StreamClosed);
        let mut reply = ReplyBuilder::default();
        reply.add_text("");
        assert_eq!(reply.emit(on), Ok(()));
        reply.add_text("x");
        assert_eq!(reply.emit(on), Err(ModelError::Cancelled));
    }

    #[test]
    fn fragments_are_handed_on_once_and_in_their_order() {
        let mut seen = Vec::new();
        let mut reply = ReplyBuilder::default();
        for (thought, text) in [("hm", "Grüße"), ("", " 👋"), ("so", "")] {
            reply.add_thinking(thought);
            reply.add_text(text);
            reply
                .emit(|delta| {
                    seen.push(format!("{delta:?}"));
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(seen, [r#"Thinking("hm")"#, r#"Text("Grüße")"#, r#"Text(" 👋")"#, r#"Thinking("so")"#]);
        assert_eq!(reply.text(), "Grüße 👋");
    }
}
