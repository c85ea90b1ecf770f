//! HtmlToMarkdown Text Splitter: turns a page into Markdown and cuts that.

use super::languages;
use crate::domain::error::Result;
use crate::kit::knowledge::loading::read_error;
use crate::kit::knowledge::splitting::{ChunkLimits, OVERLAP, SIZE, SplitRule};
use crate::kit::{Card, Category, ChunkSpan, Factory, Host, Risk, Splitter};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "htmlToMarkdownTextSplitter",
    label: "HtmlToMarkdown Text Splitter",
    version: 1.0,
    category: Category::TextSplitters,
    description: "Turns HTML into Markdown and cuts it at its headings first.",
    base_classes: &[
        "HtmlToMarkdownTextSplitter",
        "MarkdownTextSplitter",
        "RecursiveCharacterTextSplitter",
        "TextSplitter",
        "BaseDocumentTransformer",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[SIZE, OVERLAP],
    outputs: &[],
    make: Factory::Splitter(|inputs| {
        let rule = SplitRule::keeping(languages::MARKDOWN, ChunkLimits::from_inputs(inputs)?);
        Ok(Arc::new(HtmlToMarkdown { label: inputs.label.to_owned(), rule }))
    }),
};

struct HtmlToMarkdown {
    label: String,
    rule: SplitRule,
}

impl Splitter for HtmlToMarkdown {
    fn split(&self, text: &str, host: &dyn Host) -> Result<Vec<ChunkSpan>> {
        let markdown = host.documents().read_markdown(text.as_bytes(), host.cancel());
        self.rule.cut(&markdown.map_err(|fault| read_error(&self.label, "the page", fault))?)
    }
}
