//! Handlers: each reads a request into types, calls one operation and says how its result is answered.

pub(crate) mod accounts;
pub(crate) mod checks;
pub(crate) mod conversations;
pub(crate) mod flows;
pub(crate) mod knowledge;
pub(crate) mod pipelines;
pub(crate) mod predictions;
pub(crate) mod promotion;
pub(crate) mod remote;
pub(crate) mod service;
pub(crate) mod triggers;
pub(crate) mod workspace;
