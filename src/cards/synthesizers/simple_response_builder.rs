//! Simple Response Builder: all chunks in one message.

use crate::kit::models::synthesis::Synthesis;
use crate::kit::{Card, Category, Factory, Risk};

pub(crate) const CARD: Card = Card {
    name: "simpleResponseBuilderLlamaIndex",
    label: "Simple Response Builder",
    version: 1.0,
    category: Category::ResponseSynthesizer,
    description: "Answers from all chunks at once.",
    base_classes: &["SimpleResponseBuilder", "ResponseSynthesizer"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[],
    outputs: &[],
    make: Factory::Synthesis(|_| Synthesis::once()),
};
