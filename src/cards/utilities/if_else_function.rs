//! IfElse Function: code decides which of two branches of a flow goes on.

use super::custom_function::{INPUT_VARIABLES, RESULTS};
use crate::kit::build::code::{self, Code};
use crate::kit::{BranchChoice, Capability, Card, Category, CodeRunner, Factory, Input, Need, Output, Risk};
use serde_json::Value;

const TRUE: &str = "returnTrue";
const FALSE: &str = "returnFalse";

pub(crate) const CARD: Card = Card {
    name: "ifElseFunction",
    label: "IfElse Function",
    version: 2.0,
    category: Category::Utilities,
    description: "Runs JavaScript to choose between two branches.",
    base_classes: &["IfElseFunction", "Utilities"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Code)],
    inputs: &[
        INPUT_VARIABLES,
        Input::text("functionName", "Function Name").optional(),
        Input::code("ifFunction", "If Function")
            .help("What it returns goes to the True branch, when it counts as true."),
        Input::code("elseFunction", "Else Function")
            .or("return false;")
            .help("What it returns goes to the False branch."),
    ],
    outputs: &[
        Output { name: TRUE, label: "True", base_classes: RESULTS, predicts: false },
        Output { name: FALSE, label: "False", base_classes: RESULTS, predicts: false },
    ],
    make: Factory::Branch(|inputs| {
        let variables = code::parse_values(inputs.object("functionInputVariables")?);
        let runner = inputs.need::<dyn CodeRunner>()?.of(inputs.host)?;
        let run = |name: &str| {
            let source = inputs.text(name)?;
            let code = Code::new(inputs.label, &source, variables.clone());
            runner.run_code(&code).map_err(|error| code::code_error(inputs.label, &error))
        };
        let value = run("ifFunction")?;
        if is_true(&value) {
            return Ok(BranchChoice { output: TRUE, value });
        }
        Ok(BranchChoice { output: FALSE, value: run("elseFunction")? })
    }),
};

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
