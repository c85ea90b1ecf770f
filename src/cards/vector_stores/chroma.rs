//! Chroma: passages in a collection of a Chroma server, or of Chroma's cloud.

use crate::cards::kit::remote::{
    Database, Found, RECORD_MANAGER, Remote, RemoteRow, Search, Whose, endpoint, filter, flat, garbled,
    in_path, name, of_distance, outputs,
};
use crate::cards::kit::shelf::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::cards::kit::uploaded::{CHAT_KEY, FILE_UPLOAD};
use crate::cards::kit::{Card, Category, Input, Make, Output, Risk, Scored};
use crate::domain::cancel::Cancel;
use crate::domain::prediction::SourceDocument;
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

const CLASSES: &[&str] = &["Chroma", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Chroma", "VectorStore"], ["Chroma Retriever", "Chroma Vector Store"]);
/// Tells passages of files that people sent from those that are there for everybody.
const SENT_KEY: &str = "flowkeep_upload";
/// Where the cloud is.
const CLOUD: &str = "https://api.trychroma.com";
/// Where a server of one's own is unless told otherwise.
const LOCAL: &str = "http://localhost:8000";

/// The card.
pub const CARD: Card = Card {
    name: "chroma",
    label: "Chroma",
    version: 2.0,
    category: Category::VectorStores,
    description: "Stores passages in a collection of Chroma and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
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
            .help("Only passages that fit are found; in the words of Chroma."),
    ],
    outputs: OUTPUTS,
    make: Make::VectorStore(|inputs| {
        let key = inputs.maybe_secret("chromaApiKey").map(|key| ("x-chroma-token", key));
        let home = if key.is_some() { CLOUD } else { LOCAL };
        let base = inputs.address("chromaURL").unwrap_or_else(|| home.to_owned());
        let tenant = inputs.maybe_secret("chromaTenant").unwrap_or_else(|| "default_tenant".to_owned());
        let database = inputs.maybe_secret("chromaDatabase").unwrap_or_else(|| "default_database".to_owned());
        let (collection, _) = name(inputs, "collectionName")?;
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
        Ok(Arc::new(Remote::of(inputs, collection, chroma)?))
    }),
};

struct Chroma {
    endpoint: Endpoint,
    /// The path of all collections.
    home: String,
    name: String,
    filter: Option<Map<String, Value>>,
    /// The collection, once it was looked up in this run.
    found: OnceLock<Collection>,
}

#[derive(Clone)]
struct Collection {
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

impl Collection {
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
    fn collection(&self, cancel: &Cancel) -> Result<Option<Collection>, ModelError> {
        if let Some(found) = self.found.get() {
            return Ok(Some(found.clone()));
        }
        let path = format!("{}/{}", self.home, in_path(&self.name));
        let Some(answer) = self.endpoint.maybe(&path, cancel)? else { return Ok(None) };
        let found = Collection::read(&answer)?;
        Ok(Some(self.found.get_or_init(|| found).clone()))
    }

    fn needed(&self, cancel: &Cancel) -> Result<Collection, ModelError> {
        let none = || ModelError::Settings("the collection is gone".into());
        self.collection(cancel)?.ok_or_else(none)
    }

    fn post(
        &self,
        collection: &Collection,
        what: &str,
        body: &Value,
        cancel: &Cancel,
    ) -> Result<Value, ModelError> {
        let path = format!("{}/{}/{what}", self.home, collection.id);
        self.endpoint.exchange(&Method::POST, &path, Some(body), cancel)
    }

    /// The card's filter, that of a search, and whose passages they are: all of them must hold.
    fn all(&self, search: &Search<'_>) -> Value {
        let more = search.filter.and_then(Value::as_object);
        let filters = self.filter.iter().chain(more).flat_map(|filter| filter.iter()).map(condition);
        let mut conditions: Vec<Value> = filters.chain([of(search.whose)]).collect();
        // It takes one condition at the top.
        if conditions.len() > 1 { json!({ "$and": conditions }) } else { conditions.remove(0) }
    }
}

/// It cannot say that a key is missing, but what is unlike a value may be missing.
fn of(whose: Whose<'_>) -> Value {
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

impl Database for Chroma {
    type Fault = ModelError;

    fn prepare(&self, _: usize, cancel: &Cancel) -> Result<(), ModelError> {
        if self.collection(cancel)?.is_some() {
            return Ok(());
        }
        let wanted =
            json!({"name": self.name, "get_or_create": true, "configuration": {"hnsw": {"space": "cosine"}}});
        let answer = self.endpoint.exchange(&Method::POST, &self.home, Some(&wanted), cancel)?;
        let mut made = Collection::read(&answer)?;
        if answer["configuration_json"].is_null() && answer["metadata"].is_null() {
            made.metric = Metric::OfOne;
        }
        self.found.get_or_init(|| made);
        Ok(())
    }

    fn put(&self, rows: &[RemoteRow<'_>], cancel: &Cancel) -> Result<(), ModelError> {
        let metadata = |row: &RemoteRow<'_>| {
            let mut flat = flat(&row.passage.metadata);
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
            "documents": rows.iter().map(|row| &row.passage.page_content).collect::<Vec<_>>(),
            "metadatas": rows.iter().map(metadata).collect::<Vec<_>>(),
        });
        self.post(&self.needed(cancel)?, "upsert", &body, cancel).map(|_| ())
    }

    fn remove(&self, names: &[Uuid], cancel: &Cancel) -> Result<(), ModelError> {
        let Some(collection) = self.collection(cancel)? else { return Ok(()) };
        self.post(&collection, "delete", &json!({"ids": names}), cancel).map(|_| ())
    }

    fn nearest(&self, search: &Search<'_>, cancel: &Cancel) -> Result<Vec<Found>, ModelError> {
        let Some(collection) = self.collection(cancel)? else {
            return Err(ModelError::Settings(format!(
                "there is no collection '{}'; fill the store first",
                self.name
            )));
        };
        let body = json!({"query_embeddings": [search.vector], "n_results": search.most,
            "include": ["documents", "metadatas", "distances"], "where": self.all(search)});
        let answer = self.post(&collection, "query", &body, cancel)?;
        let column = |name: &str| answer[name][0].as_array().ok_or_else(garbled);
        let (documents, metadatas, distances) =
            (column("documents")?, column("metadatas")?, column("distances")?);
        if documents.len() != distances.len() || documents.len() != metadatas.len() {
            return Err(garbled());
        }
        let mut found = Vec::new();
        for ((document, metadata), distance) in documents.iter().zip(metadatas).zip(distances) {
            let distance = distance.as_f64().ok_or_else(garbled)? as f32;
            let score = match collection.metric {
                Metric::OfOne => 1.0 - distance,
                Metric::Squared => of_distance(distance),
            };
            let mut shown = metadata.as_object().cloned().unwrap_or_default();
            shown.remove(SENT_KEY);
            let page_content = document.as_str().unwrap_or_default().to_owned();
            let passage = SourceDocument { page_content, metadata: shown };
            found.push(Found::of(Scored { passage, score }, metadata));
        }
        Ok(found)
    }
}
