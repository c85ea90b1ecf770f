//! The nouns of the product, and the ground: floors 0 and 1 (`ARCHITECTURE.md`), without the names of the API.

// What nothing outside of the crate uses is the crate's own, so that the compiler sees what nothing uses at all.
#![warn(unreachable_pub)]
// The documentation is made of all items, so a link to one that is the crate's own leads somewhere.
#![allow(rustdoc::private_intra_doc_links)]

pub mod age;
pub mod aws;
pub mod base;
pub mod canvas;
pub mod clock;
pub mod domain;
pub mod durable;
pub mod limits;
pub mod net;
pub mod script;
pub mod settings;
pub mod vectors;
pub mod worker;
