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
pub use lone::{Lone, lone_actions, lone_loader, lone_model, lone_store};
pub use overrides::{Allowed, Overrides, takes_file};
pub use plan::{Plan, stores};
pub use run::{Ran, fill, outside_memories, remembers_outside, run};
pub use uploading::{Given, Uploading, uploading};
