//! The service and its cards, on the wire.

pub(crate) mod answer_schema;
pub(crate) mod backup;
pub mod cards;
pub(crate) mod code_trial;
pub(crate) mod compaction;
pub(crate) mod operator;
pub(crate) mod server;
pub(crate) mod status;
