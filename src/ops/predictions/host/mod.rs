//! What runs and lone cards may ask of the service.

pub(crate) mod run_host;
pub(crate) mod workspace_host;
