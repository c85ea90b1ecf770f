//! The conversation between a model and its tools, until the model answers (manual 9.13).

use super::arguments::checked;
use super::event::{Gone, Sink};
use super::model::Model;
use super::part::{Observation, Tool, Turn};
use crate::domain::error::{Error, Result};
use crate::domain::prediction::{Outcome, UsedTool};
use crate::limits::TOOL_ROUNDS_MAX;
use crate::llm::{ChatRequest, Followed, Message, Streaming, ToolSpec};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The answer of an agent whose model kept calling tools.
pub(super) const STOPPED_AFTER_ROUNDS: &str =
    "I stopped because this took too many steps without reaching an answer.";

/// An agent's parts.
pub struct ToolLoop<'a> {
    /// The agent card's label.
    pub label: &'a str,
    /// The model.
    pub model: &'a Model,
    /// The tools it may call: these and no others.
    pub tools: &'a [Arc<dyn Tool>],
    /// How often the model may be asked; capped by [`TOOL_ROUNDS_MAX`].
    pub rounds_max: u64,
}

impl ToolLoop<'_> {
    /// Runs until the model answers without calling a tool. Tool errors go back to the model.
    ///
    /// # Errors
    /// When the model fails, cannot call tools, or the run was ended.
    pub fn run(&self, mut messages: Vec<Message>, turn: &Turn<'_>, sink: &mut dyn Sink) -> Result<Outcome> {
        if !self.tools.is_empty() && !self.model.takes_tools() {
            return Err(Error::Failed(format!(
                "{}: {} cannot call tools; connect a model that can",
                self.label,
                self.model.label()
            )));
        }
        let by_name = by_name(self.label, self.tools)?;
        let specs: Vec<ToolSpec> = self.tools.iter().map(|tool| tool.spec()).collect();
        let mut outcome = Outcome::default();
        for _ in 0..self.rounds_max.clamp(1, TOOL_ROUNDS_MAX) {
            let request = ChatRequest { messages, tools: specs.clone(), stop: Vec::new() };
            let completion = self.model.ask(
                &request,
                turn.host,
                &mut Said { sink, text: &mut outcome.text, apart: true },
            )?;
            messages = request.messages;
            if completion.calls.is_empty() {
                return Ok(outcome);
            }
            messages.push(Message::Assistant { text: completion.text, calls: completion.calls.clone() });
            for call in &completion.calls {
                let tool = by_name.get(call.name.as_str());
                let Ran { text, is_answer } =
                    run_tool(tool.copied(), &call.name, &call.arguments, turn, &mut outcome);
                if is_answer {
                    say(&text, &mut outcome, sink)?;
                    return Ok(outcome);
                }
                messages.push(Message::Tool { call_id: call.id.clone(), name: call.name.clone(), text });
            }
            if turn.host.cancel().reason().is_some() {
                return Err(Error::Cancelled);
            }
        }
        say(STOPPED_AFTER_ROUNDS, &mut outcome, sink)?;
        Ok(outcome)
    }
}

/// Tools by the names models call them by.
///
/// # Errors
/// When two have the same name.
pub(super) fn by_name<'t>(label: &str, tools: &'t [Arc<dyn Tool>]) -> Result<HashMap<String, &'t dyn Tool>> {
    let mut by_name: HashMap<String, &dyn Tool> = HashMap::new();
    for tool in tools {
        let name = tool.spec().name;
        if by_name.insert(name.clone(), tool.as_ref()).is_some() {
            return Err(Error::Failed(format!("{label}: two tools are named '{name}'; rename one of them")));
        }
    }
    Ok(by_name)
}

/// Puts a text that no model wrote into the answer.
pub(super) fn say(text: &str, outcome: &mut Outcome, sink: &mut dyn Sink) -> Result<()> {
    Said { sink, text: &mut outcome.text, apart: true }.token(text).map_err(|_| Error::Cancelled)
}

/// Gathers what the model says in all rounds: a streamed answer and a whole one hold the same text, also when
/// the model says something before it calls a tool.
struct Said<'a> {
    sink: &'a mut dyn Sink,
    text: &'a mut String,
    /// The next fragment begins a round, so it stands apart from what was said before.
    apart: bool,
}

/// What stands between the texts of two rounds.
const BETWEEN: &str = "\n\n";

impl Sink for Said<'_> {
    fn token(&mut self, text: &str) -> Result<(), Gone> {
        if text.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.apart) && !self.text.is_empty() {
            self.text.push_str(BETWEEN);
            self.sink.token(BETWEEN)?;
        }
        self.text.push_str(text);
        self.sink.token(text)
    }

    fn thinking(&mut self, text: &str) -> Result<(), Gone> {
        self.sink.thinking(text)
    }

    fn follow(&mut self, streaming: Streaming) -> Followed {
        let lead = if self.apart && !self.text.is_empty() { BETWEEN } else { "" };
        let followed = self.sink.follow(streaming.with_lead(lead));
        self.apart &= followed.said.is_empty();
        self.text.push_str(&followed.said);
        followed
    }
}

/// What became of a tool call.
pub(super) struct Ran {
    /// What the model reads: the result, or why there is none.
    pub(super) text: String,
    /// The result is the answer.
    pub(super) is_answer: bool,
}

/// Runs a tool and notes it in `outcome`.
pub(super) fn run_tool(
    tool: Option<&dyn Tool>,
    name: &str,
    arguments: &Value,
    turn: &Turn<'_>,
    outcome: &mut Outcome,
) -> Ran {
    let result = match tool {
        None => Err(format!("There is no tool named '{name}'. Use one of the tools you were given.")),
        Some(tool) => checked(&tool.spec().schema, arguments).and_then(|given| tool.observe(&given, turn)),
    };
    let (seen, error) = match result {
        Ok(seen) => (seen, None),
        Err(error) => (Observation::default(), Some(error)),
    };
    outcome.source_documents.extend(seen.sources);
    let text = error.clone().unwrap_or_else(|| seen.text.clone());
    let is_answer = error.is_none() && tool.is_some_and(Tool::returns_directly);
    outcome.used_tools.push(UsedTool {
        tool: name.to_owned(),
        tool_input: arguments.clone(),
        tool_output: seen.text,
        error,
    });
    Ran { text, is_answer }
}
