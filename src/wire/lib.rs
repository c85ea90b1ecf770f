//! What goes over the wire: a type for each request and each answer, and the only place that knows their names in JSON. The
//! same rows make up the file of an export, so this room lies below both the operations and the doors. Floor 1 (`ARCHITECTURE.md`).
//!
//! A type here turns into one of `domain` or is made of one; it decides nothing.

// What nothing outside of the crate uses is the crate's own, so that the compiler sees what nothing uses at all.
#![warn(unreachable_pub)]
// The documentation is made of all items, so a link to one that is the crate's own leads somewhere.
#![allow(rustdoc::private_intra_doc_links)]

use flowkeep_core::{clock, domain};

pub mod accounts;
pub mod checks;
pub mod choice;
pub mod conversations;
pub mod deleted;
pub mod flows;
pub mod form;
pub mod knowledge;
pub mod new;
pub mod page;
pub mod pipelines;
pub mod predictions;
pub mod promotion;
pub mod refusal;
pub mod remote;
pub mod service;
pub mod time;
pub mod triggers;
pub mod workspace;
