//! AWS Bedrock: models of many makers.

use super::anthropic::is_sampled;
use crate::kit::models::openai_compatible::{CACHE, IMAGES, STREAMING};
use crate::kit::web::aws::{AwsService, REGION, endpoint};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::Bedrock;

/// Beginnings of the names of profiles, which say where in the world a model may run.
const PROFILES: &[&str] = &["global.", "us.", "us-gov.", "eu.", "apac.", "jp.", "au.", "ca.", "arn:"];

pub(crate) const CARD: Card = Card {
    name: "awsChatBedrock",
    label: "AWS Bedrock",
    version: 6.1,
    category: Category::ChatModels,
    description: "Models of many makers on AWS Bedrock.",
    base_classes: &["AWSChatBedrock", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["awsApi"]).optional().help("An access key. This server's own rights are not lent to flows."),
        CACHE,
        REGION,
        Input::model_in(
            "model",
            &[
                "anthropic.claude-haiku-4-5-20251001-v1:0",
                "anthropic.claude-sonnet-4-5-20250929-v1:0",
                "amazon.nova-pro-v1:0",
                "amazon.nova-lite-v1:0",
                "amazon.nova-micro-v1:0",
                "meta.llama3-3-70b-instruct-v1:0",
                "mistral.mistral-large-2407-v1:0",
                "cohere.command-r-plus-v1:0",
                "deepseek.r1-v1:0",
            ],
        )
        .or("anthropic.claude-haiku-4-5-20251001-v1:0"),
        Input::text("customModel", "Custom Model Name")
            .optional()
            .help("Another model, a profile such as eu.anthropic.…, or a full name (ARN). Takes the place of Model Name."),
        Input::address("endpointHost", "Endpoint Host")
            .additional()
            .help("Another address of the service, such as an endpoint of your own network."),
        STREAMING,
        IMAGES,
        Input::number("temperature", "Temperature", 0.0, 2.0).starting("0.7").additional(),
        Input::whole("max_tokens_to_sample", "Max Tokens to Sample", 1.0, 1_000_000.0).starting("200").additional(),
        Input::switch("latencyOptimized", "Latency Optimized")
            .additional()
            .help("Asks for faster machines, for the models that have some."),
        Input::switch("useGlobalEndpoint", "Use Global Endpoint")
            .additional()
            .help("Lets the model run in any region of the world, for the models that may."),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let service = AwsService { host: "bedrock-runtime", signing_name: "bedrock" };
        let endpoint = endpoint(inputs, &service, "endpointHost")?;
        let name = inputs.custom_or_text("customModel", "model")?;
        let name = inference_model(name.trim(), inputs.switch("useGlobalEndpoint"));
        let mut model = Bedrock::new(endpoint, &name);
        if is_sampled(&name) {
            model.temperature = inputs.number("temperature")?;
        }
        model.max_tokens = inputs.whole("max_tokens_to_sample")?;
        model.optimized = inputs.switch("latencyOptimized");
        model.images = inputs.switch("allowImageUploads");
        model.streaming = inputs.switch("streaming");
        Ok(Box::new(model))
    }),
};

/// The name of the model that is asked, or of its profile for all of the world.
fn inference_model(name: &str, global: bool) -> String {
    let has_place = PROFILES.iter().any(|profile| name.starts_with(profile));
    if global && !has_place { format!("global.{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_without_a_place_gets_one() {
        for (name, expected) in [
            ("anthropic.claude-x", "global.anthropic.claude-x"),
            ("eu.anthropic.claude-x", "eu.anthropic.claude-x"),
            ("global.anthropic.claude-x", "global.anthropic.claude-x"),
            ("arn:aws:bedrock:eu-west-1:1:x", "arn:aws:bedrock:eu-west-1:1:x"),
        ] {
            assert_eq!(inference_model(name, true), expected);
            assert_eq!(inference_model(name, false), name);
        }
    }
}
