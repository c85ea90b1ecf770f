//! A harness that a card of another flow asks.

use crate::agentflow::execute_flow::name_card;
use crate::domain::error::{Error, Result};
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::predictions::prediction::RunOutput;
use crate::domain::predictions::team::TeamOutput;
use crate::kit::{AskedFlow, FlowCall, Flows, Grant, Host, Inputs, TokenSink};
use serde_json::{Map, Value};

/// The input that picks the harness.
pub(crate) const HARNESS: &str = "harnessName";

/// The harness that a card picks.
pub(crate) struct AskedHarness {
    flows: Grant<dyn Flows>,
    label: String,
    name: HarnessName,
}

impl AskedHarness {
    /// # Errors
    /// When nothing that a harness could be called is picked, or the run can ask no flow.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let name = HarnessName::parse(inputs.text(HARNESS)?.trim())
            .ok_or_else(|| inputs.input_error(HARNESS, "this must be the name of a harness"))?;
        Ok(Self { flows: inputs.need()?, label: inputs.label.to_owned(), name })
    }

    /// Asks it; its answer goes to `sink` as it comes.
    ///
    /// # Errors
    /// What it failed with, naming the card; what may pass still may.
    pub(crate) fn ask(&self, question: &str, host: &dyn Host, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        let call = FlowCall {
            flow: AskedFlow::Harness(&self.name),
            question,
            overrides: &Map::new(),
            afresh: false,
            key: None,
            iterations: 0,
            cancel: None,
        };
        self.flows.of(host)?.ask_flow(&call, sink).map_err(|fault| name_card(&self.label, fault))
    }
}

/// What the specialists did, as a step and a tool show it.
pub(crate) fn team_fields(team: &TeamOutput) -> Result<Map<String, Value>> {
    match serde_json::to_value(team).map_err(Error::internal)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(Error::internal("what a team did is no object")),
    }
}
