//! Chains: parts that answer a question in a fixed way.

pub mod conversation_chain;
pub mod conversational_retrieval_qa_chain;
pub mod llm_chain;
pub mod retrieval_qa_chain;
pub mod vector_db_qa_chain;
