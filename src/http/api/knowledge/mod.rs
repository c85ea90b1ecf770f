//! Document stores, vectors and upserts.

pub mod document_stores;
pub(crate) mod progress_reply;
pub mod upserts;
pub mod vectors;
