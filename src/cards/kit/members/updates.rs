//! What a member writes into the state after its turn.

use super::fault;
use super::flow_values::FlowValues;
use super::table_or_code::TableOrCode;
use crate::domain::error::Result;
use crate::kit::{Choice, Input, Inputs};
use serde_json::{Map, Value};

const ROWS: &str = "updateStateMemoryUI";
const CODE: &str = "updateStateMemoryCode";

/// What editors note the chosen form by, with the id of the node behind it.
pub(crate) const FORM: Input = Input::choice(
    "updateStateMemory",
    "Update State By",
    &[Choice::new(ROWS, "Table"), Choice::new(CODE, "Code")],
)
.or(ROWS)
.tab("selectedUpdateStateMemoryTab")
.additional();
pub(crate) const TABLE: Input = Input::rows(ROWS, "Update State (Table)", UPDATE_ROW).additional();
pub(crate) const FUNCTION: Input = Input::code(CODE, "Update State (Code)")
    .additional()
    .help("Returns an object of keys and their new values. It reads $flow.output, $flow.state, $flow.input and $vars.");

const UPDATE_ROW: &[Input] = &[
    Input::text("key", "Key"),
    Input::text("value", "Value")
        .help("$flow.output.key, $flow.state.key, $flow.input, $vars.name, or a text."),
];

pub(crate) struct StateUpdates(TableOrCode);

impl StateUpdates {
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        TableOrCode::from_inputs(inputs, FORM.name, (ROWS, CODE)).map(Self)
    }

    /// What is written, after the member made `values.output`.
    pub(crate) fn evaluate(&self, label: &str, values: &FlowValues<'_>) -> Result<Map<String, Value>> {
        match &self.0 {
            TableOrCode::Table(rows) => {
                let update = |row: &Map<String, Value>| {
                    let key = row.get("key")?.as_str()?.trim().to_owned();
                    let value = row.get("value").map(|value| values.read_value(value)).unwrap_or_default();
                    (!key.is_empty()).then_some((key, value))
                };
                Ok(rows.iter().filter_map(update).collect())
            }
            TableOrCode::Code(code) => match code.run(label, values)? {
                Value::Object(updates) => Ok(updates),
                Value::Null => Ok(Map::new()),
                _ => Err(fault(label, "the code that updates the state must return an object")),
            },
        }
    }
}
