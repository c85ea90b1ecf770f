//! Running Multi-Agent and Sequential Agent flows: their cards are built as those of a chatflow, and take turns in the walk of
//! an agentflow over one shared state.

mod compile;
mod conversation;
pub(in crate::engine) mod escape;
mod problems;
mod progress;
mod run;
mod state;

pub(crate) use compile::MemberPlan;
pub(crate) use conversation::{KeptTurns, PastTurns, PauseAnswer, WaitingTurns};
pub(in crate::engine) use problems::find_problems;
pub(crate) use run::{MemberRun, run};
pub(crate) use state::PendingState;
