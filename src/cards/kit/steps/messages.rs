//! The messages that a step of an agentflow sends to its model.

use super::context::StepContext;
use super::memory::StepMemory;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, MessageRole, without_documents};
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::files::KeptFile;
use crate::kit::models::messages::{attach_images, past_message};
use crate::kit::models::model::Model;
use crate::kit::models::model_tally::ModelTally;
use crate::kit::models::past_pictures::attach_made;
use crate::kit::schema::input::{Choice, Input};
use crate::llm::{ChatMessage, ContentPart};
use serde_json::{Map, Value, json};

const ROLE: &str = "role";
const CONTENT: &str = "content";

/// The fields of a message that the owner writes.
pub(crate) const MESSAGE_ROW: &[Input] = &[
    Input::choice(
        ROLE,
        "Role",
        &[
            Choice::new("system", "System"),
            Choice::new("assistant", "Assistant"),
            Choice::new("developer", "Developer"),
            Choice::new("user", "User"),
        ],
    ),
    Input::lines(CONTENT, "Content").variables(),
];

const REPLY_ROLES: &[Choice] =
    &[Choice::new("userMessage", "User Message"), Choice::new("assistantMessage", "Assistant Message")];

/// Whose words the reply of a step is to those that come after it.
#[must_use]
pub(crate) const fn reply_role_input(name: &'static str) -> Input {
    Input::choice(name, "Return Response As", REPLY_ROLES)
        .or("userMessage")
        .help("Whose words the reply is to the models that come after this step.")
}

/// The reply of a step as it is said to those that come after it, with the pictures that it made; nothing for an empty one.
#[must_use]
pub(crate) fn reply_message(
    inputs: &Inputs<'_>,
    name: &str,
    text: &str,
    made: &[KeptFile],
) -> Vec<HistoryMessage> {
    let file = |file: &KeptFile| MessageFile::stored(&file.name, &file.mime, &file.file_name);
    let pictures: Vec<MessageFile> = made.iter().map(file).filter(MessageFile::is_picture).collect();
    if text.trim().is_empty() && pictures.is_empty() {
        return Vec::new();
    }
    let role = match inputs.optional_text(name).as_deref() {
        Some("assistantMessage") => MessageRole::Api,
        _ => MessageRole::User,
    };
    vec![HistoryMessage { pictures, ..HistoryMessage::new(role, text) }]
}

/// What the messages are made of.
pub(crate) struct MessageList<'a> {
    pub inputs: &'a Inputs<'a>,
    pub context: &'a StepContext<'a>,
    pub model: &'a Model,
    /// The input with the rows of messages; `None` for a card that has none.
    pub rows: Option<&'static str>,
    /// The input with what is said last; `None` for a card that has none.
    pub last: Option<&'static str>,
    pub memory: &'a StepMemory,
}

impl MessageList<'_> {
    /// The messages, instructions first.
    ///
    /// # Errors
    /// When the conversation cannot be read, a model cannot sum it up, or there is nothing to ask.
    pub(crate) fn gather(&self, tally: &mut ModelTally) -> Result<Vec<ChatMessage>> {
        let speaks_first = self.context.speaks_first();
        let mut told = self.brought();
        let (mut messages, rows) = self.row_messages();
        let has_user_row = rows.iter().any(is_from_user);
        told.extend(rows);
        if self.memory.is_on {
            told.extend(self.remembered(tally)?);
            let last = self.last.and_then(|name| self.inputs.optional_text(name));
            told.extend(last.filter(|text| !text.trim().is_empty()).map(ChatMessage::user));
        } else if speaks_first && has_user_row {
            attach_images(&mut told, self.context.turn, self.model);
        } else if speaks_first {
            told.extend(self.question());
        }
        if !told.iter().any(is_from_user) {
            told.push(self.address(&mut messages)?);
        }
        if !self.memory.is_on && !speaks_first {
            let read = |file: &MessageFile, bytes_max: usize| self.context.past.picture(file, bytes_max);
            attach_made(&mut told, self.context.said, &read, self.model)?;
        }
        messages.extend(told);
        Ok(messages)
    }

    /// The conversation alone: what the request brought along, what is remembered, and the question where the step is the
    /// first to hear it.
    ///
    /// # Errors
    /// When the conversation cannot be read, or a model cannot sum it up.
    pub(crate) fn conversation(&self, tally: &mut ModelTally) -> Result<Vec<ChatMessage>> {
        let mut told = self.brought();
        told.extend(self.remembered(tally)?);
        Ok(told)
    }

    fn brought(&self) -> Vec<ChatMessage> {
        let brought = if self.context.speaks_first() { self.context.turn.history } else { &[] };
        brought.iter().cloned().map(past_message).collect()
    }

    fn remembered(&self, tally: &mut ModelTally) -> Result<Vec<ChatMessage>> {
        let mut told = self.memory.messages(self.context, self.inputs, self.model, tally)?;
        told.extend(if self.context.speaks_first() { self.question() } else { None });
        Ok(told)
    }

    /// The instructions of the rows in their order, and the other rows.
    fn row_messages(&self) -> (Vec<ChatMessage>, Vec<ChatMessage>) {
        let rows = self.rows.map(|name| self.inputs.rows(name)).unwrap_or_default();
        let message = |row: &Inputs<'_>| {
            let text = row.optional_text(CONTENT).filter(|text| !text.trim().is_empty())?;
            Some(match row.optional_text(ROLE).as_deref() {
                Some("system" | "developer") => ChatMessage::System(text),
                Some("assistant") => ChatMessage::assistant(text),
                _ => ChatMessage::user(text),
            })
        };
        let written = rows.iter().filter_map(message);
        written.partition(|message| matches!(message, ChatMessage::System(_)))
    }

    /// What the person asked, with the images that came with it.
    fn question(&self) -> Option<ChatMessage> {
        let turn = self.context.turn;
        let mut asked = [ChatMessage::User(Vec::new())];
        if let [ChatMessage::User(parts)] = &mut asked
            && !turn.question.trim().is_empty()
        {
            parts.push(ContentPart::Text(turn.question.to_owned()));
        }
        attach_images(&mut asked, turn, self.model);
        asked.into_iter().find(is_from_user)
    }

    /// A message of the person where there would be none, which most providers refuse: the last of the instructions is
    /// then what the model is asked, as it is to those that take instructions alone; without any it is the question.
    fn address(&self, instructions: &mut Vec<ChatMessage>) -> Result<ChatMessage> {
        if let Some(instruction) = instructions.pop() {
            return Ok(ChatMessage::user(instruction.text()));
        }
        let nothing = "there is nothing to ask the model; add a message";
        self.question().ok_or_else(|| self.inputs.input_error(self.rows.unwrap_or_default(), nothing))
    }
}

/// True for a message of the person that holds something.
fn is_from_user(message: &ChatMessage) -> bool {
    matches!(message, ChatMessage::User(parts) if !parts.is_empty())
}

/// What a step worked with, as its record shows it: the messages, and what is set on the card.
#[must_use]
pub(crate) fn step_input(inputs: &Inputs<'_>, messages: &[ChatMessage]) -> Map<String, Value> {
    let mut input = Map::new();
    input.insert("messages".to_owned(), sent_messages(messages));
    for (name, value) in inputs.plain_values() {
        input.entry(name).or_insert(value);
    }
    input
}

/// Messages that were sent to a model, as a record shows them. Documents stand in the record of the question that they came with,
/// and not again in that of each later one.
#[must_use]
pub(in crate::kit) fn sent_messages(messages: &[ChatMessage]) -> Value {
    let asked = messages.iter().rposition(|message| matches!(message, ChatMessage::User(_)));
    messages.iter().enumerate().map(|(at, message)| record(message, Some(at) == asked)).collect()
}

/// A message as a record shows it. Images stand there by their type: the record is no place for their bytes.
fn record(message: &ChatMessage, is_asked: bool) -> Value {
    let shown = |text: &str| if is_asked { text.to_owned() } else { without_documents(text).into_owned() };
    match message {
        ChatMessage::System(text) => json!({"role": "system", "content": text}),
        ChatMessage::User(parts) => match parts.as_slice() {
            [ContentPart::Text(text)] => json!({"role": "user", "content": shown(text)}),
            parts => {
                let parts = parts.iter().map(|part| match part {
                    ContentPart::Text(text) => json!({"type": "text", "text": shown(text)}),
                    ContentPart::Image { mime, .. } => json!({"type": "image", "mime": mime}),
                    ContentPart::ImageUrl(url) => json!({"type": "image_url", "image_url": {"url": url}}),
                });
                json!({"role": "user", "content": parts.collect::<Vec<_>>()})
            }
        },
        ChatMessage::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        ChatMessage::Assistant { text, calls, .. } => {
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        ChatMessage::Tool { call_id, name, text, images } => {
            let mut told = json!({"role": "tool", "name": name, "tool_call_id": call_id, "content": text});
            if !images.is_empty() {
                told["images"] = images.iter().map(|image| Value::from(image.mime.as_str())).collect();
            }
            told
        }
    }
}
