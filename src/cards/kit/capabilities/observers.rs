//! Who watches what a run does.

use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::prediction::{Document, Usage};
use std::time::Duration;

/// Watches the models of a run.
pub trait ModelObserver: Send + Sync {
    /// Notes what became of one call of a model, for whoever watches the service.
    fn record_model_call(&self, call: &ModelCall);

    /// Notes the tokens of one call; `None` when the provider reported none.
    fn record_usage(&self, usage: Option<Usage>);

    /// Notes pages that a model's reply leans on: they go out with the answer.
    fn record_citations(&self, pages: Vec<Document>);
}

/// Waits for an upsert into a vector store.
pub trait UpsertObserver: Send + Sync {
    /// Notes how far it is.
    fn report(&self, at: UpsertProgress);
}

#[derive(Debug, Clone, Copy)]
pub struct ModelCall {
    /// The name of the model's card.
    pub card: &'static str,
    pub took: Duration,
    /// The tokens used, where it was answered and the provider reported them; or the kind of failure.
    pub result: std::result::Result<Option<Usage>, &'static str>,
}
