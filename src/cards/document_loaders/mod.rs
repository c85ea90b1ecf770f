//! Cards that bring documents (manual 10.2).

pub(super) mod api;
pub(super) mod custom;
pub(super) mod document_store;
pub(crate) mod files;
pub(super) mod github;
pub(super) mod plain_text;
pub(super) mod s3;
pub(super) mod searches;
pub(super) mod unstructured_file_loader;
pub(super) mod vector_store;
pub(super) mod web_scraper;
