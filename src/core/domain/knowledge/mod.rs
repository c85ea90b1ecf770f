//! Document stores, their chunks and their vectors (manual 10).

pub mod collection;
pub mod document_store;
pub mod server_folder;
pub mod store_changes;
pub mod store_overview;
pub mod upsert;
pub mod vector_config;
pub mod vector_search;
