//! TreeSummarize: answers from some chunks each, and then from these answers.

use super::prompt;
use crate::kit::models::synthesis::{SUM_UP, Synthesis};
use crate::kit::{Card, Category, Factory, Input, Risk};

const PROMPT: Input = Input::lines("prompt", "Prompt")
    .or(SUM_UP)
    .optional()
    .help("Asks for an answer from {context} to {query}.");

pub(crate) const CARD: Card = Card {
    name: "treeSummarizeLlamaIndex",
    label: "TreeSummarize",
    version: 1.0,
    category: Category::ResponseSynthesizer,
    description: "Answers from some chunks each, and then from these answers, until there is one.",
    base_classes: &["TreeSummarize", "ResponseSynthesizer"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[PROMPT],
    outputs: &[],
    make: Factory::Synthesis(|inputs| Synthesis::tree(prompt(inputs, &PROMPT))),
};
