//! The steps of agentflows: one file per card.

pub(crate) mod agent;
pub(crate) mod condition;
pub(crate) mod condition_agent;
pub(crate) mod custom_function;
pub(crate) mod direct_reply;
pub(crate) mod execute_flow;
pub(crate) mod harness;
pub(crate) mod http;
pub(crate) mod human_input;
pub(crate) mod iteration;
pub(crate) mod llm;
pub(crate) mod loop_back;
pub(crate) mod retriever;
pub(crate) mod run_pipeline;
pub(crate) mod start;
pub(crate) mod sticky_note;
pub(crate) mod tool;
