//! Vector stores: parts that find passages by what they mean.

pub mod chroma;
pub mod document_store;
pub mod faiss;
pub mod in_memory;
pub mod llama_index;
pub mod pinecone;
pub mod postgres;
pub mod qdrant;
