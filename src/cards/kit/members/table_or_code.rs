//! What an owner says in a table or in code, whichever form is chosen.

use super::flow_values::FlowValues;
use crate::domain::error::Result;
use crate::kit::build::code::{Code, code_error};
use crate::kit::{CodeRunner, Grant, Inputs};
use serde_json::{Map, Value};

pub(crate) enum TableOrCode {
    Table(Vec<Map<String, Value>>),
    Code(MemberCode),
}

/// Code of a member, and what runs it.
pub(crate) struct MemberCode {
    pub(crate) source: String,
    pub(crate) runner: Grant<dyn CodeRunner>,
}

impl TableOrCode {
    /// Reads the inputs `rows` and `code`. `form` holds the name of the chosen one; code that is blank is none.
    ///
    /// # Errors
    /// When the table is none, or nothing runs code here.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, form: &str, (rows, code): (&str, &str)) -> Result<Self> {
        let source = inputs.optional_text(code).filter(|source| !source.trim().is_empty());
        match source.filter(|_| inputs.optional_text(form).as_deref() == Some(code)) {
            Some(source) => Ok(Self::Code(MemberCode { source, runner: inputs.need()? })),
            None => Ok(Self::Table(inputs.grid(rows)?)),
        }
    }
}

impl MemberCode {
    /// What the code returns with these values.
    ///
    /// # Errors
    /// When it fails, naming the card.
    pub(crate) fn run(&self, label: &str, values: &FlowValues<'_>) -> Result<Value> {
        let code = Code { flow: values.for_code(), ..Code::new(label, &self.source, Map::new()) };
        self.runner.of(values.turn.host)?.run_code(&code).map_err(|error| code_error(label, &error))
    }
}
