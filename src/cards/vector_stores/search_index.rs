//! What Elasticsearch and OpenSearch share: one grew out of the other, and chunks are documents of an index of both.

use crate::base::cancel::CancelToken;
use crate::domain::error::Result as CardResult;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::CHAT_KEY;
use crate::kit::stores::remote::{
    ConversationFilter, RemoteChunk, RemoteHit, VectorSearch, malformed_answer, path_name,
};
use crate::kit::{Inputs, ScoredChunk};
use crate::llm::{Endpoint, ModelError, RequestBody};
use crate::net::Method;
use serde_json::{Value, json};
use std::sync::OnceLock;
use uuid::Uuid;

/// The fields of a document, as programs like Flowise name them.
pub(super) const VECTOR: &str = "embedding";
const TEXT: &str = "text";
const METADATA: &str = "metadata";
/// A longer text of the metadata is found by nothing; the server takes no longer ones as a whole.
const KEYWORD_CHARS_MAX: u32 = 8_191;

/// An index of a server.
pub(super) struct SearchIndex {
    pub(super) endpoint: Endpoint,
    name: String,
    /// As it stands in a path.
    in_path: String,
    /// What it says of its vectors, once it was asked in this run.
    vectors: OnceLock<Value>,
}

impl SearchIndex {
    /// The index that the card names, and its name.
    ///
    /// # Errors
    /// When it is no name.
    pub(super) fn from_inputs(inputs: &Inputs<'_>, endpoint: Endpoint) -> CardResult<(String, Self)> {
        let (name, in_path) = path_name(inputs, "indexName")?;
        Ok((name.clone(), Self { endpoint, name, in_path, vectors: OnceLock::new() }))
    }

    /// What the index says of its vectors; `None` when there is no index.
    pub(super) fn vectors(&self, cancel: &CancelToken) -> Result<Option<Value>, ModelError> {
        if let Some(known) = self.vectors.get() {
            return Ok(Some(known.clone()));
        }
        let path = format!("/{}/_mapping", self.in_path);
        let Some(answer) = self.endpoint.get_optional(&path, cancel)? else { return Ok(None) };
        // Under the name of the index itself, which an alias does not tell.
        let index = answer.as_object().and_then(|indexes| indexes.values().next());
        let index = index.ok_or_else(|| ModelError::Garbled("it names no index".into()))?;
        let vectors = index["mappings"]["properties"][VECTOR].clone();
        if vectors.is_null() {
            return Err(ModelError::Settings(format!(
                "the index '{}' holds no vectors under '{VECTOR}'; name another one",
                self.name
            )));
        }
        Ok(Some(self.vectors.get_or_init(|| vectors).clone()))
    }

    /// As [`Self::vectors`], for a search. What a key that may only search is not told is as the card says: `None`.
    pub(super) fn vectors_for_search(&self, cancel: &CancelToken) -> Result<Option<Value>, ModelError> {
        match self.vectors(cancel) {
            Ok(None) => {
                Err(ModelError::Settings(format!("there is no index '{}'; fill the store first", self.name)))
            }
            Err(ModelError::Provider { status: 403, .. }) => Ok(None),
            known => known,
        }
    }

    /// Makes sure that there is an index for vectors of this length: `dimensions` is where one says how long they are,
    /// and `field` and `settings` are those of one that is made.
    pub(super) fn prepare(
        &self,
        length: usize,
        dimensions: &str,
        field: &Value,
        settings: &Value,
        cancel: &CancelToken,
    ) -> Result<(), ModelError> {
        if let Some(known) = self.vectors(cancel)? {
            return match known[dimensions].as_u64() {
                Some(wanted) if wanted != length as u64 => Err(ModelError::Settings(format!(
                    "the index holds vectors of {wanted} numbers, and the embeddings make vectors of {length}"
                ))),
                _ => Ok(()),
            };
        }
        // Metadata are compared as a whole, and a text that looks like a date is a text.
        let texts = json!({"texts_of_metadata": {
            "path_match": format!("{METADATA}.*"),
            "match_mapping_type": "string",
            "mapping": {"type": "keyword", "ignore_above": KEYWORD_CHARS_MAX},
        }});
        let mut wanted = json!({"mappings": {
            "date_detection": false,
            "dynamic_templates": [texts],
            "properties": {TEXT: {"type": "text"}, METADATA: {"type": "object"}, VECTOR: field},
        }});
        if !settings.is_null() {
            wanted["settings"] = settings.clone();
        }
        let made =
            self.endpoint.send_json(&Method::PUT, &format!("/{}", self.in_path), Some(&wanted), cancel);
        match made {
            // Somebody else made it meanwhile.
            Err(ModelError::Provider { status: 400, message }) if message.contains("already exists") => {
                Ok(())
            }
            made => made.map(|_| ()),
        }
    }

    /// Stores chunks; one of the same name is replaced.
    pub(super) fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        let lines = rows.iter().flat_map(|row| {
            let document = json!({
                TEXT: row.chunk.page_content, METADATA: row.chunk.metadata, VECTOR: row.vector,
            });
            [json!({"index": {"_id": row.name}}), document]
        });
        self.bulk(lines, cancel)
    }

    /// Removes chunks; one that is not there is no failure.
    pub(super) fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        self.bulk(names.iter().map(|name| json!({"delete": {"_id": name}})), cancel)
    }

    fn bulk(&self, lines: impl Iterator<Item = Value>, cancel: &CancelToken) -> Result<(), ModelError> {
        let mut text = String::new();
        lines.for_each(|line| {
            text.push_str(&line.to_string());
            text.push('\n');
        });
        let body = RequestBody { kind: "application/x-ndjson", bytes: text.as_bytes() };
        let path = format!("/{}/_bulk?refresh=true", self.in_path);
        let answer = self.endpoint.send_body(&Method::POST, &path, Some(body), cancel)?;
        let items = answer["items"]
            .as_array()
            .ok_or_else(|| ModelError::Garbled("it does not say what became of the chunks".into()))?;
        let results = items.iter().filter_map(|item| item.as_object()?.values().next());
        match results.into_iter().find(|result| !result["error"].is_null()) {
            Some(refused) => {
                let status = refused["status"].as_u64().and_then(|status| u16::try_from(status).ok());
                Err(self.endpoint.error_from_body(status.unwrap_or(400), refused))
            }
            None => Ok(()),
        }
    }

    /// What a search finds. `query` are its own words, and `score` makes nearness of what the server says.
    pub(super) fn search(
        &self,
        mut query: Value,
        search: &VectorSearch<'_>,
        score: impl Fn(f32) -> f32,
        cancel: &CancelToken,
    ) -> Result<Vec<RemoteHit>, ModelError> {
        query["size"] = search.most.into();
        query["_source"] = json!([TEXT, METADATA]);
        let path = format!("/{}/_search", self.in_path);
        let answer = self.endpoint.send_json(&Method::POST, &path, Some(&query), cancel)?;
        let found = |hit: &Value| {
            let held = &hit["_source"];
            let page_content = held[TEXT].as_str().unwrap_or_default().to_owned();
            let metadata = held[METADATA].as_object().cloned().unwrap_or_default();
            let chunk = Document { page_content, metadata };
            let score = score(hit["_score"].as_f64()? as f32);
            Some(RemoteHit::new(ScoredChunk { chunk, score }, held))
        };
        let hits = answer["hits"]["hits"].as_array().ok_or_else(malformed_answer)?;
        hits.iter().map(found).collect::<Option<Vec<_>>>().ok_or_else(malformed_answer)
    }
}

/// The filter of a search, and whose chunks they are: all of them must hold.
pub(super) fn conditions(search: &VectorSearch<'_>) -> Value {
    let wanted = search.filter.and_then(Value::as_object).into_iter().flatten();
    let wanted = wanted.map(|(key, value)| match value {
        Value::Array(any) => any_of(any.iter().flat_map(|value| terms(key, value)).collect()),
        Value::Null => missing(key),
        plain => any_of(terms(key, plain)),
    });
    let all: Vec<Value> = wanted.chain([conversation_condition(search.conversation)]).collect();
    json!({"bool": {"filter": all}})
}

fn conversation_condition(whose: ConversationFilter<'_>) -> Value {
    let everybodys = missing(CHAT_KEY);
    match whose.0 {
        Some(chat) => any_of([vec![everybodys], terms(CHAT_KEY, &chat.into())].concat()),
        None => everybodys,
    }
}

fn missing(key: &str) -> Value {
    json!({"bool": {"must_not": {"exists": {"field": format!("{METADATA}.{key}")}}}})
}

fn any_of(any: Vec<Value>) -> Value {
    json!({"bool": {"should": any, "minimum_should_match": 1}})
}

/// An entry of the metadata with this value. Indexes that were made elsewhere keep a text as a whole beside its words.
fn terms(key: &str, value: &Value) -> Vec<Value> {
    let field = format!("{METADATA}.{key}");
    let whole = value.is_string().then(|| json!({"term": {format!("{field}.keyword"): value}}));
    std::iter::once(json!({"term": {field: value}})).chain(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_and_whose_chunks_they_are_must_both_hold() {
        let wanted = json!({"year": 2024, "tag": ["a"], "gone": null});
        let search = VectorSearch {
            text: "",
            vector: &[],
            most: 1,
            filter: Some(&wanted),
            conversation: ConversationFilter(Some("c")),
            with_vectors: false,
        };
        let field = "metadata.flowise_chatId";
        assert_eq!(
            conditions(&search),
            json!({"bool": {"filter": [
                {"bool": {"should": [{"term": {"metadata.year": 2024}}], "minimum_should_match": 1}},
                {"bool": {"should": [
                    {"term": {"metadata.tag": "a"}}, {"term": {"metadata.tag.keyword": "a"}},
                ], "minimum_should_match": 1}},
                {"bool": {"must_not": {"exists": {"field": "metadata.gone"}}}},
                {"bool": {"should": [
                    {"bool": {"must_not": {"exists": {"field": field}}}},
                    {"term": {field: "c"}},
                    {"term": {format!("{field}.keyword"): "c"}},
                ], "minimum_should_match": 1}},
            ]}})
        );
    }
}
