//! Elasticsearch: chunks in an index of an Elasticsearch server, or of Elastic's cloud.

use super::search_index::{SearchIndex, VECTOR, conditions};
use crate::base::cancel::CancelToken;
use crate::domain::error::Result as CardResult;
use crate::kit::stores::remote::{
    RECORD_MANAGER, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase, VectorSearch, endpoint,
    outputs,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Inputs, Need, Output, Risk};
use crate::llm::ModelError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

const CLASSES: &[&str] = &["Elasticsearch", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(
    CLASSES,
    &["Elasticsearch", "VectorStore"],
    ["Elasticsearch Retriever", "Elasticsearch Vector Store"],
);
/// Chunks that each part of an index looks at, of which the best are taken.
const CANDIDATES: usize = 200;
/// More of them the server does not take.
const CANDIDATES_MAX: usize = 10_000;

const SIMILARITIES: &[Choice] = &[
    Choice::new("l2_norm", "l2_norm"),
    Choice::new("dot_product", "dot_product"),
    Choice::new("cosine", "cosine"),
];

pub(crate) const CARD: Card = Card {
    name: "elasticsearch",
    label: "Elasticsearch",
    version: 2.0,
    category: Category::VectorStores,
    description: "Stores chunks in an index of Elasticsearch 8 or later and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["elasticsearchApi", "elasticSearchUserPassword"]),
        DOCUMENT,
        EMBEDDINGS,
        RECORD_MANAGER,
        Input::text("indexName", "Index Name"),
        TOP_K_INPUT,
        Input::choice("similarity", "Similarity", SIMILARITIES)
            .or("l2_norm")
            .additional()
            .help("How near two vectors are, in an index that is made. One that is there keeps its own."),
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let (base, authorization) = place(inputs)?;
        let headers: Vec<(&str, String)> =
            authorization.into_iter().map(|value| ("authorization", value)).collect();
        let (name, index) = SearchIndex::from_inputs(inputs, endpoint(inputs, &base, &headers))?;
        let similarity = inputs.text("similarity")?;
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, name, Elasticsearch { index, similarity })?))
    }),
};

/// The server's address, and how one signs in there.
fn place(inputs: &Inputs<'_>) -> CardResult<(String, Option<String>)> {
    let wrong = |what: &str| inputs.input_error("credential", what);
    let key = inputs.optional_secret("apiKey").map(|key| format!("ApiKey {key}"));
    if let Some(endpoint) = inputs.optional_secret("endpoint") {
        return Ok((endpoint, key));
    }
    let cloud = inputs.optional_secret("cloudId").ok_or_else(|| {
        wrong("select a credential with an endpoint and a key, or with a cloud id, user and password")
    })?;
    let user = inputs.optional_secret("username").unwrap_or_default();
    let password = inputs.optional_secret("password").unwrap_or_default();
    let basic = (!user.is_empty()).then(|| super::basic(&user, &password));
    // A server of one's own has an address and no such id.
    if cloud.starts_with("https://") || cloud.starts_with("http://") {
        return Ok((cloud, basic));
    }
    let base =
        cloud_address(&cloud).ok_or_else(|| wrong("its cloud id is none; copy it from the cloud's page"))?;
    Ok((base, basic))
}

/// Where a deployment of the cloud is: its id says it, after the name that its owner gave it.
fn cloud_address(id: &str) -> Option<String> {
    let encoded = id.rsplit(':').next()?;
    let told = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let mut parts = told.split('$');
    let (home, own) = (parts.next()?, parts.next()?);
    let is_part = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':'))
    };
    if !is_part(home) || !is_part(own) {
        return None;
    }
    // Either of them may say the port.
    let (home, port) = home.split_once(':').map_or((home, None), |(home, port)| (home, Some(port)));
    let (own, port) = own.split_once(':').map_or((own, port), |(own, port)| (own, Some(port)));
    Some(format!("https://{own}.{home}:{}", port.unwrap_or("443")))
}

struct Elasticsearch {
    index: SearchIndex,
    /// Of an index that is made.
    similarity: String,
}

/// Nearness out of what the server says, which makes all of it numbers from nothing up.
fn nearness(similarity: &str, score: f32) -> f32 {
    match similarity {
        "cosine" | "dot_product" => score.mul_add(2.0, -1.0),
        "max_inner_product" if score < 1.0 => 1.0 - 1.0 / score.max(f32::MIN_POSITIVE),
        "max_inner_product" => score - 1.0,
        // One through one and the square of the distance.
        _ => score,
    }
}

impl VectorDatabase for Elasticsearch {
    type Error = ModelError;

    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        let field = json!({
            "type": "dense_vector", "dims": dimensions, "index": true, "similarity": self.similarity,
        });
        self.index.prepare(dimensions, "dims", &field, &Value::Null, cancel)
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        self.index.put(rows, cancel)
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        self.index.remove(names, cancel)
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let known = self.index.vectors_for_search(cancel)?.unwrap_or_default();
        let similarity = known["similarity"].as_str().unwrap_or(&self.similarity);
        let query = json!({"knn": {
            "field": VECTOR,
            "query_vector": search.vector,
            "k": search.most,
            "num_candidates": (search.most * 2).clamp(CANDIDATES, CANDIDATES_MAX),
            "filter": conditions(search),
        }});
        self.index.search(query, search, |score| nearness(similarity, score), cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cloud_id_says_where_the_deployment_is() {
        let id = |told: &str| format!("name:{}", STANDARD.encode(told));
        for (told, expected) in [
            ("eu.cloud.es.io$abc$def", Some("https://abc.eu.cloud.es.io:443")),
            ("eu.cloud.es.io:9243$abc$def", Some("https://abc.eu.cloud.es.io:9243")),
            ("eu.cloud.es.io$abc:1$def", Some("https://abc.eu.cloud.es.io:1")),
            ("eu.cloud.es.io", None),
            ("eu.cloud.es.io$evil.example/$x", None),
            ("$a$b", None),
        ] {
            assert_eq!(cloud_address(&id(told)).as_deref(), expected, "{told}");
        }
        assert_eq!(cloud_address("nothing"), None);
    }

    #[test]
    fn the_same_direction_is_one() {
        for similarity in ["cosine", "dot_product", "l2_norm"] {
            assert!((nearness(similarity, 1.0) - 1.0).abs() < 1e-6, "{similarity}");
        }
        assert!(nearness("cosine", 0.5).abs() < 1e-6);
        assert!((nearness("max_inner_product", 0.5) + 1.0).abs() < 1e-6);
    }
}
