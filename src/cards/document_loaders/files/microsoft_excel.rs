//! Microsoft Excel: a document for each row of each sheet.

use super::rows::{RowFormat, sheet};
use crate::documents::DocumentKind;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, FileContent, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader,
};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "microsoftExcel",
    label: "Microsoft Excel",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "The rows of spreadsheets, a document for each.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file("excelFile", "Excel File", &[".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"]),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| file_loader(inputs, "excelFile", by_row)),
};

/// A document for each row of each sheet of a file.
pub(in crate::document_loaders) fn by_row(file: &FileContent<'_>) -> Result<Vec<Document>> {
    let written = RowFormat { mark: "- ", number: "rowNum", column: None, with_values: true };
    let mut found = Vec::new();
    for part in file.parts(DocumentKind::Sheet)? {
        let mut rows = written.documents(file, sheet(&part.text)).unwrap_or_default();
        for row in &mut rows {
            row.metadata.insert("worksheet".into(), part.title.clone().unwrap_or_default().into());
        }
        found.extend(rows);
    }
    Ok(found)
}
