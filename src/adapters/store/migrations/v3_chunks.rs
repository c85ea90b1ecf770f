//! From format 2 to 3: the chunks of a document store, which were one value, become a row each. Those there were
//! stand under one loader for each source they name.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::StoredChunk;
use crate::store::keys::KeyRange;
use crate::store::queries::chunks;
use crate::store::tables::{DOCUMENT_STORES_TABLE, LEGACY_CHUNKS};
use crate::store::transaction::{Order, Tx as _, WriteTx};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::ops::ControlFlow;

#[derive(Deserialize)]
struct OldChunk {
    text: String,
    metadata: Map<String, Value>,
}

pub(in crate::store) fn run(tx: &WriteTx) -> Result<()> {
    let mut stores = Vec::new();
    tx.scan_keys(LEGACY_CHUNKS, &KeyRange::all(), Order::Ascending, |key| {
        stores.push(key.to_vec());
        Ok(ControlFlow::Continue(()))
    })?;
    let read = |value: &[u8]| serde_json::from_slice::<Vec<OldChunk>>(value).map_err(Error::internal);
    for key in stores {
        let chunks = tx.get_with(LEGACY_CHUNKS, &key, read)?.unwrap_or_default();
        move_store(tx, &key, chunks)?;
        tx.remove(LEGACY_CHUNKS, &key)?;
    }
    Ok(())
}

fn move_store(tx: &WriteTx, key: &[u8], chunks: Vec<OldChunk>) -> Result<()> {
    let read = |value: &[u8]| serde_json::from_slice::<Value>(value).map_err(Error::internal);
    let Some(mut store) = tx.get_with(DOCUMENT_STORES_TABLE, key, read)? else { return Ok(()) };
    let Ok(id) = <[u8; 16]>::try_from(key.get(16..).unwrap_or_default()) else { return Ok(()) };
    let id = DocumentStoreId::from_bytes(id);
    let mut groups: Vec<(Option<Value>, Vec<StoredChunk>)> = Vec::new();
    for OldChunk { text, metadata } in chunks {
        let source = metadata.get("source").cloned();
        let chunk = StoredChunk { id: ChunkId::next(), text, metadata };
        match groups.iter_mut().find(|(known, _)| *known == source) {
            Some((_, group)) => group.push(chunk),
            None => groups.push((source, vec![chunk])),
        }
    }
    let mut loaders = Vec::new();
    for (source, group) in groups {
        let loader = LoaderId::next();
        chunks::put(tx, &id, &loader, &group)?;
        let characters: usize = group.iter().map(|chunk| chunk.text.chars().count()).sum();
        let text: Vec<&str> = group.iter().map(|chunk| chunk.text.as_str()).collect();
        let metadata = source.map_or_else(|| json!({}), |source| json!({ "source": source }));
        loaders.push(json!({
            "id": loader, "synced": true, "chunks": group.len(), "characters": characters,
            "plan": {
                "name": "Plain Text", "splitter": null, "metadata": metadata,
                "loader": {"card": "plainText", "config": {"text": text.join("\n\n")}},
            },
        }));
    }
    store["loaders"] = loaders.into();
    tx.put(DOCUMENT_STORES_TABLE, key, &serde_json::to_vec(&store).map_err(Error::internal)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::WorkspaceId;
    use crate::domain::knowledge::store_overview::StoreStatus;
    use crate::store::migrations::v7_checksums::tests::downgrade;
    use crate::store::tables::DOCUMENT_STORES;
    use crate::store::{Store, keys};

    #[test]
    fn chunks_of_the_older_format_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.redb");
        let (workspace, id) = (WorkspaceId::random(), DocumentStoreId::random());
        let key = keys::in_workspace(&workspace, &id);
        let old = json!({
            "id": id, "workspace": workspace, "name": "Handbook", "description": "", "chunks": 3, "characters": 11,
            "created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z",
        });
        let chunks = json!([
            {"text": "One.", "metadata": {"source": "a"}}, {"text": "Two.", "metadata": {}},
            {"text": "Six", "metadata": {"source": "a"}},
        ]);
        let store = Store::open(&path).unwrap();
        let write = |tx: &WriteTx| {
            tx.put(LEGACY_CHUNKS, &key, chunks.to_string().as_bytes())?;
            tx.put(DOCUMENT_STORES_TABLE, &key, old.to_string().as_bytes())
        };
        store.write(write).unwrap();
        drop(store);
        downgrade(&path, 1);
        for _ in 0..2 {
            let store = Store::open(&path).unwrap();
            let (record, found) = store
                .read(|tx| {
                    let record = DOCUMENT_STORES.get(tx, &workspace, &id)?.unwrap();
                    let found = chunks::page(tx, &id, &record.loader_ids(), 0, 10)?;
                    Ok((record, found))
                })
                .unwrap();
            let texts: Vec<&str> = found.iter().map(|(_, chunk)| chunk.text.as_str()).collect();
            assert_eq!(texts, ["One.", "Six", "Two."]);
            let counts: Vec<_> =
                record.loaders.iter().map(|loader| (loader.chunks, loader.characters)).collect();
            assert_eq!((counts, record.status()), (vec![(2, 7), (1, 4)], StoreStatus::Sync));
            assert_eq!(record.loaders[0].source(), Some(&json!("a")));
            assert_eq!((record.chunks, record.characters), (3, 11));
        }
    }

    #[test]
    fn a_large_store_is_paged_without_reading_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("test.redb")).unwrap();
        let (id, loader) = (DocumentStoreId::random(), LoaderId::next());
        let chunk =
            |n: usize| StoredChunk { id: ChunkId::next(), text: format!("Chunk {n}"), metadata: Map::new() };
        let chunks: Vec<StoredChunk> = (0..20_000).map(chunk).collect();
        store.write(|tx| chunks::put(tx, &id, &loader, &chunks)).unwrap();
        let page = store.read(|tx| chunks::page(tx, &id, &[loader], 19_990, 50)).unwrap();
        assert_eq!((page.len(), page[0].1.text.as_str()), (10, "Chunk 19990"), "in the order they were made");
        let removed = |tx: &WriteTx| chunks::remove(tx, &id, &loader, &chunks[0].id);
        assert!(store.write(removed).unwrap());
        assert_eq!(store.write(|tx| chunks::clear(tx, &id, None)).unwrap(), 19_999);
    }
}
