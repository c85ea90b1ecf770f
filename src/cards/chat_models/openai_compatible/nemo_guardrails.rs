//! NeMo Guardrails: a model behind a server that judges what it is asked and what it answers.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{address, common_base, with_version};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::OpenAi;
use serde_json::json;

const CONFIGURATION: &str = "configurationId";

pub(crate) const CARD: Card = Card {
    name: "chatNemoGuardrails",
    label: "Nemo Guardrails",
    version: 1.0,
    category: Category::ChatModels,
    description: "The model of a configuration of a NeMo Guardrails server.",
    base_classes: &["ChatNemoGuardrails", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::text(CONFIGURATION, "Configuration ID").help("What the server calls the configuration."),
        Input::address("baseUrl", "Base URL").help("Where the server is, such as http://localhost:8000."),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(guarded(inputs)?))),
};

fn guarded(inputs: &Inputs<'_>) -> Result<OpenAi> {
    let base = address(inputs).ok_or_else(|| inputs.input_error("baseUrl", "fill this in"))?;
    // Without a name the server asks the model that the configuration names.
    let mut model = OpenAi::new(common_base(inputs, &with_version(&base), None)?, "");
    let configuration = inputs.text(CONFIGURATION)?;
    let configuration = configuration.trim();
    // Servers of earlier versions read it at the top.
    model.extra.insert("config_id".to_owned(), configuration.into());
    model.extra.insert("guardrails".to_owned(), json!({ "config_id": configuration }));
    Ok(model)
}
