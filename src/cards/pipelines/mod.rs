//! What documents pass on their way through a pipeline (manual 21.2).

pub(crate) mod dedupe;
pub(crate) mod filter;
pub(crate) mod function;
pub(crate) mod metadata;
pub(crate) mod split;
pub(crate) mod start;
