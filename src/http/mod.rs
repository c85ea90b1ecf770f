//! The HTTP door: from bytes on a socket to one call into `ops`, and back.
//!
//! A connection is read by hyper through `wire`, which enforces times and sizes; warp's one filter ends in
//! `dispatch`, which matches the [`routing::router`]'s table, reads the body and moves the request to a thread of `threads`.
//! Everything a handler sees is in [`request`], all it can answer is in [`reply`], [`reply::sse`] and [`reply::error`].

pub mod api;
pub mod connection;
pub mod openapi;
pub mod reply;
pub mod request;
pub mod routing;
pub mod shapes;

pub use crate::http::connection::server::serve;
pub use crate::http::reply::sse::{EventSink, StreamClosed};
pub use crate::http::routing::guard::{
    Guard, OWNER, Owner, PUBLIC, RequiredAccess, SESSION, SIGNED_IN, any_of,
};
pub use crate::http::routing::router::{Accepts, Cors, Route, RouteTable, delete, get, patch, post, put};
pub use reply::Reply;
pub use request::Request;
