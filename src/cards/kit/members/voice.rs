//! What a member with a model says: its prompts, and the conversation that its model is given.

use super::flow_values::FlowValues;
use super::state::SharedMessage;
use super::{TurnView, prompting};
use crate::domain::error::Result;
use crate::kit::build::code::{Code, code_error};
use crate::kit::build::component::RunContext;
use crate::kit::build::message_list;
use crate::kit::build::prompt::BraceText;
use crate::kit::models::messages::{image_parts, past_message};
use crate::kit::{Choice, CodeRunner, Grant, Input, Inputs, Model, WireType};
use crate::llm::{ChatMessage, ContentPart, ToolCall};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(crate) const MODEL: Input = Input::wire("model", "Chat Model", WireType::ChatModel)
    .optional()
    .help("Without one the model of Start is asked.");
pub(crate) const SYSTEM: &str = "systemMessagePrompt";
pub(crate) const HUMAN: &str = "humanMessagePrompt";
pub(crate) const HISTORY_CODE: Input = Input::code("messageHistory", "Messages History")
    .additional()
    .help("Returns a list of messages that stands behind the system message: {role, content}.");
pub(crate) const HISTORY: Input = Input::choice(
    "conversationHistorySelection",
    "Conversation History",
    &[
        Choice::new("user_question", "User Question"),
        Choice::new("last_message", "Last Message"),
        Choice::new("all_messages", "All Messages"),
        Choice::new("empty", "Empty"),
    ],
)
.or("all_messages")
.additional();
pub(crate) const PROMPT_VALUES: Input = Input::json("promptValues", "Format Prompt Values")
    .optional()
    .variables()
    .help("One value for each {variable} of the prompts; $flow.state.key, $flow.input and $vars.name are read of the run.");

pub(crate) const SYSTEM_INPUT: Input = Input::lines(SYSTEM, "System Prompt").optional().braces();
pub(crate) const HUMAN_INPUT: Input =
    Input::lines(HUMAN, "Human Prompt").additional().braces().help("Stands behind the conversation.");

/// Which messages of the state a model is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HistoryChoice {
    Question,
    Newest,
    All,
    Nothing,
}

/// What a member with a model is given by its owner.
pub(crate) struct Voice {
    pub(crate) label: String,
    pub(crate) name: String,
    model: Option<Arc<Model>>,
    system: BraceText,
    human: BraceText,
    values: Map<String, Value>,
    history: HistoryChoice,
    history_code: Option<(String, Grant<dyn CodeRunner>)>,
}

impl Voice {
    /// `name` is the input that names the member.
    ///
    /// # Errors
    /// What is wrong with the inputs.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, name: &str) -> Result<Self> {
        let code =
            if inputs.declares(HISTORY_CODE.name) { inputs.optional_text(HISTORY_CODE.name) } else { None };
        Ok(Self {
            label: inputs.label.to_owned(),
            name: named(inputs, name)?,
            model: inputs.optional_model(MODEL.name)?,
            system: inputs.optional_brace_text(SYSTEM).unwrap_or_default(),
            human: inputs.optional_brace_text(HUMAN).unwrap_or_default(),
            values: inputs.object(PROMPT_VALUES.name)?,
            history: match inputs.optional_text(HISTORY.name).as_deref() {
                Some("user_question") => HistoryChoice::Question,
                Some("last_message") => HistoryChoice::Newest,
                Some("empty") => HistoryChoice::Nothing,
                _ => HistoryChoice::All,
            },
            history_code: match code.filter(|code| !code.trim().is_empty()) {
                Some(code) => Some((code, inputs.need()?)),
                None => None,
            },
        })
    }

    pub(crate) fn model<'m>(&'m self, view: &'m TurnView<'_>) -> &'m Arc<Model> {
        self.model.as_ref().unwrap_or(view.model)
    }

    /// What the model is given. It ends with somebody else's words: a model that is given its own last goes on writing them.
    ///
    /// # Errors
    /// When a variable has no value, or the code of the history fails.
    pub(crate) fn messages(&self, view: &TurnView<'_>, turn: &RunContext<'_>) -> Result<Vec<ChatMessage>> {
        let values = FlowValues { view, turn, output: Value::Null };
        let system = prompting::fill(&self.label, &self.system, &self.values, &[], &values)?;
        let human = prompting::fill(&self.label, &self.human, &self.values, &[], &values)?;
        let mut messages = Vec::new();
        if !system.trim().is_empty() {
            messages.push(ChatMessage::System(system));
        }
        messages.extend(self.written_history(&values)?);
        let heard = match self.history {
            HistoryChoice::Nothing => &[][..],
            HistoryChoice::All => &view.state.messages,
            HistoryChoice::Newest => &view.state.messages[view.state.messages.len().saturating_sub(1)..],
            HistoryChoice::Question => question_of(view),
        };
        if self.history == HistoryChoice::All {
            messages.extend(turn.history.iter().cloned().map(past_message));
        }
        messages.extend(conversation(heard, view.node, self.model(view), turn));
        if !human.trim().is_empty() {
            messages.push(ChatMessage::user(human));
        }
        end_with_others(&mut messages);
        Ok(messages)
    }

    fn written_history(&self, values: &FlowValues<'_>) -> Result<Vec<ChatMessage>> {
        let Some((source, runner)) = &self.history_code else { return Ok(Vec::new()) };
        let code = Code { flow: values.for_code(), ..Code::new(&self.label, source, Map::new()) };
        let returned =
            runner.of(values.turn.host)?.run_code(&code).map_err(|error| code_error(&self.label, &error))?;
        message_list::parse(&returned)
            .map_err(|why| super::fault(&self.label, &format!("Messages History: {why}")))
    }
}

/// What the owner calls the member. The label of its card stands for a name that may be left out, and for one of blanks.
///
/// # Errors
/// When a name that is required is left out.
pub(crate) fn named(inputs: &Inputs<'_>, name: &str) -> Result<String> {
    let may_lack = inputs.is_optional(name);
    let given = if may_lack { inputs.optional_text(name).unwrap_or_default() } else { inputs.text(name)? };
    let given = given.trim();
    Ok(if given.is_empty() { inputs.label.trim() } else { given }.to_owned())
}

fn question_of<'v>(view: &'v TurnView<'_>) -> &'v [SharedMessage] {
    let asked = view.state.messages.iter().rposition(|said| said.author.is_none());
    asked.map_or(&[][..], |at| &view.state.messages[at..=at])
}

/// The messages as the member `own` hears them: its own as a model's, and those of the others as a person's, with their names.
pub(crate) fn conversation(
    heard: &[SharedMessage],
    own: &str,
    model: &Model,
    turn: &RunContext<'_>,
) -> Vec<ChatMessage> {
    let asked = heard.iter().rposition(|said| said.author.is_none());
    let mut messages = Vec::with_capacity(heard.len());
    for (at, said) in heard.iter().enumerate() {
        let mut message = match (&said.author, &said.message) {
            (None, message) => message.clone(),
            (Some(author), ChatMessage::Assistant { text, calls, content }) if author.node == own => {
                if !is_answered(heard, calls) {
                    // A person was asked about these calls, and asked something else instead of answering.
                    if text.trim().is_empty() {
                        continue;
                    }
                    ChatMessage::assistant(text.as_str())
                } else {
                    ChatMessage::Assistant {
                        text: text.clone(),
                        calls: calls.clone(),
                        content: content.clone(),
                    }
                }
            }
            (Some(author), message) => match others_words(heard, author.name.as_str(), own, message) {
                Some(message) => message,
                None => continue,
            },
        };
        if let (true, ChatMessage::User(parts)) = (asked == Some(at), &mut message) {
            parts.extend(if model.takes_images() { image_parts(turn) } else { Vec::new() });
        }
        messages.push(message);
    }
    messages
}

/// True when each of the calls has a result among the messages.
fn is_answered(heard: &[SharedMessage], calls: &[ToolCall]) -> bool {
    let has_result = |call: &ToolCall| {
        heard
            .iter()
            .any(|said| matches!(&said.message, ChatMessage::Tool { call_id, .. } if *call_id == call.id))
    };
    calls.iter().all(has_result)
}

/// What somebody else said. The results of calls that this member asked for itself stay results.
fn others_words(
    heard: &[SharedMessage],
    name: &str,
    own: &str,
    message: &ChatMessage,
) -> Option<ChatMessage> {
    let asked_for = |wanted: &str| {
        heard.iter().any(|said| match (&said.author, &said.message) {
            (Some(author), ChatMessage::Assistant { calls, .. }) => {
                author.node == own && calls.iter().any(|call| call.id == wanted)
            }
            _ => false,
        })
    };
    let text = match message {
        ChatMessage::Tool { call_id, .. } if asked_for(call_id) => return Some(message.clone()),
        ChatMessage::Tool { name, text, .. } => format!("{name} returned: {text}"),
        other => other.text(),
    };
    if text.trim().is_empty() {
        return None;
    }
    Some(ChatMessage::user(if name.is_empty() { text } else { format!("{name}: {text}") }))
}

fn end_with_others(messages: &mut [ChatMessage]) {
    if let Some(last) = messages.last_mut()
        && let ChatMessage::Assistant { text, calls, .. } = last
        && calls.is_empty()
    {
        *last = ChatMessage::User(vec![ContentPart::Text(std::mem::take(text))]);
    }
}
