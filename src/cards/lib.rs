//! The cards: one file per card, in the folder of its category. Floor 3 (`ARCHITECTURE.md`).

// What nothing outside of the crate uses is the crate's own, so that the compiler sees what nothing uses at all.
#![warn(unreachable_pub)]
// The documentation is made of all items, so a link to one that is the crate's own leads somewhere.
#![allow(rustdoc::private_intra_doc_links)]

use flowkeep_adapters::{documents, llm, mysql, postgres, programs, redis, sql};
#[cfg(test)]
use flowkeep_core::settings;
use flowkeep_core::{aws, base, canvas, clock, domain, limits, net, script, vectors};

pub mod action_lists;
pub mod icons;
pub mod kit;
pub mod model_lists;
pub mod palette;
pub mod registry;
pub mod unsupported;

mod agentflow;
mod agents;
#[cfg(test)]
mod blank_tests;
mod cache;
mod chains;
mod chat_models;
mod document_loaders;
mod embeddings;
mod engines;
pub mod harness;
mod llms;
mod memory;
mod moderation;
pub mod multi_agents;
pub mod output_parsers;
mod pipelines;
mod prompts;
mod record_managers;
mod retrievers;
pub mod sequential_agents;
mod synthesizers;
mod text_splitters;
mod tools;
mod tools_mcp;
mod utilities;
mod vector_stores;
