//! AWS Bedrock's embeddings.

use crate::kit::models::provider_embeddings::{BATCH_SIZE, single_line_embeddings};
use crate::kit::web::aws::{AwsService, REGION, endpoint};
use crate::kit::{Card, Category, Choice, Factory, Input, Risk};
use crate::llm::embeddings::BedrockEmbeddings;

const TYPES: &[Choice] = &[
    Choice::new("search_document", "Search Documents"),
    Choice::new("search_query", "Search"),
    Choice::new("classification", "Classification"),
    Choice::new("clustering", "Clustering"),
];

pub(crate) const CARD: Card = Card {
    name: "AWSBedrockEmbeddings",
    label: "AWS Bedrock Embedding",
    version: 5.0,
    category: Category::Embeddings,
    description: "Embedding models of Amazon and Cohere on AWS Bedrock.",
    base_classes: &["AWSBedrockEmbeddings", "BedrockEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["awsApi"])
            .optional()
            .help("An access key. This server's own rights are not lent to flows."),
        REGION,
        Input::model_in(
            "model",
            &[
                "amazon.titan-embed-text-v1",
                "amazon.titan-embed-text-v2:0",
                "cohere.embed-english-v3",
                "cohere.embed-multilingual-v3",
            ],
        )
        .or("amazon.titan-embed-text-v1"),
        Input::text("customModel", "Custom Model Name").optional().help("Takes the place of Model Name."),
        Input::choice("inputType", "Cohere Input Type", TYPES)
            .optional()
            .help("Either kind of search tells Cohere's models of questions and of chunks what they are."),
        Input::address("endpointHost", "Endpoint Host")
            .additional()
            .help("Another address of the service, such as an endpoint of your own network."),
        BATCH_SIZE,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let service = AwsService { host: "bedrock-runtime", signing_name: "bedrock" };
        let endpoint = endpoint(inputs, &service, "endpointHost")?;
        let name = inputs.custom_or_text("customModel", "model")?;
        let mut model = BedrockEmbeddings::new(endpoint, &name);
        model.input_type = inputs.optional_text("inputType").filter(|kind| !kind.starts_with("search_"));
        model.batch = model.batch.with_text_count(inputs.whole(BATCH_SIZE.name)?);
        Ok(single_line_embeddings(inputs, model))
    }),
};
