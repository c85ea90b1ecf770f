//! What document stores hold: their loaders with the chunks that these brought, and the cards that their vectors are made and kept
//! with. The stores themselves come in with the file.

use super::report::{MoveReport, Outcome};
use super::{Homes, Move};
use crate::canvas::files;
use crate::domain::error::Result;
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::StoredChunk;
use crate::domain::knowledge::store_changes::LoaderChange;
use crate::domain::knowledge::vector_config::{VectorCardConfig, VectorConfig};
use crate::flowise::{Row, Table};
use crate::limits::DOCUMENT_BYTES_MAX;
use crate::ops::knowledge::stores::{self, MovedLoader};
use crate::ops::knowledge::vectors;
use crate::store::tables::{DOCUMENT_STORES, VECTOR_CONFIGS};
use serde_json::{Map, Value};
use uuid::Uuid;

const LOADER: &str = "DocumentStoreLoader";
const VECTORS: &str = "DocumentStoreVectors";
const NO_STORE: &str = "Its document store did not come in.";

/// # Errors
/// When the databases cannot be read.
pub(super) fn take(moving: &Move<'_>, homes: &Homes, report: &mut MoveReport) -> Result<()> {
    for row in moving.folder.list(Table::DocumentStore)? {
        let home = row.id("id").and_then(|id| homes.ids.get(&id));
        let home = home.map(|id| DocumentStoreId::from_bytes(*id.as_bytes()));
        let name = row.text("name").unwrap_or_default();
        match row.json("loaders") {
            Some(Value::Array(loaders)) => {
                for loader in loaders {
                    moving.go_on()?;
                    let id = loader["id"].as_str().and_then(|id| Uuid::try_parse(id).ok());
                    let shown = loader["loaderName"].as_str().or_else(|| loader["loaderId"].as_str());
                    let shown = format!("{name}: {}", shown.unwrap_or_default());
                    let outcome = Outcome::judge(take_loader(moving, &row, home, id, &loader))?;
                    report.tell(LOADER, id, &shown, outcome);
                }
            }
            None if row.filled("loaders").is_none() => {}
            _ => {
                let why = "Its loaders are not written as Flowise writes them.".to_owned();
                report.tell(LOADER, row.id("id"), name, Outcome::Refused(why));
            }
        }
        if row.filled("embeddingConfig").is_some() {
            let outcome = Outcome::judge(take_vectors(moving, &row, home))?;
            report.tell(VECTORS, row.id("id"), name, outcome);
        }
    }
    Ok(())
}

fn take_loader(
    moving: &Move<'_>,
    store: &Row,
    home: Option<DocumentStoreId>,
    id: Option<Uuid>,
    loader: &Value,
) -> Result<Outcome> {
    let Some(home) = home else { return Ok(Outcome::Left(NO_STORE.to_owned())) };
    let Some(id) = id.map(|id| LoaderId::from_bytes(*id.as_bytes())) else {
        return Ok(Outcome::Refused("It has no id.".to_owned()));
    };
    let Move { app, caller, folder, .. } = *moving;
    let known = app.store.read(|tx| DOCUMENT_STORES.get(tx, &caller.workspace, &home))?;
    if known.is_some_and(|known| known.loader(&id).is_some()) {
        return Ok(Outcome::Here);
    }
    let owner = store.text("id").unwrap_or_default();
    let mut notes = Vec::new();
    let rows = folder.chunks_of(owner, loader["id"].as_str().unwrap_or_default())?;
    let chunks: Vec<StoredChunk> = rows.iter().map(chunk).collect();
    let change = LoaderChange {
        id: Some(id),
        card: text(loader, "loaderId"),
        name: text(loader, "loaderName"),
        config: Some(with_files(moving, owner, object(&loader["loaderConfig"]), &mut notes)),
        splitter: text(loader, "splitterId"),
        splitter_config: Some(object(&loader["splitterConfig"])),
        credential: text(loader, "credential"),
    };
    let synced = loader["status"] == "SYNC";
    let moved = MovedLoader { id, change, synced, chunks };
    stores::check_loader(caller, &moved)?;
    let is_made = !moving.is_real || stores::adopt_loader(app, caller, &home, moved)?;
    Ok(if is_made { Outcome::Made { notes } } else { Outcome::Here })
}

/// The settings with the files that they name in the place of the names.
fn with_files(
    moving: &Move<'_>,
    store: &str,
    mut config: Map<String, Value>,
    notes: &mut Vec<String>,
) -> Map<String, Value> {
    let mut find = |name: &str| moving.folder.store_file(store, name, DOCUMENT_BYTES_MAX as u64);
    for value in config.values_mut() {
        let Value::String(text) = value else { continue };
        if let Some(inline) = files::inline_stored_value(text, &mut find) {
            *text = inline;
        } else if files::parse_file_input(text).is_some() {
            notes.push(
                "A file of it is not in the folder: its chunks are here, and it cannot be run again."
                    .to_owned(),
            );
        }
    }
    config
}

fn chunk(row: &Row) -> StoredChunk {
    StoredChunk {
        id: ChunkId::next(),
        text: row.text("pageContent").unwrap_or_default().to_owned(),
        metadata: row.json("metadata").as_ref().map(object).unwrap_or_default(),
    }
}

fn take_vectors(moving: &Move<'_>, row: &Row, home: Option<DocumentStoreId>) -> Result<Outcome> {
    let Some(home) = home else { return Ok(Outcome::Left(NO_STORE.to_owned())) };
    let Move { app, caller, .. } = *moving;
    if app.store.read(|tx| VECTOR_CONFIGS.has(tx, &caller.workspace, &home))? {
        return Ok(Outcome::Here);
    }
    let card = |column: &str| {
        let set = row.json(column)?;
        VectorCardConfig::from_request(text(&set, "name"), Some(object(&set["config"])))
    };
    let Some(embedding) = card("embeddingConfig") else {
        return Ok(Outcome::Refused("Its embeddings are not written as Flowise writes them.".to_owned()));
    };
    let vectors = VectorConfig {
        embedding,
        vector_store: card("vectorStoreConfig"),
        record_manager: card("recordManagerConfig"),
        filled: None,
    };
    let told = if vectors.vector_store.is_some() {
        "What lies in its vector database is found as before. Upsert the store once to have it counted as filled here."
    } else {
        "Upsert the store once: its vectors are made here."
    };
    vectors::check(&vectors)?;
    if moving.is_real {
        vectors::save(app, caller, &home, &vectors)?;
    }
    Ok(Outcome::Made { notes: vec![told.to_owned()] })
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An object, or the one that a text is.
fn object(value: &Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object.clone(),
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        _ => Map::new(),
    }
}
