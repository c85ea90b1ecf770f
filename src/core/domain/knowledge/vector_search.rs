//! What a search of a document store's vectors finds.

use crate::domain::predictions::prediction::Document;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct VectorSearch {
    pub elapsed: Duration,
    /// The nearest first.
    pub found: Vec<ScoredDocument>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ScoredDocument {
    pub document: Document,
    /// Nearness: larger is nearer, 1 is the same direction.
    pub score: f32,
}
