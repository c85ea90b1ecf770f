//! Agents: components that let a model act.

pub(crate) mod conversational_agent;
pub(crate) mod conversational_retrieval_tool_agent;
pub(crate) mod csv_agent;
pub(crate) mod harness;
pub(crate) mod inputs;
pub(crate) mod react_agent_chat;
pub(crate) mod react_agent_llm;
pub(crate) mod text_agent;
pub(crate) mod tool_agent;
pub(crate) mod xml_agent;
