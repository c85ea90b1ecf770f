//! How a card declares itself: its inputs, its outputs, what it is.

pub mod card;
pub mod input;
