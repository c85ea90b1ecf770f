//! What a behaviour check is made of: the same questions to two canvases of a flow, their answers, and what these say
//! (manual 18).

pub mod answer;
pub mod case;
pub(crate) mod check;
mod evidence;
pub mod expectation;
pub(crate) mod facts;
mod form;
mod judge;
pub(crate) mod kept;
pub(crate) mod questions;
mod reading;
mod relabeling;
mod schema;
pub(crate) mod setup;
pub mod sides;
mod steps;
pub(crate) mod summary;
#[cfg(test)]
mod trials;
pub mod verdict;
mod wording;
mod words;

pub use judge::{Judge, asks_again, judge};
