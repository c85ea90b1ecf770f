//! The items of an iteration: what each came to, and what that makes of the iteration.

use super::again::StepNote;
use super::entry::EndedStep;
use super::ledger::Ledger;
use super::record::{StepRecord, update_state};
use super::run::AgentRun;
use super::walk::{StepEnd, StepId};
use crate::cards::kit::{CONTENT, ItemRuns, OnError, StepOutcome};
use crate::domain::error::Error;
use crate::domain::predictions::execution::{StepStart, StepStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How the items of an iteration ran.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ItemsNote {
    pub(super) at_once: usize,
    pub(super) on_error: OnError,
}

/// An iteration whose items are under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenItems {
    pub(super) ended: EndedStep,
    /// What its card worked with.
    pub(super) input: Map<String, Value>,
    pub(super) on_error: OnError,
    pub(super) items: Vec<Value>,
    at_once: usize,
    /// Where items go one after another: how many of them ended, and what they left in the state.
    settled: usize,
    left: Map<String, Value>,
}

impl OpenItems {
    pub(super) fn new(
        ended: EndedStep,
        input: Map<String, Value>,
        on_error: OnError,
        ItemRuns { items, at_once }: ItemRuns,
    ) -> Self {
        Self { ended, input, on_error, items, at_once, settled: 0, left: Map::new() }
    }
}

/// What happens when an iteration itself fails: no item of it did, so there is nothing that could be left out.
pub(super) fn of_the_card(on_error: OnError) -> OnError {
    match on_error {
        OnError::Continue => OnError::Stop,
        other => other,
    }
}

/// The text of an item that made none, so that results stay as many as items.
const NO_TEXT: &str = " ";

impl Ledger<'_> {
    /// Adds to a step's state what the items before its own left, where they go one after another. Each item is gone through
    /// once, however many come after it.
    pub(super) fn add_earlier_items(&mut self, step: StepId, state: &mut Map<String, Value>) {
        let Some((owner, index)) = self.walk.item(step) else { return };
        let Some(open) = self.open_items.get_mut(&owner).filter(|open| open.at_once <= 1) else { return };
        for item in open.settled..index {
            let steps = self.walk.item_steps(owner, item);
            update_state(&mut open.left, steps.iter().filter_map(|step| self.records.get(step)));
        }
        open.settled = open.settled.max(index);
        state.extend(open.left.clone());
    }

    /// Keeps what an iteration goes through: when the service is killed meanwhile, the items that ended are of use.
    pub(super) fn note_items(&self, run: &AgentRun<'_>, step: StepId) {
        let Some(open) = self.open_items.get(&step) else { return };
        let outcome = StepOutcome { input: open.input.clone(), ..StepOutcome::default() };
        let record = open.ended.clone().record(self.walk.graph(), StepStatus::Terminated, outcome, None);
        let note = ItemsNote { at_once: open.at_once, on_error: open.on_error };
        let record = StepRecord { items: Some(note), ..record };
        let note = StepNote::new(self.walk.graph(), &self.walk.place(step), &record, &StepEnd::Cancelled);
        let start = StepStart { data: record.entry.data.clone(), ..StepStart::of(&record.entry) };
        run.journal.open_step(step.at(), start, &note);
    }

    /// Ends an iteration all of whose items have ended.
    pub(super) fn close_items(&mut self, run: &AgentRun<'_>, step: StepId) {
        let mut failures = Vec::new();
        let count = self.open_items.get(&step).map_or(0, |open| open.items.len());
        let results: Vec<String> = (0..count)
            .map(|item| match self.walk.item_failure(step, item) {
                Some(failed) => {
                    let text = format!("Item {} failed: {}", item + 1, self.error_text(failed));
                    failures.push(text.clone());
                    text
                }
                None => self.item_text(step, item),
            })
            .collect();
        let Some(OpenItems { mut ended, input, on_error, at_once, .. }) = self.open_items.remove(&step)
        else {
            return;
        };
        let note = Some(ItemsNote { at_once, on_error });
        ended.now = run.turn.host.now();
        let mut outcome = StepOutcome { input, ..StepOutcome::default() };
        outcome.output.insert(CONTENT.to_owned(), results.join("\n").into());
        outcome.output.insert("iterationResults".to_owned(), results.into());
        if self.walk.is_cancelled(step) {
            let record = ended.record(self.walk.graph(), StepStatus::Terminated, outcome, None);
            return self.finish(run, step, StepRecord { items: note, ..record }, StepEnd::Cancelled);
        }
        match (failures.first(), on_error) {
            (Some(first), OnError::Stop | OnError::Branch) => {
                let label = &self.walk.graph().node(ended.frame.node).label;
                let fault = Error::RunFailed(format!("{label}: {first}"));
                self.fail_with(run, (ended, note), fault, on_error, outcome);
            }
            _ => {
                let record = ended.record(self.walk.graph(), StepStatus::Finished, outcome, None);
                self.finish(run, step, StepRecord { items: note, ..record }, StepEnd::Done);
            }
        }
    }

    /// The text of the last step of an item.
    fn item_text(&self, iteration: StepId, item: usize) -> String {
        let steps = self.walk.item_steps(iteration, item);
        let last = steps.iter().rev().find_map(|step| self.records.get(step));
        let text = last.map(|record| record.text()).unwrap_or_default();
        if text.is_empty() { NO_TEXT.to_owned() } else { text.to_owned() }
    }
}
