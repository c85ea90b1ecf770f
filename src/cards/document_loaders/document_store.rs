//! Document Store: the passages of a document store of this server.

use crate::cards::kit::loading::{BASE_CLASSES, OUTPUTS};
use crate::cards::kit::{Card, Category, Host, Input, Loader, Make, Picked, Risk};
use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::prediction::SourceDocument;
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
    name: "documentStore",
    label: "Document Store",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "The passages of a document store of this workspace.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    inputs: &[Input::pick("selectedStore", "Select Store", Picked::DocumentStore)
        .help("The id of a document store of this workspace.")],
    outputs: OUTPUTS,
    make: Make::Loader(|inputs| {
        let store = DocumentStoreId::parse(inputs.text("selectedStore")?.trim())
            .ok_or_else(|| inputs.wrong("selectedStore", "this must be the id of a document store"))?;
        Ok(Arc::new(StoreLoader { label: inputs.label.to_owned(), store }))
    }),
};

struct StoreLoader {
    label: String,
    store: DocumentStoreId,
}

impl Loader for StoreLoader {
    fn load(&self, host: &dyn Host) -> Result<Vec<SourceDocument>> {
        let missing =
            || Error::Failed(format!("{}: the document store does not exist in this workspace", self.label));
        host.passages(&self.store)?.ok_or_else(missing)
    }
}
