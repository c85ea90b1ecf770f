//! An Agent, its tools and the person who approves their calls.

use super::*;
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::Component;
use crate::kit::models::test_model::{TestModel, calling, reply};
use crate::kit::steps::test_step::{TestStep, picked};
use crate::kit::{CallError, InputValue, InputValues, Observation, RunContext, StepResume, Tool};
use crate::llm::{Completion, ToolSpec};
use std::sync::Arc;

/// A tool that says what it was made with.
#[derive(Clone)]
struct FixedTool {
    name: &'static str,
    result: Result<&'static str, &'static str>,
    is_answer: bool,
}

impl Tool for FixedTool {
    fn spec(&self) -> ToolSpec {
        let (name, description) = (self.name.to_owned(), "Says something.".to_owned());
        ToolSpec { name, description, schema: json!({"type": "object", "properties": {}}) }
    }

    fn call(&self, _arguments: &Value, _turn: &RunContext<'_>) -> std::result::Result<String, CallError> {
        self.result.map(str::to_owned).map_err(CallError::from)
    }

    fn observe(
        &self,
        arguments: &Value,
        turn: &RunContext<'_>,
    ) -> std::result::Result<Observation, CallError> {
        let source = Document { page_content: self.name.to_owned(), metadata: Map::new() };
        self.call(arguments, turn).map(|text| Observation {
            text,
            sources: vec![source],
            ..Observation::default()
        })
    }

    fn returns_directly(&self) -> bool {
        self.is_answer
    }
}

fn tool(name: &'static str, text: &'static str) -> FixedTool {
    FixedTool { name, result: Ok(text), is_answer: false }
}

fn broken(name: &'static str) -> FixedTool {
    FixedTool { name, result: Err("It is broken."), is_answer: false }
}

/// The row of a card with these tools.
fn row(tools: &[FixedTool]) -> InputValues {
    let tools = tools.iter().map(|tool| Arc::new(tool.clone()) as Arc<dyn Tool>).collect();
    InputValues::from([("agentSelectedTool", picked(Component::Tools(tools)))])
}

fn approved(tools: &[FixedTool]) -> InputValues {
    with(row(tools), "agentSelectedToolRequiresHumanInput", true)
}

fn with(mut row: InputValues, name: &'static str, value: impl Into<Value>) -> InputValues {
    row.insert(name, InputValue::Value(value.into()));
    row
}

fn step(model: &TestModel, rows: Vec<InputValues>) -> TestStep {
    TestStep::asking(&CARD, NAMES.model, model).with_rows(TOOLS, rows)
}

fn told(model: &TestModel, request: usize) -> Vec<String> {
    model.requests()[request].messages.iter().map(ChatMessage::text).collect()
}

fn call(name: &str) -> Completion {
    calling(&[(name, json!({"q": 1}))])
}

fn saying(text: &str, completion: Completion) -> Completion {
    Completion { text: text.to_owned(), ..completion }
}

#[test]
fn tools_are_called_until_the_model_answers() {
    let model = TestModel::new(vec![saying("Wait.", call("look")), reply("Blue.")]);
    let (outcome, heard) = step(&model, vec![row(&[tool("look", "It is blue.")])]).run_heard();
    let outcome = outcome.unwrap();
    assert_eq!((outcome.text(), heard.text.as_str()), ("Wait.\n\nBlue.", "Wait.\n\nBlue."));
    assert_eq!(told(&model, 1), ["Hi?", "Wait.", "It is blue."]);
    assert_eq!(outcome.said[0].text, "Wait.\n\nBlue.");
}

#[test]
fn the_record_shows_tools_calls_and_sources() {
    let model = TestModel::new(vec![call("look"), reply("Blue.")]);
    let output =
        step(&model, vec![row(&[tool("look", "It is blue."), tool("touch", "")])]).run().unwrap().output;
    assert_eq!(output["calledTools"], json!([{"tool": "look", "toolInput": {"q": 1}, "toolOutput": ""}]));
    let used = json!([{"tool": "look", "toolInput": {"q": 1}, "toolOutput": "It is blue."}]);
    assert_eq!(output["usedTools"], used);
    assert_eq!(output["sourceDocuments"], json!([{"pageContent": "look", "metadata": {}}]));
    let (first, second) = (&output["availableTools"][0], &output["availableTools"][1]);
    assert_eq!((&first["name"], &second["name"]), (&json!("look"), &json!("touch")));
    assert_eq!(second["toolNode"], json!({"label": "Card", "name": "pickedCard"}));
}

#[test]
fn a_tool_that_is_unknown_or_fails_is_told_to_the_model() {
    let model =
        TestModel::new(vec![calling(&[("nothing", json!({})), ("look", json!({}))]), reply("Sorry.")]);
    let outcome = step(&model, vec![row(&[broken("look")])]).run().unwrap();
    let heard = told(&model, 1);
    assert!(heard[2].starts_with("There is no tool named 'nothing'"), "{heard:?}");
    assert_eq!(heard[3], "It is broken.");
    assert_eq!(outcome.used_tools[1].error.as_deref(), Some("It is broken."));
}

#[test]
fn a_tool_that_must_not_fail_fails_the_step() {
    let model = TestModel::new(vec![call("look")]);
    let rows = vec![with(row(&[broken("look")]), "agentSelectedToolOnError", "stop")];
    let error = step(&model, rows).run().unwrap_err().to_string();
    assert_eq!(error, "Mine: the tool 'look' failed: It is broken.");
}

#[test]
fn the_output_of_some_tools_is_the_answer() {
    let model = TestModel::new(vec![call("look")]);
    let direct = FixedTool { is_answer: true, ..tool("look", "It is blue.") };
    let (outcome, heard) = step(&model, vec![row(&[direct])]).run_heard();
    assert_eq!((outcome.unwrap().text(), heard.text.as_str()), ("It is blue.", "It is blue."));
}

#[test]
fn a_model_that_wants_more_rounds_than_it_may_fails_the_step() {
    let model = TestModel::new(vec![call("look"), call("look"), call("look")]);
    let step = step(&model, vec![row(&[tool("look", "x")])]).with(ROUNDS, 2);
    let error = step.run().unwrap_err().to_string();
    assert_eq!(error, "Mine: Max Iterations: the model called tools in 2 rounds and still wants more");
}

#[test]
fn tools_for_a_model_without_them_are_refused() {
    let model = TestModel::without_tools(vec![reply("x")]);
    let error = step(&model, vec![row(&[tool("look", "x")])]).run().unwrap_err().to_string();
    assert_eq!(error, "Mine: Test Model cannot call tools; choose a model that can");
    let model = TestModel::without_tools(vec![reply("x")]);
    assert_eq!(step(&model, Vec::new()).run().unwrap().text(), "x");
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let model = TestModel::new(Vec::new());
    let rows = vec![row(&[tool("look", "a")]), row(&[tool("look", "b")])];
    let error = step(&model, rows).run().unwrap_err().to_string();
    assert_eq!(error, "Mine: two tools are named 'look'; rename one of them");
}

#[test]
fn tools_that_bear_the_label_of_their_cards_are_numbered() {
    let model = TestModel::new(vec![reply("x")]);
    let rows = vec![row(&[tool("Picked", "a")]), row(&[tool("Picked", "b")])];
    let output = step(&model, rows).run().unwrap().output;
    assert_eq!(output["availableTools"][1]["name"], "Picked_2");
}

#[test]
fn a_document_store_that_is_not_there_is_named() {
    let model = TestModel::new(Vec::new());
    let store = json!([{"documentStore": "7c9e6679-7425-40de-944b-e07fc1f90ae7:Manuals"}]);
    let error = step(&model, Vec::new()).with(KNOWLEDGE_STORES, store).run().unwrap_err().to_string();
    assert!(
        error.starts_with(
            "Mine: Knowledge (Document Stores), row 1: Document Store: the document store does not exist"
        ),
        "{error}"
    );
}

#[test]
fn an_answer_is_put_into_keys_by_a_call_of_its_own() {
    let shaped = calling(&[("give_answer", json!({"color": "blue"}))]);
    let model = TestModel::new(vec![call("look"), reply("It is blue, I think."), shaped]);
    let step = step(&model, vec![row(&[tool("look", "x")])])
        .with(NAMES.structured_output, json!([{"key": "color"}]));
    let (outcome, heard) = step.run_heard();
    assert_eq!((&outcome.unwrap().output["color"], heard.text.as_str()), (&json!("blue"), ""));
    assert!(told(&model, 2).pop().unwrap().contains("It is blue, I think."));
}

/// A step that paused at its call of `send`, after `look` in the same round, and the rows of its tools.
fn paused(model: &TestModel) -> (TestStep, Pause, StepOutcome) {
    let rows =
        vec![row(&[tool("look", "It is blue.")]), approved(&[tool("send", "Sent."), tool("erase", "Gone.")])];
    let step = step(model, rows).with(TIMEOUT, 60);
    let outcome = step.run().unwrap();
    let NextSteps::Pause(pause) = outcome.next.clone() else { panic!("{:?}", outcome.next) };
    (step, pause, outcome)
}

fn first_round() -> Completion {
    saying(
        "I will look.",
        calling(&[("look", json!({})), ("send", json!({"to": "Ann"})), ("look", json!({}))]),
    )
}

fn go_on(step: TestStep, pause: Pause, decision: Decision, feedback: Option<&str>) -> Result<StepOutcome> {
    let resume = StepResume { decision, feedback: feedback.map(str::to_owned), kept: pause.kept };
    TestStep { resume: Some(resume), ..step }.run()
}

#[test]
fn a_call_that_a_person_must_approve_pauses_the_step() {
    let model = TestModel::new(vec![first_round()]);
    let (_, pause, outcome) = paused(&model);
    let text = "I will look.\n\nMine wants to use the tool send with these arguments:\n```json\n{\n  \"to\": \"Ann\"\n}\n```";
    assert_eq!(outcome.text(), text);
    assert_eq!((&outcome.output["humanInputAction"], pause.timeout_seconds), (&pause.action, Some(60)));
    assert_eq!(outcome.output["isWaitingForHumanInput"], true);
    assert_eq!((pause.action["data"]["nodeId"].as_str(), outcome.used_tools.len()), (Some("node_0"), 1));
}

#[test]
fn an_approved_call_runs_and_the_rounds_go_on() {
    let model = TestModel::new(vec![first_round(), reply("Done.")]);
    let (step, pause, _) = paused(&model);
    let outcome = go_on(step, pause, Decision::Proceed, Some("Be quick")).unwrap();
    assert_eq!(told(&model, 1), ["Hi?", "I will look.", "It is blue.", "Sent.", "It is blue.", "Be quick"]);
    let used: Vec<&str> = outcome.used_tools.iter().map(|used| used.tool.as_str()).collect();
    assert_eq!((outcome.text(), used), ("Done.", vec!["look", "send", "look"]));
}

#[test]
fn a_refused_call_takes_all_tools_of_its_card_away() {
    let model = TestModel::new(vec![first_round(), reply("Then not.")]);
    let (step, pause, _) = paused(&model);
    let outcome = go_on(step, pause, Decision::Reject, Some("Not to Ann")).unwrap();
    let refusal = "A person refused this call. The tool cannot be used any more. They said: Not to Ann";
    assert_eq!(told(&model, 1)[3], refusal);
    let tools: Vec<String> = model.requests()[1].tools.iter().map(|spec| spec.name.clone()).collect();
    assert_eq!((outcome.text(), tools), ("Then not.", vec!["look".to_owned()]));
}

#[test]
fn a_model_without_tools_left_is_shown_no_calls() {
    let model = TestModel::new(vec![call("send"), reply("Then not.")]);
    let (step, pause, _) = paused(&model);
    go_on(step, pause, Decision::Reject, None).unwrap();
    let request = &model.requests()[1];
    assert!(request.tools.len() == 1, "the other card's tool is still there");
    let model = TestModel::new(vec![call("send"), reply("Then not.")]);
    let step = self::step(&model, vec![approved(&[tool("send", "Sent.")])]);
    let NextSteps::Pause(pause) = step.run().unwrap().next else { panic!() };
    go_on(step, pause, Decision::Reject, None).unwrap();
    let request = &model.requests()[1];
    let is_call = |message: &ChatMessage| match message {
        ChatMessage::Assistant { calls, .. } => !calls.is_empty(),
        ChatMessage::Tool { .. } => true,
        _ => false,
    };
    assert!(request.tools.is_empty() && !request.messages.iter().any(is_call), "{request:?}");
}

#[test]
fn a_further_call_that_needs_a_person_pauses_again() {
    let model = TestModel::new(vec![first_round(), call("erase"), reply("Done.")]);
    let (step, pause, _) = paused(&model);
    let resume = StepResume { decision: Decision::Proceed, feedback: None, kept: pause.kept };
    let step = TestStep { resume: Some(resume), ..step };
    let outcome = step.run().unwrap();
    let NextSteps::Pause(pause) = outcome.next else { panic!("{:?}", outcome.next) };
    let done = go_on(step, pause, Decision::Proceed, None).unwrap();
    assert_eq!((done.text(), done.used_tools.len()), ("Done.", 4));
}

#[test]
fn the_tokens_of_a_step_that_paused_are_counted_once() {
    let used = |completion: Completion| {
        let usage = crate::domain::predictions::prediction::Usage { input_tokens: 5, ..Default::default() };
        Completion { usage: Some(usage), ..completion }
    };
    let model = TestModel::new(vec![used(first_round()), used(reply("Done."))]);
    let (step, pause, outcome) = paused(&model);
    assert_eq!(outcome.output["usageMetadata"]["input_tokens"], 5);
    let outcome = go_on(step, pause, Decision::Proceed, None).unwrap();
    assert_eq!(outcome.output["usageMetadata"]["input_tokens"], 10);
}

#[test]
fn what_cannot_be_read_of_a_pause_is_said() {
    let model = TestModel::new(Vec::new());
    let pause = Pause { action: Value::Null, kept: json!({"x": 1}), timeout_seconds: None };
    let error = go_on(step(&model, Vec::new()), pause, Decision::Proceed, None).unwrap_err().to_string();
    assert_eq!(error, "Mine: what was kept when it paused cannot be read");
}

#[test]
fn tools_of_the_provider_are_asked_for_and_their_calls_are_shown() {
    let searched = UsedTool {
        tool: "googleSearch".to_owned(),
        tool_input: json!({"queries": ["x"]}),
        tool_output: String::new(),
        error: None,
    };
    let model =
        TestModel::new(vec![Completion { provider_calls: vec![searched.clone()], ..reply("Found.") }]);
    let step = step(&model, Vec::new()).with("agentToolsBuiltInGemini", json!(["googleSearch"]));
    // What was chosen for a model that the card had before counts for nothing.
    let step = step.with("agentToolsBuiltInAnthropic", json!(["web_fetch_20250910"]));
    let outcome = step.with("agentToolsBuiltInOpenAI", r#"["code_interpreter"]"#).run().unwrap();
    assert_eq!(model.requests()[0].provider_tools, [crate::llm::ProviderTool::GoogleSearch]);
    assert_eq!(
        (outcome.used_tools, outcome.output["usedTools"][0]["tool"].as_str()),
        (vec![searched], Some("googleSearch"))
    );
}

#[test]
fn a_reply_that_its_provider_stopped_in_its_midst_goes_on_as_one_answer() {
    let paused = Completion { is_paused: true, ..reply("Tea is") };
    let model = TestModel::new(vec![paused, reply(" hot.")]);
    let outcome = step(&model, Vec::new()).run().unwrap();
    assert_eq!((outcome.text(), told(&model, 1).last().unwrap().as_str()), ("Tea is hot.", "Tea is"));
}
