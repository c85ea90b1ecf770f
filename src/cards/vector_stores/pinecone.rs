//! Pinecone: chunks in an index of Pinecone's cloud.

use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::{CHAT_KEY, FILE_UPLOAD};
use crate::kit::knowledge::mmr::{FETCH_K, LAMBDA, SEARCH_TYPE};
use crate::kit::models::openai_compatible::BASE_PATH;
use crate::kit::stores::remote::{
    ConversationFilter, RECORD_MANAGER, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase,
    VectorSearch, endpoint, filter, flatten_metadata, malformed_answer, outputs, path_name,
    score_from_distance,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{
    Capability, Card, Category, Factory, Input, Inputs, Need, Output, Risk, ScoredChunk, VectorStore,
};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

const CLASSES: &[&str] = &["Pinecone", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Pinecone", "VectorStore"], ["Pinecone Retriever", "Pinecone Vector Store"]);
/// Where indexes are looked up.
const HOME: &str = "https://api.pinecone.io";
/// Where every index of the cloud is.
const CLOUD: &str = ".pinecone.io";
/// The version of the protocol this file speaks.
const PROTOCOL_VERSION: &str = "2025-01";
/// The key of the metadata that holds the text.
const TEXT_KEY: &str = "text";
const TEXT_KEY_INPUT: &str = "pineconeTextKey";

pub(crate) const CARD: Card = Card {
    name: "pinecone",
    label: "Pinecone",
    version: 5.0,
    category: Category::VectorStores,
    description: "Stores chunks in an index of Pinecone and finds them there. The index must exist.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["pineconeApi"]),
        DOCUMENT,
        EMBEDDINGS,
        RECORD_MANAGER,
        Input::text("pineconeIndex", "Pinecone Index"),
        Input::text("pineconeNamespace", "Pinecone Namespace").additional(),
        FILE_UPLOAD,
        Input::text(TEXT_KEY_INPUT, "Pinecone Text Key")
            .additional()
            .help("The entry of the metadata that holds the text. Empty: text."),
        Input::json("pineconeMetadataFilter", "Pinecone Metadata Filter")
            .additional()
            .variables()
            .help("Only chunks that fit are found; in the words of Pinecone."),
        TOP_K_INPUT,
        SEARCH_TYPE,
        FETCH_K,
        LAMBDA,
        BASE_PATH,
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(store),
};

/// The store of a card that names an index of Pinecone.
///
/// # Errors
/// When the key is missing or an input does not fit its declaration.
pub(crate) fn store(inputs: &Inputs<'_>) -> Result<Arc<dyn VectorStore>> {
    let key = inputs.secret("pineconeApiKey")?;
    let headers = [("api-key", key), ("x-pinecone-api-version", PROTOCOL_VERSION.to_owned())];
    let base = inputs.address(BASE_PATH.name).unwrap_or_else(|| HOME.to_owned());
    let (index, in_path) = path_name(inputs, "pineconeIndex")?;
    let own_key = if inputs.declares(TEXT_KEY_INPUT) { inputs.optional_text(TEXT_KEY_INPUT) } else { None };
    let pinecone = Pinecone {
        control: endpoint(inputs, &base, &headers),
        index: in_path,
        namespace: inputs.optional_text("pineconeNamespace").unwrap_or_default(),
        text_key: own_key.unwrap_or_else(|| TEXT_KEY.to_owned()),
        filter: filter(inputs, "pineconeMetadataFilter")?,
        found: OnceLock::new(),
    };
    let collection = format!("{index}_{}", pinecone.namespace);
    Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, collection, pinecone)?))
}

struct Pinecone {
    control: Endpoint,
    /// As it stands in a path.
    index: String,
    namespace: String,
    text_key: String,
    filter: Option<Map<String, Value>>,
    /// The index, once it was looked up in this run.
    found: OnceLock<PineconeIndex>,
}

#[derive(Clone)]
struct PineconeIndex {
    endpoint: Endpoint,
    dimensions: Option<u64>,
    by_distance: bool,
}

impl Pinecone {
    fn index(&self, cancel: &CancelToken) -> Result<PineconeIndex, ModelError> {
        if let Some(found) = self.found.get() {
            return Ok(found.clone());
        }
        let answer = self.control.get_optional(&format!("/indexes/{}", self.index), cancel)?;
        let answer = answer
            .ok_or_else(|| ModelError::Settings("Pinecone has no such index; make it there first".into()))?;
        let host = answer["host"].as_str().ok_or_else(|| ModelError::Garbled("it names no host".into()))?;
        let mut endpoint = self.control.clone();
        endpoint.base = address(host, &self.control.base)?;
        let by_distance = answer["metric"] == "euclidean";
        let index = PineconeIndex { endpoint, dimensions: answer["dimension"].as_u64(), by_distance };
        Ok(self.found.get_or_init(|| index).clone())
    }

    fn post(
        &self,
        index: &PineconeIndex,
        path: &str,
        mut body: Value,
        cancel: &CancelToken,
    ) -> Result<Value, ModelError> {
        if !self.namespace.is_empty() {
            body["namespace"] = self.namespace.as_str().into();
        }
        index.endpoint.send_json(&Method::POST, path, Some(&body), cancel)
    }

    /// The card's filter, that of a search, and whose chunks they are: all of them must hold.
    fn all(&self, search: &VectorSearch<'_>) -> Value {
        let more = search.filter.and_then(Value::as_object).map(|more| {
            let wanted = |(key, value): (&String, &Value)| {
                let value = if value.is_array() { json!({"$in": value}) } else { value.clone() };
                (key.clone(), value)
            };
            Value::Object(more.iter().map(wanted).collect())
        });
        let own = self.filter.clone().map(Value::Object);
        let mut all: Vec<Value> =
            own.into_iter().chain(more).chain([conversation_condition(search.conversation)]).collect();
        if all.len() > 1 { json!({ "$and": all }) } else { all.remove(0) }
    }

    fn chunk(&self, metadata: &Value) -> Document {
        let mut metadata = metadata.as_object().cloned().unwrap_or_default();
        let text = metadata.remove(&self.text_key);
        let page_content = text.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        Document { page_content, metadata }
    }
}

fn conversation_condition(whose: ConversationFilter<'_>) -> Value {
    let everybodys = json!({CHAT_KEY: {"$exists": false}});
    match whose.0 {
        Some(chat) => json!({"$or": [everybodys, {CHAT_KEY: chat}]}),
        None => everybodys,
    }
}

/// Where an index is, as the cloud says it: the key goes nowhere but to the cloud itself. Another place where indexes are
/// looked up is the owner's, and so are its indexes.
fn address(host: &str, control: &str) -> Result<String, ModelError> {
    let bare = host.trim_start_matches("https://").trim_start_matches("http://").trim_end_matches('/');
    let is_host =
        !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':'));
    let is_home = control == HOME;
    if !is_host || (is_home && !bare.ends_with(CLOUD)) {
        return Err(ModelError::Garbled("it names a host that is none of Pinecone's".into()));
    }
    // An emulator on a machine of one's own speaks no TLS.
    let scheme = if control.starts_with("http://") { "http" } else { "https" };
    Ok(format!("{scheme}://{bare}"))
}

impl VectorDatabase for Pinecone {
    type Error = ModelError;

    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        match self.index(cancel)?.dimensions {
            Some(wanted) if wanted != dimensions as u64 => Err(ModelError::Settings(format!(
                "the index holds vectors of {wanted} numbers, and the embeddings make vectors of {dimensions}"
            ))),
            _ => Ok(()),
        }
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        let vector = |row: &RemoteChunk<'_>| {
            let mut metadata = flatten_metadata(&row.chunk.metadata);
            metadata.insert(self.text_key.clone(), row.chunk.page_content.as_str().into());
            json!({"id": row.name, "values": row.vector, "metadata": metadata})
        };
        let body = json!({"vectors": rows.iter().map(vector).collect::<Vec<_>>()});
        self.post(&self.index(cancel)?, "/vectors/upsert", body, cancel).map(|_| ())
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        self.post(&self.index(cancel)?, "/vectors/delete", json!({"ids": names}), cancel).map(|_| ())
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let index = self.index(cancel)?;
        let mut body = json!({
            "vector": search.vector, "topK": search.most, "includeMetadata": true, "filter": self.all(search),
        });
        if search.with_vectors {
            body["includeValues"] = true.into();
        }
        let answer = self.post(&index, "/query", body, cancel)?;
        let scored = |found: &Value| {
            let score = found["score"].as_f64()? as f32;
            let score = if index.by_distance { score_from_distance(score) } else { score };
            let vector = match search.with_vectors {
                true => serde_json::from_value(found["values"].clone()).ok()?,
                false => Vec::new(),
            };
            let held = &found["metadata"];
            Some(RemoteHit::new(ScoredChunk { chunk: self.chunk(held), score }, held).with_vector(vector))
        };
        let matches = answer["matches"].as_array().ok_or_else(malformed_answer)?;
        matches.iter().map(scored).collect::<Option<Vec<_>>>().ok_or_else(malformed_answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_goes_to_no_host_but_the_clouds() {
        assert_eq!(address("a-1.svc.x.pinecone.io", HOME).unwrap(), "https://a-1.svc.x.pinecone.io");
        for host in
            ["evil.example", "pinecone.io.evil.example", "a.pinecone.io@evil.example", "a.pinecone.io/x", ""]
        {
            assert!(address(host, HOME).is_err(), "{host}");
        }
        assert_eq!(address("localhost:5081", "http://localhost:5080").unwrap(), "http://localhost:5081");
        assert_eq!(address("https://h", "https://gateway.example").unwrap(), "https://h");
    }
}
