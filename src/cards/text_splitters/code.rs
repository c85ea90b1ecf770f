//! Code Text Splitter: cuts sources where a language begins something new.

use super::languages::LANGUAGES;
use crate::kit::knowledge::splitting::{ChunkLimits, OVERLAP, SIZE, SplitRule};
use crate::kit::{Card, Category, Choice, Factory, Input, Risk};
use std::sync::Arc;

const CHOICES: &[Choice] = &{
    let mut choices = [Choice::new("", ""); LANGUAGES.len()];
    let mut at = 0;
    while at < LANGUAGES.len() {
        choices[at] = Choice::new(LANGUAGES[at].0, LANGUAGES[at].0);
        at += 1;
    }
    choices
};

pub(crate) const CARD: Card = Card {
    name: "codeTextSplitter",
    label: "Code Text Splitter",
    version: 1.0,
    category: Category::TextSplitters,
    description: "Cuts source code at classes, functions and statements of its language.",
    base_classes: &["CodeTextSplitter", "TextSplitter", "BaseDocumentTransformer", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::choice("language", "Language", CHOICES), SIZE, OVERLAP],
    outputs: &[],
    make: Factory::Splitter(|inputs| {
        let chosen = inputs.text("language")?;
        let Some((_, separators)) = LANGUAGES.iter().find(|(name, _)| *name == chosen) else {
            return Err(inputs.input_error("language", "this language is not in the list"));
        };
        Ok(Arc::new(SplitRule::keeping(separators, ChunkLimits::from_inputs(inputs)?)))
    }),
};
