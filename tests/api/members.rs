//! Multi-Agent and Sequential Agent flows: members that take turns over one state.

mod approvals;
mod sequences;
mod stage;
mod teams;
mod templates;
mod variables;
