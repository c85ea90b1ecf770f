//! Agents: parts that let a model act.

pub mod tool_agent;
