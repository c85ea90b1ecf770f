//! Cohere's models.

use crate::kit::models::openai_compatible::{BASE_PATH, CACHE, STREAMING, TEMPERATURE, address, endpoint};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::{COHERE_BASE, Cohere};

pub(crate) const CARD: Card = Card {
    name: "chatCohere",
    label: "Cohere",
    version: 3.0,
    category: Category::ChatModels,
    description: "Cohere's Command models.",
    base_classes: &["ChatCohere", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["cohereApi"]),
        CACHE,
        Input::model(&[
            "command-a-03-2025",
            "command-r-plus-08-2024",
            "command-r-08-2024",
            "command-r7b-12-2024",
        ])
        .or("command-r7b-12-2024"),
        TEMPERATURE.starting("0.7"),
        STREAMING,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let base = address(inputs).unwrap_or_else(|| COHERE_BASE.to_owned());
        Ok(Box::new(Cohere {
            endpoint: endpoint(inputs, &base, COHERE_BASE)?,
            model: inputs.text("modelName")?,
            // Flowise sends no temperature of 0 here.
            temperature: inputs.number("temperature")?.filter(|temperature| *temperature != 0.0),
            streaming: inputs.switch("streaming"),
        }))
    }),
};
