//! Csv File: a document for each row.

use super::rows::{RowFormat, csv};
use crate::documents::DocumentKind;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, FileContent, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader,
};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "csvFile",
    label: "Csv File",
    version: 3.0,
    category: Category::DocumentLoaders,
    description: "The rows of CSV files, a document for each.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file("csvFile", "Csv File", &[".csv"]),
        Input::text("columnName", "Single Column Extraction")
            .optional()
            .help("The name of the only column that is wanted."),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let column = inputs.optional_text("columnName");
        file_loader(inputs, "csvFile", move |file| by_row(file, column.as_deref()))
    }),
};

/// A document for each row of a file.
pub(in crate::document_loaders) fn by_row(
    file: &FileContent<'_>,
    column: Option<&str>,
) -> Result<Vec<Document>> {
    let written = RowFormat { mark: "", number: "line", column, with_values: false };
    let documents = written.documents(file, csv(&file.text(DocumentKind::Text)?));
    documents.ok_or_else(|| file.file_error(&format!("it has no column '{}'", column.unwrap_or_default())))
}
