//! What is text already, and pages of the web.

use super::{DocumentError, Gathered, Kind, Part, encoding};

/// Long enough that lines are not broken where the page does not break them.
pub(super) const WIDTH_CHARS: usize = 100_000;

/// Text, as it is.
pub(super) fn plain(bytes: &[u8], into: &mut Gathered) -> Result<(), DocumentError> {
    into.add(Part::untitled(encoding::decode(bytes).replace("\r\n", "\n")))
}

/// A page.
pub(super) fn page(bytes: &[u8], into: &mut Gathered) -> Result<(), DocumentError> {
    let text = of_page(&encoding::decode(bytes)).ok_or(DocumentError::Damaged(Kind::Html))?;
    into.add(Part::untitled(text))
}

/// The text of a page, without scripts, styles and marks of its own.
pub(super) fn of_page(page: &str) -> Option<String> {
    let config = html2text::config::plain_no_decorate().no_table_borders().no_link_wrapping();
    let text = config.string_from_read(page.as_bytes(), WIDTH_CHARS).ok()?;
    Some(trimmed(&text))
}

/// A text without blanks at the ends of its lines, and without empty lines at its own.
pub(super) fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
