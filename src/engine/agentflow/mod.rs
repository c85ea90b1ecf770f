//! Running agentflows: canvases whose cards are steps.

mod again;
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
mod sink;
pub(in crate::engine) mod step;
pub(crate) mod values;
pub(crate) mod walk;
mod webhook_start;
mod written_out;

pub(crate) use self::again::{EarlierSteps, FromStep, StepNote, TakenSteps};
pub(crate) use self::pauses::RunSnapshot;
pub(in crate::engine) use self::plan::{APPROVAL, HUMAN_INPUT, SCENARIOS, may_pause, takes_images};
pub(crate) use self::plan::{
    AgentPlan, FieldKind, FormField, StartKind, StartPlan, start_node, starts_with_question,
    starts_with_webhook,
};
pub(crate) use self::run::{AgentOutcome, AgentRun, NoJournal, RunJournal, rerun, resume, run};
pub use self::sink::RunSink;
pub use self::webhook_start::CallbackTarget;
pub(crate) use self::webhook_start::{CallContext, WebhookAnswers, WebhookStart};
