//! Plain Text: a text that stands on the card itself.

use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, loader};
use crate::kit::{Card, Category, Factory, Host, Input, Risk};
use serde_json::Map;

pub(crate) const CARD: Card = Card {
    name: "plainText",
    label: "Plain Text",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "A document of the text that is written here.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::lines("text", "Text").optional().help("Empty: there is no document."),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let text = inputs.optional_text("text").filter(|text| !text.trim().is_empty());
        loader(inputs, move |_: &dyn Host| {
            let document = |text: &String| Document { page_content: text.clone(), metadata: Map::new() };
            Ok(text.iter().map(document).collect())
        })
    }),
};
