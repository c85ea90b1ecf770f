//! Chat Prompt Template: a system text and a human text with `{variables}`.

use super::prompt_template::PROMPT_VALUES;
use crate::cards::kit::code::{self, Code};
use crate::cards::kit::prompt::{Prompt, PromptForm};
use crate::cards::kit::{Card, Category, Input, Inputs, Make, Risk};
use crate::domain::error::Result;
use crate::domain::prediction::{PastMessage, Speaker};
use serde_json::{Map, Value};

const HISTORY: &str = "messageHistoryCode";

/// The card.
pub const CARD: Card = Card {
    name: "chatPromptTemplate",
    label: "Chat Prompt Template",
    version: 2.0,
    category: Category::Prompts,
    description: "Instructions for the model and the form of the question, with {variables} in single braces.",
    base_classes: &["ChatPromptTemplate", "BaseChatPromptTemplate", "BasePromptTemplate", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::lines("systemMessagePrompt", "System Message"),
        Input::lines("humanMessagePrompt", "Human Message"),
        PROMPT_VALUES,
        Input::code(HISTORY, "Messages History")
            .additional()
            .help("Returns a list of {role, content} that stands between the two texts."),
    ],
    outputs: &[],
    make: Make::Prompt(|inputs| {
        let system = inputs.maybe_brace_text("systemMessagePrompt").unwrap_or_default();
        let human = inputs.brace_text("humanMessagePrompt")?;
        let history = match inputs.maybe_text(HISTORY) {
            Some(source) => history(inputs, &source)?,
            None => Vec::new(),
        };
        let form = PromptForm::Chat { system, history, human };
        Ok(Prompt { form, values: inputs.object("promptValues")? })
    }),
};

/// The messages the owner's code returns.
fn history(inputs: &Inputs<'_>, source: &str) -> Result<Vec<PastMessage>> {
    let code = Code::new(inputs.label, source, Map::new());
    let returned = inputs.host.run_code(&code).map_err(|error| code::failed(inputs.label, &error))?;
    let wrong = || inputs.wrong(HISTORY, "the code must return a list of {role, content}");
    let Value::Array(items) = returned else { return Err(wrong()) };
    items.iter().map(|item| past(item).ok_or_else(wrong)).collect()
}

/// One message; roles as the clients and the providers of the family write them.
fn past(item: &Value) -> Option<PastMessage> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let speaker = match text("role").or_else(|| text("type"))? {
        "user" | "human" | "userMessage" => Speaker::User,
        "assistant" | "ai" | "apiMessage" => Speaker::Api,
        _ => return None,
    };
    Some(PastMessage { speaker, text: text("content")?.to_owned() })
}
