//! Retrievers: components that find chunks.

pub(crate) mod azure_rerank;
pub(crate) mod bm25;
pub(crate) mod cohere_rerank;
pub(crate) mod custom;
pub(crate) mod embeddings_filter;
pub(crate) mod extract_metadata;
pub(crate) mod hyde;
pub(crate) mod jina_rerank;
pub(crate) mod llm_filter;
pub(crate) mod multi_query;
pub(crate) mod prompt_retriever;
pub(crate) mod rrf;
pub(crate) mod similarity_threshold;
pub(crate) mod vector_store_retriever;
pub(crate) mod voyage_rerank;
