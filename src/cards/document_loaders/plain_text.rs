//! Plain Text: a text typed on the card.

use crate::cards::kit::{Card, Category, Connects, Host, Input, Loader, Make, Output, Risk, Splitter};
use crate::domain::error::Result;
use crate::domain::prediction::SourceDocument;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
    name: "plainText",
    label: "Plain Text",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "A text typed on the card.",
    base_classes: &["Document"],
    risk: Risk::Safe,
    inputs: &[
        Input::lines("text", "Text"),
        Input::wire("textSplitter", "Text Splitter", Connects::TextSplitter).optional(),
        Input::json("metadata", "Additional Metadata").additional(),
        Input::text("omitMetadataKeys", "Omit Metadata Keys").additional(),
    ],
    outputs: OUTPUTS,
    make: Make::Loader(|inputs| {
        let omitted = inputs.comma_list("omitMetadataKeys");
        let mut metadata = inputs.object("metadata")?;
        // The only key of its own is where the text is from.
        if !omitted.iter().any(|key| key == "source" || key == "*") {
            metadata.entry("source").or_insert_with(|| Value::from(inputs.label));
        }
        let (text, splitter) = (inputs.text("text")?, inputs.maybe_splitter("textSplitter")?);
        Ok(Arc::new(PlainText { text, splitter, metadata }))
    }),
};

const OUTPUTS: &[Output] =
    &[Output { name: "document", label: "Document", base_classes: &["Document", "json"], predicts: false }];

struct PlainText {
    text: String,
    splitter: Option<Arc<dyn Splitter>>,
    metadata: Map<String, Value>,
}

impl Loader for PlainText {
    fn load(&self, _host: &dyn Host) -> Result<Vec<SourceDocument>> {
        let texts = match &self.splitter {
            Some(splitter) => splitter.split(&self.text)?,
            None => vec![self.text.clone()],
        };
        let document = |page_content| SourceDocument { page_content, metadata: self.metadata.clone() };
        Ok(texts.into_iter().map(document).collect())
    }
}
