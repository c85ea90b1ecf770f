//! References replaced by what they stand for, for one card in one run (manual 9.4).

use super::legacy::escape;
use super::plan::{Plan, StepKind};
use super::run::watch;
use super::source::{InputSource, ReferenceScope};
use crate::canvas::template::{Reference, Segment, TextTemplate, step_into};
use crate::cards::kit::{
    Component, Conversations, Grant, InputValue, RunContext, WatchedNode, WiredComponent,
};
use crate::domain::predictions::prediction::HistoryMessage;
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

/// The conversation as lines, asked for as `{{$flow.…}}`.
const CHAT_HISTORY: &str = "chatHistory";

/// What references can stand for at this point of a run.
pub(super) struct Resolver<'a> {
    pub(super) turn: &'a RunContext<'a>,
    /// Components built so far, by step; `None` for a step that is not reached.
    pub(super) components: &'a [Option<Component>],
    pub(super) plan: &'a Plan,
    /// Variables of the request that texts may hold: none but in Multi-Agent and Sequential Agent flows (manual 7.4).
    pub(super) request_variables: Option<&'a HashMap<String, String>>,
    /// What a run of a pipeline was started with.
    pub(super) params: Option<&'a BTreeMap<String, String>>,
    /// The conversation as lines, read when the first reference asks for it.
    pub(super) chat_history: &'a OnceCell<String>,
}

impl Resolver<'_> {
    pub(super) fn bind(&self, source: &InputSource) -> InputValue {
        match source {
            InputSource::Plain(value) => InputValue::Value(value.clone()),
            InputSource::Text { template, reach } => match self.whole(template, *reach) {
                Some(value) => InputValue::Computed(value),
                None => InputValue::Value(self.text(template, *reach)),
            },
            InputSource::Json { json, reach } => {
                InputValue::Value(json.build(&|template| self.text(template, *reach)))
            }
            InputSource::Components(steps) => {
                InputValue::Components(steps.iter().filter_map(|&step| self.wired_component(step)).collect())
            }
        }
    }

    fn wired_component(&self, step: usize) -> Option<WiredComponent> {
        let (part, from) = (self.components.get(step)?.clone()?, &self.plan.steps[step]);
        let node = match &from.kind {
            StepKind::Known { card, .. } => WatchedNode::new(&from.node, &from.label, card, self.turn.host),
            StepKind::Unknown { .. } => None,
        };
        let component = match node {
            Some(node) => watch::watched(part, &node),
            None => part,
        };
        Some(WiredComponent { label: from.label.clone(), picked: None, component })
    }

    /// The result of another card, where a reference to it is the whole value.
    fn whole(&self, template: &TextTemplate, reach: ReferenceScope) -> Option<Value> {
        match template.single_reference() {
            Some(Reference::Node { id, path }) if !reach.is_owners() => self.node(id, path),
            _ => None,
        }
    }

    /// One pass: a replaced text is not searched again.
    fn text(&self, template: &TextTemplate, reach: ReferenceScope) -> Value {
        if let Some(value) = self.whole(template, reach) {
            return value;
        }
        let mut out = String::new();
        for segment in template.segments() {
            match segment {
                Segment::Text(text) => out.push_str(text),
                Segment::Reference { to, written } => match self.replacement(to, reach, &out) {
                    Some(text) => out.push_str(&text),
                    None => out.push_str(written),
                },
            }
        }
        Value::String(out)
    }

    /// `before` is the text in front of the reference.
    fn replacement(&self, reference: &Reference, reach: ReferenceScope, before: &str) -> Option<String> {
        match reference {
            Reference::Variable(name) => match self.request_variables.and_then(|sent| sent.get(name)) {
                Some(sent) if reach != ReferenceScope::Saved => Some(request_text(sent, reach, before)),
                _ => self.turn.host.variable(name),
            },
            // Messages of people are no fact of the run: they never become code or an address.
            Reference::Flow(name) if name == CHAT_HISTORY => {
                (!reach.is_owners()).then(|| self.history().to_owned())
            }
            Reference::Flow(name) => self.turn.host.fact(name),
            Reference::Param(name) if !reach.is_owners() => self.params?.get(name).cloned(),
            _ if reach != ReferenceScope::Inside => None,
            Reference::Param(_) => None,
            Reference::Question => Some(self.turn.question.to_owned()),
            Reference::ChatHistory => Some(self.history().to_owned()),
            Reference::FileAttachment => Some(self.turn.documents.to_owned()),
            Reference::Node { id, path } => self.node(id, path).map(as_text),
        }
    }

    fn node(&self, id: &str, path: &[String]) -> Option<Value> {
        let Component::Value(value) = self.components.get(*self.plan.places.get(id)?)?.as_ref()? else {
            return None;
        };
        if path.is_empty() {
            return Some(value.clone());
        }
        let parsed = match value {
            Value::String(text) => serde_json::from_str(text).ok()?,
            other => other.clone(),
        };
        path.iter().try_fold(&parsed, |value, key| step_into(value, key)).cloned()
    }

    fn history(&self) -> &str {
        self.chat_history.get_or_init(|| {
            // A conversation that cannot be read fails where it is needed: in the memory card.
            let conversations = Grant::<dyn Conversations>::for_service().of(self.turn.host);
            let stored = conversations.and_then(|all| all.history(None, crate::limits::MEMORY_MESSAGES_MAX));
            let stored = stored.unwrap_or_default();
            let lines = self.turn.history.iter().chain(&stored).map(HistoryMessage::line);
            lines.collect::<Vec<_>>().join("\n")
        })
    }
}

/// A value of a request as it stands in a text of its scope.
fn request_text(sent: &str, reach: ReferenceScope, before: &str) -> String {
    match reach {
        ReferenceScope::Code => escape::in_code(sent, before),
        ReferenceScope::Prompt => escape::in_prompt(sent),
        _ => sent.to_owned(),
    }
}

fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
