//! Running agentflows: canvases whose cards are steps.

#[cfg(test)]
mod drawing;
mod entry;
pub(in crate::engine) mod graph;
mod items;
mod ledger;
mod outlet;
mod pauses;
mod plan;
mod record;
mod run;
mod scope;
mod sink;
mod step;
mod step_inputs;
pub(crate) mod values;
pub(crate) mod walk;

pub use self::pauses::RunSnapshot;
pub use self::plan::{AgentPlan, FieldKind, FormField, StartKind, StartPlan};
pub use self::run::{AgentOutcome, AgentRun, NoJournal, RunJournal, resume, run};
pub use self::sink::RunSink;
