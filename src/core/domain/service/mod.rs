//! What the service says of its cards, its backups and itself.

pub mod answer_schema;
pub mod backup;
pub mod card_definition;
pub mod choice;
pub mod code_trial;
pub mod compaction;
pub mod log_line;
pub mod mail;
pub mod passphrase;
pub mod problem;
pub mod server_setting;
pub mod server_status;
