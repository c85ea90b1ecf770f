//! What happens to documents on their way through a pipeline (manual 10.12).

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::capabilities::host::Host;
use crate::kit::schema::input::{Choice, Input};
use crate::kit::schema::wire_type::WireType;
use serde_json::Value;

/// The anchor that documents come in by.
pub const DOCUMENTS: Input = Input::wires("documents", "Documents", WireType::Document)
    .optional()
    .help("What a source or another card of the pipeline brings.");
/// The base classes of a card that documents pass.
pub(crate) const PASSES_DOCUMENTS: &[&str] = &["Document"];

/// What becomes of what a target holds.
pub const MODE: &str = "mode";
/// What a run brings takes its place.
pub const REPLACE: &str = "replace";
/// The input [`MODE`] of cards that only pipelines fill.
pub(crate) const MODE_INPUT: Input = Input::choice(
    MODE,
    "Mode",
    &[Choice::new("append", "Beside what is there"), Choice::new(REPLACE, "In the place of what is there")],
)
.or("append");
/// The input [`MODE`] of vector stores of this server, which flows of other kinds have as well.
pub(crate) const MODE_OF_STORE: Input = MODE_INPUT.additional().help(
    "What a pipeline does with what the store holds. A store is emptied just before the first documents of a run are written. \
     In flows of other kinds it means nothing.",
);
/// The card that cuts documents. The engine finds it by its name.
pub const SPLIT: &str = "etlSplit";
/// Its input that picks a splitter.
pub const SPLITTER_PICK: &str = "splitter";
/// Its input that a splitter is wired into.
pub const SPLITTER_WIRE: &str = "textSplitter";
/// The card that keeps documents in a file. The engine finds it by its name.
pub const FILE: &str = "etlFile";
/// Its input that names the file.
pub const FILE_NAME: &str = "fileName";
/// The card that puts documents into a document store. The engine finds it by its name.
pub const DOCUMENT_STORE: &str = "etlDocumentStore";
/// Its input that picks the store.
pub const STORE: &str = "selectedStore";
/// The base class of a card that documents go into.
pub(crate) const TAKES_DOCUMENTS: &[&str] = &["PipelineTarget"];

/// The card by which a pipeline says how its runs behave. The engine finds it by its name.
pub const START: &str = "etlStart";
/// Its input that ends a run with the first document that fails.
pub const FAIL_FAST: &str = "failFast";

/// Its rows of texts that a run can be started with.
pub const PARAMS: &str = "params";
/// What a row of them calls it.
pub const PARAM_NAME: &str = "name";
/// What it is where a start does not say.
pub const PARAM_VALUE: &str = "value";

/// What documents are told apart by.
pub type DocumentDigest = [u8; 16];

/// How long a document is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DedupeScope {
    Run,
    /// By all runs of the flow.
    Flow,
}

/// The documents that passed a card before.
pub trait SeenDocuments: Send + Sync {
    /// Remembers a document of this card; true when it is the first of its kind.
    ///
    /// # Errors
    /// When nobody can tell.
    fn remember(&self, node: &str, scope: DedupeScope, digest: &DocumentDigest) -> Result<bool>;
}

/// The run that a document passes a card in.
pub struct TransformContext<'a> {
    pub host: &'a dyn Host,
    /// The card on its canvas.
    pub node: &'a str,
    pub seen: &'a dyn SeenDocuments,
}

/// A component that makes documents of a document.
pub trait Transform: Send + Sync {
    /// What becomes of a document: nothing, one, or several.
    ///
    /// # Errors
    /// When this document fails, naming the card.
    fn apply(&self, document: Document, run: &TransformContext<'_>) -> Result<Vec<Document>>;
}

/// A text of a card with `{{ content }}` and `{{ metadata.name }}` in it, for one document. One reference alone is the value as
/// it is; what the document does not have is empty.
#[must_use]
pub(crate) fn fill(text: &str, document: &Document) -> Value {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("{{") {
        let Some((name, after)) = from.split_once("}}") else { break };
        match referred(name.trim(), document) {
            Some(value) => {
                parts.push(Value::from(before));
                parts.push(value);
            }
            None => parts.push(Value::from(format!("{before}{{{{{name}}}}}"))),
        }
        rest = after;
    }
    parts.push(Value::from(rest));
    parts.retain(|part| part.as_str() != Some(""));
    if let [value] = parts.as_slice() {
        return value.clone();
    }
    parts.into_iter().map(crate::canvas::template::into_text).collect::<String>().into()
}

/// What a reference stands for; `None` for braces that are none.
fn referred(name: &str, document: &Document) -> Option<Value> {
    if name == "content" {
        return Some(document.page_content.as_str().into());
    }
    let path = name.strip_prefix("metadata.")?;
    if let Some(value) = document.metadata.get(path) {
        return Some(value.clone());
    }
    let mut keys = path.split('.');
    let first = keys.next().and_then(|key| document.metadata.get(key));
    let found = first.and_then(|first| keys.try_fold(first, |value, key| value.get(key)));
    Some(found.cloned().unwrap_or_else(|| Value::from("")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_to_a_document_are_filled_in() {
        let metadata = json!({"year": 2024, "loc": {"page": 3}, "a.b": "dotted"});
        let document =
            Document { page_content: "Text".into(), metadata: metadata.as_object().unwrap().clone() };
        for (text, expected) in [
            ("plain", json!("plain")),
            ("{{ metadata.year }}", json!(2024)),
            ("{{metadata.loc.page}} of {{ metadata.year }}", json!("3 of 2024")),
            ("{{ metadata.a.b }}", json!("dotted")),
            ("<{{ content }}>", json!("<Text>")),
            ("{{ metadata.loc.none }}!", json!("!")),
            ("{{ other }} {{", json!("{{ other }} {{")),
            ("", json!("")),
        ] {
            assert_eq!(fill(text, &document), expected, "{text}");
        }
    }
}
