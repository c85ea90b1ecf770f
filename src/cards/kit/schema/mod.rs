//! How a card declares itself: its inputs, its outputs, what it is.

pub(crate) mod card;
pub mod input;
pub(crate) mod input_list;
pub(crate) mod json_shape;
pub(crate) mod wire_type;
