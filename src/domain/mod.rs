//! The nouns of the specification and their pure rules.

pub mod api_key;
pub mod caller;
pub mod cancel;
pub mod chat_file;
pub mod collection;
pub mod conversation;
pub mod credential;
pub mod credential_types;
pub mod document;
pub mod draft;
pub mod error;
pub mod file_link;
pub mod filling;
pub mod flow;
pub mod ids;
pub mod paging;
pub mod password;
pub mod prediction;
pub mod rate;
pub mod secrets;
pub mod setting_changes;
pub mod token;
pub mod tool_record;
pub mod user;
pub mod variable;
pub mod version;
