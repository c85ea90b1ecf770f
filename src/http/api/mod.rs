//! Handlers: each reads a request into types, calls one operation and says how its result is told.

pub mod accounts;
pub mod attachments;
pub mod chat_files;
pub mod chat_page;
pub mod credentials;
pub mod document_stores;
pub mod drafts;
pub mod feedback;
pub mod flows;
pub mod keys;
pub mod leads;
pub mod messages;
pub mod metrics;
pub mod nodes;
mod owning;
pub mod prediction;
pub mod service;
pub mod store_vectors;
pub mod templates;
pub mod tools;
pub mod transfer;
pub mod upsert;
pub mod variables;
pub mod versions;
