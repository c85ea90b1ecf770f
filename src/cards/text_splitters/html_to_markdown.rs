//! HtmlToMarkdown Text Splitter: turns a page into Markdown and cuts that.

use super::languages;
use crate::cards::kit::loading::unread;
use crate::cards::kit::splitting::{OVERLAP, Rule, SIZE, Size};
use crate::cards::kit::{Card, Category, Cut, Host, Make, Risk, Splitter};
use crate::domain::error::Result;
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
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
    inputs: &[SIZE, OVERLAP],
    outputs: &[],
    make: Make::Splitter(|inputs| {
        let rule = Rule::keeping(languages::MARKDOWN, Size::of(inputs)?);
        Ok(Arc::new(HtmlToMarkdown { label: inputs.label.to_owned(), rule }))
    }),
};

struct HtmlToMarkdown {
    label: String,
    rule: Rule,
}

impl Splitter for HtmlToMarkdown {
    fn split(&self, text: &str, host: &dyn Host) -> Result<Vec<Cut>> {
        let markdown = host.documents().markdown_of(text.as_bytes(), host.cancel());
        self.rule.cut(&markdown.map_err(|fault| unread(&self.label, "the page", fault))?)
    }
}
