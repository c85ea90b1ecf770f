//! Set Variable: keeps a value for the rest of the run.

use super::custom_function::RESULTS;
use crate::cards::kit::{Card, Category, Connects, Input, Kept, Make, Output, Risk, VARIABLE_NAME};
use serde_json::Value;

/// The one output of cards that hand on a value.
pub const OUTPUT: &[Output] =
    &[Output { name: "output", label: "Output", base_classes: RESULTS, predicts: false }];

/// The card.
pub const CARD: Card = Card {
    name: "setVariable",
    label: "Set Variable",
    version: 2.1,
    category: Category::Utilities,
    description: "Keeps a value for the rest of the run, where Get Variable reads it.",
    base_classes: &["SetVariable", "Utilities"],
    risk: Risk::Safe,
    inputs: &[
        Input::wires("input", "Input", Connects::Value).optional(),
        Input::text(VARIABLE_NAME, "Variable Name"),
        Input::switch("showOutput", "Show Output")
            .additional()
            .help("The value goes out with the answer, under flowVariables."),
    ],
    outputs: OUTPUT,
    make: Make::Keep(|inputs| {
        let mut wired = inputs.results("input")?;
        let value = match wired.len() {
            0 => Value::String(String::new()),
            1 => wired.remove(0),
            _ => Value::Array(wired),
        };
        Ok(Kept { name: inputs.text(VARIABLE_NAME)?, value, shown: inputs.switch("showOutput") })
    }),
};
