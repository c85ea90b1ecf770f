//! What the service says of its cards.

pub(crate) mod card_definition;
pub(crate) mod choice;
