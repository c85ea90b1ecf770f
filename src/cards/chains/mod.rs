//! Chains: components that answer a question in a fixed way.

pub(crate) mod api_chain;
pub(crate) mod conversation_chain;
pub(crate) mod conversational_retrieval_qa_chain;
pub(crate) mod get_api_chain;
pub(crate) mod llm_chain;
pub(crate) mod multi_prompt_chain;
pub(crate) mod multi_retrieval_qa_chain;
pub(crate) mod open_api_chain;
pub(crate) mod post_api_chain;
pub(crate) mod retrieval_qa_chain;
pub(crate) mod sql_database_chain;
pub(crate) mod vector_db_qa_chain;
