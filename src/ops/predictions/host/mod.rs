//! What runs and lone cards may ask of the service.

mod flow_code;
pub(in crate::ops::predictions) mod replay_host;
pub(crate) mod run_host;
pub(in crate::ops::predictions) mod run_notes;
pub(crate) mod workspace_host;
