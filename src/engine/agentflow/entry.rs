//! A step as the record of its run shows it.

use super::graph::{Graph, NodeIndex};
use super::record::{OUTPUT, StepRecord};
use super::walk::StepId;
use crate::cards::kit::{CONTENT, OnError, StepOutcome, time_metadata};
use crate::domain::error::Error;
use crate::domain::predictions::execution::{ExecutionEntry, StepStart, StepStatus};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The item of an iteration that a step belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ItemPlace {
    pub(super) index: usize,
    pub(super) count: usize,
    pub(super) value: Value,
    /// The node of the iteration.
    pub(super) parent: String,
}

/// Where in a run a step stands.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StepFrame {
    pub(super) step: StepId,
    pub(super) node: NodeIndex,
    pub(super) item: Option<ItemPlace>,
    /// The nodes it was reached from.
    pub(super) previous: Vec<String>,
    pub(super) began: Timestamp,
    /// The values that the steps before it left.
    pub(super) state: Map<String, Value>,
}

/// A step whose card did its work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct EndedStep {
    pub(super) frame: StepFrame,
    pub(super) attempts: u64,
    /// What it sent as its text while it worked.
    pub(super) sent: String,
    pub(super) now: Timestamp,
}

/// A step that begins.
pub(super) fn start_of(graph: &Graph, frame: &StepFrame) -> StepStart {
    let node = graph.node(frame.node);
    StepStart {
        node_id: node.id.clone(),
        node_label: node.label.clone(),
        previous_node_ids: frame.previous.clone(),
        data: head(graph, frame),
        note: None,
    }
}

/// What every entry says of its step first.
fn head(graph: &Graph, frame: &StepFrame) -> Map<String, Value> {
    let node = graph.node(frame.node);
    let mut data = Map::new();
    data.insert("id".to_owned(), node.id.as_str().into());
    data.insert("name".to_owned(), node.card.as_str().into());
    if let Some(item) = &frame.item {
        let context = json!({
            "index": item.index, "value": item.value, "isFirst": item.index == 0,
            "isLast": item.index + 1 == item.count,
        });
        data.insert("iterationIndex".to_owned(), item.index.into());
        data.insert("iterationContext".to_owned(), context);
        data.insert("parentNodeId".to_owned(), item.parent.as_str().into());
    }
    data
}

impl EndedStep {
    /// What the run keeps of it. `fault` is what it failed with, and what its card says about that.
    pub(super) fn record(
        self,
        graph: &Graph,
        status: StepStatus,
        mut outcome: StepOutcome,
        fault: Option<(&Error, OnError)>,
    ) -> StepRecord {
        let Self { frame, attempts, sent, now } = self;
        let mut data = head(graph, &frame);
        let mut state = frame.state;
        state.extend(outcome.state.iter().map(|(key, value)| (key.clone(), value.clone())));
        if status == StepStatus::Error || status == StepStatus::Terminated {
            // What was sent is part of the answer, whatever came after it.
            if !sent.is_empty() || !outcome.output.contains_key(CONTENT) {
                outcome.output.insert(CONTENT.to_owned(), sent.into());
            }
        }
        if let Some((fault, on_error)) = fault {
            data.insert("error".to_owned(), fault.to_string().into());
            if on_error != OnError::Stop {
                outcome.output.insert("error".to_owned(), json!({ "message": fault.to_string() }));
            }
        }
        if let Some(times) = time_metadata(frame.began, now).filter(|_| outcome.output.contains_key(CONTENT))
        {
            outcome.output.insert("timeMetadata".to_owned(), times);
        }
        data.insert("input".to_owned(), outcome.input.into());
        data.insert(OUTPUT.to_owned(), outcome.output.into());
        data.insert("state".to_owned(), state.into());
        if attempts > 1 {
            data.insert("attempts".to_owned(), attempts.into());
        }
        let node = graph.node(frame.node);
        let entry = ExecutionEntry {
            node_id: node.id.clone(),
            node_label: node.label.clone(),
            data,
            previous_node_ids: frame.previous,
            status,
        };
        StepRecord {
            node: frame.node,
            entry: Arc::new(entry),
            said: outcome.said,
            updates: outcome.state,
            loop_count: None,
            used_tools: outcome.used_tools,
            sources: outcome.sources,
            items: None,
        }
    }
}
