//! Code of a flow's owner, as cards hand it to the host (manual 11.1).

use super::arguments::check_arguments;
use super::call_error::CallError;
use super::component::{RunContext, Tool};
use crate::domain::error::{Error, Result};
use crate::kit::models::tool_loop::index_by_name;
use crate::script::{CallHandler, ScriptError};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The body of an async function, and what it sees beside the variables and facts of the run.
#[derive(Clone)]
pub struct Code<'a> {
    /// The label of the card, for messages and the log.
    pub card: &'a str,
    pub source: &'a str,
    /// `$name` for each.
    pub inputs: Map<String, Value>,
    /// Further entries of `$flow`.
    pub flow: Map<String, Value>,
    /// What it may call as `$tools`.
    pub calls: Option<&'a dyn CallHandler>,
}

impl<'a> Code<'a> {
    /// Code that sees these inputs.
    #[must_use]
    pub fn new(card: &'a str, source: &'a str, inputs: Map<String, Value>) -> Self {
        Self { card, source, inputs, flow: Map::new(), calls: None }
    }
}

/// The tools that are wired to a card whose code calls them.
pub(crate) struct CodeTools<'a> {
    tools: HashMap<String, &'a dyn Tool>,
    turn: &'a RunContext<'a>,
}

impl<'a> CodeTools<'a> {
    /// The tools of a card, by the names models call them by.
    ///
    /// # Errors
    /// When two have the same name.
    pub(crate) fn new(card: &str, tools: &'a [Arc<dyn Tool>], turn: &'a RunContext<'a>) -> Result<Self> {
        Ok(Self { tools: index_by_name(card, tools)?, turn })
    }
}

impl CallHandler for CodeTools<'_> {
    fn names(&self) -> Vec<String> {
        self.tools.keys().cloned().collect()
    }

    fn call(&self, name: &str, arguments: &Value) -> std::result::Result<String, String> {
        let tool = self.tools.get(name).ok_or_else(|| format!("There is no tool named '{name}'."))?;
        let arguments = check_arguments(&tool.spec().schema, arguments)?;
        tool.call(&arguments, self.turn).map_err(|error| error.to_string())
    }
}

/// What a person's code does, it does again; only the service may have had no room for it.
impl From<&ScriptError> for CallError {
    fn from(error: &ScriptError) -> Self {
        match error {
            ScriptError::Cancelled(_) => Self::Cancelled,
            ScriptError::Busy => Self::may_pass(error.to_string(), None),
            other => Self::Lasting(other.to_string()),
        }
    }
}

/// A run of code that had no result, as the failure of its card.
#[must_use]
pub fn code_error(card: &str, error: &ScriptError) -> Error {
    CallError::from(error).at(card)
}

/// Values that are written as JSON objects or lists are what they say (manual 11.2 r3).
#[must_use]
pub(crate) fn parse_values(inputs: Map<String, Value>) -> Map<String, Value> {
    let read = |value: Value| match &value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    };
    inputs.into_iter().map(|(name, value)| (name, read(value))).collect()
}

/// The answer that a result of code is: text as it is, anything else as JSON.
#[must_use]
pub fn as_text(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
