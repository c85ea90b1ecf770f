//! From text to a canvas: strict about the two lists, lenient about everything inside them.

use super::{Canvas, Edge, Node, former_names};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Why a text is not a canvas.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CanvasError {
    /// Not JSON text.
    #[error("Invalid flowData: it is not JSON text (line {line}, column {column}).")]
    NotJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault, from 1.
        column: usize,
    },
    /// JSON, but not an object.
    #[error("Invalid flowData: it must be a JSON object with lists 'nodes' and 'edges'.")]
    NotAnObject,
    /// The list is missing, or something else stands in its place.
    #[error("Invalid flowData: it must hold a list '{0}'.")]
    MissingList(&'static str),
    /// Two nodes share an id, so references to it would be ambiguous.
    #[error("Invalid flowData: two nodes have the id '{0}'.")]
    DuplicateId(String),
    /// A number that would be another one once it was read.
    #[error(
        "Invalid flowData: version history cannot keep the number {number} {place} as it is. Write it as text, in quotes."
    )]
    LongNumber {
        /// As it is written, or its beginning.
        number: String,
        /// Where it stands.
        place: String,
    },
}

pub(super) fn parse(text: &str) -> Result<Canvas, CanvasError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|fault| CanvasError::NotJson { line: fault.line(), column: fault.column() })?;
    let Value::Object(raw) = value else { return Err(CanvasError::NotAnObject) };
    from_raw(raw)
}

/// The typed view of a canvas.
pub(super) fn from_raw(raw: Map<String, Value>) -> Result<Canvas, CanvasError> {
    let mut nodes: Vec<Node> = list(&raw, "nodes")?.iter().map(Node::from_json).collect();
    let edges = list(&raw, "edges")?.iter().map(Edge::from_json).collect();
    let mut places = HashMap::new();
    for (place, node) in nodes.iter().enumerate().filter(|(_, node)| !node.id.is_empty()) {
        if places.insert(node.id.clone(), place).is_some() {
            return Err(CanvasError::DuplicateId(node.id.chars().take(80).collect()));
        }
    }
    former_names::move_prompt_values(&mut nodes, &places);
    Ok(Canvas { nodes, edges, positions: places, raw })
}

fn list<'a>(raw: &'a Map<String, Value>, name: &'static str) -> Result<&'a Vec<Value>, CanvasError> {
    raw.get(name).and_then(Value::as_array).ok_or(CanvasError::MissingList(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_both_lists_is_refused_with_its_fault() {
        for (text, fault) in [
            ("", CanvasError::NotJson { line: 1, column: 0 }),
            ("{", CanvasError::NotJson { line: 1, column: 1 }),
            ("[]", CanvasError::NotAnObject),
            ("{}", CanvasError::MissingList("nodes")),
            (r#"{"nodes":[]}"#, CanvasError::MissingList("edges")),
            (r#"{"nodes":{},"edges":[]}"#, CanvasError::MissingList("nodes")),
            (r#"{"nodes":[{"id":"a"},{"id":"a"}],"edges":[]}"#, CanvasError::DuplicateId("a".into())),
        ] {
            assert_eq!(parse(text).unwrap_err(), fault, "{text}");
        }
    }

    #[test]
    fn nodes_of_unknown_form_are_kept_as_they_are() {
        let text = r#"{"z":1,"nodes":[null,7,{"id":"a","data":{"inputs":"odd"},"x":1.0}],"edges":["?"],"viewport":{"zoom":0.5}}"#;
        let canvas = parse(text).unwrap();
        assert_eq!(canvas.nodes().len(), 3);
        assert_eq!(serde_json::to_string(canvas.raw()).unwrap(), text);
    }
}
