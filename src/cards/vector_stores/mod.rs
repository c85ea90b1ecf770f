//! Vector stores: components that find chunks by what they mean.

pub mod chroma;
pub mod document_store;
pub mod elasticsearch;
pub mod faiss;
pub mod in_memory;
pub mod llama_index;
pub mod meilisearch;
pub mod milvus;
pub mod open_search;
pub mod pinecone;
pub mod postgres;
pub mod qdrant;
mod search_index;
pub mod supabase;
pub mod weaviate;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The header of somebody who signs in by name and password.
fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}
