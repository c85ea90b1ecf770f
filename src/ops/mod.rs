//! The operations: each opens its own transaction, and none knows of HTTP.

pub mod accounts;
pub(crate) mod checks;
pub mod conversations;
pub mod flows;
pub mod knowledge;
pub(crate) mod pipelines;
pub mod predictions;
pub(crate) mod promotion;
pub(crate) mod remote;
pub(crate) mod service;
pub mod triggers;
pub(crate) mod workspace;
