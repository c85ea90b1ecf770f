//! Tool: a tool is called with arguments of the owner, and no model decides.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::UsedTool;
use crate::kit::build::arguments::check_arguments;
use crate::kit::knowledge::untrusted_text;
use crate::kit::models::model_tally::{ARTIFACTS, picture};
use crate::kit::steps::made_files::keep_pictures;
use crate::kit::steps::on_error;
use crate::kit::{
    CallError, Capability, Card, Category, Factory, Input, Inputs, Need, Picker, Risk, StepContext,
    StepOutcome, TokenSink, Tool, WireType, input_lists,
};
use serde_json::{Map, Value};
use std::sync::Arc;

const TOOL: &str = "toolAgentflowSelectedTool";
const ARGUMENTS: &str = "toolInputArgs";
const NAME: &str = "inputArgName";
const VALUE: &str = "inputArgValue";

pub(crate) const CARD: Card = Card {
    name: "toolAgentflow",
    label: "Tool",
    version: 1.2,
    category: Category::AgentFlows,
    description: "Calls a tool with arguments that are set here.",
    base_classes: &["Tool"],
    risk: Risk::AsPicked,
    needs: &[Need::optional(Capability::AnswerFiles)],
    inputs: input_lists![
        &[
            Input::card(TOOL, "Tool", WireType::Tool)
                .help("Where the card has several tools, the one that takes the arguments below is called."),
            Input::rows(ARGUMENTS, "Tool Input Arguments", ARGUMENT_FIELDS)
                .optional()
                .variables()
                .when(TOOL, ".+")
                .help("Lists, objects and numbers as JSON, where the tool takes them."),
            Input::state_updates("toolUpdateState"),
        ],
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(call),
};

const ARGUMENT_FIELDS: &[Input] = &[
    Input::pick(NAME, "Input Argument Name", Picker::ToolArgument),
    Input::text(VALUE, "Input Argument Value").json_with_variables(),
];

fn call(inputs: &Inputs<'_>, context: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let failed = |why: CallError| why.at(inputs.label);
    let given = arguments(inputs);
    let tools = inputs.tools(TOOL)?;
    let tool = choose(inputs, &tools, &given)?;
    let spec = tool.spec();
    let given = typed(&spec.schema, given);
    let arguments = check_arguments(&spec.schema, &given).map_err(|why| failed(why.into()))?;
    let seen = tool.observe(&arguments, context.turn).map_err(|why| {
        let ended = context.turn.host.cancel().reason().is_some();
        if ended { Error::Cancelled } else { failed(why.reworded(untrusted_text::unmark)) }
    })?;
    // The marks are for models. Here steps read it, and people: as a list, as an object, as it is.
    let text = untrusted_text::unmark(&seen.text);
    let mut outcome = StepOutcome::from_text(text.as_str())
        .with_input(ARGUMENTS, inputs.rows_json(ARGUMENTS))
        .with_input("selectedTool", spec.name.as_str());
    let pictures = keep_pictures(inputs, &seen.pictures)?;
    if !pictures.is_empty() {
        outcome.output.insert(ARTIFACTS.to_owned(), pictures.iter().map(picture).collect());
    }
    let used = UsedTool { tool: spec.name, tool_input: arguments, tool_output: text, error: None };
    Ok(StepOutcome { used_tools: vec![used], sources: seen.sources, ..outcome })
}

/// Names and values of the rows; the last of one name counts.
fn arguments(inputs: &Inputs<'_>) -> Map<String, Value> {
    let argument = |row: Inputs<'_>| {
        let name = row.optional_text(NAME)?.trim().to_owned();
        let value = row.any(VALUE).cloned().unwrap_or_else(|| Value::from(""));
        (!name.is_empty()).then_some((name, value))
    };
    inputs.rows(ARGUMENTS).into_iter().filter_map(argument).collect()
}

/// The tool that is meant: the only one, or the only one of several that takes these arguments.
fn choose<'t>(
    inputs: &Inputs<'_>,
    tools: &'t [Arc<dyn Tool>],
    given: &Map<String, Value>,
) -> Result<&'t dyn Tool> {
    if let [] | [_] = tools {
        let none = || inputs.input_error(TOOL, "choose a tool");
        return tools.first().map(AsRef::as_ref).ok_or_else(none);
    }
    let mut fitting = tools.iter().filter(|tool| takes(&tool.spec().schema, given));
    match (fitting.next(), fitting.next()) {
        (Some(tool), None) => Ok(tool.as_ref()),
        (found, _) => {
            let names: Vec<String> = tools.iter().map(|tool| tool.spec().name).collect();
            let why = if found.is_some() { "several take" } else { "none takes" };
            let what = format!(
                "the card has the tools {}, and {why} these arguments; let it offer only the one that is meant",
                names.join(", ")
            );
            Err(inputs.input_error(TOOL, &what))
        }
    }
}

fn takes(schema: &Value, given: &Map<String, Value>) -> bool {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let known = |name: &String| schema["properties"].get(name).is_some();
    given.keys().all(known) && required.into_iter().all(|name| given.contains_key(name))
}

/// The arguments as the tool declares them: texts that are JSON become what they say where no text is wanted, and what was
/// left blank there is left out.
fn typed(schema: &Value, given: Map<String, Value>) -> Value {
    let argument = |(name, value): (String, Value)| {
        let wanted = schema["properties"][name.as_str()]["type"].as_str();
        let value = match (wanted, value) {
            (Some("string"), value @ Value::String(_)) => value,
            (Some("string"), other) => other.to_string().into(),
            (Some(_), Value::String(text)) if text.trim().is_empty() => return None,
            (Some(_), Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            (None, Value::String(text)) if text.trim_start().starts_with(['{', '[']) => {
                serde_json::from_str(&text).unwrap_or(Value::String(text))
            }
            (_, other) => other,
        };
        Some((name, value))
    };
    Value::Object(given.into_iter().filter_map(argument).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::predictions::prediction::Document;
    use crate::kit::steps::test_step::TestStep;
    use crate::kit::{Component, Observation, RunContext};
    use crate::llm::ToolSpec;
    use serde_json::json;

    /// Returns its arguments and one source; fails when it is told to.
    struct Echo(&'static str, Value);

    impl Tool for Echo {
        fn spec(&self) -> ToolSpec {
            ToolSpec { name: self.0.to_owned(), description: String::new(), schema: self.1.clone() }
        }

        fn call(&self, arguments: &Value, _: &RunContext<'_>) -> Result<String, CallError> {
            match arguments["a"].as_str() {
                Some("fail") => Err("The tool is out.".into()),
                Some("marked") => Ok(untrusted_text::mark_untrusted("response", "echo", "[1]")),
                _ => Ok(arguments.to_string()),
            }
        }

        fn observe(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<Observation, CallError> {
            let source = Document { page_content: "p".to_owned(), metadata: Map::new() };
            self.call(arguments, turn).map(|text| Observation {
                text,
                sources: vec![source],
                ..Observation::default()
            })
        }
    }

    fn schema(kinds: &[(&str, &str)], required: &[&str]) -> Value {
        let properties: Map<String, Value> =
            kinds.iter().map(|(name, kind)| ((*name).to_owned(), json!({"type": kind}))).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }

    fn step(tools: Vec<Echo>, rows: &[(&str, Value)]) -> Result<StepOutcome> {
        let tools = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
        let row = |(name, value): &(&str, Value)| json!({"inputArgName": name, "inputArgValue": value});
        let rows: Vec<Value> = rows.iter().map(row).collect();
        let step = TestStep::new(&CARD).with_picked(TOOL, Component::Tools(tools));
        step.with(ARGUMENTS, rows).run()
    }

    #[test]
    fn values_become_what_the_tool_declares() {
        let kinds = [
            ("text", "string"),
            ("count", "number"),
            ("on", "boolean"),
            ("list", "array"),
            ("blank", "integer"),
            ("number", "string"),
        ];
        let rows = [
            ("text", json!("[1]")),
            ("count", json!("2.5")),
            ("on", json!("true")),
            ("list", json!("[1]")),
            ("blank", json!("")),
            ("number", json!(7)),
        ];
        let outcome = step(vec![Echo("echo", schema(&kinds, &["text"]))], &rows).unwrap();
        assert_eq!(
            outcome.used_tools[0].tool_input,
            json!({"text": "[1]", "count": 2.5, "on": true, "list": [1], "number": "7"})
        );
    }

    #[test]
    fn the_text_and_sources_of_the_tool_are_those_of_the_step() {
        let outcome =
            step(vec![Echo("echo", schema(&[("a", "string")], &[]))], &[("a", json!("x"))]).unwrap();
        assert_eq!((outcome.text(), outcome.sources.len()), ("{\"a\":\"x\"}", 1));
        assert_eq!(outcome.used_tools[0].tool_output, "{\"a\":\"x\"}");
        assert_eq!(
            Value::Object(outcome.input),
            json!({"toolInputArgs": [{"inputArgName": "a", "inputArgValue": "x"}], "selectedTool": "echo"})
        );
    }

    #[test]
    fn what_a_tool_marks_for_models_is_read_without_the_marks() {
        let rows = [("a", json!("marked"))];
        let outcome = step(vec![Echo("echo", schema(&[("a", "string")], &[]))], &rows).unwrap();
        assert_eq!((outcome.text(), outcome.used_tools[0].tool_output.as_str()), ("[1]", "[1]"));
    }

    #[test]
    fn arguments_that_do_not_fit_are_refused_before_the_call() {
        let told = |rows: &[(&str, Value)]| {
            step(vec![Echo("echo", schema(&[("n", "number")], &["n"]))], rows).unwrap_err().to_string()
        };
        assert_eq!(told(&[]), "Tool: The argument 'n' is missing.");
        assert_eq!(told(&[("n", json!("many"))]), "Tool: The argument 'n' must be of type number.");
    }

    #[test]
    fn of_several_tools_the_one_that_takes_the_arguments_is_called() {
        let tools = || {
            vec![
                Echo("read", schema(&[("id", "string")], &["id"])),
                Echo("write", schema(&[("id", "string"), ("text", "string")], &["id", "text"])),
            ]
        };
        let called =
            |rows: &[(&str, Value)]| step(tools(), rows).map(|outcome| outcome.used_tools[0].tool.clone());
        assert_eq!(called(&[("id", json!("1"))]).unwrap(), "read");
        assert_eq!(called(&[("id", json!("1")), ("text", json!("x"))]).unwrap(), "write");
        let told = called(&[("other", json!("1"))]).unwrap_err().to_string();
        assert!(told.contains("read, write, and none takes"), "{told}");
    }

    #[test]
    fn a_tool_that_fails_fails_the_step_in_its_own_words() {
        let fails = step(vec![Echo("echo", schema(&[("a", "string")], &[]))], &[("a", json!("fail"))]);
        assert_eq!(fails.unwrap_err().to_string(), "Tool: The tool is out.");
        assert!(step(Vec::new(), &[]).unwrap_err().to_string().contains("choose a tool"));
    }
}
