//! Condition: goes on from one of its outputs, by a table or by code.

use super::DECISIONS;
use crate::domain::error::Result;
use crate::kit::members::flow_values::FlowValues;
use crate::kit::members::judging::{FORM, FUNCTION, Judge, TABLE};
use crate::kit::members::voice::named;
use crate::kit::members::{Member, MemberStep, MemberTurn, NamedStep, TurnView, Way};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk, RunContext, TokenSink, WireType};
use serde_json::Value;

pub(crate) const CARD: Card = Card {
    name: "seqCondition",
    label: "Condition",
    version: 2.1,
    category: Category::SequentialAgents,
    description: "Goes on from the output of the first condition that is met.",
    base_classes: &["Condition"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Code)],
    inputs: &[
        Input::text("conditionName", "Condition Name").optional(),
        Input::wires("sequentialNode", "Sequential Node", WireType::SequentialNode),
        FORM,
        TABLE,
        FUNCTION,
    ],
    outputs: DECISIONS,
    make: Factory::Member(|inputs| {
        let step = Condition { label: inputs.label.to_owned(), judge: Judge::from_inputs(inputs)? };
        let name = named(inputs, "conditionName")?;
        Ok(Member::Step(NamedStep { name, counts: false, tools: Vec::new(), step: Box::new(step) }))
    }),
};

struct Condition {
    label: String,
    judge: Judge,
}

impl MemberStep for Condition {
    fn take_turn(
        &self,
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
        _: &mut dyn TokenSink,
    ) -> Result<MemberTurn> {
        let values = FlowValues { view, turn, output: Value::Null };
        let way = Way::Output(self.judge.decide(&self.label, &values)?);
        Ok(MemberTurn { way, ..MemberTurn::default() })
    }
}
