//! Tool Node: runs the tools that the LLM Node before it asked for.

use crate::agents::inputs::TOOLS;
use crate::domain::error::Result;
use crate::kit::members::approval::{self, Approver, declined};
use crate::kit::members::flow_values::FlowValues;
use crate::kit::members::tool_rounds::{RoundsSoFar, ToolRounds};
use crate::kit::members::updates::{self, StateUpdates};
use crate::kit::members::voice::{conversation, named};
use crate::kit::members::{Member, MemberStep, MemberTurn, NamedStep, ShownTurn, TurnView};
use crate::kit::{
    Capability, Card, Category, Decision, Factory, Input, Need, Risk, RunContext, TokenSink, Tool, WireType,
};
use crate::llm::ToolCall;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "seqToolNode",
    label: "Tool Node",
    version: 2.1,
    category: Category::SequentialAgents,
    description: "Runs the tools that an LLM Node asks for.",
    base_classes: &["ToolNode"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Code)],
    inputs: &[
        TOOLS,
        Input::wire("llmNode", "LLM Node", WireType::LlmNode),
        Input::text("toolNodeName", "Name"),
        approval::REQUIRED,
        approval::PROMPT,
        approval::APPROVE,
        approval::REJECT,
        updates::FORM,
        updates::TABLE,
        updates::FUNCTION,
    ],
    outputs: &[],
    make: Factory::Member(|inputs| {
        let tools = inputs.tools(TOOLS.name)?;
        let step = ToolNode {
            label: inputs.label.to_owned(),
            tools: tools.clone(),
            approver: Approver::from_inputs(inputs),
            updates: StateUpdates::from_inputs(inputs)?,
        };
        let name = named(inputs, "toolNodeName")?;
        Ok(Member::Step(NamedStep { name, counts: true, tools, step: Box::new(step) }))
    }),
};

struct ToolNode {
    label: String,
    tools: Vec<Arc<dyn Tool>>,
    approver: Option<Approver>,
    updates: StateUpdates,
}

impl MemberStep for ToolNode {
    fn take_turn(
        &self,
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
        _: &mut dyn TokenSink,
    ) -> Result<MemberTurn> {
        let calls = view.open_calls();
        if calls.is_empty() {
            return Ok(MemberTurn::default());
        }
        match (&self.approver, view.answered) {
            (Some(approver), None) => self.ask_person(approver, calls, view, turn),
            (_, Some(answered)) if answered.decision == Decision::Reject => {
                self.conclude(RoundsSoFar::new(declined(calls)), view, turn)
            }
            _ => {
                let rounds = ToolRounds {
                    label: &self.label,
                    model: view.model,
                    tools: &self.tools,
                    rounds_max: 1,
                    asks_person: false,
                };
                let mut so_far = RoundsSoFar::default();
                rounds.call(calls, &mut so_far, turn)?;
                self.conclude(so_far, view, turn)
            }
        }
    }
}

impl ToolNode {
    fn ask_person(
        &self,
        approver: &Approver,
        calls: &[ToolCall],
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
    ) -> Result<MemberTurn> {
        let heard = conversation(&view.state.messages, view.node, view.model, turn);
        let values = FlowValues { view, turn, output: Value::Null };
        let asked = approver.ask(&self.label, view.model, heard, calls.to_vec(), Value::Null, &values)?;
        let shown = ShownTurn { texts: vec![asked.text.clone()], ..ShownTurn::default() };
        Ok(MemberTurn { shown, approval: Some(asked), ..MemberTurn::default() })
    }

    fn conclude(&self, done: RoundsSoFar, view: &TurnView<'_>, turn: &RunContext<'_>) -> Result<MemberTurn> {
        let RoundsSoFar { messages, used_tools, sources, .. } = done;
        let texts: Vec<String> = messages.iter().map(crate::llm::ChatMessage::text).collect();
        let output =
            json!({"content": texts.join("\n"), "usedTools": used_tools, "sourceDocuments": sources});
        let updates = self.updates.evaluate(&self.label, &FlowValues { view, turn, output })?;
        let shown = ShownTurn { texts, used_tools, sources, ..ShownTurn::default() };
        Ok(MemberTurn { messages, updates, shown, ..MemberTurn::default() })
    }
}
