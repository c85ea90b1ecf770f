//! Human Input: a step that waits until a person says how the flow goes on.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::kit::models::messages::past_messages;
use crate::kit::models::model_tally::ModelTally;
use crate::kit::steps::approval;
use crate::kit::{
    Card, Category, Choice, Decision, Factory, Input, Inputs, NextSteps, NullSink, Pause, Risk, StepContext,
    StepOutcome, StepResume, TokenSink, WireType,
};
use crate::llm::{ChatMessage, ChatRequest};
use serde_json::{Map, Value};

const KIND: &str = "humanInputDescriptionType";
const DESCRIPTION: &str = "humanInputDescription";
const MODEL: &str = "humanInputModel";
const PROMPT: &str = "humanInputModelPrompt";
const FEEDBACK: &str = "humanInputEnableFeedback";
const TIMEOUT: &str = "humanInputTimeout";

const DEFAULT_DESCRIPTION: &str = "Shall this go on?";
const DEFAULT_PROMPT: &str = "Someone has to decide whether this may go on. Tell them in a few short lines what was asked, what \
                              was done or found so far, and what would happen next. Leave nothing out that could change their \
                              mind, add nothing that was not said, and end by asking whether to proceed.";

pub(crate) const CARD: Card = Card {
    name: "humanInputAgentflow",
    label: "Human Input",
    version: 1.0,
    category: Category::AgentFlows,
    description: "Waits until a person proceeds or rejects.",
    base_classes: &["HumanInput"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::choice(
            KIND,
            "Description Type",
            &[Choice::new("fixed", "Fixed"), Choice::new("dynamic", "Written by a Model")],
        ),
        Input::lines(DESCRIPTION, "Description")
            .optional()
            .variables()
            .when(KIND, "fixed")
            .help("What the person is asked. It follows what was said last."),
        Input::card(MODEL, "Model", WireType::ChatModel).when(KIND, "dynamic"),
        Input::lines(PROMPT, "Prompt")
            .or(DEFAULT_PROMPT)
            .variables()
            .when(KIND, "dynamic")
            .help("Tells the model what to write to the person; it sees the conversation."),
        Input::switch(FEEDBACK, "Enable Feedback")
            .or("true")
            .help("The person may write something beside the decision."),
        approval::timeout_input(TIMEOUT, "Time to Answer (seconds)"),
    ],
    outputs: &[],
    make: Factory::Step(run),
};

fn run(inputs: &Inputs<'_>, context: &StepContext<'_>, _sink: &mut dyn TokenSink) -> Result<StepOutcome> {
    let input: Map<String, Value> =
        inputs.plain_values().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let outcome = match context.resume {
        Some(resume) => go_on(inputs, context, resume),
        None => pause(inputs, context, &input)?,
    };
    Ok(StepOutcome { input, ..outcome })
}

fn pause(inputs: &Inputs<'_>, context: &StepContext<'_>, input: &Map<String, Value>) -> Result<StepOutcome> {
    let mut tally = ModelTally::default();
    let told = if inputs.optional_text(KIND).as_deref() == Some("dynamic") {
        described(inputs, context, &mut tally)?
    } else {
        let description = inputs.optional_text(DESCRIPTION).unwrap_or_else(|| DEFAULT_DESCRIPTION.to_owned());
        match last_said(context)? {
            Some(last) => format!("{last}\n\n{description}"),
            None => description,
        }
    };
    let action = approval::action(context.node, inputs.label, Value::Object(input.clone()));
    let mut outcome = StepOutcome::from_text(told);
    outcome.output.insert("humanInputAction".to_owned(), action.clone());
    tally.describe(&mut outcome.output);
    let timeout_seconds = inputs.whole(TIMEOUT)?;
    outcome.next = NextSteps::Pause(Pause { action, kept: Value::Null, timeout_seconds });
    Ok(outcome)
}

/// What the model writes to the person.
fn described(inputs: &Inputs<'_>, context: &StepContext<'_>, tally: &mut ModelTally) -> Result<String> {
    let model = inputs.model(MODEL)?;
    let mut said = context.past.told_messages()?;
    said.extend_from_slice(context.said);
    if context.speaks_first() && !context.turn.question.trim().is_empty() {
        said.push(HistoryMessage::from_user(context.turn.question));
    }
    let mut messages = past_messages(said);
    messages.push(ChatMessage::user(inputs.text(PROMPT)?));
    let request = ChatRequest { messages, ..ChatRequest::default() };
    Ok(tally.ask(&model, &request, context.turn.host, &mut NullSink)?.text)
}

/// What was said last, in this run or before it.
fn last_said(context: &StepContext<'_>) -> Result<Option<String>> {
    let last = match context.said.last() {
        Some(last) => Some(last.text.clone()),
        None => context.past.messages()?.pop().map(|last| last.text),
    };
    Ok(last.filter(|text| !text.trim().is_empty()))
}

fn go_on(inputs: &Inputs<'_>, context: &StepContext<'_>, resume: &StepResume) -> StepOutcome {
    let written = resume.feedback.as_deref().filter(|text| !text.trim().is_empty());
    let feedback = written.filter(|_| inputs.switch(FEEDBACK));
    let mut outcome = StepOutcome::from_text(feedback.unwrap_or(resume.decision.as_str()));
    let conditions = approval::conditions(context.node, resume.decision, feedback);
    outcome.output.insert("conditions".to_owned(), conditions);
    outcome.next = NextSteps::Outputs(vec![match resume.decision {
        Decision::Proceed => 0,
        Decision::Reject => 1,
    }]);
    outcome.said = feedback.map(HistoryMessage::from_user).into_iter().collect();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::models::test_model::{TestModel, reply};
    use crate::kit::steps::test_step::{TestStep, answered, asked};
    use serde_json::json;

    fn step(model: &TestModel) -> TestStep {
        TestStep::asking(&CARD, MODEL, model).with(KIND, "fixed").with(DESCRIPTION, "Send it?")
    }

    fn resumed(decision: Decision, feedback: Option<&str>) -> TestStep {
        let resume = StepResume { decision, feedback: feedback.map(str::to_owned), kept: Value::Null };
        TestStep { resume: Some(resume), ..step(&TestModel::new(Vec::new())) }
    }

    #[test]
    fn a_fixed_description_follows_what_was_said_last() {
        let model = TestModel::new(Vec::new());
        for (past, said, told) in [
            (vec![], vec![], "Send it?"),
            (vec![answered("Before")], vec![], "Before\n\nSend it?"),
            (vec![answered("Before")], vec![asked("Hi?"), answered("A mail")], "A mail\n\nSend it?"),
        ] {
            let outcome = TestStep { past, said, ..step(&model) }.run().unwrap();
            assert_eq!(outcome.text(), told);
        }
    }

    #[test]
    fn a_person_is_asked_with_two_buttons() {
        let outcome = step(&TestModel::new(Vec::new())).with(TIMEOUT, 60).run().unwrap();
        let NextSteps::Pause(pause) = &outcome.next else { panic!("{:?}", outcome.next) };
        let mut action = pause.action.clone();
        assert_eq!(outcome.output["humanInputAction"], action);
        assert_eq!(pause.timeout_seconds, Some(60));
        assert!(uuid::Uuid::parse_str(action["id"].take().as_str().unwrap()).is_ok());
        let expected = json!({
            "id": null,
            "mapping": {"approve": "Proceed", "reject": "Reject"},
            "elements": [
                {"type": "agentflowv2-approve-button", "label": "Proceed"},
                {"type": "agentflowv2-reject-button", "label": "Reject"},
            ],
            "data": {"nodeId": "node_0", "nodeLabel": "Mine", "input": outcome.input},
        });
        assert_eq!(action, expected);
    }

    #[test]
    fn a_model_that_heard_the_conversation_may_write_the_description() {
        let model = TestModel::new(vec![reply("May it be sent?")]);
        let step = TestStep { said: vec![asked("Hi?"), answered("A mail")], ..step(&model) };
        let outcome = step.with(KIND, "dynamic").with(PROMPT, "Describe.").run().unwrap();
        assert_eq!(outcome.text(), "May it be sent?");
        let heard: Vec<String> = model.requests()[0].messages.iter().map(ChatMessage::text).collect();
        assert_eq!(heard, ["Hi?", "A mail", "Describe."]);
    }

    #[test]
    fn a_decision_takes_its_output() {
        for (decision, output) in [(Decision::Proceed, 0), (Decision::Reject, 1)] {
            let outcome = resumed(decision, None).run().unwrap();
            assert_eq!(outcome.next, NextSteps::Outputs(vec![output]));
            assert_eq!((outcome.text(), outcome.said.len()), (decision.as_str(), 0));
            assert_eq!(outcome.output["conditions"][output]["isFulfilled"], true);
            assert_eq!(outcome.output["conditions"][1 - output]["isFulfilled"], false);
        }
    }

    #[test]
    fn what_the_person_wrote_is_said() {
        let outcome = resumed(Decision::Reject, Some("Too long")).run().unwrap();
        assert_eq!(outcome.text(), "Too long");
        assert_eq!(outcome.said, [asked("Too long")]);
        assert_eq!(outcome.output["conditions"][1]["feedback"], "Too long");
    }

    #[test]
    fn a_card_without_feedback_takes_none() {
        let outcome = resumed(Decision::Proceed, Some("Too long")).with(FEEDBACK, false).run().unwrap();
        assert_eq!((outcome.text(), outcome.said.len()), ("proceed", 0));
    }
}
