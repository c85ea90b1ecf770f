//! Custom JS Function: code that makes a value for other cards, or the answer itself.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::build::code::{self, Code, CodeTools};
use crate::kit::{
    Capability, Card, Category, Chain, CodeRunner, Factory, Grant, Input, Need, Output, Risk, RunContext,
    TokenSink, Tool, WireType,
};
use crate::script::CallHandler;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Values the code sees as `$name`.
pub(crate) const INPUT_VARIABLES: Input = Input::json("functionInputVariables", "Input Variables")
    .optional()
    .variables()
    .help("Values the code reads as $name, as a JSON object; they may hold {{references}}.");

/// What a result can be wired into.
pub(crate) const RESULTS: &[&str] = &["string", "number", "boolean", "json", "array"];

pub(crate) const CARD: Card = Card {
    name: "customFunction",
    label: "Custom JS Function",
    version: 3.0,
    category: Category::Utilities,
    description: "Runs JavaScript that makes a value for other cards, or the answer.",
    base_classes: &["CustomFunction", "Utilities"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Code)],
    inputs: &[
        INPUT_VARIABLES,
        Input::text("functionName", "Function Name").optional(),
        Input::wires("tools", "Additional Tools", WireType::Tool)
            .optional()
            .help("The function calls them as $tools.name(arguments), and waits for what they return."),
        Input::code("javascriptFunction", "JavaScript Function").help(
            "What it returns is the value. It reads $input, $flow and $vars, calls fetch(url), and asks databases with \
             await $db.query(\"credential\", \"select …\", [values]).",
        ),
    ],
    outputs: &[
        Output { name: "output", label: "Output", base_classes: RESULTS, predicts: true },
        Output {
            name: "EndingNode",
            label: "Ending Node",
            base_classes: &["CustomFunction"],
            predicts: false,
        },
    ],
    make: Factory::Chain(|inputs| {
        Ok(Arc::new(CustomFunction {
            label: inputs.label.to_owned(),
            runner: inputs.need()?,
            source: inputs.text("javascriptFunction")?,
            inputs: code::parse_values(inputs.object("functionInputVariables")?),
            tools: inputs.tools("tools")?,
        }))
    }),
};

struct CustomFunction {
    label: String,
    runner: Grant<dyn CodeRunner>,
    source: String,
    inputs: Map<String, Value>,
    tools: Vec<Arc<dyn Tool>>,
}

impl Chain for CustomFunction {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        let called = CodeTools::new(&self.label, &self.tools, turn)?;
        let code = Code {
            calls: (!self.tools.is_empty()).then_some(&called as &dyn CallHandler),
            ..Code::new(&self.label, &self.source, self.inputs.clone())
        };
        let result = self
            .runner
            .of(turn.host)?
            .run_code(&code)
            .map_err(|error| code::code_error(&self.label, &error))?;
        let text = code::as_text(&result);
        sink.token(&text).map_err(|_| Error::Cancelled)?;
        let json = (!result.is_string() && !result.is_null()).then_some(result);
        Ok(RunOutput { text, json, ..RunOutput::default() })
    }
}
