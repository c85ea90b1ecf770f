//! Agents: components that let a model act.

pub mod conversational_agent;
pub mod conversational_retrieval_tool_agent;
pub mod csv_agent;
pub mod inputs;
pub mod react_agent_chat;
pub mod react_agent_llm;
pub mod text_agent;
pub mod tool_agent;
pub mod xml_agent;
