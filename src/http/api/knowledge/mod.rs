//! Document stores, vectors and upserts.

pub(crate) mod document_stores;
pub(crate) mod progress_reply;
pub(crate) mod upserts;
pub(crate) mod vectors;
