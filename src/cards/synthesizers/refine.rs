//! Refine: one chunk after the other.

use super::{REFINE_PROMPT, TEXT_QA_PROMPT, prompt};
use crate::kit::models::synthesis::Synthesis;
use crate::kit::{Card, Category, Factory, Risk};

pub(crate) const CARD: Card = Card {
    name: "refineLlamaIndex",
    label: "Refine",
    version: 1.0,
    category: Category::ResponseSynthesizer,
    description: "Answers from the first chunk and betters the answer with each of the others.",
    base_classes: &["Refine", "ResponseSynthesizer"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[REFINE_PROMPT, TEXT_QA_PROMPT],
    outputs: &[],
    make: Factory::Synthesis(|inputs| {
        Synthesis::refine(prompt(inputs, &TEXT_QA_PROMPT), prompt(inputs, &REFINE_PROMPT))
    }),
};
