//! Runs that wait for a person: what is kept of them, and how they go on.

use super::again::{KeptStep, TakenSteps};
use super::entry::StepFrame;
use super::graph::Graph;
use super::items::OpenItems;
use super::ledger::Ledger;
use super::record::StepRecord;
use super::run::AgentRun;
use super::sink::RunSink;
use super::walk::{Event, Misfit, StepId, StepPlace, Walk};
use crate::cards::kit::{self, StartValues, StepResume};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::PauseId;
use crate::domain::predictions::execution::Pause;
use crate::domain::predictions::human_input::HumanInput;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Where an output holds what a person is asked to decide.
pub(super) const ACTION: &str = "humanInputAction";

/// A pause of a step, and what the step keeps for the moment when it goes on.
pub(super) fn open(graph: &Graph, frame: &StepFrame, pause: kit::Pause, now: Timestamp) -> OpenPause {
    let node = graph.node(frame.node);
    let id = PauseId::random();
    let mut action = match pause.action {
        Value::Object(action) => action,
        _ => Map::new(),
    };
    action.insert("id".to_owned(), id.to_string().into());
    let wait = pause.timeout_seconds.and_then(|seconds| i64::try_from(seconds).ok());
    let opened = Pause {
        id,
        node_id: node.id.clone(),
        node_label: node.label.clone(),
        iteration_index: frame.item.as_ref().and_then(|item| u32::try_from(item.index).ok()),
        created: now,
        timeout_at: wait.and_then(|seconds| now.checked_add(SignedDuration::from_secs(seconds)).ok()),
        action,
    };
    OpenPause { pause: opened, kept: pause.kept }
}

/// A run that waits, as it is kept until it goes on: by another request, and perhaps after a restart.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RunSnapshot {
    events: Vec<Event>,
    records: Vec<(StepId, Arc<StepRecord>)>,
    items: Vec<(StepId, OpenItems)>,
    pauses: Vec<(StepId, OpenPause)>,
    /// What stays of an earlier run, where this one is it run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    taken: Vec<(StepPlace, KeptStep)>,
    /// The state that the run began with.
    pub state: Map<String, Value>,
    pub start: StartValues,
    /// What was asked.
    pub question: String,
    /// When the run began; earlier builds did not note it.
    #[serde(default)]
    pub began: Option<Timestamp>,
}

/// A pause, and what its step keeps for the moment when it goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenPause {
    pub(super) pause: Pause,
    kept: Value,
}

impl RunSnapshot {
    fn find(&self, input: &HumanInput) -> Result<&(StepId, OpenPause)> {
        let is_meant = |(_, open): &&(StepId, OpenPause)| input.means(&open.pause);
        self.pauses.iter().find(is_meant).ok_or_else(|| Conflict::NothingToAnswer.into())
    }
}

impl<'s> Ledger<'s> {
    /// The run as it is kept while it waits.
    pub(super) fn snapshot(&self, run: &AgentRun<'_>) -> RunSnapshot {
        let mut records: Vec<(StepId, Arc<StepRecord>)> =
            self.records.iter().map(|(step, record)| (*step, record.clone())).collect();
        records.sort_by_key(|(step, _)| *step);
        let open = |step: &StepId| Some((*step, self.pauses.get(step)?.clone()));
        RunSnapshot {
            events: self.walk.journal().to_vec(),
            records,
            items: self.open_items.iter().map(|(step, open)| (*step, open.clone())).collect(),
            pauses: self.walk.pauses().iter().filter_map(open).collect(),
            taken: self.taken.clone().into_list(),
            state: run.state.clone(),
            start: run.start.clone(),
            question: run.turn.question.to_owned(),
            began: Some(run.began),
        }
    }

    /// The run as it was kept, going on from the pause that is answered.
    ///
    /// # Errors
    /// 409 when no such pause is open; a fault of the service when the snapshot is of another canvas.
    pub(super) fn resume(
        run: &AgentRun<'_>,
        kept: &RunSnapshot,
        input: &HumanInput,
        sink: &'s mut dyn RunSink,
    ) -> Result<Self> {
        let misfit =
            |fault: Misfit| Error::internal(format!("a run that waited does not fit its canvas: {fault:?}"));
        let graph = run.plan.graph.clone();
        let walk = Walk::replay(graph, run.branches_max, &kept.events).map_err(misfit)?;
        let mut ledger = Self::new(walk, sink);
        ledger.records = kept.records.iter().cloned().collect();
        ledger.open_items = kept.items.iter().cloned().collect();
        ledger.taken = TakenSteps::from_list(&kept.taken);
        ledger.pauses = kept.pauses.iter().cloned().collect();
        while let Some(step) = ledger.walk.next_entry() {
            ledger.entries.extend(ledger.records.get(&step).map(|record| record.entry.clone()));
        }
        ledger.entries_before = ledger.entries.len();
        let (paused, open) = kept.find(input)?;
        let again = ledger.walk.resume(*paused).map_err(misfit)?;
        ledger.pauses.remove(paused);
        let resume = StepResume {
            decision: input.decision,
            feedback: input.feedback.clone(),
            kept: open.kept.clone(),
        };
        ledger.resumes.insert(again, resume);
        ledger.open_items.keys().for_each(|step| ledger.note_items(run, *step));
        Ok(ledger)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_that_an_earlier_build_kept_can_be_read() {
        let start = serde_json::to_value(StartValues::default()).unwrap();
        let kept = json!({
            "events": [], "records": [], "items": [], "pauses": [], "state": {}, "start": start, "question": "Hi",
        });
        let kept: RunSnapshot = serde_json::from_value(kept).unwrap();
        assert_eq!((kept.began, kept.question.as_str()), (None, "Hi"));
    }
}
