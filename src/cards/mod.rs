//! The cards: one file per card, in the folder of its category.

pub(crate) mod action_lists;
pub(crate) mod icons;
pub mod kit;
pub(crate) mod model_lists;
pub mod palette;
pub mod registry;
pub(crate) mod unsupported;

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
pub(crate) mod harness;
mod llms;
mod memory;
mod moderation;
pub(crate) mod multi_agents;
pub(crate) mod output_parsers;
mod pipelines;
mod prompts;
mod record_managers;
mod retrievers;
pub(crate) mod sequential_agents;
mod synthesizers;
mod text_splitters;
mod tools;
mod tools_mcp;
mod utilities;
mod vector_stores;
