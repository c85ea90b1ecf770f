//! Alibaba's Tongyi models, by the protocol that its Model Studio has beside its own.

use crate::kit::models::openai_compatible::{ANY_MODEL, BASE_PATH, CACHE, STREAMING, TEMPERATURE, model};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://dashscope-intl.aliyuncs.com/compatible-mode/v1";

pub(crate) const CARD: Card = Card {
    name: "chatAlibabaTongyi",
    label: "Alibaba Tongyi",
    version: 2.0,
    category: Category::ChatModels,
    description: "Alibaba's Qwen models.",
    base_classes: &["ChatAlibabaTongyi", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["AlibabaApi"]),
        CACHE,
        ANY_MODEL,
        TEMPERATURE,
        STREAMING,
        BASE_PATH.help("Another region, such as https://dashscope.aliyuncs.com/compatible-mode/v1 for keys of mainland China."),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
