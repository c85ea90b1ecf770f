//! Which route a request means, and who may call it.

pub(crate) mod cors;
pub mod guard;
pub(crate) mod handler;
pub(crate) mod host_names;
pub(crate) mod origin;
pub(crate) mod prefix;
pub mod router;
pub mod routes;
