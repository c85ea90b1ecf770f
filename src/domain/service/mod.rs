//! What the service says of its cards and its backups.

pub(crate) mod answer_schema;
pub(crate) mod backup;
pub(crate) mod card_definition;
pub(crate) mod choice;
pub(crate) mod code_trial;
