//! What a card of a canvas does once, told to whoever watches the run.

use super::host::Host;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::execution::{StepStatus, remove_secrets};
use crate::domain::predictions::run_event::{CardReport, StepLabel};
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::card::Card;
use crate::kit::steps::outcome::time_metadata;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::borrow::Borrow;

/// The node whose card is watched.
#[derive(Debug, Clone)]
pub struct WatchedNode {
    id: String,
    label: String,
    /// The name of its card.
    card: &'static str,
}

impl WatchedNode {
    /// The node of these inputs; `None` where nobody watches, or the card stands on no canvas.
    #[must_use]
    pub fn from_inputs(inputs: &Inputs<'_>) -> Option<Self> {
        Self::new(inputs.node?, inputs.label, inputs.card, inputs.host)
    }

    /// A node of the canvas that runs; `None` where nobody watches.
    #[must_use]
    pub fn new(id: &str, label: &str, card: &Card, host: &dyn Host) -> Option<Self> {
        host.context().cards?;
        Some(Self { id: id.to_owned(), label: label.to_owned(), card: card.name })
    }

    /// Tells that the card could not be made.
    pub fn report_unmade(&self, host: &dyn Host, fault: &Error) {
        let begun = CardWork::begin(Some(self), host, Map::new);
        CardWork::end(begun, host, &Err::<(), _>(fault), |()| Map::new());
    }

    /// What its owner calls it.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    fn place(&self) -> StepLabel<'_> {
        StepLabel { node: &self.id, label: &self.label }
    }
}

/// Something that a card is doing, and that somebody watches.
#[derive(Debug)]
pub struct CardWork {
    node: WatchedNode,
    input: Map<String, Value>,
    began: Timestamp,
}

impl CardWork {
    /// Does something as the card of a node: tells that it begins with this input, and what came of it.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn perform<T>(
        node: Option<&WatchedNode>,
        host: &dyn Host,
        input: impl FnOnce() -> Map<String, Value>,
        work: impl FnOnce() -> Result<T>,
        output: impl FnOnce(&T) -> Map<String, Value>,
    ) -> Result<T> {
        let begun = Self::begin(node, host, input);
        let result = work();
        Self::end(begun, host, &result, output);
        result
    }

    /// Tells that the card of a node begins; `None` where nobody watches, and then `input` is not asked for.
    #[must_use]
    pub fn begin(
        node: Option<&WatchedNode>,
        host: &dyn Host,
        input: impl FnOnce() -> Map<String, Value>,
    ) -> Option<Self> {
        let (node, observer) = (node?, host.context().cards?);
        observer.began(node.place());
        Some(Self { node: node.clone(), input: input(), began: host.now() })
    }

    /// Tells what came of it. What fails in a run that is over was ended with it.
    pub fn end<T, E: Borrow<Error>>(
        work: Option<Self>,
        host: &dyn Host,
        result: &Result<T, E>,
        output: impl FnOnce(&T) -> Map<String, Value>,
    ) {
        let (Some(Self { node, input, began }), Some(observer)) = (work, host.context().cards) else {
            return;
        };
        let mut data = Map::new();
        data.insert("name".to_owned(), node.card.into());
        data.insert("input".to_owned(), input.into());
        let (status, mut made) = match result {
            Ok(result) => (StepStatus::Finished, output(result)),
            Err(fault) => {
                let fault = fault.borrow();
                if matches!(fault, Error::Cancelled) || host.cancel().reason().is_some() {
                    (StepStatus::Terminated, Map::new())
                } else {
                    data.insert("error".to_owned(), fault.to_string().into());
                    (StepStatus::Error, Map::new())
                }
            }
        };
        if let Some(times) = time_metadata(began, host.now()) {
            made.insert("timeMetadata".to_owned(), times);
        }
        data.insert("output".to_owned(), made.into());
        remove_secrets(&mut data);
        observer.ended(node.place(), CardReport { status, data });
    }
}
