//! LLM Chain: prompt, model, and an optional parser of the answer.

use crate::cards::kit::part::moderate;
use crate::cards::kit::prompt::{Prompt, PromptForm};
use crate::cards::kit::{
    Card, Category, Chain, Connects, Input, Make, Model, Moderation, Output, OutputParser, Quiet, Risk, Sink,
    Turn, Verdict,
};
use crate::domain::error::{Error, Result};
use crate::domain::prediction::{Outcome, PastMessage, Speaker};
use crate::llm::{ChatRequest, Content, Message};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Moderations in front of a chain or an agent.
pub const MODERATION: Input = Input::wires("inputModeration", "Input Moderation", Connects::Moderation)
    .optional()
    .help("Looks at the question first; a refused question is answered with the moderation's own text.");

/// The variable by which a template says where the instructions of an output parser belong.
const FORMAT_INSTRUCTIONS: &str = "format_instructions";

/// The card.
pub const CARD: Card = Card {
    name: "llmChain",
    label: "LLM Chain",
    version: 3.0,
    category: Category::Chains,
    description: "Fills a prompt and asks a model.",
    base_classes: &["LLMChain", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::wire("model", "Language Model", Connects::LanguageModel),
        Input::wire("prompt", "Prompt", Connects::Prompt),
        Input::wire("outputParser", "Output Parser", Connects::OutputParser).optional(),
        MODERATION,
        Input::text("chainName", "Chain Name").optional(),
    ],
    outputs: &[
        Output {
            name: "llmChain",
            label: "LLM Chain",
            base_classes: &["LLMChain", "BaseChain", "Runnable"],
            predicts: false,
        },
        Output {
            name: "outputPrediction",
            label: "Output Prediction",
            base_classes: &["string", "json"],
            predicts: true,
        },
    ],
    make: Make::Chain(|inputs| {
        Ok(Arc::new(LlmChain {
            label: inputs.label.to_owned(),
            model: inputs.model("model")?,
            prompt: inputs.prompt("prompt")?,
            parser: inputs.maybe_parser("outputParser")?,
            moderations: inputs.moderations("inputModeration")?,
        }))
    }),
};

struct LlmChain {
    label: String,
    model: Arc<Model>,
    prompt: Arc<Prompt>,
    parser: Option<Arc<dyn OutputParser>>,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl Chain for LlmChain {
    fn run(&self, turn: &Turn<'_>, sink: &mut dyn Sink) -> Result<Outcome> {
        if let Verdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let instructions = self.parser.as_ref().map(|parser| parser.instructions());
        let has_place = self.prompt.wants(FORMAT_INSTRUCTIONS);
        let placed = instructions.as_deref().filter(|_| has_place).map(|told| (FORMAT_INSTRUCTIONS, told));
        let values = self.prompt.fill_with(placed.as_slice(), &self.label, turn.question)?;
        let mut messages = prompt_messages(&self.prompt.form, &values, turn.question);
        if let Some(instructions) = instructions.filter(|_| !has_place) {
            instruct(&mut messages, &instructions);
        }
        attach_images(&mut messages, turn, &self.model);
        let Some(parser) = &self.parser else {
            let completion =
                self.model.ask(&ChatRequest { messages, ..ChatRequest::default() }, turn.host, sink)?;
            return Ok(Outcome { text: completion.text, ..Outcome::default() });
        };
        let json = self.parsed(parser.as_ref(), messages, turn)?;
        let text = fenced(&json);
        sink.token(&text).map_err(|_| Error::Cancelled)?;
        Ok(Outcome { text, json: Some(json), ..Outcome::default() })
    }
}

impl LlmChain {
    /// Asks, and reads the answer; after a text that does not fit, once more if the parser wants that.
    fn parsed(&self, parser: &dyn OutputParser, messages: Vec<Message>, turn: &Turn<'_>) -> Result<Value> {
        let request = ChatRequest { messages, ..ChatRequest::default() };
        let first = self.model.ask(&request, turn.host, &mut Quiet)?.text;
        let fault = match parser.parse(&first) {
            Ok(json) => return Ok(json),
            Err(fault) => fault,
        };
        let wrong = |fault: String| {
            Error::Failed(format!("{}: the model's answer could not be read: {fault}", self.label))
        };
        if !parser.asks_again() {
            return Err(wrong(fault));
        }
        let mut messages = request.messages;
        messages.push(Message::assistant(first));
        messages.push(Message::user(format!("That does not fit: {fault}. {}", parser.instructions())));
        let second =
            self.model.ask(&ChatRequest { messages, ..ChatRequest::default() }, turn.host, &mut Quiet)?.text;
        parser.parse(&second).map_err(wrong)
    }
}

/// Adds to what the person says last: many models take no two messages of theirs in a row.
fn instruct(messages: &mut Vec<Message>, instructions: &str) {
    let Some(Message::User(parts)) = messages.last_mut() else {
        return messages.push(Message::user(instructions));
    };
    let text = parts.iter_mut().rev().find_map(|part| match part {
        Content::Text(text) => Some(text),
        Content::Image { .. } | Content::ImageUrl(_) => None,
    });
    match text {
        Some(text) => {
            text.push_str("\n\n");
            text.push_str(instructions);
        }
        None => parts.push(Content::Text(instructions.to_owned())),
    }
}

/// A structured answer as text: the family stores it as a fenced JSON block.
fn fenced(json: &Value) -> String {
    format!("```json\n{}\n```", serde_json::to_string_pretty(json).unwrap_or_default())
}

/// An answer that no model wrote.
///
/// # Errors
/// When the caller left.
pub fn answer_with(text: String, sink: &mut dyn Sink) -> Result<Outcome> {
    sink.token(&text).map_err(|_| Error::Cancelled)?;
    Ok(Outcome { text, ..Outcome::default() })
}

/// The messages a prompt makes with these values. Where its owner left the person's part blank, the question stands there.
#[must_use]
pub fn prompt_messages(form: &PromptForm, values: &Map<String, Value>, question: &str) -> Vec<Message> {
    match form {
        PromptForm::Text(text) => vec![Message::user(text.format_or(values, question))],
        PromptForm::Chat { system, history, human } => {
            let system = system.format(values);
            let system = (!system.trim().is_empty()).then_some(Message::System(system));
            let human = Message::user(human.format_or(values, question));
            system.into_iter().chain(history.iter().cloned()).chain([human]).collect()
        }
    }
}

/// A message of a conversation as the model reads it.
#[must_use]
pub fn past_message(message: &PastMessage) -> Message {
    match message.speaker {
        Speaker::User => Message::user(message.text.as_str()),
        Speaker::Api => Message::assistant(message.text.as_str()),
    }
}

/// Adds the images of the question to its last user message, when the model takes images.
pub fn attach_images(messages: &mut [Message], turn: &Turn<'_>, model: &Model) {
    use crate::domain::prediction::UploadContent;
    if !model.takes_images() {
        return;
    }
    let Some(Message::User(parts)) =
        messages.iter_mut().rev().find(|message| matches!(message, Message::User(_)))
    else {
        return;
    };
    parts.extend(turn.uploads.iter().map(|upload| match &upload.content {
        UploadContent::Image { base64 } => {
            Content::Image { mime: upload.mime.clone(), base64: base64.clone() }
        }
        UploadContent::Url(url) => Content::ImageUrl(url.clone()),
    }));
}
