//! Flows, their settings, drafts and versions (manual 3 to 6).

pub mod card_problems;
pub mod chat_page;
pub mod draft;
pub mod flow;
pub mod flow_change;
pub mod harness_name;
pub mod history;
pub mod history_mark;
pub mod live_version;
pub mod publish;
pub mod rate_limit;
pub mod record_result;
pub mod references;
pub mod restore;
pub mod setting_changes;
pub mod settings;
pub mod usage;
pub mod version;
pub mod version_diff;
