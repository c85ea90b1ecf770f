//! LLM Chain: prompt, model, and an optional parser of the answer.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::build::component::moderate;
use crate::kit::build::prompt::{Prompt, PromptForm};
use crate::kit::models::messages::attach_images;
use crate::kit::{
    Card, Category, Chain, ChainProgress, Factory, Input, Model, Moderation, ModerationVerdict, NullSink,
    Output, OutputParser, Risk, RunContext, TokenSink, WireType,
};
use crate::llm::{ChatMessage, ChatRequest, ContentPart};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Moderations in front of a chain or an agent.
pub(crate) const MODERATION: Input =
    Input::wires("inputModeration", "Input Moderation", WireType::Moderation)
        .optional()
        .help("Looks at the question first; a refused question is answered with the moderation's own text.");

/// The variable by which a template says where the instructions of an output parser belong.
const FORMAT_INSTRUCTIONS: &str = "format_instructions";

pub(crate) const CARD: Card = Card {
    name: "llmChain",
    label: "LLM Chain",
    version: 3.0,
    category: Category::Chains,
    description: "Fills a prompt and asks a model.",
    base_classes: &["LLMChain", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wire("model", "Language Model", WireType::LanguageModel),
        Input::wire("prompt", "Prompt", WireType::Prompt),
        Input::wire("outputParser", "Output Parser", WireType::OutputParser).optional(),
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
    make: Factory::Chain(|inputs| {
        Ok(Arc::new(LlmChain {
            label: inputs.label.to_owned(),
            model: inputs.model("model")?,
            prompt: inputs.prompt("prompt")?,
            parser: inputs.optional_parser("outputParser")?,
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
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        self.begin(turn, sink)?.complete(turn, sink)
    }

    fn begin(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<ChainProgress> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink).map(ChainProgress::Done);
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
            return ChainProgress::from_model(&self.model, messages, turn, sink);
        };
        let json = self.ask_and_parse(parser.as_ref(), messages, turn)?;
        let text = to_fenced_json(&json);
        sink.token(&text).map_err(|_| Error::Cancelled)?;
        Ok(ChainProgress::Done(RunOutput { text, json: Some(json), ..RunOutput::default() }))
    }
}

impl LlmChain {
    /// Asks, and reads the answer; after a text that does not fit, once more if the parser wants that.
    fn ask_and_parse(
        &self,
        parser: &dyn OutputParser,
        messages: Vec<ChatMessage>,
        turn: &RunContext<'_>,
    ) -> Result<Value> {
        let request = ChatRequest { messages, ..ChatRequest::default() };
        let first = self.model.ask(&request, turn.host, &mut NullSink)?.text;
        let fault = match parser.parse_reply(&first, turn.host) {
            Ok(json) => return Ok(json),
            Err(fault) => fault,
        };
        let wrong = |fault: String| {
            Error::RunFailed(format!("{}: the model's answer could not be read: {fault}", self.label))
        };
        if !parser.asks_again() {
            return Err(wrong(fault));
        }
        let mut messages = request.messages;
        messages.push(ChatMessage::assistant(first));
        messages.push(ChatMessage::user(format!("That does not fit: {fault}. {}", parser.instructions())));
        let second = self
            .model
            .ask(&ChatRequest { messages, ..ChatRequest::default() }, turn.host, &mut NullSink)?
            .text;
        parser.parse_reply(&second, turn.host).map_err(wrong)
    }
}

/// Adds to the person's last message: many models take no two messages of theirs in a row.
fn instruct(messages: &mut Vec<ChatMessage>, instructions: &str) {
    let Some(ChatMessage::User(parts)) = messages.last_mut() else {
        return messages.push(ChatMessage::user(instructions));
    };
    let text = parts.iter_mut().rev().find_map(|part| match part {
        ContentPart::Text(text) => Some(text),
        ContentPart::Image { .. } | ContentPart::ImageUrl(_) => None,
    });
    match text {
        Some(text) => {
            text.push_str("\n\n");
            text.push_str(instructions);
        }
        None => parts.push(ContentPart::Text(instructions.to_owned())),
    }
}

/// A structured answer as text: Flowise stores it as a fenced JSON block.
fn to_fenced_json(json: &Value) -> String {
    format!("```json\n{}\n```", serde_json::to_string_pretty(json).unwrap_or_default())
}

/// An answer that no model wrote.
///
/// # Errors
/// When the caller left.
pub(crate) fn answer_with(text: String, sink: &mut dyn TokenSink) -> Result<RunOutput> {
    sink.token(&text).map_err(|_| Error::Cancelled)?;
    Ok(RunOutput::from_text(text))
}

/// The messages a prompt makes with these values. The question stands where its owner left the person's message blank.
#[must_use]
pub(crate) fn prompt_messages(
    form: &PromptForm,
    values: &Map<String, Value>,
    question: &str,
) -> Vec<ChatMessage> {
    match form {
        PromptForm::Text(text) => vec![ChatMessage::user(text.format_or(values, question))],
        PromptForm::Chat { system, history, human } => {
            let system = system.format(values);
            let system = (!system.trim().is_empty()).then_some(ChatMessage::System(system));
            let human = ChatMessage::user(human.format_or(values, question));
            system.into_iter().chain(history.iter().cloned()).chain([human]).collect()
        }
    }
}
