//! Cards that bring documents (manual 10.2).

pub(super) mod api;
mod by_kind;
pub(super) mod csv_file;
pub(super) mod custom;
pub(super) mod document_store;
pub(super) mod docx_file;
pub(super) mod epub_file;
pub(super) mod file;
pub(super) mod folder;
pub(super) mod github;
pub(super) mod json_file;
pub(super) mod json_lines_file;
pub(super) mod microsoft_excel;
pub(super) mod microsoft_powerpoint;
pub(super) mod microsoft_word;
pub(super) mod pdf_file;
pub(super) mod plain_text;
mod pointers;
pub(super) mod rows;
pub(super) mod s3;
pub(super) mod searches;
pub(super) mod text_file;
pub(super) mod unstructured_file_loader;
pub(super) mod vector_store;
pub(super) mod web_scraper;
