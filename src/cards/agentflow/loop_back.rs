//! Loop: the run goes on from an earlier step, so many times.

use crate::domain::error::Result;
use crate::kit::{
    CONTENT, Card, Category, Factory, Input, Inputs, LoopBack, NextSteps, Picker, Risk, StepContext,
    StepOutcome, TokenSink, number_in,
};
use serde_json::Value;

const TARGET: &str = "loopBackToNode";
const RUNS: &str = "maxLoopCount";
const FALLBACK: &str = "fallbackMessage";

/// Most passes of a Loop.
const LOOP_RUNS_MAX: f64 = 100.0;
/// Passes of a Loop that does not say how many.
const LOOP_RUNS: f64 = 5.0;

pub(crate) const CARD: Card = Card {
    name: "loopAgentflow",
    label: "Loop",
    version: 1.2,
    category: Category::AgentFlows,
    description: "Goes back to an earlier step, until that was done often enough.",
    base_classes: &["Loop"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::pick(TARGET, "Loop Back To", Picker::Step).help("The step that the run goes on from."),
        Input::whole(RUNS, "Max Loop Count", 1.0, LOOP_RUNS_MAX)
            .or("5")
            .help("How often the steps in between run in all."),
        Input::lines(FALLBACK, "Fallback Message")
            .optional()
            .variables()
            .help("What this step says once they ran so often. Empty: a sentence that says so."),
        Input::state_updates("loopUpdateState"),
    ],
    outputs: &[],
    make: Factory::Step(go_back),
};

fn go_back(inputs: &Inputs<'_>, _: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let target = inputs.text(TARGET)?;
    let runs_max = runs_max(inputs)?;
    let written = inputs.optional_text(FALLBACK).filter(|text| !text.trim().is_empty());
    let fallback = written.unwrap_or_else(|| {
        format!("{}: the steps ran {runs_max} times, which is as often as they may.", inputs.label)
    });
    let outcome = StepOutcome::default().with_input("nodeID", target.as_str()).with_input(RUNS, runs_max);
    let mut outcome = outcome.with_input(FALLBACK, fallback.as_str());
    // A jump says nothing; its text is the fallback once there is no jump any more.
    outcome.output.insert(CONTENT.to_owned(), Value::from(""));
    outcome.output.extend(outcome.input.clone());
    outcome.next = NextSteps::Back(LoopBack { runs_max, fallback });
    Ok(outcome)
}

/// A number beyond the range is taken as its end: validation has named it.
fn runs_max(inputs: &Inputs<'_>) -> Result<u64> {
    let number = match inputs.any(RUNS) {
        None => Some(LOOP_RUNS),
        Some(value) => number_in(value).filter(|number| number.is_finite()),
    };
    let number = number.ok_or_else(|| inputs.input_error(RUNS, "this must be a number"))?;
    Ok(number.clamp(1.0, LOOP_RUNS_MAX) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::steps::test_step::TestStep;
    use serde_json::json;

    fn back(step: TestStep) -> LoopBack {
        let NextSteps::Back(back) = step.with(TARGET, json!("llm_0-Writer")).run().unwrap().next else {
            panic!("no jump")
        };
        back
    }

    #[test]
    fn the_steps_run_five_times_unless_the_owner_says_otherwise() {
        assert_eq!(back(TestStep::new(&CARD)).runs_max, 5);
        for (written, runs) in [(json!(3), 3), (json!("3"), 3), (json!(500), 100), (json!(0), 1)] {
            assert_eq!(back(TestStep::new(&CARD).with(RUNS, written.clone())).runs_max, runs, "{written}");
        }
    }

    #[test]
    fn a_count_that_is_no_number_is_refused() {
        let step = TestStep::new(&CARD).with(TARGET, json!("a-A")).with(RUNS, json!("often"));
        assert_eq!(step.run().unwrap_err().to_string(), "Loop: Max Loop Count: this must be a number");
    }

    #[test]
    fn the_fallback_is_the_owners_or_says_how_often_the_steps_ran() {
        assert_eq!(back(TestStep::new(&CARD).with(FALLBACK, json!("Enough."))).fallback, "Enough.");
        assert!(back(TestStep::new(&CARD)).fallback.contains("ran 5 times"));
    }

    #[test]
    fn the_record_names_the_target_and_a_jump_has_no_text() {
        let outcome =
            TestStep::new(&CARD).with(TARGET, json!("a-A")).with(FALLBACK, json!("x")).run().unwrap();
        assert_eq!(
            Value::Object(outcome.output),
            json!({"content": "", "nodeID": "a-A", "maxLoopCount": 5, "fallbackMessage": "x"})
        );
    }
}
