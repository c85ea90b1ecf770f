//! What the owner listed (manual 7.1).

use crate::domain::flows::flow::FlowSettings;
use serde_json::{Map, Value};

/// The lists of a flow's Override Config. Off is a list of nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct OverridePolicy<'a> {
    nodes: Option<&'a Map<String, Value>>,
    variables: Option<&'a Vec<Value>>,
}

impl<'a> OverridePolicy<'a> {
    /// The lists of a flow.
    #[must_use]
    pub fn new(settings: &'a FlowSettings) -> Self {
        let config = settings.api_config.as_ref().and_then(|config| config.get("overrideConfig"));
        let is_on = |config: &&Value| config.get("status") == Some(&Value::Bool(true));
        let Some(config) = config.filter(is_on) else { return Self::default() };
        Self {
            nodes: config.get("nodes").and_then(Value::as_object),
            variables: config.get("variables").and_then(Value::as_array),
        }
    }

    /// True when the owner switched on `input` of the card with this label. Both are compared as written.
    #[must_use]
    pub fn allows(&self, label: &str, input: &str) -> bool {
        let rows = self.nodes.and_then(|nodes| nodes.get(label)).and_then(Value::as_array);
        has_row(rows, input)
    }

    /// True when the owner switched this variable on.
    #[must_use]
    pub fn allows_variable(&self, name: &str) -> bool {
        has_row(self.variables, name)
    }
}

fn has_row(rows: Option<&Vec<Value>>, name: &str) -> bool {
    let is_it = |row: &Value| {
        row.get("name").and_then(Value::as_str) == Some(name)
            && row.get("enabled") == Some(&Value::Bool(true))
    };
    rows.is_some_and(|rows| rows.iter().any(is_it))
}
