//! Running flows: a canvas becomes a plan once, and a plan answers questions.

pub(crate) mod agentflow;
pub(crate) mod answer_shape;
mod credential;
mod flow_plan;
pub(crate) mod harness;
pub(crate) mod legacy;
mod order;
pub mod overrides;
pub(crate) mod pipeline;
pub(crate) mod placed;
pub(crate) mod plan;
mod renamed_cards;
mod resolve;
pub mod resources;
pub(crate) mod risk;
mod run;
pub(crate) mod schedule;
mod source;
mod standalone;
mod streaming;
mod upload_store;
pub(crate) mod uses;
pub mod validate;
mod wiring;

pub use crate::engine::credential::{Credentials, EngineHost};
pub use crate::engine::renamed_cards::former_names;
pub use crate::engine::standalone::{
    StandaloneCard, build_loader, build_model, build_vector_store, list_actions,
};
pub use crate::engine::upload_store::{LoaderFiles, UploadStore, find_upload_store};
pub use flow_plan::FlowPlan;
pub use overrides::{CardPlace, Overrides, takes_file};
pub use plan::{Plan, upsertable_stores};
pub use run::{
    CompletedRun, OpenRun, OutsideMemory, RunProgress, outside_memories, remembers_outside, run, run_upsert,
};
