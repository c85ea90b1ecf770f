//! What code calls by name in the service: `$tools`.

use serde_json::Value;

/// Takes the calls of one run of code.
pub trait CallHandler {
    /// The names under which code finds them.
    fn names(&self) -> Vec<String>;

    /// Makes one call.
    ///
    /// # Errors
    /// A sentence the code may see: it is what its call throws.
    fn call(&self, name: &str, arguments: &Value) -> Result<String, String>;
}
