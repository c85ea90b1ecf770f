//! Condition: the run goes on from the output of the first condition that holds, or from the last output.

use crate::domain::error::Result;
use crate::kit::steps::conditions::{BranchChoice, choose_branch};
use crate::kit::{
    Card, Category, Choice, Factory, Input, Inputs, NextSteps, Risk, StepContext, StepOutcome, TokenSink,
};

pub(crate) const CONDITIONS: &str = "conditions";
const KIND: &str = "conditions[$index].type";

pub(crate) const CARD: Card = Card {
    name: "conditionAgentflow",
    label: "Condition",
    version: 1.0,
    category: Category::AgentFlows,
    description: "Splits the flow by comparing values.",
    base_classes: &["Condition"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::rows(CONDITIONS, "Conditions", FIELDS)
        .variables()
        .help("The first that holds is taken; where none does, the last output is.")],
    outputs: &[],
    make: Factory::Step(decide),
};

pub(crate) const FIELDS: &[Input] = &[
    Input::choice(
        "type",
        "Type",
        &[
            Choice::new("string", "String"),
            Choice::new("number", "Number"),
            Choice::new("boolean", "Boolean"),
        ],
    )
    .or("string"),
    Input::variants("value1", "Value 1", FIRST).variables(),
    Input::variants("operation", "Operation", OPERATIONS),
    Input::variants("value2", "Value 2", SECOND).optional().variables(),
];

const FIRST: &[Input] = &[
    Input::text("value1", "Value 1").variables().when(KIND, "string"),
    Input::number("value1", "Value 1", f64::MIN, f64::MAX).variables().when(KIND, "number"),
    Input::switch("value1", "Value 1").variables().when(KIND, "boolean"),
];

const OPERATIONS: &[Input] = &[
    Input::choice(
        "operation",
        "Operation",
        &[
            Choice::new("contains", "Contains"),
            Choice::new("endsWith", "Ends With"),
            Choice::new("equal", "Equal"),
            Choice::new("notContains", "Not Contains"),
            Choice::new("notEqual", "Not Equal"),
            Choice::new("regex", "Regex"),
            Choice::new("startsWith", "Starts With"),
            Choice::new("isEmpty", "Is Empty"),
            Choice::new("notEmpty", "Not Empty"),
        ],
    )
    .or("equal")
    .when(KIND, "string"),
    Input::choice(
        "operation",
        "Operation",
        &[
            Choice::new("smaller", "Smaller"),
            Choice::new("smallerEqual", "Smaller Equal"),
            Choice::new("equal", "Equal"),
            Choice::new("notEqual", "Not Equal"),
            Choice::new("larger", "Larger"),
            Choice::new("largerEqual", "Larger Equal"),
            Choice::new("isEmpty", "Is Empty"),
            Choice::new("notEmpty", "Not Empty"),
        ],
    )
    .or("equal")
    .when(KIND, "number"),
    Input::choice(
        "operation",
        "Operation",
        &[Choice::new("equal", "Equal"), Choice::new("notEqual", "Not Equal")],
    )
    .or("equal")
    .when(KIND, "boolean"),
];

const COMPARED: &str = "conditions[$index].operation";

const SECOND: &[Input] = &[
    Input::text("value2", "Value 2").optional().variables().when(KIND, "string").when_any(
        COMPARED,
        &["contains", "endsWith", "equal", "notContains", "notEqual", "regex", "startsWith"],
    ),
    Input::number("value2", "Value 2", f64::MIN, f64::MAX)
        .optional()
        .variables()
        .when(KIND, "number")
        .when_any(COMPARED, &["smaller", "smallerEqual", "equal", "notEqual", "larger", "largerEqual"]),
    Input::switch("value2", "Value 2").optional().variables().when(KIND, "boolean"),
];

fn decide(inputs: &Inputs<'_>, _: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let rows = inputs.rows_json(CONDITIONS);
    let BranchChoice { taken, conditions } = choose_branch(inputs.label, &rows)?;
    let mut outcome = StepOutcome::default().with_input(CONDITIONS, rows);
    outcome.output.insert(CONDITIONS.to_owned(), conditions.into());
    outcome.next = NextSteps::Outputs(vec![taken]);
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::steps::test_step::TestStep;
    use serde_json::{Value, json};

    fn decided(rows: Value) -> StepOutcome {
        TestStep::new(&CARD).with(CONDITIONS, rows).run().unwrap()
    }

    fn row(value1: &str, value2: &str) -> Value {
        json!({"type": "string", "value1": value1, "operation": "equal", "value2": value2})
    }

    #[test]
    fn the_first_condition_that_holds_is_taken() {
        let outcome = decided(json!([row("a", "b"), row("b", "b"), row("c", "c")]));
        assert_eq!(outcome.next, NextSteps::Outputs(vec![1]));
        let held = outcome.output[CONDITIONS].as_array().unwrap();
        let held: Vec<_> = held.iter().map(|row| row["isFulfilled"].as_bool().unwrap()).collect();
        assert_eq!(held, [false, true, false, false]);
    }

    #[test]
    fn the_last_output_is_taken_where_none_holds() {
        let outcome = decided(json!([row("a", "b")]));
        assert_eq!(outcome.next, NextSteps::Outputs(vec![1]));
        assert_eq!(outcome.output[CONDITIONS][1]["isFulfilled"], true);
        assert_eq!(outcome.text(), "");
    }

    #[test]
    fn the_record_holds_the_rows() {
        let rows = json!([row("a", "b")]);
        assert_eq!(Value::Object(decided(rows.clone()).input), json!({"conditions": rows}));
    }

    #[test]
    fn a_pattern_that_cannot_be_read_fails_the_step() {
        let row = json!([{"type": "string", "value1": "a", "operation": "regex", "value2": "("}]);
        let told = TestStep::new(&CARD).with(CONDITIONS, row).run().unwrap_err().to_string();
        assert!(told.starts_with("Condition: condition 1: "), "{told}");
    }
}
