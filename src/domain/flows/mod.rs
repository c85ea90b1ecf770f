//! Flows, their settings, drafts and versions (manual 3 to 6).

pub mod draft;
pub mod flow;
pub mod history_mark;
pub mod rate_limit;
pub mod setting_changes;
pub mod version;
