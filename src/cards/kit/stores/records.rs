//! Upserting into a store again: which chunks are new, which are known, and which are gone (manual 10.7).

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::host::Host;
use crate::kit::schema::input::{Choice, Input};
use crate::vectors::RowId;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A component that remembers which chunks are in a store.
pub trait RecordManager: Send + Sync {
    fn config(&self) -> &RecordManagerConfig;

    /// Everything remembered of a namespace: the source of each chunk.
    ///
    /// # Errors
    /// When it cannot be read.
    fn records(&self, namespace: &str, host: &dyn Host) -> Result<HashMap<RowId, String>>;

    /// Remembers chunks with their sources and forgets others.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn change(
        &self,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        host: &dyn Host,
    ) -> Result<()>;
}

/// How a record manager is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordManagerConfig {
    pub label: String,
    /// What it keeps apart; without it, the flow and the collection.
    pub namespace: Option<String>,
    pub cleanup: Cleanup,
    /// The metadata that names where a chunk is from.
    pub source_key: String,
}

/// What a further upsert removes from a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleanup {
    None,
    /// What a source that was loaded does not have any more.
    Incremental,
    /// Everything that was not loaded.
    Full,
}

/// What a record manager keeps apart.
pub(crate) const NAMESPACE: Input = Input::text("namespace", "Namespace")
    .additional()
    .help("Keeps records of different stores apart. Empty: the flow and the store.");
/// What a further upsert removes from a store.
pub(crate) const CLEANUP: Input = Input::choice("cleanup", "Cleanup", CLEANUPS).or("none").help(
    "None removes nothing. Incremental removes what a source that was loaded does not have any more. Full removes \
     everything that was not loaded.",
);
/// The metadata by which sources are told apart.
pub(crate) const SOURCE_KEY: Input = Input::text("sourceIdKey", "SourceId Key")
    .or("source")
    .additional()
    .help("The metadata that names where a chunk is from.");
/// The table of records where a card names none.
pub(crate) const TABLE: &str = "upsertion_records";

const CLEANUPS: &[Choice] =
    &[Choice::new("none", "None"), Choice::new("incremental", "Incremental"), Choice::new("full", "Full")];

impl RecordManagerConfig {
    /// Reads the inputs `namespace`, `cleanup` and `sourceIdKey`.
    ///
    /// # Errors
    /// When the cleanup is none of those there are.
    pub fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let cleanup = match inputs.text(CLEANUP.name)?.as_str() {
            "none" => Cleanup::None,
            "incremental" => Cleanup::Incremental,
            "full" => Cleanup::Full,
            _ => return Err(inputs.input_error(CLEANUP.name, "this must be none, incremental or full")),
        };
        Ok(Self {
            label: inputs.label.to_owned(),
            namespace: inputs.optional_text(NAMESPACE.name),
            cleanup,
            source_key: inputs.text(SOURCE_KEY.name)?,
        })
    }

    /// The namespace of this collection of this flow.
    #[must_use]
    pub(crate) fn namespace_of(&self, collection: &str, host: &dyn Host) -> String {
        let flow = || host.fact("chatflowid").unwrap_or_default();
        self.namespace.clone().unwrap_or_else(|| format!("{}_{collection}", flow()))
    }
}

/// The key of a chunk: a hash of its text and its metadata, so that storing it again changes nothing.
#[must_use]
pub(crate) fn chunk_key(document: &Document) -> RowId {
    let mut hash = Sha256::new();
    hash.update((document.page_content.len() as u64).to_le_bytes());
    hash.update(&document.page_content);
    hash.update(Value::Object(document.metadata.clone()).to_string());
    let mut name = RowId::default();
    name.copy_from_slice(&hash.finalize()[..16]);
    name
}

/// Remembers chunks that were stored beside others, or in place of all others.
///
/// # Errors
/// When it cannot be stored.
pub(crate) fn remember(
    records: &dyn RecordManager,
    collection: &str,
    named: &[(RowId, &Document)],
    replaces_all: bool,
    host: &dyn Host,
) -> Result<()> {
    let keeping = records.config();
    let namespace = keeping.namespace_of(collection, host);
    let forgotten: Vec<RowId> = match replaces_all {
        true => records.records(&namespace, host)?.into_keys().collect(),
        false => Vec::new(),
    };
    let put = named.iter().map(|(name, chunk)| Ok((*name, source(chunk, keeping)?)));
    let put = put.collect::<Result<Vec<(RowId, String)>>>()?;
    let stays = |name: &RowId| put.iter().any(|(kept, _)| kept == name);
    let forgotten: Vec<RowId> = forgotten.into_iter().filter(|name| !stays(name)).collect();
    records.change(&namespace, &put, &forgotten, host)
}

/// Records that are changed at once.
const RECORDS_AT_ONCE: usize = 5_000;

/// Records what was stored and forgets what is gone, some at a time.
///
/// # Errors
/// When it cannot be stored.
pub(crate) fn settle(
    records: &dyn RecordManager,
    namespace: &str,
    stored: &[StoredChunk],
    forgotten: &[RowId],
    host: &dyn Host,
) -> Result<()> {
    let mut rest = stored;
    loop {
        let (some, later) = rest.split_at(rest.len().min(RECORDS_AT_ONCE));
        let put: Vec<(RowId, String)> =
            some.iter().map(|(name, source)| (*name, source.to_string())).collect();
        if later.is_empty() {
            return records.change(namespace, &put, forgotten, host);
        }
        records.change(namespace, &put, &[], host)?;
        rest = later;
    }
}

/// A chunk that was stored, and where it is from.
pub(crate) type StoredChunk = (RowId, Arc<str>);

/// What a further upsert has to do, learned from one chunk after the other: their names and sources, and none of their texts.
#[derive(Debug, Default)]
pub(crate) struct ChunkDiff {
    /// Chunks to store.
    pub new: HashMap<RowId, Arc<str>>,
    pub skipped: usize,
    /// Those that are known and were brought again.
    kept: HashSet<RowId>,
    sources: HashSet<Arc<str>>,
}

impl ChunkDiff {
    /// Notes a chunk that was brought; `is_known` says what is stored already.
    ///
    /// # Errors
    /// When it does not say where it is from, though that decides what goes.
    pub(crate) fn note(
        &mut self,
        document: &Document,
        keeping: Option<&RecordManagerConfig>,
        is_known: impl Fn(&RowId) -> bool,
    ) -> Result<()> {
        let source = keeping.map_or_else(|| Ok(String::new()), |keeping| source(document, keeping))?;
        let source = match self.sources.get(source.as_str()) {
            Some(same) => same.clone(),
            None => {
                let source: Arc<str> = source.into();
                self.sources.insert(source.clone());
                source
            }
        };
        let name = chunk_key(document);
        if is_known(&name) {
            self.kept.insert(name);
            self.skipped += 1;
        } else if self.new.insert(name, source).is_some() {
            self.skipped += 1;
        }
        Ok(())
    }

    /// Those of the known chunks that go, once all were noted.
    #[must_use]
    pub(crate) fn removed<'k>(
        &self,
        known: impl Iterator<Item = (&'k RowId, &'k String)>,
        keeping: &RecordManagerConfig,
    ) -> Vec<RowId> {
        let goes = |(name, source): &(&RowId, &String)| match keeping.cleanup {
            Cleanup::None => false,
            Cleanup::Incremental => self.sources.contains(source.as_str()) && !self.kept.contains(*name),
            Cleanup::Full => !self.kept.contains(*name),
        };
        known.filter(goes).map(|(name, _)| *name).collect()
    }
}

fn source(document: &Document, keeping: &RecordManagerConfig) -> Result<String> {
    match document.metadata.get(&keeping.source_key) {
        Some(Value::String(source)) => Ok(source.clone()),
        Some(other) if !other.is_null() => Ok(other.to_string()),
        _ if keeping.cleanup == Cleanup::Incremental => Err(Error::RunFailed(format!(
            "{}: a chunk has no '{}' in its metadata, by which the cleanup 'incremental' tells sources apart",
            keeping.label, keeping.source_key
        ))),
        _ => Ok(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn document(text: &str, source: &str) -> Document {
        let metadata = Map::from_iter([("source".to_owned(), json!(source))]);
        Document { page_content: text.to_owned(), metadata }
    }

    fn keeping(cleanup: Cleanup) -> RecordManagerConfig {
        RecordManagerConfig {
            label: "Records".to_owned(),
            namespace: None,
            cleanup,
            source_key: "source".to_owned(),
        }
    }

    #[test]
    fn each_cleanup_removes_what_it_says() {
        let old = [document("a1", "a"), document("a2", "a"), document("b1", "b")];
        let known: HashMap<RowId, String> = old
            .iter()
            .map(|document| (chunk_key(document), document.metadata["source"].as_str().unwrap().to_owned()))
            .collect();
        let now = [document("a1", "a"), document("a3", "a"), document("a3", "a")];
        let gone = |cleanup| {
            let (keeping, mut difference) = (keeping(cleanup), ChunkDiff::default());
            for document in &now {
                difference.note(document, Some(&keeping), |name| known.contains_key(name)).unwrap();
            }
            assert_eq!((difference.new.len(), difference.skipped), (1, 2), "{cleanup:?}");
            let mut gone: Vec<usize> = difference
                .removed(known.iter(), &keeping)
                .iter()
                .map(|name| old.iter().position(|document| chunk_key(document) == *name).unwrap())
                .collect();
            gone.sort_unstable();
            gone
        };
        assert_eq!(gone(Cleanup::None), [0; 0]);
        assert_eq!(gone(Cleanup::Incremental), [1]);
        assert_eq!(gone(Cleanup::Full), [1, 2]);
    }

    #[test]
    fn a_chunk_without_a_source_cannot_be_cleaned_up_by_source() {
        let nameless = Document { page_content: "x".to_owned(), metadata: Map::new() };
        let note = |cleanup| ChunkDiff::default().note(&nameless, Some(&keeping(cleanup)), |_| false);
        let message = note(Cleanup::Incremental).unwrap_err().to_string();
        assert!(message.contains("Records") && message.contains("'source'"), "{message}");
        assert!(note(Cleanup::Full).is_ok());
    }

    #[test]
    fn a_chunk_is_named_by_what_it_says_and_where_it_is_from() {
        assert_eq!(chunk_key(&document("x", "a")), chunk_key(&document("x", "a")));
        assert_ne!(chunk_key(&document("x", "a")), chunk_key(&document("x", "b")));
        assert_ne!(chunk_key(&document("x", "a")), chunk_key(&document("y", "a")));
    }
}
