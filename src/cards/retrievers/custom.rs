//! Custom Retriever: chunks in a form of the owner's own.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::retrieving::{QUERY, TOP_K, VECTOR_STORE, outputs, top_k};
use crate::kit::{
    Card, Category, Factory, Input, Output, Retriever, Risk, RunContext, VectorQuery, VectorStore,
};
use regex::Regex;
use serde_json::Value;
use std::sync::{Arc, LazyLock};

const CLASSES: &[&str] = &["CustomRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(CLASSES, "Custom Retriever");
/// The longest a chunk may become: a form could name the same text many times.
const FORMATTED_BYTES_MAX: usize = 256 * 1024;

/// `{{context}}`, `{{metadata}}` and `{{metadata.a.b}}`.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{\{\s*(context|metadata(?:\.[^{}\s]+)?)\s*\}\}").expect("the pattern is fixed")
});

pub(crate) const CARD: Card = Card {
    name: "customRetriever",
    label: "Custom Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Returns the chunks of a vector store, each written as you like.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        VECTOR_STORE,
        QUERY,
        Input::lines("resultFormat", "Result Format")
            .or("{{context}}\nSource: {{metadata.source}}")
            .help("{{context}} is the chunk, {{metadata.source}} an entry of its metadata."),
        TOP_K,
    ],
    outputs: OUTPUTS,
    make: Factory::Retriever(|inputs| {
        let store = inputs.vector_store("vectorStore")?;
        Ok(Arc::new(TextRetriever {
            most: top_k(inputs, store.top_k())?,
            format: inputs.text("resultFormat")?,
            store,
        }))
    }),
};

struct TextRetriever {
    store: Arc<dyn VectorStore>,
    format: String,
    most: usize,
}

impl Retriever for TextRetriever {
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>> {
        let found = self.store.nearest(&VectorQuery { text: query, most: self.most, filter: None }, turn)?;
        let formatted = found.into_iter().map(|found| Document {
            page_content: format_chunk(&self.format, &found.chunk),
            metadata: found.chunk.metadata,
        });
        Ok(formatted.collect())
    }

    fn top_k(&self) -> usize {
        self.most
    }
}

/// One pass: what a chunk says is not searched for places again.
fn format_chunk(format: &str, chunk: &Document) -> String {
    let mut out = String::new();
    let mut rest = 0;
    for place in PLACE.captures_iter(format) {
        let (whole, name) = (place.get(0).expect("the whole match"), &place[1]);
        out.push_str(&format[rest..whole.start()]);
        rest = whole.end();
        if name == "context" {
            out.push_str(&chunk.page_content);
        } else {
            out.push_str(&metadata_text(chunk, name.strip_prefix("metadata.").unwrap_or_default()));
        }
        if out.len() > FORMATTED_BYTES_MAX {
            let end = out.floor_char_boundary(FORMATTED_BYTES_MAX);
            out.truncate(end);
            return out;
        }
    }
    out.push_str(&format[rest..]);
    out
}

/// An entry of the metadata by its path; all of it for an empty one, nothing where there is none.
fn metadata_text(chunk: &Document, path: &str) -> String {
    if path.is_empty() {
        return Value::Object(chunk.metadata.clone()).to_string();
    }
    let mut keys = path.split('.');
    let first = keys.next().and_then(|key| chunk.metadata.get(key));
    match first.and_then(|first| keys.try_fold(first, |value, key| value.get(key))) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_chunk_is_written_as_its_owner_likes() {
        let metadata = json!({"source": "a.txt", "loc": {"line": 7}});
        let chunk = Document {
            page_content: "Hello {{metadata.source}}".to_owned(),
            metadata: metadata.as_object().cloned().unwrap(),
        };
        for (format, expected) in [
            ("{{context}}", "Hello {{metadata.source}}"),
            ("{{ metadata.source }}:{{metadata.loc.line}}", "a.txt:7"),
            ("[{{metadata.none}}] {{other}} {context}", "[] {{other}} {context}"),
            ("{{metadata}}", r#"{"source":"a.txt","loc":{"line":7}}"#),
        ] {
            assert_eq!(format_chunk(format, &chunk), expected);
        }
        let many = "{{context}}".repeat(100_000);
        assert!(format_chunk(&many, &chunk).len() <= FORMATTED_BYTES_MAX);
    }
}
