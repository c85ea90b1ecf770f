//! Cohere's embeddings.

use crate::kit::models::openai_compatible::{BASE_PATH, address, endpoint};
use crate::kit::models::provider_embeddings::provider_embeddings;
use crate::kit::{Card, Category, Choice, Factory, Input, Risk};
use crate::llm::COHERE_BASE;
use crate::llm::embeddings::CohereEmbeddings;

const TYPES: &[Choice] = &[
    Choice::new("search_document", "Search Documents"),
    Choice::new("search_query", "Search"),
    Choice::new("classification", "Classification"),
    Choice::new("clustering", "Clustering"),
];

pub(crate) const CARD: Card = Card {
    name: "cohereEmbeddings",
    label: "Cohere Embedding",
    version: 3.0,
    category: Category::Embeddings,
    description: "Cohere's Embed models.",
    base_classes: &["CohereEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["cohereApi"]),
        Input::model(&[
            "embed-v4.0",
            "embed-english-v3.0",
            "embed-multilingual-v3.0",
            "embed-english-light-v3.0",
            "embed-multilingual-light-v3.0",
            "embed-english-v2.0",
        ])
        .or("embed-english-v2.0"),
        Input::choice("inputType", "Input Type", TYPES)
            .or("search_query")
            .optional()
            .help("Either kind of search tells the provider of questions and of chunks what they are."),
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let base = address(inputs).unwrap_or_else(|| COHERE_BASE.to_owned());
        let kind = inputs.optional_text("inputType");
        Ok(provider_embeddings(
            inputs,
            CohereEmbeddings {
                endpoint: endpoint(inputs, &base, COHERE_BASE)?,
                model: inputs.text("modelName")?,
                input_type: kind.filter(|kind| !kind.starts_with("search_")),
            },
        ))
    }),
};
