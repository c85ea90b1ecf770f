//! Start: what a run begins with.

pub(crate) mod schedule;
pub(crate) mod webhook;

use crate::domain::error::{Error, Result};
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, Risk, StepContext, StepOutcome, TokenSink};
use serde_json::{Map, Value, json};

/// What starts the flow.
pub(crate) const KIND: &str = "startInputType";
const FORM: &str = "formInput";
pub(crate) const WEBHOOK: &str = "webhookTrigger";
pub(crate) const SCHEDULE: &str = "scheduleInput";
const FORM_TITLE: &str = "formTitle";
const FORM_DESCRIPTION: &str = "formDescription";
const FORM_FIELDS: &str = "formInputTypes";
const EPHEMERAL: &str = "startEphemeralMemory";
const PERSISTENT: &str = "startPersistState";

pub(crate) const CARD: Card = Card {
    name: "startAgentflow",
    label: "Start",
    version: 1.4,
    category: Category::AgentFlows,
    description: "The first step: what starts the flow, and the state it begins with.",
    base_classes: &["Start"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::choice(KIND, "Input Type", KINDS).or("chatInput"),
        Input::text(FORM_TITLE, "Form Title").when(KIND, FORM),
        Input::text(FORM_DESCRIPTION, "Form Description").optional().when(KIND, FORM),
        Input::rows(FORM_FIELDS, "Form Input Types", FIELDS).when(KIND, FORM),
        webhook::METHOD,
        webhook::CONTENT_TYPE,
        webhook::INPUT_MODE,
        webhook::DEFAULT_INPUT,
        webhook::ENABLE_AUTH,
        webhook::SIGNATURE_TYPE,
        webhook::SIGNATURE_HEADER,
        webhook::TIMESTAMP_HEADER,
        webhook::ENABLE_VALIDATION,
        webhook::HEADER_PARAMS,
        webhook::BODY_PARAMS,
        webhook::QUERY_PARAMS,
        webhook::RESPONSE_MODE,
        webhook::CALLBACK_URL,
        webhook::CALLBACK_SECRET,
        schedule::KIND,
        schedule::CRON,
        schedule::FREQUENCY,
        schedule::ON_MINUTE,
        schedule::ON_TIME,
        schedule::ON_DAY_OF_WEEK,
        schedule::ON_DAY_OF_MONTH,
        schedule::TIMEZONE,
        schedule::END_DATE,
        schedule::INPUT_MODE,
        schedule::DEFAULT_INPUT,
        schedule::FORM_FIELDS,
        schedule::FORM_DEFAULTS,
        schedule::CATCH_UP_MINUTES,
        Input::switch(EPHEMERAL, "Ephemeral Memory")
            .optional()
            .help("The flow remembers nothing of what was said in the conversation before."),
        Input::rows("startState", "Flow State", STATE)
            .optional()
            .help("Values that every step of the run can read and change."),
        Input::switch(PERSISTENT, "Persist State")
            .optional()
            .help("The state begins as the last run of the conversation left it."),
    ],
    outputs: &[],
    make: Factory::Step(start),
};

const KINDS: &[Choice] = &[
    Choice::new("chatInput", "Chat Input"),
    Choice::new(FORM, "Form Input"),
    Choice::new(WEBHOOK, "Webhook Trigger"),
    Choice::new(SCHEDULE, "Schedule Input"),
];

/// The fields of a form.
const FIELDS: &[Input] = &[
    Input::choice(
        "type",
        "Type",
        &[
            Choice::new("string", "String"),
            Choice::new("number", "Number"),
            Choice::new("boolean", "Boolean"),
            Choice::new("options", "Options"),
        ],
    )
    .or("string"),
    Input::text("label", "Label").help("What the person reads."),
    Input::text("name", "Variable Name").help("{{ $form.name }} stands for the value."),
    Input::rows("addOptions", "Add Options", &[Input::text("option", "Option")])
        .optional()
        .when("formInputTypes[$index].type", "options"),
];

const STATE: &[Input] = &[Input::text("key", "Key"), Input::text("value", "Value").optional()];

fn start(inputs: &Inputs<'_>, context: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let mut outcome = match inputs.optional_text(KIND).as_deref() {
        Some(FORM) => {
            let form = context.start.form.as_ref();
            outcome_of_form(inputs, FORM_FIELDS, form.ok_or_else(|| lacks(inputs, "a form"))?)
        }
        Some(WEBHOOK) => {
            let webhook = context.start.webhook.clone();
            let webhook = webhook.ok_or_else(|| lacks(inputs, "a call of its webhook"))?;
            let question = Some(context.turn.question).filter(|question| !question.trim().is_empty());
            outcome_of([("webhook", Some(webhook)), ("question", question.map(Value::from))])
        }
        Some(SCHEDULE) if context.start.form.is_some() => {
            let form = context.start.form.clone().unwrap_or_default();
            outcome_of_form(inputs, schedule::FORM_FIELDS.name, &form)
        }
        _ => outcome_of([("question", Some(context.turn.question.into()))]),
    };
    for (switch, name) in [(EPHEMERAL, "ephemeralMemory"), (PERSISTENT, "persistState")] {
        if inputs.switch(switch) {
            outcome.output.insert(name.to_owned(), true.into());
        }
    }
    Ok(outcome)
}

fn lacks(inputs: &Inputs<'_>, what: &str) -> Error {
    Error::RunFailed(format!("{}: this flow starts with {what}, and there is none", inputs.label))
}

/// Of a start whose record says the same of what came in and what goes on.
fn outcome_of<const N: usize>(values: [(&str, Option<Value>); N]) -> StepOutcome {
    let values = values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let values: Map<String, Value> = values.collect();
    StepOutcome { input: values.clone(), output: values, ..StepOutcome::default() }
}

fn outcome_of_form(inputs: &Inputs<'_>, fields: &str, values: &Map<String, Value>) -> StepOutcome {
    let text = |name: &str| inputs.optional_text(name).unwrap_or_default();
    let form = json!({
        "title": text(FORM_TITLE), "description": text(FORM_DESCRIPTION), "inputs": inputs.rows_json(fields),
    });
    let output = Map::from_iter([("form".to_owned(), Value::Object(values.clone()))]);
    StepOutcome { output, ..StepOutcome::default() }.with_input("form", form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::steps::test_step::TestStep;

    fn step(kind: &str) -> TestStep {
        TestStep::new(&CARD).with(KIND, json!(kind))
    }

    fn form() -> Option<Map<String, Value>> {
        json!({"size": 4}).as_object().cloned()
    }

    #[test]
    fn a_chat_starts_with_the_question() {
        for step in [step("chatInput"), TestStep::new(&CARD)] {
            let outcome = step.asked("Hello?").run().unwrap();
            let question = json!({"question": "Hello?"});
            assert_eq!(
                (Value::Object(outcome.input), Value::Object(outcome.output)),
                (question.clone(), question)
            );
        }
    }

    #[test]
    fn a_form_starts_with_its_values_and_the_record_shows_its_fields() {
        let fields =
            json!([{"type": "options", "label": "Size", "name": "size", "addOptions": [{"option": "4"}]}]);
        let mut step = step(FORM).with(FORM_TITLE, json!("Order")).with(FORM_FIELDS, fields.clone());
        step.start.form = form();
        let outcome = step.run().unwrap();
        assert_eq!(Value::Object(outcome.output), json!({"form": {"size": 4}}));
        assert_eq!(
            Value::Object(outcome.input),
            json!({"form": {"title": "Order", "description": "", "inputs": fields}})
        );
    }

    #[test]
    fn a_form_that_nobody_filled_in_is_refused() {
        assert_eq!(
            step(FORM).asked("Hello?").run().unwrap_err().to_string(),
            "Start: this flow starts with a form, and there is none"
        );
    }

    #[test]
    fn a_webhook_starts_with_its_call_and_the_question_where_there_is_one() {
        let outcome = |question: &str| {
            let mut step = step(WEBHOOK).asked(question);
            step.start.webhook = Some(json!({"body": {"a": 1}}));
            Value::Object(step.run().unwrap().output)
        };
        assert_eq!(outcome(" "), json!({"webhook": {"body": {"a": 1}}}));
        assert_eq!(outcome("Hi"), json!({"webhook": {"body": {"a": 1}}, "question": "Hi"}));
        assert!(step(WEBHOOK).run().unwrap_err().to_string().contains("a call of its webhook"));
    }

    #[test]
    fn a_schedule_starts_with_a_question_or_with_a_form() {
        assert_eq!(step(SCHEDULE).asked("Now.").run().unwrap().output["question"], "Now.");
        let mut step = step(SCHEDULE);
        step.start.form = form();
        assert_eq!(Value::Object(step.run().unwrap().output), json!({"form": {"size": 4}}));
    }

    #[test]
    fn the_record_says_what_is_remembered() {
        let step = step("chatInput").with(EPHEMERAL, json!(true)).with(PERSISTENT, json!(true)).asked("x");
        assert_eq!(
            Value::Object(step.run().unwrap().output),
            json!({"question": "x", "ephemeralMemory": true, "persistState": true})
        );
    }
}
