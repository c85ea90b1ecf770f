//! Drafts, Publish and version history through the real HTTP service, over a real database and a real git repository
//! (manual 1.5, 5.5, 5.6, 5.9, 6.1, 6.4, 6.10). The program `git` is the judge of what history wrote.
#![allow(missing_docs, clippy::unwrap_used)]

mod damage;
mod editor;
mod faults;
mod foreign_credentials;
mod optional_features;
mod races;
mod reading;
mod refusals;
mod secrets;
mod state_table;
#[path = "../api/support/mod.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "these tests need only a part of what the rooms of the API tests share"
)]
mod support;
