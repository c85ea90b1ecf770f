//! Running flows: a canvas becomes a plan once, and a plan answers questions.

mod credential;
mod fitting;
mod former;
mod lone;
mod order;
pub mod overrides;
pub mod plan;
mod resolve;
pub mod resources;
mod run;
mod source;
mod streaming;
mod uploading;
pub mod validate;

pub use former::former_names;
pub use lone::{StandaloneCard, build_loader, build_model, build_vector_store, list_actions};
pub use overrides::{OverridePolicy, Overrides, takes_file};
pub use plan::{Plan, upsertable_stores};
pub use run::{CompletedRun, outside_memories, remembers_outside, run, run_upsert};
pub use uploading::{LoaderFiles, UploadStore, find_upload_store};
