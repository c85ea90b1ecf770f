//! Set Variable: keeps a value for the rest of the run.

use super::custom_function::RESULTS;
use crate::kit::{Card, Category, Factory, FlowVariable, Input, Output, Risk, VARIABLE_NAME, WireType};
use serde_json::Value;

/// The one output of cards that hand on a value.
pub(crate) const OUTPUT: &[Output] =
    &[Output { name: "output", label: "Output", base_classes: RESULTS, predicts: false }];

pub(crate) const CARD: Card = Card {
    name: "setVariable",
    label: "Set Variable",
    version: 2.1,
    category: Category::Utilities,
    description: "Keeps a value for the rest of the run, where Get Variable reads it.",
    base_classes: &["SetVariable", "Utilities"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wires("input", "Input", WireType::Value).optional(),
        Input::text(VARIABLE_NAME, "Variable Name"),
        Input::switch("showOutput", "Show Output")
            .additional()
            .help("The value goes out with the answer, under flowVariables."),
    ],
    outputs: OUTPUT,
    make: Factory::SetVariable(|inputs| {
        let mut wired = inputs.results("input")?;
        let value = match wired.len() {
            0 => Value::String(String::new()),
            1 => wired.remove(0),
            _ => Value::Array(wired),
        };
        Ok(FlowVariable { name: inputs.text(VARIABLE_NAME)?, value, in_answer: inputs.switch("showOutput") })
    }),
};
