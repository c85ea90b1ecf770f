//! Who watches what a run does.

use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::prediction::{Document, Usage};
use crate::domain::predictions::run_event::{CardReport, StepLabel};
use std::time::Duration;

/// Watches the models of a run.
pub trait ModelObserver: Send + Sync {
    /// Notes what became of one call of a model, for whoever watches the service.
    fn record_model_call(&self, call: &ModelCall);

    /// Notes the tokens of one call that was answered, by the name of its model; `None` when the provider reported none.
    fn record_usage(&self, model: &str, usage: Option<Usage>);

    /// Notes pages that a model's reply leans on: they go out with the answer.
    fn record_citations(&self, pages: Vec<Document>);
}

/// Waits for an upsert into a vector store.
pub trait UpsertObserver: Send + Sync {
    /// Notes how far it is.
    fn report(&self, at: UpsertProgress);
}

/// Watches what the cards of a chatflow do. A card may do something again before or while others do, and on another thread.
pub trait CardObserver: Send + Sync {
    /// A card begins.
    fn began(&self, card: StepLabel<'_>);

    /// A card that began has ended.
    fn ended(&self, card: StepLabel<'_>, report: CardReport);
}

#[derive(Debug, Clone, Copy)]
pub struct ModelCall {
    /// The name of the model's card.
    pub card: &'static str,
    pub took: Duration,
    /// The tokens used, where it was answered and the provider reported them; or the kind of failure.
    pub result: std::result::Result<Option<Usage>, &'static str>,
}
