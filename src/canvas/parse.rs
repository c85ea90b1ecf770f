//! From text to a canvas: strict about the two lists, lenient about everything inside them.

use super::{Canvas, Edge, Node, former_names};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt;

/// Why a text is not a canvas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadCanvas {
    /// Not JSON text.
    NotJson {
        /// Line of the first fault, from 1.
        line: usize,
        /// Column of the first fault, from 1.
        column: usize,
    },
    /// JSON, but not an object.
    NotAnObject,
    /// The list is missing, or something else stands in its place.
    NoList(&'static str),
    /// Two nodes share an id, so references to it would be ambiguous.
    SameId(String),
}

impl fmt::Display for BadCanvas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { line, column } => {
                write!(f, "Invalid flowData: it is not JSON text (line {line}, column {column}).")
            }
            Self::NotAnObject => {
                f.write_str("Invalid flowData: it must be a JSON object with lists 'nodes' and 'edges'.")
            }
            Self::NoList(name) => write!(f, "Invalid flowData: it must hold a list '{name}'."),
            Self::SameId(id) => write!(f, "Invalid flowData: two nodes have the id '{id}'."),
        }
    }
}

impl std::error::Error for BadCanvas {}

pub(super) fn parse(text: &str) -> Result<Canvas, BadCanvas> {
    let value: Value = serde_json::from_str(text)
        .map_err(|fault| BadCanvas::NotJson { line: fault.line(), column: fault.column() })?;
    let Value::Object(raw) = value else { return Err(BadCanvas::NotAnObject) };
    read(raw)
}

/// The typed view of a canvas.
pub(super) fn read(raw: Map<String, Value>) -> Result<Canvas, BadCanvas> {
    let mut nodes: Vec<Node> = list(&raw, "nodes")?.iter().map(Node::read).collect();
    let edges = list(&raw, "edges")?.iter().map(Edge::read).collect();
    let mut places = HashMap::new();
    for (place, node) in nodes.iter().enumerate().filter(|(_, node)| !node.id.is_empty()) {
        if places.insert(node.id.clone(), place).is_some() {
            return Err(BadCanvas::SameId(node.id.chars().take(80).collect()));
        }
    }
    former_names::move_prompt_values(&mut nodes, &places);
    Ok(Canvas { nodes, edges, places, raw })
}

fn list<'a>(raw: &'a Map<String, Value>, name: &'static str) -> Result<&'a Vec<Value>, BadCanvas> {
    raw.get(name).and_then(Value::as_array).ok_or(BadCanvas::NoList(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_both_lists_is_refused_with_its_fault() {
        for (text, fault) in [
            ("", BadCanvas::NotJson { line: 1, column: 0 }),
            ("{", BadCanvas::NotJson { line: 1, column: 1 }),
            ("[]", BadCanvas::NotAnObject),
            ("{}", BadCanvas::NoList("nodes")),
            (r#"{"nodes":[]}"#, BadCanvas::NoList("edges")),
            (r#"{"nodes":{},"edges":[]}"#, BadCanvas::NoList("nodes")),
            (r#"{"nodes":[{"id":"a"},{"id":"a"}],"edges":[]}"#, BadCanvas::SameId("a".into())),
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
