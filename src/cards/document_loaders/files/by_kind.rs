//! The documents of a file, by the ending of its name.

use super::epub_file::CHAPTER;
use super::microsoft_powerpoint::SLIDE;
use super::pdf_file::PAGE;
use super::{csv_file, json_file, json_lines_file, microsoft_excel, pointers, text_file};
use crate::documents::DocumentKind;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::FileContent;
use crate::kit::{Input, Inputs};

/// What the card chose for kinds of files that can be read in several ways.
pub(in crate::document_loaders) struct LoaderChoices {
    /// A PDF is one document, and not one for each page.
    pub whole_pdf: bool,
    /// Where the text of a line of JSON is.
    pub line_pointer: Option<String>,
}

/// The input for the text of a line of JSON.
pub(in crate::document_loaders) const POINTER: Input = Input::text("pointerName", "JSONL Pointer Extraction")
    .additional()
    .help("Where the text of a line of JSON is: /text.");

impl LoaderChoices {
    /// Reads them from a card that calls the choice for a PDF `usage` and has [`POINTER`].
    pub(in crate::document_loaders) fn from_inputs(inputs: &Inputs<'_>, usage: &str) -> Result<Self> {
        Ok(Self {
            whole_pdf: inputs.text(usage)? == "perFile",
            line_pointer: inputs.optional_text("pointerName").map(|text| pointers::pointer(&text)),
        })
    }
}

/// Endings of names that are read in a way of their own; [`text_file::ENDINGS`] are read as text.
const OWN: &[&str] =
    &["pdf", "docx", "pptx", "epub", "xlsx", "xls", "xlsm", "xlsb", "ods", "csv", "json", "jsonl"];

fn ending(name: &str) -> String {
    name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase()
}

fn is_text(ending: &str) -> bool {
    text_file::ENDINGS.iter().any(|known| known[1..] == *ending)
}

/// True for the name of a file that [`documents`] reads.
pub(in crate::document_loaders) fn is_known(name: &str) -> bool {
    let ending = ending(name);
    OWN.contains(&ending.as_str()) || is_text(&ending)
}

pub(in crate::document_loaders) fn documents(
    file: &FileContent<'_>,
    chosen: &LoaderChoices,
) -> Result<Vec<Document>> {
    let ending = ending(file.name);
    match ending.as_str() {
        "pdf" => Ok(file.pages(file.parts(DocumentKind::Pdf)?, (!chosen.whole_pdf).then_some(PAGE))),
        "docx" => Ok(vec![file.document(file.text(DocumentKind::Docx)?)]),
        "pptx" => Ok(file.pages(file.parts(DocumentKind::Pptx)?, Some(SLIDE))),
        "epub" => Ok(file.pages(file.parts(DocumentKind::Epub)?, Some(CHAPTER))),
        "xlsx" | "xls" | "xlsm" | "xlsb" | "ods" => microsoft_excel::by_row(file),
        "csv" => csv_file::by_row(file, None),
        "json" => json_file::texts(file, &[], &[]),
        "jsonl" => match &chosen.line_pointer {
            Some(pointer) => json_lines_file::by_line(file, pointer, &[]),
            None => Err(file.file_error("choose where the text of its lines is")),
        },
        other if is_text(other) => Ok(vec![file.document(file.text(DocumentKind::Text)?)]),
        _ => Err(file.file_error("files of this type cannot be read")),
    }
}
