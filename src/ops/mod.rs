//! The operations: each opens its own transaction, and none knows of HTTP.

pub mod access;
pub mod catalogue;
pub mod chat_page;
pub mod control;
pub mod credentials;
pub mod demo;
pub mod document_stores;
pub mod drafts;
pub mod flow_files;
pub mod flows;
pub mod folder;
pub mod keys;
pub mod live;
pub mod logins;
pub mod messages;
pub mod outbox;
pub mod owner;
pub mod predict;
pub mod publish;
pub mod remote;
pub mod restore;
pub mod snapshot;
pub mod titles;
pub mod variables;
pub mod version_index;
pub mod versions;
