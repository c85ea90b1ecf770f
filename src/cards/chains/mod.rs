//! Chains: components that answer a question in a fixed way.

pub mod api_chain;
pub mod conversation_chain;
pub mod conversational_retrieval_qa_chain;
pub mod get_api_chain;
pub mod llm_chain;
pub mod multi_prompt_chain;
pub mod multi_retrieval_qa_chain;
pub mod open_api_chain;
pub mod post_api_chain;
pub mod retrieval_qa_chain;
pub mod sql_database_chain;
pub mod vector_db_qa_chain;
