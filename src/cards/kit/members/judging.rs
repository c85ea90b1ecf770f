//! Which way a condition goes: the first row of its table that is met, or what its code says.

use super::fault;
use super::flow_values::FlowValues;
use super::table_or_code::TableOrCode;
use crate::canvas::template::into_text;
use crate::domain::error::Result;
use crate::kit::{Choice, Input, Inputs};
use serde_json::{Map, Value};

/// The output that is taken when no row is met.
const OTHERWISE: &str = "End";

const ROWS: &str = "conditionUI";
const CODE: &str = "conditionFunction";
/// What editors note the chosen form by, with the id of the node behind it.
const TAB: &str = "selectedConditionFunctionTab";

pub(crate) const FORM: Input =
    Input::choice("condition", "Condition By", &[Choice::new(ROWS, "Table"), Choice::new(CODE, "Code")])
        .or(ROWS)
        .tab(TAB);
pub(crate) const TABLE: Input = Input::rows(ROWS, "Condition (Table)", CONDITION_ROW)
    .optional()
    .help("The first row that is met gives the output; without one the flow goes on from End.");
pub(crate) const FUNCTION: Input = Input::code(CODE, "Condition (Code)")
    .optional()
    .help("Returns the name of an output. It reads $flow.state, $flow.output, $flow.input and $vars.");

const OPERATIONS: &[Choice] = &[
    Choice::new("Contains", "Contains"),
    Choice::new("Not Contains", "Not Contains"),
    Choice::new("Start With", "Start With"),
    Choice::new("End With", "End With"),
    Choice::new("Is", "Is"),
    Choice::new("Is Not", "Is Not"),
    Choice::new("Is Empty", "Is Empty"),
    Choice::new("Is Not Empty", "Is Not Empty"),
    Choice::new("Greater Than", "Greater Than"),
    Choice::new("Less Than", "Less Than"),
    Choice::new("Equal To", "Equal To"),
    Choice::new("Not Equal To", "Not Equal To"),
    Choice::new("Greater Than or Equal To", "Greater Than or Equal To"),
    Choice::new("Less Than or Equal To", "Less Than or Equal To"),
];

const CONDITION_ROW: &[Input] = &[
    Input::text("variable", "Variable")
        .help("$flow.state.key, $flow.output.key, $flow.input, $vars.name, or $ and the id of a card."),
    Input::choice("operation", "Operation", OPERATIONS),
    Input::text("value", "Value").optional(),
    Input::text("output", "Output Name"),
];

/// How a card decides.
pub(crate) struct Judge(TableOrCode);

impl Judge {
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        TableOrCode::from_inputs(inputs, FORM.name, (ROWS, CODE)).map(Self)
    }

    /// The name of the output that the flow goes on from.
    pub(crate) fn decide(&self, label: &str, values: &FlowValues<'_>) -> Result<String> {
        match &self.0 {
            TableOrCode::Table(rows) => {
                for row in rows {
                    if is_met(label, row, values)? {
                        return Ok(text(row, "output"));
                    }
                }
                Ok(OTHERWISE.to_owned())
            }
            TableOrCode::Code(code) => match code.run(label, values)? {
                Value::String(name) if !name.trim().is_empty() => Ok(name),
                _ => Err(fault(label, "the code of the condition must return the name of an output")),
            },
        }
    }
}

fn text(row: &Map<String, Value>, key: &str) -> String {
    row.get(key).cloned().map(into_text).unwrap_or_default()
}

fn is_met(label: &str, row: &Map<String, Value>, values: &FlowValues<'_>) -> Result<bool> {
    let variable = text(row, "variable");
    let given = match values.find(variable.trim()) {
        Some(found) => into_text(found),
        None if variable.trim().starts_with('$') => String::new(),
        None => variable,
    };
    let wanted = into_text(values.read(&text(row, "value")));
    compare(&given, &text(row, "operation"), &wanted).ok_or_else(|| {
        fault(label, &format!("the operation '{}' of a condition is unknown", text(row, "operation")))
    })
}

/// `None` for an operation that is none. What is empty meets nothing but being empty.
fn compare(given: &str, operation: &str, wanted: &str) -> Option<bool> {
    let numbers = || Some((given.trim().parse::<f64>().ok()?, wanted.trim().parse::<f64>().ok()?));
    let ordered = |is: fn(f64, f64) -> bool| numbers().is_some_and(|(given, wanted)| is(given, wanted));
    #[allow(clippy::float_cmp)]
    let equal = || numbers().map_or(given == wanted, |(given, wanted)| given == wanted);
    let met = match operation {
        "Contains" => given.contains(wanted),
        "Not Contains" => !given.contains(wanted),
        "Start With" => given.starts_with(wanted),
        "End With" => given.ends_with(wanted),
        "Is" => given == wanted,
        "Is Not" => given != wanted,
        "Is Empty" => return Some(given.is_empty()),
        "Is Not Empty" => true,
        "Greater Than" => ordered(|given, wanted| given > wanted),
        "Less Than" => ordered(|given, wanted| given < wanted),
        "Equal To" => equal(),
        "Not Equal To" => !equal(),
        "Greater Than or Equal To" => ordered(|given, wanted| given >= wanted),
        "Less Than or Equal To" => ordered(|given, wanted| given <= wanted),
        _ => return None,
    };
    Some(met && !given.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_compares_as_its_name_says() {
        for (given, operation, wanted, met) in [
            ("abc", "Contains", "b", true),
            ("abc", "Not Contains", "b", false),
            ("abc", "Start With", "ab", true),
            ("abc", "End With", "ab", false),
            ("abc", "Is", "abc", true),
            ("abc", "Is Not", "abc", false),
            ("6", "Less Than or Equal To", "6", true),
            ("7", "Less Than or Equal To", "6", false),
            ("10", "Greater Than", "9", true),
            ("10", "Less Than", "9", false),
            ("1.0", "Equal To", "1", true),
            ("x", "Not Equal To", "1", true),
            ("x", "Greater Than", "1", false),
            ("9", "Greater Than or Equal To", "10", false),
            ("x", "Is Not Empty", "", true),
        ] {
            assert_eq!(compare(given, operation, wanted), Some(met), "{given} {operation} {wanted}");
        }
        assert_eq!(compare("a", "Sounds Like", "b"), None);
    }

    #[test]
    fn what_is_empty_meets_nothing_but_being_empty() {
        for choice in OPERATIONS {
            assert_eq!(compare("", choice.name, ""), Some(choice.name == "Is Empty"), "{}", choice.name);
        }
    }
}
