//! The service and its cards, on the wire.

pub mod answer_schema;
pub mod backup;
pub mod cards;
pub mod code_trial;
pub mod compaction;
pub mod operator;
pub mod server;
pub mod status;
