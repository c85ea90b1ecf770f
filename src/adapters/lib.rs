//! The neighbours of the program: floor 2 (`ARCHITECTURE.md`). Each room is one of them, and none uses another.

// What nothing outside of the crate uses is the crate's own, so that the compiler sees what nothing uses at all.
#![warn(unreachable_pub)]
// The documentation is made of all items, so a link to one that is the crate's own leads somewhere.
#![allow(rustdoc::private_intra_doc_links)]

use flowkeep_core::{aws, base, canvas, clock, domain, durable, limits, net, settings, vectors, worker};

pub mod documents;
pub mod files;
pub mod flowise;
pub mod git_host;
pub mod history;
pub mod llm;
pub mod mail;
pub mod mysql;
pub mod postgres;
pub mod programs;
pub mod redis;
pub mod sql;
pub mod state;
pub mod store;
pub mod traces;
