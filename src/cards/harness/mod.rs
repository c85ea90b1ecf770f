//! The cards of a harness, a team that is asked as one: one file per card, and what its models are told at each stage.

pub(crate) mod asked;
pub mod lead;
pub mod specialist;
pub mod team;
