//! Prompts of members: every variable of one must have a value.

use super::fault;
use super::flow_values::FlowValues;
use crate::domain::error::Result;
use crate::kit::build::prompt::BraceText;
use serde_json::{Map, Value};

/// A prompt with the values of `given` and of the card, of which those that refer to the run are read of it.
///
/// # Errors
/// Names the variables that have no value.
pub(crate) fn fill(
    label: &str,
    prompt: &BraceText,
    own: &Map<String, Value>,
    given: &[(&str, &str)],
    values: &FlowValues<'_>,
) -> Result<String> {
    let mut all: Map<String, Value> =
        own.iter().map(|(name, value)| (name.clone(), values.read_value(value))).collect();
    all.extend(given.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))));
    let missing: Vec<String> = prompt
        .variables()
        .filter(|name| !all.contains_key(*name))
        .map(|name| format!("{{{name}}}"))
        .collect();
    if !missing.is_empty() {
        let list = missing.join(", ");
        return Err(fault(
            label,
            &format!(
                "{list} of its prompt has no value: set it under Format Prompt Values, or write {{{{ and }}}} for braces"
            ),
        ));
    }
    Ok(prompt.format(&all))
}
