//! What a behaviour check is made of: the same questions to two canvases of a flow, their answers, and what these say
//! (manual 18).

pub mod answer;
pub mod case;
pub mod check;
mod evidence;
pub mod expectation;
pub mod facts;
mod form;
mod judge;
pub mod kept;
pub mod questions;
mod reading;
mod relabeling;
mod schema;
pub mod setup;
pub mod sides;
mod steps;
pub mod summary;
#[cfg(test)]
mod trials;
pub mod verdict;
mod wording;
mod words;

pub use judge::{Judge, asks_again, judge};
