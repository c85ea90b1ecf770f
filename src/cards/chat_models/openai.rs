//! OpenAI chat models, and every server that speaks the same protocol behind another base address.

use crate::kit::models::openai_compatible::{
    BASE_OPTIONS, BASE_PATH, CACHE, FREQUENCY_PENALTY, IMAGES, MAX_TOKENS, PRESENCE_PENALTY, REASONING,
    REASONING_SUMMARY, STOP_SEQUENCE, STREAMING, TEMPERATURE, TIMEOUT, TOP_P, model,
};
use crate::kit::{Card, Category, Choice, Factory, Input, Risk};
use crate::llm::OPENAI_BASE;

const EFFORTS: &[Choice] = &[
    Choice { name: "low", label: "Low" },
    Choice { name: "medium", label: "Medium" },
    Choice { name: "high", label: "High" },
    Choice { name: "xhigh", label: "Extra High" },
];

const DETAILS: &[Choice] = &[
    Choice { name: "low", label: "Low" },
    Choice { name: "high", label: "High" },
    Choice { name: "auto", label: "Auto" },
];

pub(crate) const CARD: Card = Card {
    name: "chatOpenAI",
    label: "OpenAI",
    version: 8.3,
    category: Category::ChatModels,
    description: "OpenAI's chat models, or any server that speaks the same protocol.",
    base_classes: &["ChatOpenAI", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]),
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
        ])
        .or("gpt-4o-mini"),
        TEMPERATURE,
        STREAMING,
        IMAGES,
        Input::choice("imageResolution", "Image Resolution", DETAILS)
            .additional()
            .when("allowImageUploads", "true"),
        REASONING,
        Input::choice("reasoningEffort", "Reasoning Effort", EFFORTS).additional().when("reasoning", "true"),
        REASONING_SUMMARY,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        Input::switch("strictToolCalling", "Strict Tool Calling").additional(),
        STOP_SEQUENCE,
        BASE_PATH,
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = model(inputs, OPENAI_BASE)?;
        model.strict_tools = inputs.switch("strictToolCalling");
        model.built_in_tools = true;
        model.reasoning_summary = inputs.optional_text(REASONING_SUMMARY.name);
        model.image_detail = inputs.optional_text("imageResolution").filter(|_| model.images);
        Ok(Box::new(model))
    }),
};
