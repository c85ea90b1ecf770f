//! What the editor of agentflows saves: rich text as HTML, which becomes Markdown when a canvas is compiled.
//!
//! Only the text an owner saved is read here, before anything is put into it: HTML that a person, a model or a document
//! wrote stays what it is. Entities are decoded once.

mod element;
mod markdown;

use element::Element;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, EndTag, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult,
    Tokenizer, TokenizerOpts,
};
use markdown::MarkdownWriter;
use std::cell::RefCell;

/// Elements that a rich text can begin with.
const BLOCKS: &[&str] =
    &["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "pre", "table", "hr", "div"];

/// True for a text that begins with the tag of a block.
#[must_use]
pub(crate) fn is_rich_text(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('<') else { return false };
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let closes = rest[end..].starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace());
    closes && BLOCKS.iter().any(|block| block.eq_ignore_ascii_case(&rest[..end]))
}

/// A saved text as Markdown: what is no rich text stays as it is.
#[must_use]
pub fn to_markdown(text: &str) -> String {
    if !is_rich_text(text) {
        return text.to_owned();
    }
    let input = BufferQueue::default();
    input.push_back(text.into());
    let tokens = Tokenizer::new(MarkdownSink(RefCell::default()), TokenizerOpts::default());
    // Nothing stops the reading: scripts are never run.
    let _ = tokens.feed(&input);
    tokens.end();
    tokens.sink.0.into_inner().finish()
}

struct MarkdownSink(RefCell<MarkdownWriter>);

impl TokenSink for MarkdownSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut writer = self.0.borrow_mut();
        match token {
            CharacterTokens(text) => writer.push_text(&text),
            TagToken(Tag { kind: StartTag, name, attrs, .. }) => {
                let attribute = |wanted: &str| {
                    let found = attrs.iter().find(|attribute| &*attribute.name.local == wanted)?;
                    Some(found.value.to_string())
                };
                if matches!(&*name, "script" | "style") {
                    writer.open(&name, Element::Hidden);
                    return TokenSinkResult::RawData(RawKind::Rawtext);
                }
                match &*name {
                    "br" => writer.push_line_break(),
                    "hr" => writer.push_rule(),
                    "img" => writer.push_image(attribute("alt").as_deref(), attribute("src").as_deref()),
                    name => {
                        if let Some(element) = Element::read(name, &attribute) {
                            writer.open(name, element);
                        }
                    }
                }
            }
            TagToken(Tag { kind: EndTag, name, .. }) => writer.close(&name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests;
