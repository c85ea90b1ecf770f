//! Get Variable: reads a value that Set Variable kept in the same run.

use super::set_variable::OUTPUT;
use crate::kit::{Card, Category, Factory, Input, Risk, VARIABLE_NAME};

pub(crate) const CARD: Card = Card {
    name: "getVariable",
    label: "Get Variable",
    version: 2.0,
    category: Category::Utilities,
    description: "Reads a value that Set Variable kept in this run.",
    base_classes: &["GetVariable", "Utilities"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::text(VARIABLE_NAME, "Variable Name")],
    outputs: OUTPUT,
    make: Factory::GetVariable(|inputs| inputs.text(VARIABLE_NAME)),
};
