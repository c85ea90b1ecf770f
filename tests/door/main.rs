//! The HTTP service against real sockets: what is refused and how, who is told what when a side leaves.
#![allow(missing_docs, clippy::unwrap_used)]

mod disconnects;
mod framing;
mod guards;
mod host_names;
mod limits;
mod service;
mod stopping;
mod support;
