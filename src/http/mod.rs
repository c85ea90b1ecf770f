//! The HTTP door: from bytes on a socket to one call into `ops`, and back.
//!
//! A connection is read by hyper through `wire`, which enforces times and sizes; warp's one filter ends in
//! `dispatch`, which matches the [`router`]'s table, reads the body and moves the request to a thread of `threads`.
//! Everything a handler sees is in [`request`], all it can answer is in [`reply`], [`sse`] and [`error`].

pub mod api;
pub mod error;
pub mod form;
pub mod guard;
pub mod json;
pub mod openapi;
pub mod origin;
pub mod pace;
pub mod reply;
pub mod request;
pub mod router;
pub mod routes;
pub mod server;
pub mod session_cookie;
pub mod shapes;
pub mod sse;

mod accepting;
mod address;
mod assets;
mod body;
mod cors;
mod dispatch;
mod file_body;
mod framing;
mod manual;
mod names;
mod notice;
mod pages;
mod prefix;
mod pump;
mod running;
mod strict;
mod threads;
mod wire;

pub use guard::{Guard, OWNER, Owner, PUBLIC, RequiredAccess, SESSION, SIGNED_IN, any_of};
pub use reply::Reply;
pub use request::Request;
pub use router::{Accepts, Cors, Route, RouteTable, delete, get, patch, post, put};
pub use server::serve;
pub use sse::{EventSink, StreamClosed};
