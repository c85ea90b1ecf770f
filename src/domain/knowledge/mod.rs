//! Document stores, their chunks and their vectors (manual 10).

pub mod collection;
pub(crate) mod document_store;
pub(crate) mod server_folder;
pub(crate) mod store_changes;
pub(crate) mod store_overview;
pub(crate) mod upsert;
pub(crate) mod vector_config;
pub(crate) mod vector_search;
