//! The text of a document ahead of the question that will carry it (manual 4.3).

/// A document and its text.
#[derive(Debug)]
pub struct Attachment {
    pub name: String,
    pub mime_type: &'static str,
    /// Bytes of the file.
    pub size: u64,
    pub content: String,
}
