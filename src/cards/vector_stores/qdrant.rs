//! Qdrant: chunks in a collection of a Qdrant server.

use crate::base::cancel::CancelToken;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::{CHAT_KEY, FILE_UPLOAD};
use crate::kit::stores::remote::{
    ConversationFilter, RECORD_MANAGER, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase,
    VectorSearch, endpoint, filter, malformed_answer, missing_input, outputs, path_name, score_from_distance,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Output, Risk, ScoredChunk};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use uuid::Uuid;

const CLASSES: &[&str] = &["Qdrant", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Qdrant", "VectorStore"], ["Qdrant Retriever", "Qdrant Vector Store"]);

const METRICS: &[Choice] =
    &[Choice::new("Cosine", "Cosine"), Choice::new("Euclid", "Euclid"), Choice::new("Dot", "Dot")];

pub(crate) const CARD: Card = Card {
    name: "qdrant",
    label: "Qdrant",
    version: 5.0,
    category: Category::VectorStores,
    description: "Stores chunks in a collection of a Qdrant server and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["qdrantApi"]).optional(),
        DOCUMENT,
        EMBEDDINGS,
        RECORD_MANAGER,
        Input::address("qdrantServerUrl", "Qdrant Server URL").help("Such as http://localhost:6333."),
        Input::text("qdrantCollection", "Qdrant Collection Name").variables(),
        FILE_UPLOAD,
        Input::whole("qdrantVectorDimension", "Vector Dimension", 1.0, 65_536.0)
            .or("1536")
            .additional()
            .help("Kept for canvases drawn elsewhere: a collection is made for vectors as long as they are."),
        Input::text("contentPayloadKey", "Content Key").or("content").additional(),
        Input::text("metadataPayloadKey", "Metadata Key").or("metadata").additional(),
        Input::whole("batchSize", "Upsert Batch Size", 1.0, 10_000.0).additional(),
        Input::choice("qdrantSimilarity", "Similarity", METRICS).or("Cosine").additional(),
        Input::json("qdrantCollectionConfiguration", "Additional Collection Configuration")
            .additional()
            .help("What a collection that is made has beside, in the words of Qdrant."),
        TOP_K_INPUT,
        Input::json("qdrantFilter", "Qdrant Search Filter")
            .additional()
            .variables()
            .help("Only chunks that fit are found; in the words of Qdrant."),
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let base =
            inputs.address("qdrantServerUrl").ok_or_else(|| missing_input(inputs, "qdrantServerUrl"))?;
        let key = inputs.optional_secret("qdrantApiKey").map(|key| ("api-key", key));
        let (collection, in_path) = path_name(inputs, "qdrantCollection")?;
        let database = Qdrant {
            endpoint: endpoint(inputs, &base, key.as_slice()),
            collection: in_path,
            content_key: inputs.text("contentPayloadKey")?,
            metadata_key: inputs.text("metadataPayloadKey")?,
            metric: inputs.text("qdrantSimilarity")?,
            configuration: inputs.object("qdrantCollectionConfiguration")?,
            filter: filter(inputs, "qdrantFilter")?,
        };
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, collection, database)?))
    }),
};

struct Qdrant {
    endpoint: Endpoint,
    /// As it stands in a path.
    collection: String,
    content_key: String,
    metadata_key: String,
    metric: String,
    configuration: Map<String, Value>,
    filter: Option<Map<String, Value>>,
}

impl Qdrant {
    fn path(&self, rest: &str) -> String {
        format!("/collections/{}{rest}", self.collection)
    }

    /// The card's filter, that of a search, and whose chunks they are: all of them must hold.
    fn all(&self, search: &VectorSearch<'_>) -> Value {
        let more = search.filter.and_then(Value::as_object);
        let filters = self.filter.iter().chain(more).map(|filter| self.to_qdrant_filter(filter));
        let mut all: Vec<Value> = filters.chain([self.conversation_condition(search.conversation)]).collect();
        if all.len() > 1 { json!({ "must": all }) } else { all.remove(0) }
    }

    /// Where it finds whose a chunk is.
    fn chat_key(&self) -> String {
        format!("{}.{CHAT_KEY}", self.metadata_key)
    }

    fn conversation_condition(&self, whose: ConversationFilter<'_>) -> Value {
        let key = self.chat_key();
        let own = whose.0.map(|chat| json!({"key": key, "match": {"value": chat}}));
        let any: Vec<Value> = [json!({"is_empty": {"key": key}})].into_iter().chain(own).collect();
        json!({ "should": any })
    }

    /// Metadata with the values it must have, as Qdrant says it; a filter that says it so already stays.
    fn to_qdrant_filter(&self, filter: &Map<String, Value>) -> Value {
        if ["must", "should", "must_not", "min_should"].iter().any(|word| filter.contains_key(*word)) {
            return Value::Object(filter.clone());
        }
        let condition = |(key, value): (&String, &Value)| {
            let wanted = if value.is_array() { json!({"any": value}) } else { json!({"value": value}) };
            json!({"key": format!("{}.{key}", self.metadata_key), "match": wanted})
        };
        json!({"must": filter.iter().map(condition).collect::<Vec<_>>()})
    }

    fn chunk(&self, payload: &Value) -> Document {
        let page_content = payload[&self.content_key].as_str().unwrap_or_default().to_owned();
        let metadata = payload[&self.metadata_key].as_object().cloned().unwrap_or_default();
        Document { page_content, metadata }
    }
}

impl VectorDatabase for Qdrant {
    type Error = ModelError;

    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        if self.endpoint.get_optional(&self.path(""), cancel)?.is_some() {
            return Ok(());
        }
        let mut wanted = json!({"vectors": {"size": dimensions, "distance": self.metric}});
        for (path_name, value) in &self.configuration {
            wanted[path_name] = value.clone();
        }
        match self.endpoint.send_json(&Method::PUT, &self.path(""), Some(&wanted), cancel) {
            // Somebody else made it meanwhile.
            Err(ModelError::Provider { status: 409, .. }) => Ok(()),
            made => made.map(|_| ()),
        }
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        let point = |row: &RemoteChunk<'_>| {
            json!({"id": row.name, "vector": row.vector, "payload": {
                self.content_key.as_str(): row.chunk.page_content,
                self.metadata_key.as_str(): row.chunk.metadata,
            }})
        };
        let body = json!({"points": rows.iter().map(point).collect::<Vec<_>>()});
        self.endpoint
            .send_json(&Method::PUT, &self.path("/points?wait=true"), Some(&body), cancel)
            .map(|_| ())
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        let path = self.path("/points/delete?wait=true");
        self.endpoint.send_json(&Method::POST, &path, Some(&json!({"points": names})), cancel).map(|_| ())
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let body = json!({
            "vector": search.vector, "limit": search.most, "with_payload": true, "filter": self.all(search),
        });
        let path = self.path("/points/search");
        let ask = || self.endpoint.send_json(&Method::POST, &path, Some(&body), cancel);
        let answer = match ask() {
            // A strict collection is asked only by what it keeps an index of.
            Err(ModelError::Provider { status: 400, message }) if message.contains(&self.chat_key()) => {
                let index = json!({"field_name": self.chat_key(), "field_schema": "keyword"});
                self.endpoint.send_json(
                    &Method::PUT,
                    &self.path("/index?wait=true"),
                    Some(&index),
                    cancel,
                )?;
                ask()?
            }
            answer => answer?,
        };
        let scored = |point: &Value| {
            let score = point["score"].as_f64()? as f32;
            let score = if self.metric == "Euclid" { score_from_distance(score) } else { score };
            let held = &point["payload"];
            Some(RemoteHit::new(ScoredChunk { chunk: self.chunk(held), score }, held))
        };
        let points = answer["result"].as_array().ok_or_else(malformed_answer)?;
        points.iter().map(scored).collect::<Option<Vec<_>>>().ok_or_else(malformed_answer)
    }
}
