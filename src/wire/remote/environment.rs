//! What a server is in a pair of servers.

use crate::domain::remote::environment::Environment;
use serde::{Deserialize, Deserializer};

/// The label to give this server.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct EnvironmentEdit {
    /// Null takes the label away.
    #[serde(deserialize_with = "required")]
    pub environment: Option<Environment>,
}

/// A field that may be null and may not be left out.
fn required<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Environment>, D::Error> {
    Option::deserialize(deserializer)
}
