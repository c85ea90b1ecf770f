//! Running flows: a canvas becomes a plan once, and a plan answers questions.

mod order;
pub mod plan;
mod resolve;
mod run;
mod source;
mod streaming;
pub mod validate;

pub use plan::Plan;
pub use run::run;
