//! Files that come with a question, from the request to the card that reads them.

pub(crate) mod attachments;
pub(crate) mod check;
pub(crate) mod kept_files;
pub(crate) mod loader_files;
pub(crate) mod media;
pub(crate) mod past_documents;
pub(crate) mod policy;
pub(crate) mod request_files;
pub(crate) mod store_files;
pub(crate) mod transcribe;
