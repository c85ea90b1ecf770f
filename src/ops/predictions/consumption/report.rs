//! What a workspace used in a span of days (manual 5.15).

use super::stored_rows;
use crate::app::App;
use crate::domain::accounts::api_key::ApiKey;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{FlowId, KeyId};
use crate::domain::predictions::answer_time::AnswerTimes;
use crate::domain::predictions::consumption::{
    Budget, BudgetOwner, BudgetState, Consumption, ConsumptionFilter, ConsumptionKey, ConsumptionReport,
    ConsumptionSubject, ConsumptionTotal, DayUse, FlowConsumption, KeyConsumption, UtcDay,
};
use crate::ops::flows::access::{self, FlowAction};
use crate::store::queries::consumption as rows;
use crate::store::tables::{API_KEYS, FLOWS, WORKSPACES};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most flows, keys and models each in a list of what was used (manual 14.4).
const LISTED_MAX: usize = 100;
/// Who may see keys reads their names and budgets.
const SEE_KEYS: &str = "apikeys:view";

/// What was used in the caller's workspace by the flows that they may see, and how its budgets stand today.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn report(app: &App, caller: &Caller, filter: &ConsumptionFilter) -> Result<ConsumptionReport> {
    let workspace = caller.workspace;
    let today = UtcDay::of(app.clock.now());
    // What is counted may be on its way into the database still, so what is held of the last days counts as well.
    let mut newest: HashMap<ConsumptionKey, Consumption> = HashMap::new();
    for day in [today.before(1), today] {
        newest.extend(app.state.consumption.held_rows((workspace, day)));
    }
    let (flows, keys, sums) = app.store.read_messages(|tx| {
        let (flows, keys) = (FLOWS.list(tx, &workspace)?, API_KEYS.list(tx, &workspace)?);
        let mut sums = Sums::new(filter, caller, &flows);
        rows::scan(tx, &workspace, (filter.from, filter.to), |row, mut counted| {
            if let Some(held) = newest.remove(&row) {
                counted.raise(&held);
            }
            sums.add(&row, counted);
        })?;
        newest.drain().for_each(|(row, counted)| sums.add(&row, counted));
        Ok((flows, keys, sums))
    })?;
    let Sums { mut days, of_flows, of_keys, of_models, .. } = sums;
    let sees_keys = caller.has_any(&[SEE_KEYS]);
    let flow_names: HashMap<FlowId, &str> = flows.iter().map(|flow| (flow.id, &*flow.name)).collect();
    let key_names: HashMap<KeyId, &str> =
        keys.iter().filter(|_| sees_keys).map(|key| (key.id, &*key.name)).collect();
    let flow = |(id, total): (FlowId, ConsumptionTotal)| {
        let name = flow_names.get(&id).map(|name| (*name).to_owned());
        FlowConsumption { id, name, total }
    };
    let key = |(id, total): (Option<KeyId>, ConsumptionTotal)| {
        let name = id.and_then(|id| key_names.get(&id)).map(|name| (*name).to_owned());
        KeyConsumption { id, name, total }
    };
    let mut times = AnswerTimes::default();
    days.values().for_each(|day| times.merge(&day.times));
    let (from, to) = (filter.from, filter.to);
    let mut budgets = workspace_budget(app, caller, today)?;
    flow_budgets(app, caller, (today, &flows), &mut budgets)?;
    if sees_keys {
        key_budgets(app, caller, (today, &keys), &mut budgets)?;
    }
    Ok(ConsumptionReport {
        from,
        to,
        times,
        days: (from.number()..=to.number())
            .map(UtcDay::from_number)
            .map(|day| (day, days.remove(&day).unwrap_or_default()))
            .collect(),
        flows: most_used(of_flows, |total| &total.used).into_iter().map(flow).collect(),
        keys: most_used(of_keys, |total| &total.used).into_iter().map(key).collect(),
        models: most_used(of_models, |used| used),
        budgets,
    })
}

struct Sums<'a> {
    filter: &'a ConsumptionFilter,
    /// Flows of kinds that the caller may not see.
    hidden: HashSet<FlowId>,
    days: HashMap<UtcDay, ConsumptionTotal>,
    of_flows: BTreeMap<FlowId, ConsumptionTotal>,
    of_keys: BTreeMap<Option<KeyId>, ConsumptionTotal>,
    of_models: BTreeMap<String, Consumption>,
}

impl<'a> Sums<'a> {
    fn new(filter: &'a ConsumptionFilter, caller: &Caller, flows: &[Flow]) -> Self {
        let is_hidden = |flow: &&Flow| !can_see(caller, flow);
        Self {
            filter,
            hidden: flows.iter().filter(is_hidden).map(|flow| flow.id).collect(),
            days: HashMap::new(),
            of_flows: BTreeMap::new(),
            of_keys: BTreeMap::new(),
            of_models: BTreeMap::new(),
        }
    }

    fn add(&mut self, row: &ConsumptionKey, mut counted: Consumption) {
        let ConsumptionFilter { from, to, flow, key, model } = self.filter;
        let is_wanted = (*from..=*to).contains(&row.day)
            && flow.is_none_or(|flow| flow == row.flow)
            && key.is_none_or(|key| row.key == Some(key))
            && !self.hidden.contains(&row.flow);
        if !is_wanted {
            return;
        }
        match (&row.subject, model) {
            (ConsumptionSubject::Questions | ConsumptionSubject::Time(_), None) => {}
            (ConsumptionSubject::Model(name), None) => {
                self.add_model(name, counted);
                // They are counted in the row of their own, unless only this model is looked at.
                (counted.questions, counted.failed) = (0, 0);
            }
            (ConsumptionSubject::Model(name), Some(wanted)) if name == wanted => {
                self.add_model(name, counted);
            }
            (_, Some(_)) => return,
        }
        self.days.entry(row.day).or_default().add(&row.subject, &counted);
        self.of_flows.entry(row.flow).or_default().add(&row.subject, &counted);
        self.of_keys.entry(row.key).or_default().add(&row.subject, &counted);
    }

    fn add_model(&mut self, name: &str, counted: Consumption) {
        match self.of_models.get_mut(name) {
            Some(sum) => sum.add(&counted),
            None => drop(self.of_models.insert(name.to_owned(), counted)),
        }
    }
}

fn can_see(caller: &Caller, flow: &Flow) -> bool {
    access::check_permission(caller, flow.kind, FlowAction::Read).is_ok()
}

/// Those that used most, by tokens and then by questions.
fn most_used<K: Ord, T>(sums: BTreeMap<K, T>, used: fn(&T) -> &Consumption) -> Vec<(K, T)> {
    let mut listed: Vec<(K, T)> = sums.into_iter().collect();
    listed.sort_by_key(|(_, sum)| {
        let used = used(sum);
        Reverse((used.tokens(), used.questions, used.calls))
    });
    listed.truncate(LISTED_MAX);
    listed
}

/// The budget of the workspace, for everybody in it: it may be what refuses their questions.
fn workspace_budget(app: &App, caller: &Caller, today: UtcDay) -> Result<Vec<BudgetState>> {
    let Some(found) = app.store.read(|tx| WORKSPACES.get(tx, &caller.workspace))? else {
        return Ok(Vec::new());
    };
    let Some(budget) = found.quota.and_then(|quota| quota.budget) else { return Ok(Vec::new()) };
    let used = super::of_workspace_today(app, &caller.workspace)?;
    Ok(vec![state((BudgetOwner::Workspace, found.id.to_string(), found.name), budget, used, today)])
}

fn flow_budgets(
    app: &App,
    caller: &Caller,
    (today, flows): (UtcDay, &[Flow]),
    budgets: &mut Vec<BudgetState>,
) -> Result<()> {
    let at = (caller.workspace, today);
    for flow in flows.iter().filter(|flow| can_see(caller, flow)) {
        let Some(budget) = flow.settings.api_config.budget else { continue };
        let used = app.state.consumption.of_flow(at, &flow.id, || stored_rows(app, at))?;
        let (id, name) = (flow.id.to_string(), flow.name.clone());
        budgets.push(state((BudgetOwner::Flow, id, name), budget, used, today));
    }
    Ok(())
}

fn key_budgets(
    app: &App,
    caller: &Caller,
    (today, keys): (UtcDay, &[ApiKey]),
    budgets: &mut Vec<BudgetState>,
) -> Result<()> {
    for key in keys {
        let Some(budget) = key.budget else { continue };
        let used = super::of_key_today(app, &caller.workspace, &key.id)?;
        let (id, name) = (key.id.to_string(), key.name.clone());
        budgets.push(state((BudgetOwner::Key, id, name), budget, used, today));
    }
    Ok(())
}

fn state(
    (owner, id, name): (BudgetOwner, String, String),
    budget: Budget,
    used: DayUse,
    today: UtcDay,
) -> BudgetState {
    let opens_again = budget.is_used_up(used).then(|| today.next().begins());
    BudgetState { owner, id, name, budget, used, opens_again }
}
