//! Custom JS Function: code of the owner as a step.

use super::BEFORE;
use super::returned::{self, ReturnAs};
use crate::domain::error::Result;
use crate::kit::build::code::{Code, code_error, parse_values};
use crate::kit::members::flow_values::FlowValues;
use crate::kit::members::voice::named;
use crate::kit::members::{Member, MemberStep, MemberTurn, NamedStep, TurnView};
use crate::kit::{
    Capability, Card, Category, CodeRunner, Factory, Grant, Input, Need, Risk, RunContext, TokenSink,
};
use crate::utilities::custom_function::INPUT_VARIABLES;
use serde_json::{Map, Value};

pub(crate) const CARD: Card = Card {
    name: "seqCustomFunction",
    label: "Custom JS Function",
    version: 1.0,
    category: Category::SequentialAgents,
    description: "Runs JavaScript whose result becomes a message or a part of the state.",
    base_classes: &["CustomFunction"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Code)],
    inputs: &[
        INPUT_VARIABLES,
        BEFORE,
        Input::text("functionName", "Function Name"),
        Input::code("javascriptFunction", "JavaScript Function")
            .help("The body of an async function. It reads $input, $flow, $flow.state and $vars, and calls fetch(url)."),
        returned::INPUT,
    ],
    outputs: &[],
    make: Factory::Member(|inputs| {
        let step = CustomFunction {
            label: inputs.label.to_owned(),
            source: inputs.text("javascriptFunction")?,
            inputs: inputs.object(INPUT_VARIABLES.name)?,
            returns: ReturnAs::from_inputs(inputs),
            runner: inputs.need()?,
        };
        let name = named(inputs, "functionName")?;
        Ok(Member::Step(NamedStep { name, counts: true, tools: Vec::new(), step: Box::new(step) }))
    }),
};

struct CustomFunction {
    label: String,
    source: String,
    inputs: Map<String, Value>,
    returns: ReturnAs,
    runner: Grant<dyn CodeRunner>,
}

impl MemberStep for CustomFunction {
    fn take_turn(
        &self,
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
        _: &mut dyn TokenSink,
    ) -> Result<MemberTurn> {
        let values = FlowValues { view, turn, output: Value::Null };
        let given =
            self.inputs.iter().map(|(name, value)| (name.clone(), values.read_value(value))).collect();
        let code =
            Code { flow: values.for_code(), ..Code::new(&self.label, &self.source, parse_values(given)) };
        let result = self.runner.of(turn.host)?.run_code(&code);
        self.returns.turn(&self.label, result.map_err(|error| code_error(&self.label, &error))?)
    }
}
