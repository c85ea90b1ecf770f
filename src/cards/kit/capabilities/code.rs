//! Code of a flow's owner.

use crate::kit::build::code::Code;
use crate::script::ScriptError;
use serde_json::Value;

pub trait CodeRunner: Send + Sync {
    /// Runs code and waits for its result. It sees the saved variables, with the values of the request over them
    /// (manual 7.4 r2).
    ///
    /// # Errors
    /// Why there is no result.
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError>;
}
