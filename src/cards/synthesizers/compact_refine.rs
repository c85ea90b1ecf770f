//! Compact and Refine: as many chunks at a time as fit into a message.

use super::{REFINE_PROMPT, TEXT_QA_PROMPT, prompt};
use crate::kit::models::synthesis::Synthesis;
use crate::kit::{Card, Category, Factory, Risk};

pub(crate) const CARD: Card = Card {
    name: "compactrefineLlamaIndex",
    label: "Compact and Refine",
    version: 1.0,
    category: Category::ResponseSynthesizer,
    description: "Answers from as many chunks at a time as fit, each time bettering the answer.",
    base_classes: &["CompactRefine", "ResponseSynthesizer"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[REFINE_PROMPT, TEXT_QA_PROMPT],
    outputs: &[],
    make: Factory::Synthesis(|inputs| {
        Synthesis::compact(prompt(inputs, &TEXT_QA_PROMPT), prompt(inputs, &REFINE_PROMPT))
    }),
};
