//! The HTTP service: from bytes on a socket to one call into `ops`, and back.
//!
//! A connection is read by hyper through `connection/socket.rs`, which enforces times and sizes; warp's one filter ends in
//! `request/dispatch.rs`, which matches the table of [`routing::router`], reads the body and moves the request to a thread
//! of `connection/thread_pool.rs`. Everything a handler sees is in [`request`], all it can answer is in [`reply`],
//! [`reply::sse`] and [`reply::error`].

pub(crate) mod api;
pub mod connection;
pub mod openapi;
pub(crate) mod reply;
pub(crate) mod request;
pub mod routing;

pub use crate::http::connection::server::serve;
pub use crate::http::reply::sse::EventSink;
pub use crate::http::routing::guard::{
    Guard, OWNER, Owner, PUBLIC, RequiredAccess, SESSION, SIGNED_IN, any_of,
};
pub use crate::http::routing::router::{Accepts, Cors, Route, RouteTable, delete, get, patch, post, put};
pub use reply::Reply;
pub use request::Request;
