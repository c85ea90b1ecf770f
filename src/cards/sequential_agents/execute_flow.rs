//! Execute Flow: another flow of the workspace answers.

use super::BEFORE;
use super::returned::{self, ReturnAs};
use crate::agentflow::execute_flow::name_card;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::members::flow_values::FlowValues;
use crate::kit::members::voice::named;
use crate::kit::members::{Member, MemberStep, MemberTurn, NamedStep, TurnView, fault};
use crate::kit::{
    AskedFlow, Capability, Card, Category, Factory, FlowCall, Flows, Grant, Input, Need, NullSink, Picker,
    Risk, RunContext, TokenSink,
};
use serde_json::{Map, Value};

const FLOW: &str = "selectedFlow";
const QUESTION: &str = "seqExecuteFlowInput";
/// What stands for the question of the person.
const USER_QUESTION: &str = "userQuestion";

pub(crate) const CARD: Card = Card {
    name: "seqExecuteFlow",
    label: "Execute Flow",
    version: 1.0,
    category: Category::SequentialAgents,
    description: "Asks another flow of this workspace.",
    base_classes: &["ExecuteFlow"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Flows)],
    inputs: &[
        Input::credential(&["chatflowApi"])
            .optional()
            .help("Only for a flow that is bound to an API key: a credential that holds it."),
        BEFORE,
        Input::text("seqExecuteFlowName", "Name"),
        Input::pick(FLOW, "Select Flow", Picker::Flow).help("A flow of this workspace, but not this one."),
        Input::text(QUESTION, "Input").or(USER_QUESTION).help(
            "What the flow is asked: userQuestion for the person's question, $flow.state.key, or a text.",
        ),
        Input::json("overrideConfig", "Override Config")
            .additional()
            .help("Settings of the other flow, as far as its owner lets a request change them."),
        Input::address("baseURL", "Base URL")
            .additional()
            .help("Not used: flows of this workspace are asked within the service."),
        Input::switch("startNewSession", "Start new session per message").additional(),
        returned::INPUT,
    ],
    outputs: &[],
    make: Factory::Member(|inputs| {
        let wrong = || inputs.input_error(FLOW, "this must be the id of a flow of this workspace");
        let flow = FlowId::parse(inputs.text(FLOW)?.trim()).ok_or_else(wrong)?;
        if inputs.host.fact("chatflowId").is_some_and(|own| own == flow.to_string()) {
            return Err(inputs.input_error(FLOW, "a flow cannot ask itself; choose another one"));
        }
        let step = ExecuteFlow {
            label: inputs.label.to_owned(),
            flow,
            question: inputs.optional_text(QUESTION).unwrap_or_default(),
            overrides: inputs.object("overrideConfig")?,
            afresh: inputs.switch("startNewSession"),
            key: inputs.optional_secret("chatflowApiKey"),
            returns: ReturnAs::from_inputs(inputs),
            flows: inputs.need()?,
        };
        let name = named(inputs, "seqExecuteFlowName")?;
        Ok(Member::Step(NamedStep { name, counts: true, tools: Vec::new(), step: Box::new(step) }))
    }),
};

struct ExecuteFlow {
    label: String,
    flow: FlowId,
    question: String,
    overrides: Map<String, Value>,
    afresh: bool,
    key: Option<String>,
    returns: ReturnAs,
    flows: Grant<dyn Flows>,
}

impl MemberStep for ExecuteFlow {
    fn take_turn(
        &self,
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
        _: &mut dyn TokenSink,
    ) -> Result<MemberTurn> {
        let values = FlowValues { view, turn, output: Value::Null };
        let question = match self.question.trim() {
            USER_QUESTION => turn.question.to_owned(),
            written => crate::canvas::template::into_text(values.read(written)),
        };
        let call = FlowCall {
            flow: AskedFlow::Id(&self.flow),
            question: &question,
            overrides: &self.overrides,
            afresh: self.afresh,
            key: self.key.as_deref(),
            iterations: 0,
            cancel: None,
        };
        let answer =
            self.flows.of(turn.host)?.ask_flow(&call, &mut NullSink).map_err(|error| match error {
                Error::NotFound(_) => fault(&self.label, &error.to_string()),
                error => name_card(&self.label, error),
            })?;
        let RunOutput { text, json, used_tools, source_documents, artifacts, .. } = answer;
        let returned = match (self.returns, json) {
            (ReturnAs::State, Some(json)) => json,
            _ => text.into(),
        };
        let mut said = self.returns.turn(&self.label, returned)?;
        said.shown.used_tools = used_tools;
        said.shown.sources = source_documents;
        said.shown.artifacts = artifacts;
        Ok(said)
    }
}
