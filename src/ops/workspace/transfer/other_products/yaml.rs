//! YAML of a stranger: read within bounds, without anchors that grow.

use crate::domain::error::{Error, Result};
use crate::limits::IMPORT_FILE_MAX_BYTES;
use serde_json::{Map, Value};

/// Nodes of a YAML text.
const NODES_MAX: usize = 500_000;
/// How deep its lists and objects lie within one another.
const DEPTH_MAX: usize = 64;
/// Anchors it may have, and what repeating them may add.
const ANCHORS_MAX: usize = 100;
const REPLAYED_MAX: usize = 10_000;

/// Reads an object.
///
/// # Errors
/// 400 for a text that is no YAML, is no object, or goes beyond a bound.
pub(super) fn read(text: &str) -> Result<Map<String, Value>> {
    let budget = serde_saphyr::budget! {
        max_reader_input_bytes: Some(IMPORT_FILE_MAX_BYTES),
        max_nodes: NODES_MAX,
        max_events: NODES_MAX * 2,
        max_depth: DEPTH_MAX,
        max_anchors: ANCHORS_MAX,
        max_aliases: ANCHORS_MAX,
        max_documents: 1,
        max_total_scalar_bytes: IMPORT_FILE_MAX_BYTES,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: REPLAYED_MAX,
            max_replay_stack_depth: DEPTH_MAX,
            max_alias_expansions_per_anchor: ANCHORS_MAX,
        },
        with_snippet: false,
    };
    let wrong =
        |why: &str| Error::Invalid(format!("This file is neither JSON nor YAML that can be read: {why}."));
    if text.len() > IMPORT_FILE_MAX_BYTES {
        return Err(wrong("it is too large"));
    }
    match serde_saphyr::from_str_with_options::<Value>(text, options) {
        Ok(Value::Object(file)) => Ok(file),
        Ok(_) => Err(wrong("it holds no object")),
        Err(fault) => {
            let at = fault.location().map(|at| format!(" at line {}", at.line())).unwrap_or_default();
            Err(wrong(&format!("it is broken, too deep or repeats itself too often{at}")))
        }
    }
}
