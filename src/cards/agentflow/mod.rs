//! The steps of agentflows: one file per card.

pub mod agent;
pub mod condition;
pub mod condition_agent;
pub mod custom_function;
pub mod direct_reply;
pub mod execute_flow;
pub mod http;
pub mod human_input;
pub mod iteration;
pub mod llm;
pub mod loop_back;
pub mod retriever;
pub mod start;
pub mod sticky_note;
pub mod tool;
