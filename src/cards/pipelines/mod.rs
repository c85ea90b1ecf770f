//! What documents pass on their way through a pipeline (manual 10.12).

pub(crate) mod dedupe;
pub(crate) mod document_store;
pub(crate) mod file;
pub(crate) mod filter;
pub(crate) mod function;
pub(crate) mod metadata;
pub(crate) mod picked;
pub(crate) mod split;
pub(crate) mod start;
