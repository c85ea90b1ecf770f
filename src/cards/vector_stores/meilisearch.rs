//! Meilisearch: chunks as documents of an index, found by words and meaning together.

use crate::base::cancel::CancelToken;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::CHAT_KEY;
use crate::kit::stores::remote::{
    ConversationFilter, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase, VectorSearch, endpoint,
    malformed_answer, missing_input, path_name, wait_until_done,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Output, Risk, ScoredChunk};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

const OUTPUTS: &[Output] = &[Output {
    name: "retriever",
    label: "Meilisearch Retriever",
    base_classes: &["BaseRetriever"],
    predicts: false,
}];
/// The name of a document.
const NAME: &str = "objectID";
const TEXT: &str = "pageContent";
const METADATA: &str = "metadata";
/// What makes the vectors of an index that is made here: this service does.
const EMBEDDER: &str = "default";
/// How much meaning counts beside words, when the card says nothing else.
const SEMANTIC_RATIO: f64 = 0.75;

pub(crate) const CARD: Card = Card {
    name: "meilisearch",
    label: "Meilisearch",
    version: 1.0,
    category: Category::VectorStores,
    description: "Stores chunks in an index of Meilisearch and finds them there, by words and by meaning.",
    base_classes: &["BaseRetriever"],
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["meilisearchApi"]),
        DOCUMENT,
        EMBEDDINGS,
        Input::address("host", "Host").help("Such as http://localhost:7700."),
        Input::text("indexUid", "Index Uid"),
        Input::switch("deleteIndex", "Delete Index if exists")
            .optional()
            .help("Filling the store removes what is in the index first."),
        Input::whole("K", "Top K", 1.0, 100.0).additional().help("How many chunks are returned. Empty: 4."),
        Input::number("semanticRatio", "Semantic Ratio", 0.0, 1.0)
            .additional()
            .help("0 looks at words alone, 1 at meaning alone. Empty: 0.75."),
        Input::text("searchFilter", "Search Filter")
            .additional()
            .variables()
            .help("Only chunks that fit are found; in the words of Meilisearch: metadata.year > 2020"),
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let base = inputs.address("host").ok_or_else(|| missing_input(inputs, "host"))?;
        let search_key = inputs.optional_secret("meilisearchSearchApiKey");
        let admin_key = inputs.optional_secret("meilisearchAdminApiKey");
        let with = |key: Option<&String>| {
            let key = key.map(|key| ("authorization", format!("Bearer {key}")));
            endpoint(inputs, &base, key.as_slice())
        };
        let (index, in_path) = path_name(inputs, "indexUid")?;
        let meilisearch = Meilisearch {
            admin: with(admin_key.as_ref().or(search_key.as_ref())),
            searching: with(search_key.as_ref().or(admin_key.as_ref())),
            name: index.clone(),
            in_path,
            replaces: inputs.switch("deleteIndex"),
            semantic_ratio: inputs.number("semanticRatio")?.unwrap_or(SEMANTIC_RATIO),
            filter: inputs.optional_text("searchFilter").filter(|filter| !filter.trim().is_empty()),
        };
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, index, meilisearch)?))
    }),
};

struct Meilisearch {
    /// The server, with the key that may change what is there.
    admin: Endpoint,
    /// The server, with the key that may only search.
    searching: Endpoint,
    name: String,
    /// As it stands in a path.
    in_path: String,
    /// An upsert begins with an empty index.
    replaces: bool,
    semantic_ratio: f64,
    filter: Option<String>,
}

impl Meilisearch {
    fn path(&self, rest: &str) -> String {
        format!("/indexes/{}{rest}", self.in_path)
    }

    /// Asks for a change and waits until the server has made it.
    fn change(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        cancel: &CancelToken,
    ) -> Result<(), ModelError> {
        let answer = self.admin.send_json(method, path, body, cancel)?;
        let task = answer["taskUid"].as_u64();
        let task = task.ok_or_else(|| ModelError::Garbled("it names no task".into()))?;
        wait_until_done(cancel, || {
            let at = self.admin.send_json(&Method::GET, &format!("/tasks/{task}"), None, cancel)?;
            match at["status"].as_str() {
                Some("succeeded") => Ok(true),
                Some("enqueued" | "processing") => Ok(false),
                Some("failed") => Err(self.admin.error_from_body(400, &at)),
                Some("canceled") => {
                    Err(ModelError::Settings("somebody cancelled the task on the server".into()))
                }
                _ => Err(ModelError::Garbled("it does not say what became of a task".into())),
            }
        })
    }

    /// The settings of the index; `None` when there is none.
    fn settings(&self, cancel: &CancelToken) -> Result<Option<Value>, ModelError> {
        self.admin.get_optional(&self.path("/settings"), cancel)
    }

    /// The name under which an index takes vectors from outside, and their length.
    fn embedder(settings: &Value) -> Option<(String, Option<u64>)> {
        let all = settings["embedders"].as_object()?;
        let (name, own) = all.iter().find(|(_, embedder)| embedder["source"] == "userProvided")?;
        Some((name.clone(), own["dimensions"].as_u64()))
    }

    /// As the index has it, or as one is made here where it does not tell: a key that may only search is told nothing.
    fn embedder_name(&self, cancel: &CancelToken) -> Result<String, ModelError> {
        let settings = match self.settings(cancel) {
            Err(ModelError::KeyRefused | ModelError::Provider { status: 403, .. }) => None,
            settings => settings?,
        };
        let known = settings.as_ref().and_then(Self::embedder);
        Ok(known.map_or_else(|| EMBEDDER.to_owned(), |(name, _)| name))
    }

    /// The owner's filter, that of a search, and whose chunks they are: all of them must hold.
    fn all(&self, search: &VectorSearch<'_>, whose: bool) -> Vec<Value> {
        let wanted = search.filter.and_then(Value::as_object).into_iter().flatten();
        let wanted = wanted.map(|(key, value)| match value {
            Value::Array(any) => any.iter().map(|value| equal(key, value)).collect(),
            plain => Value::from(equal(key, plain)),
        });
        let own = self.filter.iter().map(|filter| Value::from(filter.as_str()));
        own.chain(wanted).chain(whose.then(|| conversation_condition(search.conversation))).collect()
    }
}

/// An entry of the metadata with this value.
fn equal(key: &str, value: &Value) -> String {
    let field = format!("{METADATA}.{key}");
    match value {
        Value::Null => format!("{} NOT EXISTS", quote(&field)),
        Value::String(text) => format!("{} = {}", quote(&field), quote(text)),
        plain => format!("{} = {}", quote(&field), quote(&plain.to_string())),
    }
}

/// A text or a name in a filter: nothing in it ends it.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// In a filter, what stands in a list within the list is one of several.
fn conversation_condition(whose: ConversationFilter<'_>) -> Value {
    let everybodys = equal(CHAT_KEY, &Value::Null);
    match whose.0 {
        Some(chat) => json!([everybodys, equal(CHAT_KEY, &chat.into())]),
        None => everybodys.into(),
    }
}

impl VectorDatabase for Meilisearch {
    type Error = ModelError;

    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        let mut settings = self.settings(cancel)?;
        if self.replaces && settings.is_some() {
            self.change(&Method::DELETE, &self.path(""), None, cancel)?;
            settings = None;
        }
        let settings = match settings {
            Some(settings) => settings,
            None => {
                let wanted = json!({"uid": self.name, "primaryKey": NAME});
                self.change(&Method::POST, "/indexes", Some(&wanted), cancel)?;
                Value::Null
            }
        };
        match Self::embedder(&settings) {
            Some((_, Some(wanted))) if wanted != dimensions as u64 => {
                return Err(ModelError::Settings(format!(
                    "the index holds vectors of {wanted} numbers, and the embeddings make vectors of {dimensions}"
                )));
            }
            Some(_) => {}
            None => {
                let wanted = json!({EMBEDDER: {"source": "userProvided", "dimensions": dimensions}});
                self.change(&Method::PATCH, &self.path("/settings/embedders"), Some(&wanted), cancel)?;
            }
        }
        let known = settings["filterableAttributes"].as_array().cloned().unwrap_or_default();
        if known.iter().any(|attribute| attribute == METADATA || attribute == "*") {
            return Ok(());
        }
        let wanted: Vec<Value> = known.into_iter().chain([METADATA.into()]).collect();
        let path = self.path("/settings/filterable-attributes");
        self.change(&Method::PUT, &path, Some(&Value::Array(wanted)), cancel)
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        let embedder = self.embedder_name(cancel)?;
        let document = |row: &RemoteChunk<'_>| {
            json!({
                NAME: row.name,
                TEXT: row.chunk.page_content,
                METADATA: row.chunk.metadata,
                "_vectors": {embedder.as_str(): {"embeddings": row.vector, "regenerate": false}},
            })
        };
        let body: Value = rows.iter().map(document).collect();
        let path = self.path(&format!("/documents?primaryKey={NAME}"));
        self.change(&Method::POST, &path, Some(&body), cancel)
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        self.change(&Method::POST, &self.path("/documents/delete-batch"), Some(&json!(names)), cancel)
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let hybrid = json!({"semanticRatio": self.semantic_ratio, "embedder": self.embedder_name(cancel)?});
        let mut body = json!({
            "q": search.text,
            "vector": search.vector,
            "hybrid": hybrid,
            "limit": search.most,
            "filter": self.all(search, true),
            "showRankingScore": true,
        });
        let path = self.path("/search");
        let answer = match self.searching.send_json(&Method::POST, &path, Some(&body), cancel) {
            // Made elsewhere, where nothing is filtered by: what is found is looked at again.
            Err(ModelError::Provider { status: 400, message }) if message.contains(CHAT_KEY) => {
                body["filter"] = self.all(search, false).into();
                self.searching.send_json(&Method::POST, &path, Some(&body), cancel)?
            }
            Err(ModelError::Provider { status: 404, .. }) => {
                return Err(ModelError::Settings(format!(
                    "there is no index '{}'; fill the store first",
                    self.name
                )));
            }
            answer => answer?,
        };
        let found = |hit: &Value| {
            let page_content = hit[TEXT].as_str()?.to_owned();
            let metadata = hit[METADATA].as_object().cloned().unwrap_or_default();
            let score = hit["_rankingScore"].as_f64()? as f32;
            let chunk = Document { page_content, metadata };
            Some(RemoteHit::new(ScoredChunk { chunk, score }, hit))
        };
        let hits = answer["hits"].as_array().ok_or_else(malformed_answer)?;
        hits.iter().map(found).collect::<Option<Vec<_>>>().ok_or_else(malformed_answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_a_filter_ends_nothing() {
        assert_eq!(equal("a", &json!("x\" OR \\")), r#""metadata.a" = "x\" OR \\""#);
        assert_eq!(equal("year", &json!(2024)), r#""metadata.year" = "2024""#);
        let everybodys = "\"metadata.flowise_chatId\" NOT EXISTS";
        assert_eq!(conversation_condition(ConversationFilter(None)), json!(everybodys));
        assert_eq!(
            conversation_condition(ConversationFilter(Some("c"))),
            json!([everybodys, "\"metadata.flowise_chatId\" = \"c\""])
        );
    }
}
