//! Document Store: the chunks of a document store of this server.

use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{BASE_CLASSES, OUTPUTS};
use crate::kit::knowledge::pieces::{DocumentPiece, PieceVisitor};
use crate::kit::{
    Capability, Card, Category, Factory, Grant, Host, Input, Knowledge, Loader, Need, Picker, Risk,
};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "documentStore",
    label: "Document Store",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "The chunks of a document store of this workspace.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::with_refusal(
        Capability::Knowledge,
        "the document store does not exist in this workspace",
    )],
    inputs: &[Input::pick("selectedStore", "Select Store", Picker::DocumentStore)
        .help("The id of a document store of this workspace.")],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let store = DocumentStoreId::parse(inputs.text("selectedStore")?.trim())
            .ok_or_else(|| inputs.input_error("selectedStore", "this must be the id of a document store"))?;
        Ok(Arc::new(DocumentStoreLoader { label: inputs.label.to_owned(), store, knowledge: inputs.need()? }))
    }),
};

struct DocumentStoreLoader {
    label: String,
    store: DocumentStoreId,
    knowledge: Grant<dyn Knowledge>,
}

impl DocumentStoreLoader {
    fn missing(&self) -> Error {
        Error::RunFailed(format!("{}: the document store does not exist in this workspace", self.label))
    }
}

impl Loader for DocumentStoreLoader {
    fn load(&self, host: &dyn Host) -> Result<Vec<Document>> {
        self.knowledge.of(host)?.document_store_chunks(&self.store)?.ok_or_else(|| self.missing())
    }

    fn stream(&self, _from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        let mut visit = |chunks: Vec<Document>| each(DocumentPiece::whole(chunks));
        let is_there = self.knowledge.of(host)?.visit_document_store(&self.store, &mut visit)?;
        if is_there { Ok(()) } else { Err(self.missing()) }
    }
}
