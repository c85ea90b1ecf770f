//! Chat Prompt Template: a system text and a human text with `{variables}`.

use super::prompt_template::PROMPT_VALUES;
use crate::domain::error::Result;
use crate::kit::build::code::{self, Code};
use crate::kit::build::message_list;
use crate::kit::build::prompt::{Prompt, PromptForm};
use crate::kit::{Capability, Card, Category, CodeRunner, Factory, Input, Inputs, Need, Risk};
use crate::llm::ChatMessage;
use serde_json::Map;

const HISTORY: &str = "messageHistoryCode";

pub(crate) const CARD: Card = Card {
    name: "chatPromptTemplate",
    label: "Chat Prompt Template",
    version: 2.0,
    category: Category::Prompts,
    description: "Instructions for the model and the form of the question, with {variables} in single braces.",
    base_classes: &["ChatPromptTemplate", "BaseChatPromptTemplate", "BasePromptTemplate", "Runnable"],
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Code)],
    inputs: &[
        Input::lines("systemMessagePrompt", "System Message").optional(),
        Input::lines("humanMessagePrompt", "Human Message").optional().help("Empty: the question."),
        PROMPT_VALUES,
        Input::code(HISTORY, "Messages History")
            .additional()
            .help("Returns a list of messages that stands between the two texts: {role, content}, [role, text], or the message classes of @langchain/core/messages."),
    ],
    outputs: &[],
    make: Factory::Prompt(|inputs| {
        let system = inputs.optional_brace_text("systemMessagePrompt").unwrap_or_default();
        let human = inputs.optional_brace_text("humanMessagePrompt").unwrap_or_default();
        let history = match inputs.optional_text(HISTORY) {
            Some(requested_source) => history(inputs, &requested_source)?,
            None => Vec::new(),
        };
        let form = PromptForm::Chat { system, history, human };
        Ok(Prompt { form, values: inputs.object("promptValues")? })
    }),
};

/// The messages the owner's code returns. What they say is sent as it is: it may hold what a person said.
fn history(inputs: &Inputs<'_>, source: &str) -> Result<Vec<ChatMessage>> {
    let code = Code::new(inputs.label, source, Map::new());
    let runner = inputs.need::<dyn CodeRunner>()?.of(inputs.host)?;
    let returned = runner.run_code(&code).map_err(|error| code::code_error(inputs.label, &error))?;
    message_list::parse(&returned).map_err(|why| inputs.input_error(HISTORY, &why))
}
