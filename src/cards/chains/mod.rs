//! Chains: parts that answer a question in a fixed way.

pub mod conversation_chain;
pub mod llm_chain;
pub mod retrieval_qa_chain;
