//! A model and its tools in turns, which can stop before a call and go on later.

use super::MemberTurn;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{Document, RunOutput, UsedTool};
use crate::kit::TokenSink;
use crate::kit::build::component::{RunContext, Tool};
use crate::kit::models::model::Model;
use crate::kit::models::tool_loop::{RoundSink, STOPPED_AFTER_ROUNDS, ToolOutcome, index_by_name, run_tool};
use crate::kit::models::tool_pictures;
use crate::limits::TOOL_ROUNDS_MAX;
use crate::llm::{ChatMessage, ChatRequest, ToolCall, ToolSpec};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What an agent works with.
pub(crate) struct ToolRounds<'a> {
    pub(crate) label: &'a str,
    pub(crate) model: &'a Model,
    pub(crate) tools: &'a [Arc<dyn Tool>],
    /// How often the model may be asked.
    pub(crate) rounds_max: u64,
    /// It stops before tools run.
    pub(crate) asks_person: bool,
}

/// How far it came.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundsSoFar {
    pub(crate) messages: Vec<ChatMessage>,
    pub(crate) used_tools: Vec<UsedTool>,
    pub(crate) sources: Vec<Document>,
    rounds: u64,
    /// All that the model said since the member began or went on.
    #[serde(skip)]
    spoken: String,
}

/// What comes next.
pub(crate) enum NextRound {
    Answered(String),
    /// A person is to be asked about these calls.
    Ask(Vec<ToolCall>),
}

impl RoundsSoFar {
    pub(crate) fn new(messages: Vec<ChatMessage>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// All that the model said on the way, where it said something.
    pub(crate) fn spoken(&self) -> Option<&str> {
        Some(self.spoken.as_str()).filter(|text| !text.trim().is_empty())
    }

    /// Says a text that no model wrote.
    fn say(&mut self, text: &str, words: &mut dyn TokenSink) -> Result<()> {
        let mut round = RoundSink { sink: words, text: &mut self.spoken, apart: true };
        round.token(text).map_err(|_| Error::Cancelled)
    }

    /// What the member said in the end, with the tools it used.
    pub(crate) fn into_turn(self, text: String) -> MemberTurn {
        let mut turn = MemberTurn::said(text);
        turn.shown.used_tools = self.used_tools;
        turn.shown.sources = self.sources;
        turn
    }
}

impl ToolRounds<'_> {
    /// Asks the model and runs its tools until it answers. Failures of tools go back to the model. `words` takes what is
    /// said on the way.
    ///
    /// # Errors
    /// When the model fails or cannot call tools, or the run was ended.
    pub(crate) fn run(
        &self,
        so_far: &mut RoundsSoFar,
        turn: &RunContext<'_>,
        words: &mut dyn TokenSink,
    ) -> Result<NextRound> {
        if !self.tools.is_empty() && !self.model.takes_tools() {
            return Err(Error::RunFailed(format!(
                "{}: {} cannot call tools; connect a model that can",
                self.label,
                self.model.label()
            )));
        }
        let specs: Vec<ToolSpec> = self.tools.iter().map(|tool| tool.spec()).collect();
        while so_far.rounds < self.rounds_max.clamp(1, TOOL_ROUNDS_MAX) {
            so_far.rounds += 1;
            let messages = std::mem::take(&mut so_far.messages);
            let request = ChatRequest { messages, tools: specs.clone(), ..ChatRequest::default() };
            let round = &mut RoundSink { sink: words, text: &mut so_far.spoken, apart: true };
            let completion = self.model.ask(&request, turn.host, round)?;
            so_far.messages = request.messages;
            if completion.calls.is_empty() {
                return Ok(NextRound::Answered(completion.text));
            }
            let calls = completion.calls.clone();
            so_far.messages.push(completion.into_message());
            if self.asks_person {
                return Ok(NextRound::Ask(calls));
            }
            if let Some(answer) = self.call(&calls, so_far, turn)? {
                so_far.say(&answer, words)?;
                return Ok(NextRound::Answered(answer));
            }
        }
        so_far.say(STOPPED_AFTER_ROUNDS, words)?;
        Ok(NextRound::Answered(STOPPED_AFTER_ROUNDS.to_owned()))
    }

    /// Runs the calls; the result of a tool that answers itself is the answer.
    ///
    /// # Errors
    /// When two tools have one name, or the run was ended.
    pub(crate) fn call(
        &self,
        calls: &[ToolCall],
        so_far: &mut RoundsSoFar,
        turn: &RunContext<'_>,
    ) -> Result<Option<String>> {
        let by_name = index_by_name(self.label, self.tools)?;
        let mut outcome = RunOutput::default();
        let mut answer = None;
        for call in calls {
            let tool = by_name.get(call.name.as_str()).copied();
            let ToolOutcome { text, answer: told, pictures, .. } =
                run_tool(tool, &call.name, &call.arguments, turn, &mut outcome);
            answer = answer.or(told);
            let images = tool_pictures::shown(self.model, &pictures, &so_far.messages);
            let (call_id, name) = (call.id.clone(), call.name.clone());
            so_far.messages.push(ChatMessage::Tool { call_id, name, text, images });
            Error::check_cancelled(turn.host.cancel())?;
        }
        so_far.used_tools.append(&mut outcome.used_tools);
        so_far.sources.append(&mut outcome.source_documents);
        Ok(answer)
    }
}
