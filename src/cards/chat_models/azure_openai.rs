//! Azure OpenAI: OpenAI's models in deployments of your own.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{
    BASE_OPTIONS, CACHE, FREQUENCY_PENALTY, IMAGES, MAX_TOKENS, PRESENCE_PENALTY, REASONING,
    REASONING_SUMMARY, STREAMING, TEMPERATURE, TIMEOUT, TOP_P, common_base, with_settings,
};
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, Risk};
use crate::llm::{Endpoint, KeyStyle};

const EFFORTS: &[Choice] = &[
    Choice { name: "low", label: "Low" },
    Choice { name: "medium", label: "Medium" },
    Choice { name: "high", label: "High" },
];

/// Replaces the host of the address, for resources behind a gateway or in another cloud.
pub(crate) const BASE_PATH: Input = Input::address("basepath", "Base Path")
    .additional()
    .help("Takes the place of https://<instance>.openai.azure.com.");

pub(crate) const CARD: Card = Card {
    name: "azureChatOpenAI",
    label: "Azure OpenAI",
    version: 7.1,
    category: Category::ChatModels,
    description: "OpenAI's models in an Azure deployment of your own.",
    base_classes: &[
        "AzureChatOpenAI",
        "ChatOpenAI",
        "BaseChatOpenAI",
        "BaseChatModel",
        "BaseLanguageModel",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["azureOpenAIApi"]),
        CACHE,
        Input::model(&[
            "gpt-4o-mini",
            "gpt-4o",
            "gpt-4.1",
            "gpt-4.1-mini",
            "gpt-5",
            "gpt-5-mini",
            "o3",
            "o4-mini",
        ]),
        TEMPERATURE,
        STREAMING,
        MAX_TOKENS,
        IMAGES,
        REASONING,
        Input::choice("reasoningEffort", "Reasoning Effort", EFFORTS).additional().when("reasoning", "true"),
        REASONING_SUMMARY,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        BASE_PATH,
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = with_settings(inputs, deployment(inputs)?)?;
        model.key_style = KeyStyle::ApiKeyHeader;
        model.usage_in_stream = counts_in_streams(&model.endpoint);
        // The name says nothing certain here: the deployment decides which model answers.
        model.reasons = inputs.switch(REASONING.name);
        Ok(Box::new(model))
    }),
};

/// The deployment that the card's credential names: `…/openai/deployments/<deployment>?api-version=<version>`.
///
/// # Errors
/// When the credential lacks a part of the address, or holds one that cannot stand in an address.
pub(crate) fn deployment(inputs: &Inputs<'_>) -> Result<Endpoint> {
    let key = inputs.secret("azureOpenAIApiKey")?;
    let deployment = part(inputs, "azureOpenAIApiDeploymentName", "deployment name")?;
    let version = part(inputs, "azureOpenAIApiVersion", "API version")?;
    let base = match inputs.address(BASE_PATH.name) {
        Some(base) => base,
        None => {
            let instance = part(inputs, "azureOpenAIApiInstanceName", "instance name")?;
            format!("https://{instance}.openai.azure.com")
        }
    };
    // Owners copy the address with its folders or without.
    let base = base.trim_end_matches("/deployments").trim_end_matches("/openai");
    let base = format!("{base}/openai/deployments/{deployment}");
    let mut endpoint = common_base(inputs, &base, Some(key))?;
    endpoint.query.push(("api-version".to_owned(), version));
    Ok(endpoint)
}

/// True when the version of the protocol knows how to count tokens in a stream; older ones refuse the question.
pub(crate) fn counts_in_streams(endpoint: &Endpoint) -> bool {
    // Versions are dates, and the word `preview` sorts behind all of them.
    endpoint.query.iter().any(|(name, version)| name == "api-version" && version.as_str() >= "2024-09-01")
}

/// A part of the address out of the credential. It becomes a piece of a path or a host, so it holds no more than names do.
fn part(inputs: &Inputs<'_>, field: &str, called: &str) -> Result<String> {
    let is_name =
        |text: &String| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let part = inputs.optional_secret(field).filter(is_name);
    part.ok_or_else(|| inputs.input_error("credential", &format!("its {called} is missing or is no name")))
}
