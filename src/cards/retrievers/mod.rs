//! Retrievers: components that find chunks.

pub mod azure_rerank;
pub mod bm25;
pub mod cohere_rerank;
pub mod custom;
pub mod embeddings_filter;
pub mod extract_metadata;
pub mod hyde;
pub mod jina_rerank;
pub mod llm_filter;
pub mod multi_query;
pub mod prompt_retriever;
pub mod rrf;
pub mod similarity_threshold;
pub mod vector_store_retriever;
pub mod voyage_rerank;
