//! Microsoft Excel: a document for each row of each sheet.

use super::rows::{Written, sheet};
use crate::cards::kit::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, Opened, SPLITTER, file_loader};
use crate::cards::kit::{Card, Category, Input, Make, Risk};
use crate::documents::Kind;
use crate::domain::error::Result;
use crate::domain::prediction::SourceDocument;

/// The card.
pub const CARD: Card = Card {
    name: "microsoftExcel",
    label: "Microsoft Excel",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "The rows of spreadsheets, a document for each.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    inputs: &[
        Input::file("excelFile", "Excel File", &[".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"]),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Make::Loader(|inputs| file_loader(inputs, "excelFile", by_row)),
};

/// A document for each row of each sheet of a file.
pub(super) fn by_row(file: &Opened<'_>) -> Result<Vec<SourceDocument>> {
    let written = Written { mark: "- ", number: "rowNum", column: None, with_values: true };
    let mut found = Vec::new();
    for part in file.parts(Kind::Sheet)? {
        let mut rows = written.documents(file, sheet(&part.text)).unwrap_or_default();
        for row in &mut rows {
            row.metadata.insert("worksheet".into(), part.title.clone().unwrap_or_default().into());
        }
        found.extend(rows);
    }
    Ok(found)
}
