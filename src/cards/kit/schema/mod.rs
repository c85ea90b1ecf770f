//! How a card declares itself: its inputs, its outputs, what it is.

pub mod card;
pub mod input;
pub(in crate::cards) mod input_list;
