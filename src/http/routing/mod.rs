//! Which route a request means, and who may call it.

mod assistant_routes;
mod check_routes;
pub(crate) mod cors;
pub mod guard;
pub(crate) mod handler;
mod harness_routes;
pub(crate) mod host_names;
mod openai_routes;
pub(crate) mod origin;
mod params;
mod permissions;
mod pipeline_routes;
pub(crate) mod prefix;
mod promotion_routes;
mod remote_routes;

pub mod router;
pub mod routes;
mod tool_routes;
mod trigger_routes;
