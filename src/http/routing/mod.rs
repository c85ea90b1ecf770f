//! Which route a request means, and who may call it.

mod check_routes;
pub(crate) mod cors;
pub mod guard;
pub(crate) mod handler;
mod harness_routes;
pub(crate) mod host_names;
pub(crate) mod origin;
mod params;
mod permissions;
pub(crate) mod prefix;
mod promotion_routes;
mod remote_routes;

pub mod router;
pub mod routes;
mod trigger_routes;
