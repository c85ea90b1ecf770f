//! How a card declares itself: its inputs, its outputs, what it is.

pub(crate) mod card;
pub(crate) mod input;
pub(in crate::cards) mod input_list;
pub(crate) mod json_shape;
pub(in crate::cards) mod wire_type;
