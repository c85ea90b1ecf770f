//! What the service says of its cards, its backups and itself.

pub(crate) mod answer_schema;
pub(crate) mod backup;
pub(crate) mod card_definition;
pub(crate) mod choice;
pub(crate) mod code_trial;
pub(crate) mod compaction;
pub(crate) mod log_line;
pub(crate) mod mail;
pub(crate) mod passphrase;
pub(crate) mod problem;
pub(crate) mod server_setting;
pub(crate) mod server_status;
