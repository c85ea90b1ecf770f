//! Chroma: chunks in a collection of a Chroma server, or of Chroma's cloud.

use crate::base::cancel::CancelToken;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::{CHAT_KEY, FILE_UPLOAD};
use crate::kit::stores::remote::{
    ConversationFilter, RECORD_MANAGER, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase,
    VectorSearch, endpoint, filter, flatten_metadata, in_path, malformed_answer, outputs, path_name,
    score_from_distance,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Output, Risk, ScoredChunk};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

const CLASSES: &[&str] = &["Chroma", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Chroma", "VectorStore"], ["Chroma Retriever", "Chroma Vector Store"]);
/// Tells chunks of files that people sent from those that are there for everybody.
const SENT_KEY: &str = "flowkeep_upload";
const CLOUD: &str = "https://api.trychroma.com";
/// Where a server of one's own is unless the card says otherwise.
const LOCAL: &str = "http://localhost:8000";

pub(crate) const CARD: Card = Card {
    name: "chroma",
    label: "Chroma",
    version: 2.0,
    category: Category::VectorStores,
    description: "Stores chunks in a collection of Chroma and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["chromaApi"]).optional(),
        DOCUMENT,
        EMBEDDINGS,
        RECORD_MANAGER,
        Input::text("collectionName", "Collection Name"),
        Input::address("chromaURL", "Chroma URL")
            .optional()
            .help("Such as http://localhost:8000. Empty, with a credential: Chroma's cloud."),
        FILE_UPLOAD,
        TOP_K_INPUT,
        Input::json("chromaMetadataFilter", "Chroma Metadata Filter")
            .additional()
            .variables()
            .help("Only chunks that fit are found; in the words of Chroma."),
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let key = inputs.optional_secret("chromaApiKey").map(|key| ("x-chroma-token", key));
        let home = if key.is_some() { CLOUD } else { LOCAL };
        let base = inputs.address("chromaURL").unwrap_or_else(|| home.to_owned());
        let tenant = inputs.optional_secret("chromaTenant").unwrap_or_else(|| "default_tenant".to_owned());
        let database =
            inputs.optional_secret("chromaDatabase").unwrap_or_else(|| "default_database".to_owned());
        let (collection, _) = path_name(inputs, "collectionName")?;
        let chroma = Chroma {
            endpoint: endpoint(inputs, &base, key.as_slice()),
            home: format!(
                "/api/v2/tenants/{}/databases/{}/collections",
                in_path(&tenant),
                in_path(&database)
            ),
            name: collection.clone(),
            filter: filter(inputs, "chromaMetadataFilter")?,
            found: OnceLock::new(),
        };
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, collection, chroma)?))
    }),
};

struct Chroma {
    endpoint: Endpoint,
    home: String,
    name: String,
    filter: Option<Map<String, Value>>,
    /// The collection, once it was looked up in this run.
    found: OnceLock<ChromaCollection>,
}

#[derive(Clone)]
struct ChromaCollection {
    /// As it stands in a path.
    id: String,
    metric: Metric,
}

/// What the server's distances mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Metric {
    /// One less the cosine, or less the product.
    OfOne,
    /// The squared length of the difference.
    Squared,
}

impl ChromaCollection {
    fn read(answer: &Value) -> Result<Self, ModelError> {
        let id = answer["id"].as_str().filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| ModelError::Garbled("it names no collection".into()))?;
        let places = [
            &answer["configuration_json"]["hnsw"]["space"],
            &answer["configuration_json"]["spann"]["space"],
            &answer["metadata"]["hnsw:space"],
        ];
        let space = places.into_iter().find_map(Value::as_str).unwrap_or("l2");
        let metric = if space == "l2" { Metric::Squared } else { Metric::OfOne };
        Ok(Self { id: in_path(id), metric })
    }
}

impl Chroma {
    /// `None` when nothing was stored yet.
    fn collection(&self, cancel: &CancelToken) -> Result<Option<ChromaCollection>, ModelError> {
        if let Some(found) = self.found.get() {
            return Ok(Some(found.clone()));
        }
        let path = format!("{}/{}", self.home, in_path(&self.name));
        let Some(answer) = self.endpoint.get_optional(&path, cancel)? else { return Ok(None) };
        let found = ChromaCollection::read(&answer)?;
        Ok(Some(self.found.get_or_init(|| found).clone()))
    }

    fn require_collection(&self, cancel: &CancelToken) -> Result<ChromaCollection, ModelError> {
        let none = || ModelError::Settings("the collection is gone".into());
        self.collection(cancel)?.ok_or_else(none)
    }

    fn post(
        &self,
        collection: &ChromaCollection,
        what: &str,
        body: &Value,
        cancel: &CancelToken,
    ) -> Result<Value, ModelError> {
        let path = format!("{}/{}/{what}", self.home, collection.id);
        self.endpoint.send_json(&Method::POST, &path, Some(body), cancel)
    }

    /// The card's filter, that of a search, and whose chunks they are: all of them must hold.
    fn all(&self, search: &VectorSearch<'_>) -> Value {
        let more = search.filter.and_then(Value::as_object);
        let filters = self.filter.iter().chain(more).flat_map(|filter| filter.iter()).map(condition);
        let mut conditions: Vec<Value> =
            filters.chain([conversation_condition(search.conversation)]).collect();
        // It takes one condition at the top.
        if conditions.len() > 1 { json!({ "$and": conditions }) } else { conditions.remove(0) }
    }
}

/// It cannot say that a key is missing, but what is unlike a value may be missing.
fn conversation_condition(whose: ConversationFilter<'_>) -> Value {
    let everybodys = json!({SENT_KEY: {"$ne": true}});
    match whose.0 {
        Some(chat) => json!({"$or": [everybodys, {CHAT_KEY: chat}]}),
        None => everybodys,
    }
}

fn condition((key, value): (&String, &Value)) -> Value {
    // Words of its own, such as $or, hold lists that are no values.
    if value.is_array() && !key.starts_with('$') {
        json!({key.as_str(): {"$in": value}})
    } else {
        json!({key.as_str(): value})
    }
}

impl VectorDatabase for Chroma {
    type Error = ModelError;

    fn prepare(&self, _: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        if self.collection(cancel)?.is_some() {
            return Ok(());
        }
        let wanted =
            json!({"name": self.name, "get_or_create": true, "configuration": {"hnsw": {"space": "cosine"}}});
        let answer = self.endpoint.send_json(&Method::POST, &self.home, Some(&wanted), cancel)?;
        let mut made = ChromaCollection::read(&answer)?;
        if answer["configuration_json"].is_null() && answer["metadata"].is_null() {
            made.metric = Metric::OfOne;
        }
        self.found.get_or_init(|| made);
        Ok(())
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        let metadata = |row: &RemoteChunk<'_>| {
            let mut flat = flatten_metadata(&row.chunk.metadata);
            flat.remove(SENT_KEY);
            if flat.contains_key(CHAT_KEY) {
                flat.insert(SENT_KEY.to_owned(), true.into());
            }
            // An empty object is refused.
            if flat.is_empty() { Value::Null } else { Value::Object(flat) }
        };
        let body = json!({
            "ids": rows.iter().map(|row| row.name.to_string()).collect::<Vec<_>>(),
            "embeddings": rows.iter().map(|row| &row.vector).collect::<Vec<_>>(),
            "documents": rows.iter().map(|row| &row.chunk.page_content).collect::<Vec<_>>(),
            "metadatas": rows.iter().map(metadata).collect::<Vec<_>>(),
        });
        self.post(&self.require_collection(cancel)?, "upsert", &body, cancel).map(|_| ())
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        let Some(collection) = self.collection(cancel)? else { return Ok(()) };
        self.post(&collection, "delete", &json!({"ids": names}), cancel).map(|_| ())
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let Some(collection) = self.collection(cancel)? else {
            return Err(ModelError::Settings(format!(
                "there is no collection '{}'; fill the store first",
                self.name
            )));
        };
        let body = json!({"query_embeddings": [search.vector], "n_results": search.most,
            "include": ["documents", "metadatas", "distances"], "where": self.all(search)});
        let answer = self.post(&collection, "query", &body, cancel)?;
        let column = |name: &str| answer[name][0].as_array().ok_or_else(malformed_answer);
        let (documents, metadatas, distances) =
            (column("documents")?, column("metadatas")?, column("distances")?);
        if documents.len() != distances.len() || documents.len() != metadatas.len() {
            return Err(malformed_answer());
        }
        let mut found = Vec::new();
        for ((document, metadata), distance) in documents.iter().zip(metadatas).zip(distances) {
            let distance = distance.as_f64().ok_or_else(malformed_answer)? as f32;
            let score = match collection.metric {
                Metric::OfOne => 1.0 - distance,
                Metric::Squared => score_from_distance(distance),
            };
            let mut shown = metadata.as_object().cloned().unwrap_or_default();
            shown.remove(SENT_KEY);
            let page_content = document.as_str().unwrap_or_default().to_owned();
            let chunk = Document { page_content, metadata: shown };
            found.push(RemoteHit::new(ScoredChunk { chunk, score }, metadata));
        }
        Ok(found)
    }
}
