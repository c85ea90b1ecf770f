//! The conversation between a model and its tools, until the model answers (manual 9.13).

use super::model::Model;
use super::token_sink::{StreamClosed, TokenSink};
use super::tool_pictures;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{RunOutput, UsedTool};
use crate::kit::build::arguments::check_arguments;
use crate::kit::build::call_error::CallError;
use crate::kit::build::component::{Observation, Picture, RunContext, Tool};
use crate::kit::knowledge::untrusted_text::unmark;
use crate::limits::TOOL_ROUNDS_MAX;
use crate::llm::{ChatMessage, ChatRequest, ReplyStream, StreamEnd, ToolSpec};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The answer of an agent whose model kept calling tools.
pub(in crate::kit) const STOPPED_AFTER_ROUNDS: &str =
    "I stopped because this took too many steps without reaching an answer.";

/// What an agent runs with.
pub(crate) struct ToolLoop<'a> {
    pub label: &'a str,
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
    pub(crate) fn run(
        &self,
        mut messages: Vec<ChatMessage>,
        turn: &RunContext<'_>,
        sink: &mut dyn TokenSink,
    ) -> Result<RunOutput> {
        if !self.tools.is_empty() && !self.model.takes_tools() {
            return Err(Error::RunFailed(format!(
                "{}: {} cannot call tools; connect a model that can",
                self.label,
                self.model.label()
            )));
        }
        let by_name = index_by_name(self.label, self.tools)?;
        let specs: Vec<ToolSpec> = self.tools.iter().map(|tool| tool.spec()).collect();
        let mut outcome = RunOutput::default();
        for _ in 0..self.rounds_max.clamp(1, TOOL_ROUNDS_MAX) {
            let request = ChatRequest { messages, tools: specs.clone(), ..ChatRequest::default() };
            let completion = self.model.ask(
                &request,
                turn.host,
                &mut RoundSink { sink, text: &mut outcome.text, apart: true },
            )?;
            messages = request.messages;
            if completion.calls.is_empty() {
                return Ok(outcome);
            }
            let calls = completion.calls.clone();
            messages.push(completion.into_message());
            for call in calls {
                let tool = by_name.get(call.name.as_str());
                let ToolOutcome { text, answer, pictures, .. } =
                    run_tool(tool.copied(), &call.name, &call.arguments, turn, &mut outcome);
                if let Some(answer) = answer {
                    append_text(&answer, &mut outcome, sink)?;
                    return Ok(outcome);
                }
                let images = tool_pictures::shown(self.model, &pictures, &messages);
                messages.push(ChatMessage::Tool { call_id: call.id, name: call.name, text, images });
            }
            Error::check_cancelled(turn.host.cancel())?;
        }
        append_text(STOPPED_AFTER_ROUNDS, &mut outcome, sink)?;
        Ok(outcome)
    }
}

/// Tools by the names models call them by.
///
/// # Errors
/// When two have the same name.
pub(crate) fn index_by_name<'t>(
    label: &str,
    tools: &'t [Arc<dyn Tool>],
) -> Result<HashMap<String, &'t dyn Tool>> {
    let mut by_name: HashMap<String, &dyn Tool> = HashMap::new();
    for tool in tools {
        let name = tool.spec().name;
        if by_name.insert(name.clone(), tool.as_ref()).is_some() {
            return Err(Error::RunFailed(format!(
                "{label}: two tools are named '{name}'; rename one of them"
            )));
        }
    }
    Ok(by_name)
}

/// Puts a text that no model wrote into the answer.
pub(crate) fn append_text(text: &str, outcome: &mut RunOutput, sink: &mut dyn TokenSink) -> Result<()> {
    RoundSink { sink, text: &mut outcome.text, apart: true }.token(text).map_err(|_| Error::Cancelled)
}

/// Gathers the model's texts of all rounds: a streamed answer and a whole one hold the same text, also when the model
/// writes something before it calls a tool.
pub(crate) struct RoundSink<'a> {
    pub(crate) sink: &'a mut dyn TokenSink,
    pub(crate) text: &'a mut String,
    /// The next fragment begins a round, so it stands apart from the text before it.
    pub(crate) apart: bool,
}

/// What stands between the texts of two rounds.
const BETWEEN: &str = "\n\n";

impl TokenSink for RoundSink<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
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

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.sink.thinking(text)
    }

    fn follow(&mut self, streaming: ReplyStream) -> StreamEnd {
        let lead = if self.apart && !self.text.is_empty() { BETWEEN } else { "" };
        let followed = self.sink.follow(streaming.with_lead(lead));
        self.apart &= followed.text.is_empty();
        self.text.push_str(&followed.text);
        followed
    }
}

/// What became of a tool call.
pub(crate) struct ToolOutcome {
    /// What the model reads: the result, or why there is none.
    pub(crate) text: String,
    /// What a person reads, where the result is the answer.
    pub(crate) answer: Option<String>,
    /// Why there is no result; its words are the text.
    pub(crate) failure: Option<CallError>,
    pub(crate) pictures: Vec<Picture>,
}

/// Runs a tool and notes it in `outcome`, where people read it: the marks around words of strangers are for models.
pub(crate) fn run_tool(
    tool: Option<&dyn Tool>,
    name: &str,
    arguments: &Value,
    turn: &RunContext<'_>,
    outcome: &mut RunOutput,
) -> ToolOutcome {
    let result = match tool {
        None => Err(format!("There is no tool named '{name}'. Use one of the tools you were given.").into()),
        Some(tool) => check_arguments(&tool.spec().schema, arguments)
            .map_err(CallError::from)
            .and_then(|given| tool.observe(&given, turn)),
    };
    let (seen, failure) = match result {
        Ok(seen) => (seen, None),
        Err(error) => (Observation::default(), Some(error)),
    };
    outcome.source_documents.extend(seen.sources);
    let error = failure.as_ref().map(ToString::to_string);
    let text = error.clone().unwrap_or_else(|| seen.text.clone());
    let tool_output = unmark(&seen.text);
    let is_answer = failure.is_none() && tool.is_some_and(Tool::returns_directly);
    let answer = is_answer.then(|| tool_output.clone());
    outcome.used_tools.push(UsedTool {
        tool: name.to_owned(),
        tool_input: arguments.clone(),
        tool_output,
        error: error.as_deref().map(unmark),
    });
    ToolOutcome { text, answer, failure, pictures: seen.pictures }
}
