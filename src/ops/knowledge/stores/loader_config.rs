//! What a loader of a store brings, as it is set.

use crate::cards::kit::{Card, Category, Risk};
use crate::cards::registry;
use crate::domain::error::{Error, Result, TransientFault};
use crate::domain::ids::ChunkId;
use crate::domain::knowledge::document_store::{CardConfig, LoaderConfig, StoredChunk};
use crate::domain::predictions::prediction::Document;
use crate::engine::{self, StandaloneCard};
use crate::limits;
use crate::ops::predictions::host::workspace_host::WorkspaceHost;

/// A store that loads from a store would repeat what is there already.
const STORE_LOADER: &str = "documentStore";

/// True for loaders that a store may have: those that run code belong on a canvas, where its owner sees them, and so do
/// those that something must be wired into.
pub(super) fn is_for_stores(name: &str) -> bool {
    let fits = |card: &&Card| {
        card.category == Category::DocumentLoaders
            && card.risk == Risk::Safe
            && card.name != STORE_LOADER
            && card.inputs.iter().all(|input| !input.is_wire() || input.optional)
    };
    registry::find(name).as_ref().is_some_and(fits)
}

fn card(plan: &CardConfig, category: Category) -> Result<&'static Card> {
    let found = registry::find(&plan.card).filter(|card| card.category == category);
    found.ok_or_else(|| {
        let what = if category == Category::TextSplitters { "splitter" } else { "loader" };
        Error::Invalid(format!("Invalid {what}: this server does not know '{}'.", display_name(&plan.card)))
    })
}

fn display_name(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Refuses a loader whose cards a store cannot have.
pub(super) fn check(plan: &LoaderConfig) -> Result<()> {
    card(&plan.loader, Category::DocumentLoaders)?;
    if !is_for_stores(&plan.loader.card) {
        return Err(Error::Invalid(format!(
            "Invalid loader: '{}' cannot fill a document store.",
            plan.loader.card
        )));
    }
    plan.splitter.as_ref().map_or(Ok(()), |splitter| card(splitter, Category::TextSplitters).map(drop))
}

/// The input of a loader that takes files.
pub(super) fn file_input(plan: &CardConfig) -> Option<&'static str> {
    let card = registry::find(&plan.card)?;
    let is_file =
        |input: &&crate::cards::kit::Input| matches!(input.kind, crate::cards::kit::InputKind::File(_));
    card.inputs.iter().find(is_file).map(|input| input.name)
}

/// The documents of a loader. What is wrong with it is wrong with the request.
pub(super) fn load(plan: &LoaderConfig, host: &WorkspaceHost<'_>) -> Result<Vec<Document>> {
    check(plan)?;
    let lone = |plan, category| {
        let card = card(plan, category)?;
        Ok::<_, Error>(StandaloneCard {
            card,
            label: card.label,
            settings: &plan.config,
            credential: plan.credential.as_deref(),
        })
    };
    let splitter = plan.splitter.as_ref().map(|plan| lone(plan, Category::TextSplitters)).transpose()?;
    let loaded =
        engine::build_loader(&lone(&plan.loader, Category::DocumentLoaders)?, splitter.as_ref(), host)
            .and_then(|loader| crate::cards::kit::Loader::load(loader.as_ref(), host));
    let mut documents = loaded.map_err(|error| match error {
        Error::RunFailed(why) | Error::Transient(TransientFault { message: why, .. }) => Error::Invalid(why),
        other => other,
    })?;
    documents.retain(|document| !document.page_content.trim().is_empty());
    if documents.is_empty() {
        return Err(Error::invalid("The loader brought no text."));
    }
    if documents.len() > limits::CHUNKS_MAX {
        return Err(Error::invalid("The loader brought too many documents."));
    }
    for document in &mut documents {
        document.metadata.extend(plan.metadata.clone());
    }
    Ok(documents)
}

/// Documents as chunks with ids of their own.
pub(super) fn to_chunks(documents: Vec<Document>) -> Vec<StoredChunk> {
    let chunk = |document: Document| StoredChunk {
        id: ChunkId::next(),
        text: document.page_content,
        metadata: document.metadata,
    };
    documents.into_iter().map(chunk).collect()
}
