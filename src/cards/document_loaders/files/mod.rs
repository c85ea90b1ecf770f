//! Loaders of files.

pub(crate) mod by_kind;
pub(crate) mod csv_file;
pub(crate) mod docx_file;
pub(crate) mod epub_file;
pub(crate) mod file;
pub(crate) mod folder;
pub(crate) mod json_file;
pub(crate) mod json_lines_file;
pub(crate) mod microsoft_excel;
pub(crate) mod microsoft_powerpoint;
pub(crate) mod microsoft_word;
pub(crate) mod pdf_file;
pub(crate) mod pointers;
pub(crate) mod rows;
pub(crate) mod text_file;
