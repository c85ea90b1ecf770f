//! Running again from a step: what the record keeps of each step for that, and what of an earlier run stays.

use super::entry::{EndedStep, StepFrame};
use super::graph::Graph;
use super::items::{ItemsNote, OpenItems};
use super::ledger::Ledger;
use super::plan::AgentPlan;
use super::record::StepRecord;
use super::run::AgentRun;
use super::walk::{Around, EarlierStep, StepEnd, StepId, StepPlace, Takeover};
use crate::cards::kit::ItemRuns;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::predictions::execution::{ExecutionEntry, StepStart, StepStatus};
use crate::domain::predictions::prediction::{Document, HistoryMessage, MessageRole, UsedTool};
use crate::domain::predictions::run_event::{RunEvent, StepLabel};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The list of an iteration, among what its card worked with.
const ITEMS: &str = "iterationInput";

/// What an entry does not say of its step, and another run needs to take the step over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepNote {
    /// The iterations around it, the outermost first: node, visit and item.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    within: Vec<(String, usize, usize)>,
    visit: usize,
    end: StepEnd,
    /// What it said, unless that is the text of its entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<Vec<HistoryMessage>>,
    /// The keys of the state that it wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    updates: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    loop_count: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<ItemsNote>,
}

/// An earlier run, in the order of its record. What it has no note of was in flight when the service stopped.
pub(crate) type EarlierSteps = Vec<(ExecutionEntry, Option<StepNote>)>;

/// The step from which a run goes again.
#[derive(Debug, Clone)]
pub struct FromStep<'a> {
    pub node: &'a str,
    /// The item of the iteration around it; without one the newest counts.
    pub item: Option<usize>,
}

/// A step that stays as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeptStep {
    record: StepRecord,
    end: StepEnd,
    /// An iteration in which something runs again ends anew.
    is_entered: bool,
}

/// What stays of an earlier run.
#[derive(Debug, Clone, Default)]
pub struct TakenSteps {
    steps: HashMap<StepPlace, KeptStep>,
}

impl TakenSteps {
    /// True when nothing stays: the run begins at its beginning.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<(StepPlace, KeptStep)> {
        self.steps.into_iter().collect()
    }

    pub(super) fn from_list(steps: &[(StepPlace, KeptStep)]) -> Self {
        Self { steps: steps.iter().cloned().collect() }
    }
}

impl AgentPlan {
    /// What stays of an earlier run when it runs again from a step.
    ///
    /// # Errors
    /// 400 for a node that this canvas has not, or that the run did not reach; 409 where the canvas has not what is to stay,
    /// or does not lead to the step any more.
    pub fn take_over(&self, earlier: &EarlierSteps, from: &FromStep<'_>) -> Result<TakenSteps> {
        let shown = from.node.escape_debug();
        let card = self.graph.find(from.node);
        let card = card.ok_or_else(|| Error::Invalid(format!("The canvas has no step '{shown}'.")))?;
        let newest = find_newest(earlier, from);
        let newest = newest.ok_or_else(|| Error::Invalid(format!("The run did not reach '{shown}'.")))?;
        require_nodes(&self.graph, earlier, newest)?;
        let known = read_steps(&self.graph, earlier);
        let walked = known.iter().map(|(place, step)| (place.clone(), step.as_walked())).collect();
        let chosen = Takeover::choose(&self.graph, &walked, card, from.item);
        let Takeover { kept, entered } = chosen.ok_or_else(|| out_of_reach(earlier, newest))?;
        let stays = |(place, step): (StepPlace, KeptStep)| {
            let is_entered = entered.contains(&place);
            (is_entered || kept.contains(&place)).then_some((place, KeptStep { is_entered, ..step }))
        };
        Ok(TakenSteps { steps: known.into_iter().filter_map(stays).collect() })
    }
}

/// The newest entry that is meant.
fn find_newest(earlier: &EarlierSteps, from: &FromStep<'_>) -> Option<usize> {
    earlier.iter().rposition(|(entry, _)| {
        let item = entry.data.get("iterationIndex").and_then(Value::as_u64);
        let is_item = from.item.is_none_or(|wanted| item.is_some_and(|item| item == wanted as u64));
        entry.node_id == from.node && is_item
    })
}

/// Refuses a canvas that has not all steps that are to stay. What followed the newest step that runs again need not be
/// there.
fn require_nodes(graph: &Graph, earlier: &EarlierSteps, again: usize) -> Result<()> {
    let mut follows: HashSet<usize> = HashSet::from([again]);
    let mut newest: HashMap<&str, usize> = HashMap::new();
    let mut missing: Vec<String> = Vec::new();
    for (at, (entry, _)) in earlier.iter().enumerate() {
        let mut parents = entry.previous_node_ids.iter().filter_map(|id| newest.get(id.as_str()));
        if parents.any(|parent| follows.contains(parent)) {
            follows.insert(at);
        }
        newest.insert(&entry.node_id, at);
        if !follows.contains(&at) && graph.find(&entry.node_id).is_none() {
            let name = format!("{} ({})", entry.node_label, entry.node_id);
            if !missing.contains(&name) {
                missing.push(name);
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(Conflict::StepsMissing { steps: missing }.into()) }
}

/// Why nothing leads to the newest step: of what came before it, or of the iteration around it, the record may hold too
/// little.
fn out_of_reach(earlier: &EarlierSteps, newest: usize) -> Error {
    let owner = earlier[newest].0.data.get("parentNodeId").and_then(Value::as_str);
    let mut steps: Vec<String> = Vec::new();
    for (at, (entry, note)) in earlier.iter().enumerate() {
        let name = format!("{} ({})", entry.node_label, entry.node_id);
        let is_before = at < newest || owner == Some(entry.node_id.as_str());
        if is_before && note.is_none() && entry.node_id != earlier[newest].0.node_id && !steps.contains(&name)
        {
            steps.push(name);
        }
    }
    if steps.is_empty() { Conflict::StepOutOfReach.into() } else { Conflict::StepsNotKept { steps }.into() }
}

/// What is known of the steps of an earlier run, by their places in this graph. Of a step that paused, what it came to counts.
fn read_steps(graph: &Graph, earlier: &EarlierSteps) -> HashMap<StepPlace, KeptStep> {
    let mut known = HashMap::new();
    for (entry, note) in earlier {
        let Some((place, step)) = note.as_ref().and_then(|note| note.read(graph, entry)) else { continue };
        let is_decided = !matches!(step.end, StepEnd::Paused | StepEnd::Cancelled);
        if is_decided || step.record.items.is_some() {
            known.insert(place, step);
        }
    }
    known
}

impl StepNote {
    /// What the record is to keep of a step.
    pub(super) fn new(graph: &Graph, place: &StepPlace, record: &StepRecord, end: &StepEnd) -> Self {
        let around = |around: &Around| (graph.node(around.node).id.clone(), around.visit, around.item);
        let usual = text_of(&record.entry);
        Self {
            within: place.within.iter().map(around).collect(),
            visit: place.visit,
            end: end.clone(),
            said: (record.said != usual).then(|| record.said.clone()),
            updates: record.updates.keys().cloned().collect(),
            loop_count: record.loop_count,
            items: record.items.clone(),
        }
    }

    fn read(&self, graph: &Graph, entry: &ExecutionEntry) -> Option<(StepPlace, KeptStep)> {
        let around = |(node, visit, item): &(String, usize, usize)| {
            Some(Around { node: graph.find(node)?, visit: *visit, item: *item })
        };
        let node = graph.find(&entry.node_id)?;
        let within = self.within.iter().map(around).collect::<Option<Vec<_>>>()?;
        let state = entry.data.get("state").and_then(Value::as_object);
        let written = |key: &String| Some((key.clone(), state?.get(key)?.clone()));
        let record = StepRecord {
            node,
            said: self.said.clone().unwrap_or_else(|| text_of(entry)),
            updates: self.updates.iter().filter_map(written).collect(),
            loop_count: self.loop_count,
            used_tools: list_of::<UsedTool>(entry, "usedTools"),
            sources: list_of::<Document>(entry, "sourceDocuments"),
            items: self.items.clone().filter(|_| items_of(entry).is_some()),
            entry: Arc::new(entry.clone()),
        };
        let place = StepPlace { within, node, visit: self.visit };
        Some((place, KeptStep { record, end: self.end.clone(), is_entered: false }))
    }
}

/// What a step says that says its text.
fn text_of(entry: &ExecutionEntry) -> Vec<HistoryMessage> {
    let said = |text: &str| HistoryMessage::new(MessageRole::Api, text);
    entry.text().map(said).into_iter().collect()
}

pub(super) fn list_of<T: DeserializeOwned>(entry: &ExecutionEntry, name: &str) -> Vec<T> {
    let listed = entry.data.get("output").and_then(|output| output.get(name)).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(|one| T::deserialize(one).ok()).collect()
}

/// The items of an iteration.
fn items_of(entry: &ExecutionEntry) -> Option<&Vec<Value>> {
    entry.data.get("input")?.get(ITEMS)?.as_array()
}

impl KeptStep {
    fn as_walked(&self) -> EarlierStep {
        let count = || items_of(&self.record.entry).map_or(0, Vec::len);
        let items = self.record.items.as_ref().map(|note| (count(), note.at_once));
        EarlierStep { end: self.end.clone(), items }
    }
}

impl Ledger<'_> {
    /// What stays of an earlier run for a step that may start.
    pub(super) fn take_kept(&mut self, step: StepId) -> Option<KeptStep> {
        if self.taken.is_empty() {
            return None;
        }
        self.taken.steps.remove(&self.walk.place(step))
    }

    /// Ends a step as it ended in an earlier run, or goes into it again.
    pub(super) fn take_over(&mut self, run: &AgentRun<'_>, step: StepId, kept: KeptStep) {
        if kept.record.items.is_some() {
            return self.take_over_items(run, step, kept);
        }
        let KeptStep { record, end, .. } = kept;
        self.begin_kept(run, step, &record.entry);
        self.finish(run, step, record, end);
    }

    fn begin_kept(&mut self, run: &AgentRun<'_>, step: StepId, entry: &ExecutionEntry) {
        self.send(run, &RunEvent::Begin(StepLabel { node: &entry.node_id, label: &entry.node_label }));
        run.journal.begin_step(step.at(), StepStart::of(entry));
        if entry.status == StepStatus::Error {
            let said = entry.data.get("error").and_then(Value::as_str).unwrap_or_default();
            self.errors.insert(step, Error::RunFailed(said.to_owned()));
        }
    }

    /// Goes through the items of an earlier run. The iteration ends as it did, unless something in it runs again.
    fn take_over_items(&mut self, run: &AgentRun<'_>, step: StepId, kept: KeptStep) {
        let (record, note) = (&kept.record, kept.record.items.clone().unwrap_or_default());
        let items = items_of(&record.entry).cloned().unwrap_or_default();
        let input = record.entry.data.get("input").and_then(Value::as_object).cloned().unwrap_or_default();
        let frame = self.begin_again(run, step);
        let ended = EndedStep { frame, attempts: 1, sent: String::new(), now: run.turn.host.now() };
        let (count, at_once) = (items.len(), note.at_once);
        let open = OpenItems::new(ended, input, note.on_error, ItemRuns { items, at_once });
        self.open_items.insert(step, open);
        if let Err(fault) = self.walk.open(step, count, at_once) {
            return self.refuse_items(run, step, fault);
        }
        self.note_items(run, step);
        if !kept.is_entered {
            self.kept_iterations.insert(step, (kept.record, kept.end));
        }
    }

    /// Ends an iteration all of whose items stayed as they were; false for one that is none.
    pub(super) fn close_kept(&mut self, run: &AgentRun<'_>, step: StepId) -> bool {
        let Some((record, end)) = self.kept_iterations.remove(&step) else { return false };
        self.open_items.remove(&step);
        let (record, end) = if self.walk.is_cancelled(step) {
            let mut entry = Arc::unwrap_or_clone(record.entry);
            entry.status = StepStatus::Terminated;
            (StepRecord { entry: Arc::new(entry), ..record }, StepEnd::Cancelled)
        } else {
            (record, end)
        };
        self.finish(run, step, record, end);
        true
    }

    fn begin_again(&mut self, run: &AgentRun<'_>, step: StepId) -> StepFrame {
        let ready = self.prepare(run, step);
        self.cancels.remove(&step);
        ready.frame
    }
}
