//! Vector stores: components that find chunks by what they mean.

pub(crate) mod chroma;
pub(crate) mod document_store;
pub(crate) mod elasticsearch;
pub(crate) mod faiss;
pub(crate) mod in_memory;
pub(crate) mod llama_index;
pub(crate) mod meilisearch;
pub(crate) mod milvus;
pub(crate) mod open_search;
pub(crate) mod pinecone;
pub(crate) mod postgres;
pub(crate) mod qdrant;
mod search_index;
pub(crate) mod supabase;
pub(crate) mod weaviate;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The header of somebody who signs in by name and password.
fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}
