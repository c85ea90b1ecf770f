//! The HTTP door against real sockets: what is refused and how, who is told what when a side leaves.
#![allow(missing_docs, clippy::unwrap_used)]

mod bounds;
mod framing;
mod house;
mod leaving;
mod names;
mod stopping;
mod support;
mod who;
