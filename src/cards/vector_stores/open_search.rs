//! OpenSearch: chunks in an index of an OpenSearch server.

use super::search_index::{SearchIndex, VECTOR, conditions};
use crate::base::cancel::CancelToken;
use crate::domain::error::Result as CardResult;
use crate::kit::stores::remote::{
    RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase, VectorSearch, endpoint, outputs,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Inputs, Need, Output, Risk};
use crate::llm::ModelError;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::sync::Arc;
use url::Url;
use uuid::Uuid;

const CLASSES: &[&str] = &["OpenSearch", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["OpenSearch", "VectorStore"], ["OpenSearch Retriever", "OpenSearch Vector Store"]);

const ENGINES: &[Choice] =
    &[Choice::new("lucene", "Lucene"), Choice::new("faiss", "Faiss"), Choice::new("nmslib", "NMSLIB")];
const SPACES: &[Choice] = &[
    Choice::new("l2", "L2 (Euclidean)"),
    Choice::new("cosinesimil", "Cosine Similarity"),
    Choice::new("innerproduct", "Inner Product"),
];

pub(crate) const CARD: Card = Card {
    name: "openSearch",
    label: "OpenSearch",
    version: 4.0,
    category: Category::VectorStores,
    description: "Stores chunks in an index of OpenSearch 2 or later and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["openSearchUrl"]),
        DOCUMENT,
        EMBEDDINGS,
        Input::text("indexName", "Index Name"),
        Input::choice("engine", "Engine", ENGINES)
            .or("lucene")
            .additional()
            .help("What searches an index that is made. One that is there keeps its own."),
        Input::choice("spaceType", "Space Type", SPACES)
            .or("l2")
            .additional()
            .help("How near two vectors are, in an index that is made."),
        TOP_K_INPUT,
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let (base, authorization) = place(inputs)?;
        let headers: Vec<(&str, String)> =
            authorization.into_iter().map(|value| ("authorization", value)).collect();
        let (name, index) = SearchIndex::from_inputs(inputs, endpoint(inputs, &base, &headers))?;
        let (engine, space) = (inputs.text("engine")?, inputs.text("spaceType")?);
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, name, OpenSearch { index, engine, space })?))
    }),
};

/// The server's address, and how one signs in there. User and password may stand in the address, from where they go into
/// the header.
fn place(inputs: &Inputs<'_>) -> CardResult<(String, Option<String>)> {
    let wrong = |what: &str| inputs.input_error("credential", what);
    let text = inputs.optional_secret("openSearchUrl");
    let text = text.ok_or_else(|| wrong("select a credential with the address of the server"))?;
    let url = Url::parse(&text).ok().filter(Url::has_host);
    let mut url = url.ok_or_else(|| wrong("its Open Search URL must look like https://host:9200"))?;
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = inputs.optional_secret("user").unwrap_or_else(|| plain(url.username()));
    let password = inputs.optional_secret("password");
    let password = password.unwrap_or_else(|| url.password().map(plain).unwrap_or_default());
    let bare = url.set_username("").and_then(|()| url.set_password(None));
    bare.map_err(|()| wrong("its Open Search URL must look like https://host:9200"))?;
    Ok((url.into(), (!user.is_empty()).then(|| super::basic(&user, &password))))
}

struct OpenSearch {
    index: SearchIndex,
    /// Of an index that is made.
    engine: String,
    space: String,
}

/// What an index says of itself in either of the places of its versions.
fn index_option<'k>(known: &'k Value, name: &str) -> Option<&'k str> {
    known["method"][name].as_str().or_else(|| known[name].as_str())
}

/// Nearness out of what the server says, which makes all of it numbers from nothing up.
fn nearness(space: &str, score: f32) -> f32 {
    match space {
        "cosinesimil" => score.mul_add(2.0, -1.0),
        "innerproduct" if score < 1.0 => 1.0 - 1.0 / score.max(f32::MIN_POSITIVE),
        "innerproduct" => score - 1.0,
        // One through one and the square of the distance.
        _ => score,
    }
}

impl VectorDatabase for OpenSearch {
    type Error = ModelError;

    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        let method = json!({"name": "hnsw", "engine": self.engine, "space_type": self.space});
        let field = json!({"type": "knn_vector", "dimension": dimensions, "method": method});
        self.index.prepare(dimensions, "dimension", &field, &json!({"index": {"knn": true}}), cancel)
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        self.index.put(rows, cancel)
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        self.index.remove(names, cancel)
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let known = self.index.vectors_for_search(cancel)?.unwrap_or_default();
        let engine = index_option(&known, "engine").unwrap_or(&self.engine);
        let space = index_option(&known, "space_type").unwrap_or(&self.space);
        let filter = conditions(search);
        let query = if engine == "nmslib" {
            // It filters only afterwards what it has found, so that too little may be left: every chunk that fits is
            // compared instead.
            let params = json!({"field": VECTOR, "query_value": search.vector, "space_type": space});
            let script = json!({"lang": "knn", "source": "knn_score", "params": params});
            json!({"script_score": {"query": filter, "script": script}})
        } else {
            json!({"knn": {VECTOR: {"vector": search.vector, "k": search.most, "filter": filter}}})
        };
        // A script counts nearness of directions otherwise.
        let by_script = engine == "nmslib" && space == "cosinesimil";
        let score = |score: f32| if by_script { score - 1.0 } else { nearness(space, score) };
        self.index.search(json!({ "query": query }), search, score, cancel)
    }
}
