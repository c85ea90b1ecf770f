//! Harness: a team of the workspace answers.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::harness::asked::{AskedHarness, HARNESS};
use crate::kit::{
    Capability, Card, Category, Chain, Factory, Input, Need, Picker, Risk, RunContext, TokenSink,
};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "harness",
    label: "Harness",
    version: 1.0,
    category: Category::Agents,
    description: "Lets a team of this workspace answer.",
    base_classes: &["Harness"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Flows)],
    inputs: &[
        Input::pick(HARNESS, "Harness", Picker::Harness).help("A harness of this workspace, by its name.")
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| Ok(Arc::new(HarnessChain(AskedHarness::from_inputs(inputs)?)))),
};

struct HarnessChain(AskedHarness);

impl Chain for HarnessChain {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        self.0.ask(turn.question, turn.host, sink)
    }
}
