//! What the service says of its cards.

pub mod card_definition;
pub mod choice;
