//! Spans of OpenTelemetry: what took how long, from a request over the flow and its cards to the calls of models.
//!
//! Whoever has something to report opens a span of the `tracing` package with the target [`TARGET`]; where no collector is
//! configured nobody listens to that target, and a span is one look at a number. No span holds what people or models
//! wrote. The [`SpanLayer`] layer turns them into what `export.rs` sends, in the JSON form of OTLP over HTTP.

mod export;
mod span_layer;
#[cfg(test)]
mod tests;

pub use crate::traces::span_layer::SpanLayer;
pub use export::Exporter;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The target of every span that is exported.
pub const TARGET: &str = "flowkeep::span";

/// Spans that were not exported: the queue was full, or the collector did not take them.
static LOST: AtomicU64 = AtomicU64::new(0);

/// How many spans were not exported.
#[must_use]
pub fn lost_count() -> u64 {
    LOST.load(Relaxed)
}

fn count_lost(count: usize) {
    LOST.fetch_add(count as u64, Relaxed);
}

/// A span that is over.
#[derive(Debug, Clone, PartialEq)]
struct SpanRecord {
    trace: [u8; 16],
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    name: String,
    kind: SpanKind,
    start_nanos: u128,
    end_nanos: u128,
    attributes: Vec<(&'static str, Attribute)>,
    failed: bool,
}

/// What a span stands for, by its number in OTLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpanKind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
enum Attribute {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
}
