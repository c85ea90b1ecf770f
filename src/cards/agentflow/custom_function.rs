//! Custom Function: code of the owner makes the text of the step.

use crate::domain::error::Result;
use crate::kit::build::code::{Code, as_text, code_error};
use crate::kit::steps::on_error;
use crate::kit::{
    Capability, Card, Category, CodeRunner, Factory, Input, Inputs, Need, Risk, StepContext, StepOutcome,
    TokenSink, input_lists,
};
use serde_json::{Map, Value};

const VARIABLES: &str = "customFunctionInputVariables";
const NAME: &str = "variableName";
const VALUE: &str = "variableValue";
const SOURCE: &str = "customFunctionJavascriptFunction";

pub(crate) const CARD: Card = Card {
    name: "customFunctionAgentflow",
    label: "Custom Function",
    version: 1.1,
    category: Category::AgentFlows,
    description: "Runs JavaScript; what it returns is the text of the step.",
    base_classes: &["CustomFunction"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Code)],
    inputs: input_lists![
        &[
            Input::rows(VARIABLES, "Input Variables", VARIABLE_FIELDS)
                .optional()
                .variables()
                .help("Values the code reads as $name."),
            Input::code(SOURCE, "JavaScript Function").help(
                "The body of an async function. It reads $input, $flow, $flow.state and $vars, and calls fetch(url).",
            ),
            Input::state_updates("customFunctionUpdateState"),
        ],
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(run_function),
};

const VARIABLE_FIELDS: &[Input] =
    &[Input::text(NAME, "Variable Name"), Input::text(VALUE, "Variable Value").variables()];

fn run_function(
    inputs: &Inputs<'_>,
    context: &StepContext<'_>,
    _: &mut dyn TokenSink,
) -> Result<StepOutcome> {
    let source = inputs.text(SOURCE)?;
    let runner = inputs.need::<dyn CodeRunner>()?;
    let mut code = Code::new(inputs.label, &source, variables(inputs));
    code.flow.insert("state".to_owned(), Value::Object(context.state.clone()));
    let result = runner.of(context.turn.host)?.run_code(&code);
    let result = result.map_err(|error| code_error(inputs.label, &error))?;
    let text = match &result {
        Value::Object(_) | Value::Array(_) => format!("{result:#}"),
        plain => as_text(plain),
    };
    Ok(StepOutcome::from_text(text)
        .with_input("inputVariables", inputs.rows_json(VARIABLES))
        .with_input("code", source.as_str()))
}

/// A value stays the text it is, also where that looks like JSON.
fn variables(inputs: &Inputs<'_>) -> Map<String, Value> {
    let variable = |row: Inputs<'_>| {
        let name = row.optional_text(NAME)?.trim().to_owned();
        let value = row.any(VALUE).cloned().unwrap_or_else(|| Value::from(""));
        (!name.is_empty()).then_some((name, value))
    };
    inputs.rows(VARIABLES).into_iter().filter_map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::capabilities::test_host::TestHost;
    use crate::kit::steps::test_step::TestStep;
    use crate::kit::{Capabilities, Host, HostContext};
    use crate::script::ScriptError;
    use serde_json::json;

    /// Its code returns what it was given, or what it is told.
    #[derive(Default)]
    struct CodeHost {
        host: TestHost,
        result: Option<Value>,
    }

    impl Host for CodeHost {
        fn context(&self) -> HostContext<'_> {
            self.host.context()
        }

        fn capabilities(&self) -> Capabilities<'_> {
            Capabilities::default().with_code(self)
        }
    }

    impl CodeRunner for CodeHost {
        fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError> {
            let given = json!({"inputs": code.inputs, "flow": code.flow, "source": code.source});
            Ok(self.result.clone().unwrap_or(given))
        }
    }

    fn step() -> TestStep {
        TestStep::new(&CARD).with(SOURCE, json!("return 1"))
    }

    #[test]
    fn code_sees_the_rows_as_they_are_and_the_state_of_the_flow() {
        let rows = json!([
            {"variableName": "list", "variableValue": "[1]"},
            {"variableName": "count", "variableValue": 3},
            {"variableName": " ", "variableValue": "lost"},
            {"variableName": "blank"},
        ]);
        let mut step = step().with(VARIABLES, rows);
        step.state.insert("mood".to_owned(), json!("good"));
        let outcome = step.run_on(&CodeHost::default()).unwrap();
        let seen: Value = serde_json::from_str(outcome.text()).unwrap();
        assert_eq!(seen["inputs"], json!({"list": "[1]", "count": 3, "blank": ""}));
        assert_eq!(seen["flow"], json!({"state": {"mood": "good"}}));
    }

    #[test]
    fn texts_stay_and_objects_become_json_that_people_can_read() {
        for (result, text) in [
            (json!("plain"), "plain"),
            (json!({"a": 1}), "{\n  \"a\": 1\n}"),
            (json!(7), "7"),
            (Value::Null, ""),
        ] {
            let host = CodeHost { result: Some(result), ..CodeHost::default() };
            assert_eq!(step().run_on(&host).unwrap().text(), text);
        }
    }

    #[test]
    fn the_record_holds_rows_and_code() {
        let rows = json!([{"variableName": "a", "variableValue": "b"}]);
        let outcome = step().with(VARIABLES, rows.clone()).run_on(&CodeHost::default()).unwrap();
        assert_eq!(Value::Object(outcome.input), json!({"inputVariables": rows, "code": "return 1"}));
    }
}
