//! What is text already, and pages of the web.

use super::{DocumentError, DocumentKind, DocumentPart, TextCollector, encoding};

/// Long enough that lines are not broken where the page does not break them.
pub(super) const WIDTH_CHARS: usize = 100_000;

/// Text, as it is.
pub(super) fn read_plain(bytes: &[u8], into: &mut TextCollector) -> Result<(), DocumentError> {
    into.add(DocumentPart::from_text(encoding::decode(bytes).replace("\r\n", "\n")))
}

pub(super) fn read_page(bytes: &[u8], into: &mut TextCollector) -> Result<(), DocumentError> {
    let text = page_text(&encoding::decode(bytes)).ok_or(DocumentError::Damaged(DocumentKind::Html))?;
    into.add(DocumentPart::from_text(text))
}

/// The text of a page, without scripts, styles and marks of its own.
pub(super) fn page_text(page: &str) -> Option<String> {
    let config = html2text::config::plain_no_decorate().no_table_borders().no_link_wrapping();
    let text = config.string_from_read(page.as_bytes(), WIDTH_CHARS).ok()?;
    Some(trim_lines(&text))
}

/// A text without blanks at the ends of its lines, and without empty lines at its own.
pub(super) fn trim_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
