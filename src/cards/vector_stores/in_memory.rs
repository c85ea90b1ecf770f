//! In-Memory Vector Store: what is wired in is embedded once and searched from then on.

use crate::base::hex::to_hex;
use crate::domain::error::Result;
use crate::domain::ids::CollectionId;
use crate::domain::knowledge::upsert::shown_of;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::{self, FILE_UPLOAD};
use crate::kit::knowledge::embedding::{embed_chunks, embed_query};
use crate::kit::stores::collection_store::{CollectionStore, best};
use crate::kit::stores::known_rows::KnownRows;
use crate::kit::stores::store_inputs::{self, DOCUMENT, EMBEDDINGS, StoreInputs, TOP_K_INPUT};
use crate::kit::{
    Capability, Card, Category, Factory, Grant, Host, Input, Inputs, Knowledge, Need, Output, Risk,
    RunContext, ScoredChunk, UpsertReport, VectorIndexes, VectorQuery, VectorStore,
};
use crate::limits::INDEX_BYTES_MAX;
use crate::vectors::{RowId, VectorIndex};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "memoryVectorStore",
    label: "In-Memory Vector Store",
    version: 1.0,
    category: Category::VectorStores,
    description: "Keeps the vectors of the connected documents in memory. They are made at the first question and \
                  again when the documents change or the server restarts; there is nothing to fill.",
    base_classes: &["Memory", "VectorStoreRetriever", "BaseRetriever"],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::VectorIndexes), Need::optional(Capability::Knowledge)],
    inputs: &[
        Input { upsert_only: false, description: "What is searched.", ..DOCUMENT },
        EMBEDDINGS,
        TOP_K_INPUT,
        FILE_UPLOAD,
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let filling = StoreInputs::from_inputs(inputs)?;
        let knowledge = inputs.want().filter(|_| conversation_scope::is_on(inputs));
        Ok(Arc::new(InMemoryVectorStore {
            uploads: knowledge.map(|knowledge| upload_collection(&filling, inputs, knowledge)),
            inputs: filling,
            indexes: inputs.need()?,
            most: store_inputs::top_k(inputs)?,
        }))
    }),
};

const OUTPUTS: &[Output] = &[
    Output {
        name: "retriever",
        label: "Memory Retriever",
        base_classes: &["Memory", "VectorStoreRetriever", "BaseRetriever"],
        predicts: false,
    },
    Output {
        name: "vectorStore",
        label: "Memory Vector Store",
        base_classes: &["Memory", "VectorStore"],
        predicts: false,
    },
];

struct InMemoryVectorStore {
    inputs: StoreInputs,
    indexes: Grant<dyn VectorIndexes>,
    /// Files that people send stay where their conversation finds them later.
    uploads: Option<CollectionStore>,
    most: usize,
}

/// Where the files of the flow's conversations lie. Stores of a flow with the same embeddings have them in common.
fn upload_collection(
    filling: &StoreInputs,
    inputs: &Inputs<'_>,
    knowledge: Grant<dyn Knowledge>,
) -> CollectionStore {
    let flow = inputs.host.fact("chatflowid").unwrap_or_default();
    let space = to_hex(&filling.embeddings.space());
    CollectionStore {
        label: inputs.label.to_owned(),
        id: CollectionId::from_name(CARD.name, &format!("{flow} {space}")),
        name: CARD.label.to_owned(),
        embeddings: filling.embeddings.clone(),
        uploads: true,
        knowledge,
        known: KnownRows::default(),
    }
}

impl InMemoryVectorStore {
    /// The index of these documents: the one that is kept, or a new one.
    fn index(&self, documents: &[Document], host: &dyn Host) -> Result<Arc<VectorIndex>> {
        let content = content(&self.inputs.embeddings.space(), documents)?;
        self.indexes.of(host)?.index(&content, &mut || {
            let named: Vec<(RowId, &Document)> =
                documents.iter().enumerate().map(|(place, document)| (row_id(place), document)).collect();
            let rows = embed_chunks(&named, &*self.inputs.embeddings, host)?;
            let index = VectorIndex::from_rows(&rows).map_err(|misfit| self.inputs.card_error(misfit))?;
            if index.bytes() > INDEX_BYTES_MAX {
                let most = INDEX_BYTES_MAX / (1024 * 1024);
                return Err(self.inputs.card_error(format!(
                    "the documents take more than {most} MB of memory; use a vector store that is filled"
                )));
            }
            Ok(index)
        })
    }
}

fn row_id(place: usize) -> RowId {
    (place as u128).to_be_bytes()
}

/// What the vectors depend on: a hash of the space and of every chunk.
fn content(space: &[u8], documents: &[Document]) -> Result<[u8; 32]> {
    let mut hash = Sha256::new();
    hash.update(space);
    for document in documents {
        let bytes = serde_json::to_vec(document).map_err(crate::domain::error::Error::internal)?;
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    Ok(hash.finalize().into())
}

impl VectorStore for InMemoryVectorStore {
    fn upsert(&self, host: &dyn Host) -> Result<UpsertReport> {
        let documents = self.inputs.documents(host)?;
        if let (Some(uploads), Some(conversation)) = (&self.uploads, host.conversation()) {
            return uploads.add_for_conversation(documents, &conversation, host);
        }
        self.index(&documents, host)?;
        let added = documents.len();
        Ok(UpsertReport { added, total: added, shown: shown_of(&documents), ..UpsertReport::default() })
    }

    fn nearest(&self, query: &VectorQuery<'_>, turn: &RunContext<'_>) -> Result<Vec<ScoredChunk>> {
        let documents = self.inputs.documents(turn.host)?;
        if documents.is_empty() && self.uploads.is_none() {
            return Ok(Vec::new());
        }
        let index = self.index(&documents, turn.host)?;
        let question = embed_query(query.text, &*self.inputs.embeddings, turn.host)?;
        let fits =
            |row: &str| query.filter.is_none_or(|filter: &Value| store_inputs::matches_filter(filter, row));
        let hits = index.nearest(&question, query.most, Some(&fits));
        let found = store_inputs::scored_chunks(hits.map_err(|misfit| self.inputs.card_error(misfit))?)?;
        let Some(uploads) = &self.uploads else { return Ok(found) };
        let own = uploads.nearest_of_conversation(&question, query, turn.host)?;
        Ok(best(found.into_iter().chain(own).collect(), query.most))
    }

    fn top_k(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cancel::CancelReason;
    use crate::domain::error::Error;
    use crate::kit::capabilities::test_host::TestHost;
    use crate::kit::{Embeddings, Loader};
    use serde_json::{Map, json};
    use std::sync::Mutex;

    /// Says how often it was called, and for how many texts.
    #[derive(Default)]
    struct Counting(Mutex<Vec<usize>>);

    impl Embeddings for Counting {
        fn embed(&self, texts: &[&str], _host: &dyn Host) -> Result<Vec<Vec<f32>>> {
            self.0.lock().unwrap().push(texts.len());
            Ok(texts.iter().map(|text| vec![text.len() as f32, 10.0]).collect())
        }
    }

    #[derive(Default)]
    struct Documents(Mutex<Vec<Document>>);

    impl Loader for Documents {
        fn load(&self, _host: &dyn Host) -> Result<Vec<Document>> {
            Ok(self.0.lock().unwrap().clone())
        }
    }

    fn document(text: &str, year: u32) -> Document {
        Document {
            page_content: text.to_owned(),
            metadata: Map::from_iter([("year".to_owned(), json!(year))]),
        }
    }

    fn store(documents: &[Document]) -> (InMemoryVectorStore, Arc<Documents>, Arc<Counting>) {
        let loader = Arc::new(Documents(Mutex::new(documents.to_vec())));
        let embeddings = Arc::new(Counting::default());
        let filling = StoreInputs::new(vec![loader.clone()], embeddings.clone());
        let indexes = Grant::for_service();
        (InMemoryVectorStore { inputs: filling, indexes, uploads: None, most: 2 }, loader, embeddings)
    }

    fn ask(store: &InMemoryVectorStore, text: &str, filter: Option<&Value>, host: &TestHost) -> Vec<String> {
        let found = store.nearest(&VectorQuery { text, most: 2, filter }, &host.turn(text)).unwrap();
        found.into_iter().map(|found| found.chunk.page_content).collect()
    }

    #[test]
    fn documents_are_embedded_once_and_again_when_they_change() {
        let host = TestHost::default();
        let (store, loader, embeddings) = store(&[document("1", 1), document("12345", 1), document(" ", 1)]);
        assert_eq!(ask(&store, "1", None, &host), ["1", "12345"]);
        assert_eq!(ask(&store, "1234", None, &host), ["12345", "1"]);
        assert_eq!(*embeddings.0.lock().unwrap(), [2, 1, 1], "two documents, then one question each");
        loader.0.lock().unwrap().push(document("1234567890", 2));
        assert_eq!(ask(&store, "1234567890", None, &host)[0], "1234567890");
        assert_eq!(*embeddings.0.lock().unwrap(), [2, 1, 1, 3, 1]);
    }

    #[test]
    fn many_documents_are_embedded_some_at_a_time() {
        let many: Vec<Document> = (0..150).map(|n| document(&"x".repeat(n + 1), 1)).collect();
        let (store, _, embeddings) = store(&many);
        ask(&store, "x", None, &TestHost::default());
        assert_eq!(*embeddings.0.lock().unwrap(), [64, 64, 22, 1]);
    }

    #[test]
    fn a_filter_picks_chunks_by_their_metadata() {
        let (store, _, _) = store(&[document("a", 1), document("b", 2), document("c", 2)]);
        assert_eq!(ask(&store, "a", Some(&json!({"year": 2})), &TestHost::default()), ["b", "c"]);
        assert!(ask(&store, "a", Some(&json!({"year": 3})), &TestHost::default()).is_empty());
    }

    #[test]
    fn without_documents_nothing_is_found_and_nothing_embedded() {
        let (store, _, embeddings) = store(&[]);
        assert!(ask(&store, "a", None, &TestHost::default()).is_empty());
        assert!(embeddings.0.lock().unwrap().is_empty());
    }

    #[test]
    fn a_run_that_ended_embeds_no_more() {
        let host = TestHost::default();
        let (store, _, embeddings) = store(&[document("a", 1)]);
        host.cancel.cancel(CancelReason::CallerLeft);
        assert!(matches!(store.upsert(&host), Err(Error::Cancelled)));
        assert!(embeddings.0.lock().unwrap().is_empty());
    }
}
