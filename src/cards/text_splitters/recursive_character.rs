//! Recursive Character Text Splitter: cuts at the best of several separators.

use crate::domain::error::Result;
use crate::kit::knowledge::splitting::{ChunkLimits, OVERLAP, SIZE, SplitRule};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use serde_json::Value;
use std::sync::Arc;

/// Paragraphs, lines, words, and at last anywhere.
const SEPARATORS: &[&str] = &["\n\n", "\n", " ", ""];
/// More separators than this are a mistake.
const SEPARATORS_MAX: usize = 100;

pub(crate) const CARD: Card = Card {
    name: "recursiveCharacterTextSplitter",
    label: "Recursive Character Text Splitter",
    version: 2.0,
    category: Category::TextSplitters,
    description: "Cuts a text at paragraphs where they fit, else at lines, else at words.",
    base_classes: &["RecursiveCharacterTextSplitter", "TextSplitter", "BaseDocumentTransformer", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        SIZE,
        OVERLAP,
        Input::lines("separators", "Custom Separators")
            .lists()
            .additional()
            .help("A JSON list of texts, the best place to cut first: [\"\\n\\n\", \"\\n\", \" \", \"\"]."),
    ],
    outputs: &[],
    make: Factory::Splitter(|inputs| {
        let size = ChunkLimits::from_inputs(inputs)?;
        let mut rule = SplitRule::keeping(SEPARATORS, size);
        if let Some(separators) = separators(inputs)? {
            rule.separators = separators;
        }
        Ok(Arc::new(rule))
    }),
};

fn separators(inputs: &Inputs<'_>) -> Result<Option<Vec<String>>> {
    let wrong = || inputs.input_error("separators", "this must be a JSON list of up to 100 texts");
    let Some(list) = inputs.json("separators")? else { return Ok(None) };
    let list = list.as_array().filter(|list| list.len() <= SEPARATORS_MAX).ok_or_else(wrong)?;
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
    list.iter().map(text).collect::<Result<Vec<_>>>().map(|list| Some(list).filter(|list| !list.is_empty()))
}
