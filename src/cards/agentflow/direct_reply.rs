//! Direct Reply: a text of the owner is the answer.

use crate::domain::error::Result;
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk, StepContext, StepOutcome, TokenSink};

const MESSAGE: &str = "directReplyMessage";

pub(crate) const CARD: Card = Card {
    name: "directReplyAgentflow",
    label: "Direct Reply",
    version: 1.0,
    category: Category::AgentFlows,
    description: "Answers with a text, without a model.",
    base_classes: &["DirectReply"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::lines(MESSAGE, "Message").variables().help("What the person reads.")],
    outputs: &[],
    make: Factory::Step(reply),
};

// The message may have become empty: what its references stand for is known in a run only.
#[expect(clippy::unnecessary_wraps, reason = "the form of a step")]
fn reply(inputs: &Inputs<'_>, _: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    Ok(StepOutcome::from_text(inputs.optional_text(MESSAGE).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::steps::test_step::TestStep;
    use serde_json::json;

    #[test]
    fn the_message_is_the_answer() {
        let outcome = TestStep::new(&CARD).with(MESSAGE, json!("Good day.")).run().unwrap();
        assert_eq!((outcome.text(), outcome.input.len()), ("Good day.", 0));
    }

    #[test]
    fn a_message_that_came_to_nothing_is_no_failure() {
        assert_eq!(TestStep::new(&CARD).run().unwrap().text(), "");
    }
}
