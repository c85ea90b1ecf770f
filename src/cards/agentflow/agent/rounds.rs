//! The rounds of an Agent: its model calls tools until it answers, or until a call needs a person.

use super::toolbox::{AgentTool, Toolbox};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{Document, RunOutput, UsedTool};
use crate::kit::knowledge::untrusted_text;
use crate::kit::models::model_tally::ModelTally;
use crate::kit::models::tool_loop::{RoundSink, ToolOutcome, run_tool};
use crate::kit::models::tool_pictures;
use crate::kit::steps::made_files::{keep_files, keep_pictures};
use crate::kit::{Inputs, Model, RunContext, TokenSink};
use crate::llm::{ChatMessage, ChatRequest, Completion, ProviderTool, ToolCall, ToolSpec};
use serde::{Deserialize, Serialize};

/// How far an Agent came: everything that it needs to go on later, in another process too.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentProgress {
    pub(crate) messages: Vec<ChatMessage>,
    /// The calls of the last reply that are not answered yet.
    pub(crate) waiting: Vec<ToolCall>,
    /// Rounds of calls so far.
    rounds: u64,
    pub(crate) tally: ModelTally,
    pub(crate) used_tools: Vec<UsedTool>,
    /// Chunks that tools leaned on.
    pub(crate) sources: Vec<Document>,
    /// Tools that may not be called any more.
    removed: Vec<String>,
    /// What people wrote beside their approvals. The model reads it once all calls of its reply are answered, because
    /// providers take nothing between these answers.
    remarks: Vec<String>,
}

impl AgentProgress {
    pub(crate) fn new(messages: Vec<ChatMessage>, tally: ModelTally) -> Self {
        Self { messages, tally, ..Self::default() }
    }
}

/// Why the rounds ended.
pub(crate) enum RoundsEnd {
    Answer,
    /// This call needs a person.
    Approval(ToolCall),
}

/// An Agent at work.
pub(crate) struct Rounds<'a> {
    pub(crate) inputs: &'a Inputs<'a>,
    pub(crate) model: &'a Model,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) provider_tools: &'a [ProviderTool],
    pub(crate) rounds_max: u64,
    /// The input that says how many rounds there may be.
    pub(crate) rounds_input: &'static str,
    pub(crate) turn: &'a RunContext<'a>,
    pub(crate) sink: &'a mut dyn TokenSink,
    pub(crate) progress: AgentProgress,
    /// What was written since the step began or went on.
    pub(crate) text: String,
    /// The last of it, which answers.
    pub(crate) answer: String,
    /// The provider stopped in the midst of its last reply, so the next one goes on with it.
    pub(crate) is_paused: bool,
}

impl<'a> Rounds<'a> {
    /// An Agent that begins.
    pub(crate) fn new(
        inputs: &'a Inputs<'a>,
        model: &'a Model,
        toolbox: &'a Toolbox,
        turn: &'a RunContext<'a>,
        sink: &'a mut dyn TokenSink,
        (rounds_input, rounds_max): (&'static str, u64),
    ) -> Self {
        Self {
            inputs,
            model,
            toolbox,
            provider_tools: &[],
            rounds_max,
            rounds_input,
            turn,
            sink,
            progress: AgentProgress::default(),
            text: String::new(),
            answer: String::new(),
            is_paused: false,
        }
    }

    /// Goes on until the model answers or a call needs a person.
    ///
    /// # Errors
    /// When the model or a tool that must not fail does, there were too many rounds, or the run was ended.
    pub(crate) fn run(&mut self) -> Result<RoundsEnd> {
        loop {
            if let Some(end) = self.answer_calls()? {
                return Ok(end);
            }
            let calls = self.ask()?;
            if calls.is_empty() && !self.is_paused {
                return Ok(RoundsEnd::Answer);
            }
            if self.progress.rounds >= self.rounds_max {
                let told =
                    format!("the model called tools in {} rounds and still wants more", self.rounds_max);
                return Err(self.inputs.input_error(self.rounds_input, &told));
            }
            self.progress.rounds += 1;
            self.progress.waiting = calls;
        }
    }

    /// Goes on with the call that a person approved.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(crate) fn proceed(&mut self, feedback: Option<&str>) -> Result<RoundsEnd> {
        self.progress.remarks.extend(feedback.map(str::to_owned));
        if !self.progress.waiting.is_empty() && self.answer_call()? {
            return Ok(RoundsEnd::Answer);
        }
        self.run()
    }

    /// Goes on without the call that a person refused, and without all tools of the same card.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub(crate) fn reject(&mut self, feedback: Option<&str>) -> Result<RoundsEnd> {
        if !self.progress.waiting.is_empty() {
            let call = self.progress.waiting.remove(0);
            self.remove_tools(&call.name);
            let mut text = "A person refused this call. The tool cannot be used any more.".to_owned();
            if let Some(feedback) = feedback {
                text.push_str(" They said: ");
                text.push_str(feedback);
            }
            self.progress.messages.push(ChatMessage::result(call.id, call.name, text));
        }
        self.run()
    }

    fn remove_tools(&mut self, name: &str) {
        let row = self.toolbox.find(name).map(|known| known.row);
        let alike = self.toolbox.0.iter().filter(|known| Some(known.row) == row);
        self.progress.removed.extend(alike.map(|known| known.spec.name.clone()));
        self.progress.removed.push(name.to_owned());
    }

    /// Answers the calls that wait, one after another.
    fn answer_calls(&mut self) -> Result<Option<RoundsEnd>> {
        while let Some(call) = self.progress.waiting.first() {
            if self.find_tool(&call.name).is_some_and(|tool| tool.asks_person) {
                return Ok(Some(RoundsEnd::Approval(call.clone())));
            }
            if self.answer_call()? {
                return Ok(Some(RoundsEnd::Answer));
            }
        }
        let remarks = std::mem::take(&mut self.progress.remarks);
        self.progress.messages.extend(remarks.into_iter().map(ChatMessage::user));
        Ok(None)
    }

    /// Runs the first call that waits. True when its result is the answer.
    fn answer_call(&mut self) -> Result<bool> {
        Error::check_cancelled(self.turn.host.cancel())?;
        let call = self.progress.waiting.remove(0);
        let (toolbox, mut ran) = (self.toolbox, RunOutput::default());
        let known = toolbox.find(&call.name).filter(|_| !self.is_removed(&call.name));
        let tool = known.map(|known| known.tool.as_ref());
        let ToolOutcome { text, answer, failure, pictures } =
            run_tool(tool, &call.name, &call.arguments, self.turn, &mut ran);
        self.progress.used_tools.append(&mut ran.used_tools);
        self.progress.sources.append(&mut ran.source_documents);
        self.progress.tally.files.extend(keep_pictures(self.inputs, &pictures)?);
        if let Some(failure) = failure.filter(|_| known.is_some_and(|known| known.stops_on_error)) {
            let told =
                |text: &str| format!("the tool '{}' failed: {}", call.name, untrusted_text::unmark(text));
            let named = failure.reworded(told);
            return Err(named.at(self.inputs.label));
        }
        if let Some(answer) = answer {
            self.write(&answer)?;
            self.answer = answer;
            return Ok(true);
        }
        let images = tool_pictures::shown(self.model, &pictures, &self.progress.messages);
        self.progress.messages.push(ChatMessage::Tool { call_id: call.id, name: call.name, text, images });
        Ok(false)
    }

    /// Asks the model; the calls that it makes.
    fn ask(&mut self) -> Result<Vec<ToolCall>> {
        Error::check_cancelled(self.turn.host.cancel())?;
        let usable = self.toolbox.0.iter().map(|known| known.spec.clone());
        let tools: Vec<ToolSpec> = usable.filter(|spec| !self.is_removed(&spec.name)).collect();
        // Several providers refuse calls in a conversation that has no tools; those with tools of their own take them. The
        // conversation may hold pictures, so it is lent to the request and not copied.
        let lends = !tools.is_empty() || !self.provider_tools.is_empty();
        let messages = match lends {
            true => std::mem::take(&mut self.progress.messages),
            false => without_calls(&self.progress.messages),
        };
        let request = ChatRequest {
            messages,
            tools,
            provider_tools: self.provider_tools.to_vec(),
            ..ChatRequest::default()
        };
        let goes_on = self.is_paused;
        let mut sink = RoundSink { sink: &mut *self.sink, text: &mut self.text, apart: !goes_on };
        let reply = self.progress.tally.ask(self.model, &request, self.turn.host, &mut sink);
        if lends {
            self.progress.messages = request.messages;
        }
        let reply = reply?;
        keep_files(self.inputs, self.model, &reply.files, &mut self.progress.tally)?;
        if !reply.calls.is_empty() {
            self.progress.tally.add_tool_call(&reply);
        }
        if !goes_on {
            self.answer.clear();
        }
        self.answer.push_str(&reply.text);
        self.is_paused = reply.is_paused && reply.calls.is_empty();
        Ok(self.note(reply))
    }

    /// Takes a reply into the conversation; its calls.
    fn note(&mut self, mut reply: Completion) -> Vec<ToolCall> {
        self.progress.used_tools.append(&mut reply.provider_calls);
        let calls = reply.calls.clone();
        if !reply.text.is_empty() || !calls.is_empty() || reply.content.is_some() {
            self.progress.messages.push(reply.into_message());
        }
        calls
    }

    /// Writes what no model wrote, apart from what stands before it.
    ///
    /// # Errors
    /// When the caller left.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        let mut sink = RoundSink { sink: &mut *self.sink, text: &mut self.text, apart: true };
        sink.token(text).map_err(|_| Error::Cancelled)
    }

    fn find_tool(&self, name: &str) -> Option<&AgentTool> {
        self.toolbox.find(name).filter(|_| !self.is_removed(name))
    }

    fn is_removed(&self, name: &str) -> bool {
        self.progress.removed.iter().any(|removed| removed == name)
    }
}

/// The conversation with its calls and their results as texts.
fn without_calls(messages: &[ChatMessage]) -> Vec<ChatMessage> {
    let text = |message: &ChatMessage| match message {
        ChatMessage::Assistant { text, calls, .. } if !calls.is_empty() => {
            (!text.trim().is_empty()).then(|| ChatMessage::assistant(text.as_str()))
        }
        ChatMessage::Tool { name, text, .. } => {
            Some(ChatMessage::user(untrusted_text::mark_untrusted("result", name, text)))
        }
        other => Some(other.clone()),
    };
    messages.iter().filter_map(text).collect()
}
