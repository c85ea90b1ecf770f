//! What the service says of its cards.

pub(crate) mod answer_schema;
pub(crate) mod card_definition;
pub(crate) mod choice;
pub(crate) mod code_trial;
