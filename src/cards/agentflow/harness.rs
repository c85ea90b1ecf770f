//! Harness as a step: a team of the workspace answers, and its answer is the text of the step.

use super::execute_flow::outcome_of;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::MessageRole;
use crate::harness::asked::{AskedHarness, HARNESS, team_fields};
use crate::kit::steps::messages::reply_role_input;
use crate::kit::steps::on_error;
use crate::kit::{
    Capability, Card, Category, Factory, Input, Inputs, Need, NullSink, Picker, Risk, StepContext,
    StepOutcome, TokenSink, input_lists,
};
use serde_json::json;

const QUESTION: &str = "harnessInput";
const REPLY_AS: &str = "harnessReturnResponseAs";

pub(crate) const CARD: Card = Card {
    name: "harnessAgentflow",
    label: "Harness",
    version: 1.0,
    category: Category::AgentFlows,
    description: "Asks a team of this workspace.",
    base_classes: &["Harness"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Flows)],
    inputs: input_lists![
        &[
            Input::pick(HARNESS, "Harness", Picker::Harness)
                .help("A harness of this workspace, by its name."),
            Input::lines(QUESTION, "Input")
                .starting("{{ question }}")
                .variables()
                .help("What the team is asked."),
            reply_role_input(REPLY_AS),
            Input::state_updates("harnessUpdateState"),
        ],
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(ask),
};

fn ask(inputs: &Inputs<'_>, context: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let team = AskedHarness::from_inputs(inputs)?;
    let question = inputs.text(QUESTION)?;
    let mut answer = team.ask(&question, context.turn.host, &mut NullSink)?;
    let told = answer.team.take();
    let role = match inputs.optional_text(REPLY_AS).as_deref() {
        Some("assistantMessage") => MessageRole::Api,
        _ => MessageRole::User,
    };
    let mut outcome = outcome_of(answer, role)?;
    if let Some(told) = told {
        // What the step has itself, its text among it, stays.
        for (name, value) in team_fields(&told)? {
            outcome.output.entry(name).or_insert(value);
        }
    }
    Ok(outcome.with_input("messages", json!([{"role": "user", "content": question}])))
}
