//! Iteration: what stands inside runs once for each item of a list.

use crate::domain::error::Result;
use crate::kit::steps::lenient_json::read_list;
use crate::kit::steps::on_error;
use crate::kit::{
    Card, Category, Factory, Input, Inputs, ItemRuns, NextSteps, Risk, StepContext, StepOutcome, TokenSink,
};

const ITEMS: &str = "iterationInput";
const AT_ONCE: &str = "iterationConcurrency";

/// Most items of an Iteration (manual 14.4).
const ITERATION_ITEMS_MAX: usize = 10_000;

pub(crate) const CARD: Card = Card {
    name: "iterationAgentflow",
    label: "Iteration",
    version: 1.0,
    category: Category::AgentFlows,
    description: "Runs the steps inside it once for each item of a list.",
    base_classes: &["Iteration"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::lines(ITEMS, "Array Input")
            .json_with_variables()
            .lists()
            .help("The list, as JSON. Inside, {{ $iteration }} stands for the item."),
        Input::whole(AT_ONCE, "Items at once", 1.0, 16.0)
            .or("1")
            .additional()
            .help("With more than one, items do not see what others write into the state of the flow."),
        on_error::CONTINUING_CHOICE
            .help("What becomes of the run when an item fails. Its result says so in any case."),
    ],
    outputs: &[],
    make: Factory::Step(iterate),
};

fn iterate(inputs: &Inputs<'_>, _: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let items = match inputs.any(ITEMS) {
        None => return Err(inputs.input_error(ITEMS, "fill this in")),
        Some(given) => read_list(given).map_err(|why| inputs.input_error(ITEMS, &why))?,
    };
    if items.len() > ITERATION_ITEMS_MAX {
        let what = format!("there are {} items, and {ITERATION_ITEMS_MAX} at most can be run", items.len());
        return Err(inputs.input_error(ITEMS, &what));
    }
    let at_once = usize::try_from(inputs.whole(AT_ONCE)?.unwrap_or(1)).unwrap_or(1);
    let outcome = StepOutcome {
        next: NextSteps::Items(ItemRuns { items: items.clone(), at_once }),
        ..StepOutcome::default()
    };
    Ok(outcome.with_input(ITEMS, items))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::steps::test_step::TestStep;
    use serde_json::{Value, json};

    fn items(input: Value) -> Result<(Vec<Value>, usize)> {
        let outcome = TestStep::new(&CARD).with(ITEMS, input).run()?;
        let NextSteps::Items(runs) = outcome.next else { panic!("no items") };
        assert_eq!(outcome.input[ITEMS], Value::from(runs.items.clone()));
        Ok((runs.items, runs.at_once))
    }

    #[test]
    fn a_list_and_its_text_are_the_same_items_one_after_another() {
        let expected = (vec![json!(1), json!({"a": "b"}), json!("")], 1);
        assert_eq!(items(json!([1, {"a": "b"}, ""])).unwrap(), expected);
        assert_eq!(items(json!("[1, {\"a\": \"b\"}, \"\"]")).unwrap(), expected);
    }

    #[test]
    fn an_empty_list_has_no_items() {
        assert_eq!(items(json!([])).unwrap().0, Vec::<Value>::new());
    }

    #[test]
    fn what_is_no_list_names_the_input() {
        for wrong in [json!("three"), json!({"a": 1}), json!(3), json!("")] {
            let told = items(wrong.clone()).unwrap_err().to_string();
            assert!(told.starts_with("Iteration: Array Input: "), "{wrong}: {told}");
        }
    }

    #[test]
    fn a_list_has_an_end() {
        let told = items(Value::from(vec![1; ITERATION_ITEMS_MAX + 1])).unwrap_err().to_string();
        assert!(told.contains("10001 items"), "{told}");
    }

    #[test]
    fn the_owner_says_how_many_items_run_at_once() {
        let step =
            |count: i32| TestStep::new(&CARD).with(ITEMS, json!([1])).with(AT_ONCE, json!(count)).run();
        assert_eq!(step(4).unwrap().next, NextSteps::Items(ItemRuns { items: vec![json!(1)], at_once: 4 }));
        assert!(step(17).is_err());
    }
}
