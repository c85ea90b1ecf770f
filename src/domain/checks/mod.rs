//! What a behaviour check is made of: the same questions to two canvases of a flow, and their answers.

pub mod answer;
pub mod case;
mod evidence;
pub mod expectation;
pub(crate) mod facts;
mod form;
mod judge;
#[cfg(test)]
mod judge_tests;
mod relabeling;
mod schema;
mod steps;
#[cfg(test)]
mod trials;
pub mod verdict;
mod wording;
mod words;

pub use judge::{asks_again, judge};
