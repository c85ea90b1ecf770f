//! Character Text Splitter: cuts at one separator only.

use crate::kit::knowledge::splitting::{ChunkLimits, OVERLAP, SIZE, SplitRule};
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;

const PARAGRAPH: &str = "\n\n";

pub(crate) const CARD: Card = Card {
    name: "characterTextSplitter",
    label: "Character Text Splitter",
    version: 1.0,
    category: Category::TextSplitters,
    description: "Cuts a text wherever one separator stands. What has no separator stays whole, however long it is.",
    base_classes: &["CharacterTextSplitter", "TextSplitter", "BaseDocumentTransformer", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        SIZE,
        OVERLAP,
        Input::text("separator", "Custom Separator")
            .optional()
            .help("Where to cut; without one, at empty lines. \\n and \\t stand for a line end and a tab."),
    ],
    outputs: &[],
    make: Factory::Splitter(|inputs| {
        let separator = inputs.optional_text("separator").map(|text| unescape(&text));
        Ok(Arc::new(SplitRule {
            separators: vec![separator.unwrap_or_else(|| PARAGRAPH.to_owned())],
            keeps_separators: false,
            size: ChunkLimits::from_inputs(inputs)?,
        }))
    }),
};

/// A field of one line cannot hold a line end as such.
fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
}
