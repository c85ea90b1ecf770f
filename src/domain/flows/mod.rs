//! Flows, their settings, drafts and versions (manual 3 to 6).

pub(crate) mod card_problems;
pub(crate) mod chat_page;
pub mod draft;
pub mod flow;
pub(crate) mod flow_change;
pub mod harness_name;
pub(crate) mod history;
pub(crate) mod history_mark;
pub mod live_version;
pub(crate) mod publish;
pub mod rate_limit;
pub(crate) mod record_result;
pub mod references;
pub(crate) mod restore;
pub(crate) mod setting_changes;
pub mod settings;
pub(crate) mod usage;
pub mod version;
pub(crate) mod version_diff;
