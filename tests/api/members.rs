//! Multi-Agent and Sequential Agent flows: members that take turns over one state.

mod agent_memories;
mod approvals;
mod sequences;
mod stage;
mod stops;
mod streaming;
mod teams;
mod templates;
mod variables;
