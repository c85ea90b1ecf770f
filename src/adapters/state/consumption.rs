//! What was counted of questions and models on the days that still count (manual 5.15): the rows that the database gets with each
//! answer, and what is under way of the budgets that bind (manual 5.16).
//!
//! A row is counted on here and stored in the state it has, so storing it again counts nothing twice. What a day has already
//! is read once, when the first question of the day comes.

use crate::domain::error::Result;
use crate::domain::ids::{FlowId, KeyId};
use crate::domain::predictions::answer_time::TimeStep;
use crate::domain::predictions::consumption::{
    Asker, Budget, BudgetOwner, Consumption, ConsumptionKey, ConsumptionRows, ConsumptionSource,
    ConsumptionSubject, DayUse, ModelCalls, OTHER_MODELS, QuestionEnd, UtcDay, WorkspaceDay,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

// Callers who may choose a model's name cannot make rows without end: models beyond it are counted together.

/// Most rows of what a workspace uses in a day, before models are counted together (manual 14.4).
const ROWS_OF_DAY_MAX: usize = 20_000;
/// Days that are held: today's, and yesterday's for questions that began before midnight.
const DAYS_HELD: u32 = 1;

#[derive(Clone, Default)]
pub struct ConsumptionCounter(Arc<Mutex<HashMap<WorkspaceDay, CountedDay>>>);

#[derive(Default)]
struct CountedDay {
    rows: HashMap<ConsumptionKey, Consumption>,
    /// Rows of times, which take no room from models.
    times: HashMap<ConsumptionKey, Consumption>,
    flows: HashMap<FlowId, DayUse>,
    keys: HashMap<KeyId, DayUse>,
    /// Of the whole workspace.
    all: DayUse,
}

/// Whose question it is, and what binds it.
#[derive(Debug, Clone, Copy)]
pub struct QuestionBudgets {
    pub at: WorkspaceDay,
    pub flow: FlowId,
    pub asker: Asker,
    pub flow_budget: Option<Budget>,
    pub key_budget: Option<Budget>,
    pub workspace_budget: Option<Budget>,
}

impl ConsumptionCounter {
    fn days(&self) -> MutexGuard<'_, HashMap<WorkspaceDay, CountedDay>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The day, with what `load` reads of it where it is not held.
    fn with_day<T>(
        &self,
        at: WorkspaceDay,
        load: impl FnOnce() -> Result<ConsumptionRows>,
        then: impl FnOnce(&mut CountedDay) -> T,
    ) -> Result<T> {
        let mut days = self.days();
        if !days.contains_key(&at) {
            // Who reads the database may wait for who stores an answer, and nobody who does so may wait for this.
            drop(days);
            let stored = load()?;
            days = self.days();
            days.retain(|(_, day), _| *day >= at.1.before(DAYS_HELD));
            days.entry(at).or_insert_with(|| CountedDay::new(stored));
        }
        Ok(then(days.entry(at).or_default()))
    }

    /// Counts a question as begun, unless a budget has no room for it: then whose.
    ///
    /// # Errors
    /// What `load` fails with, which reads the rows that are stored of the day.
    pub fn begin(
        &self,
        question: &QuestionBudgets,
        load: impl FnOnce() -> Result<ConsumptionRows>,
    ) -> Result<Result<OpenQuestion, BudgetOwner>> {
        let QuestionBudgets { at, flow, asker, flow_budget, key_budget, workspace_budget } = *question;
        self.with_day(at, load, |day| {
            if asker.is_test {
                return Ok(());
            }
            let is_full = |budget: Option<Budget>, used: Option<&DayUse>| {
                budget.is_some_and(|budget| budget.is_used_up(used.copied().unwrap_or_default()))
            };
            if is_full(flow_budget, day.flows.get(&flow)) {
                return Err(BudgetOwner::Flow);
            }
            if asker.key.is_some_and(|key| is_full(key_budget, day.keys.get(&key))) {
                return Err(BudgetOwner::Key);
            }
            if is_full(workspace_budget, Some(&day.all)) {
                return Err(BudgetOwner::Workspace);
            }
            let of_key = asker.key.map(|key| day.keys.entry(key).or_default());
            for used in [Some(day.flows.entry(flow).or_default()), of_key, Some(&mut day.all)] {
                used.into_iter().for_each(|used| used.questions += 1);
            }
            Ok(())
        })
        .map(|begun| {
            begun.map(|()| OpenQuestion {
                counter: self.clone(),
                at,
                flow,
                asker,
                is_settled: Mutex::new(false),
                calls: ModelCalls::default(),
            })
        })
    }

    /// Counts models that were called for no question: the rows to store.
    ///
    /// # Errors
    /// What `load` fails with.
    pub fn add_calls(
        &self,
        at: WorkspaceDay,
        flow: FlowId,
        calls: &ModelCalls,
        load: impl FnOnce() -> Result<ConsumptionRows>,
    ) -> Result<ConsumptionRows> {
        self.with_day(at, load, |day| day.count((at.1, flow, Asker::ANYBODY), None, calls))
    }

    /// What is used of the budgets of a flow.
    ///
    /// # Errors
    /// What `load` fails with.
    pub fn of_flow(
        &self,
        at: WorkspaceDay,
        flow: &FlowId,
        load: impl FnOnce() -> Result<ConsumptionRows>,
    ) -> Result<DayUse> {
        self.with_day(at, load, |day| day.flows.get(flow).copied().unwrap_or_default())
    }

    /// What is used of the budgets of a key.
    ///
    /// # Errors
    /// What `load` fails with.
    pub fn of_key(
        &self,
        at: WorkspaceDay,
        key: &KeyId,
        load: impl FnOnce() -> Result<ConsumptionRows>,
    ) -> Result<DayUse> {
        self.with_day(at, load, |day| day.keys.get(key).copied().unwrap_or_default())
    }

    /// What is used of the budget of a workspace.
    ///
    /// # Errors
    /// What `load` fails with.
    pub fn of_workspace(
        &self,
        at: WorkspaceDay,
        load: impl FnOnce() -> Result<ConsumptionRows>,
    ) -> Result<DayUse> {
        self.with_day(at, load, |day| day.all)
    }

    /// The rows of a day as far as they are held: they are counted on before they are stored.
    pub fn held_rows(&self, at: WorkspaceDay) -> ConsumptionRows {
        let days = self.days();
        let rows = days.get(&at).into_iter().flat_map(|day| day.rows.iter().chain(&day.times));
        rows.map(|(row, counted)| (row.clone(), *counted)).collect()
    }
}

impl CountedDay {
    fn new(stored: ConsumptionRows) -> Self {
        let mut day = Self::default();
        for (row, counted) in stored {
            day.note_use(&row, &counted, counted.questions);
            day.rows_of(&row.subject).insert(row, counted);
        }
        day
    }

    /// The rows among which those about this lie.
    const fn rows_of(&mut self, subject: &ConsumptionSubject) -> &mut HashMap<ConsumptionKey, Consumption> {
        match subject {
            ConsumptionSubject::Questions | ConsumptionSubject::Model(_) => &mut self.rows,
            ConsumptionSubject::Time(_) => &mut self.times,
        }
    }

    /// Moves what budgets are compared with. Rows of models and times repeat the questions of another row.
    fn note_use(&mut self, row: &ConsumptionKey, more: &Consumption, questions: u64) {
        if row.source == ConsumptionSource::Test {
            return;
        }
        let questions = if row.subject == ConsumptionSubject::Questions { questions } else { 0 };
        let of_key = row.key.map(|key| self.keys.entry(key).or_default());
        let of_flow = Some(self.flows.entry(row.flow).or_default());
        for used in [of_flow, of_key, Some(&mut self.all)].into_iter().flatten() {
            used.questions += questions;
            used.tokens = used.tokens.saturating_add(more.tokens());
        }
    }

    /// Counts what came of a question that was counted when it began, and its models.
    fn count(
        &mut self,
        (day, flow, asker): (UtcDay, FlowId, Asker),
        end: Option<QuestionEnd>,
        calls: &ModelCalls,
    ) -> ConsumptionRows {
        let source = asker.source();
        let key = |subject| ConsumptionKey { day, source, flow, key: asker.key, subject };
        let mut changed = Vec::new();
        let mut question = Consumption::default();
        if let Some(end) = end {
            question.questions = 1;
            question.failed = u64::from(end == QuestionEnd::Failed);
            changed.push((key(ConsumptionSubject::Questions), question));
            if let QuestionEnd::Answered(elapsed) = end {
                changed.push((key(ConsumptionSubject::Time(TimeStep::of(elapsed))), question));
            }
        }
        for (model, used) in calls.take() {
            let Consumption { questions, failed, .. } = question;
            changed.push((key(ConsumptionSubject::Model(model)), Consumption { questions, failed, ..used }));
        }
        changed.into_iter().map(|(row, more)| self.add(row, &more)).collect()
    }

    fn add(&mut self, mut row: ConsumptionKey, more: &Consumption) -> (ConsumptionKey, Consumption) {
        let has_room = self.rows.len() < ROWS_OF_DAY_MAX || self.rows.contains_key(&row);
        if let ConsumptionSubject::Model(name) = &mut row.subject
            && !has_room
        {
            OTHER_MODELS.clone_into(name);
        }
        self.note_use(&row, more, 0);
        let counted = self.rows_of(&row.subject).entry(row.clone()).or_default();
        counted.add(more);
        (row, *counted)
    }
}

/// A question that was begun and counts from then on. One that is dropped before its run began was none.
pub struct OpenQuestion {
    counter: ConsumptionCounter,
    at: WorkspaceDay,
    flow: FlowId,
    asker: Asker,
    is_settled: Mutex<bool>,
    calls: ModelCalls,
}

impl OpenQuestion {
    /// Where the answered calls of its models are counted.
    pub const fn calls(&self) -> &ModelCalls {
        &self.calls
    }

    pub const fn asker(&self) -> Asker {
        self.asker
    }

    /// Counts how the question ended: the rows to store, none when it was told before.
    pub fn settle(&self, end: QuestionEnd) -> ConsumptionRows {
        let mut is_settled = self.is_settled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !std::mem::replace(&mut *is_settled, true);
        let end = (is_first && !self.asker.is_test).then_some(end);
        let mut days = self.counter.days();
        let Some(day) = days.get_mut(&self.at) else { return Vec::new() };
        day.count((self.at.1, self.flow, self.asker), end, &self.calls)
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let is_settled = *self.is_settled.get_mut().unwrap_or_else(PoisonError::into_inner);
        if is_settled || self.asker.is_test {
            return;
        }
        let mut days = self.counter.days();
        let Some(day) = days.get_mut(&self.at) else { return };
        let of_key = self.asker.key.and_then(|key| day.keys.get_mut(&key));
        for used in [day.flows.get_mut(&self.flow), of_key, Some(&mut day.all)].into_iter().flatten() {
            used.questions = used.questions.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::WorkspaceId;
    use crate::domain::predictions::prediction::Usage;
    use std::time::Duration;

    const ANSWERED: QuestionEnd = QuestionEnd::Answered(Duration::from_millis(5));

    fn question(most: u64) -> QuestionBudgets {
        QuestionBudgets {
            at: (WorkspaceId::random(), UtcDay::from_number(20_000)),
            flow: FlowId::random(),
            asker: Asker { key: Some(KeyId::random()), is_test: false },
            flow_budget: Some(Budget { tokens_per_day: None, questions_per_day: Some(most) }),
            key_budget: None,
            workspace_budget: None,
        }
    }

    fn none() -> Result<ConsumptionRows> {
        Ok(Vec::new())
    }

    #[test]
    fn a_question_counts_from_its_beginning_and_one_that_never_ran_does_not() {
        let (counter, asked) = (ConsumptionCounter::default(), question(2));
        let first = counter.begin(&asked, none).unwrap().ok().unwrap();
        let second = counter.begin(&asked, none).unwrap().ok().unwrap();
        assert_eq!(counter.begin(&asked, none).unwrap().err(), Some(BudgetOwner::Flow));
        drop(second);
        let third = counter.begin(&asked, none).unwrap().ok().unwrap();
        assert!(counter.begin(&asked, none).unwrap().is_err());
        first.settle(ANSWERED);
        assert_eq!(third.settle(QuestionEnd::Failed).len(), 1);
        assert!(third.settle(ANSWERED).is_empty(), "it is counted once");
        drop((first, third));
        let used = counter.of_flow(asked.at, &asked.flow, none).unwrap();
        assert_eq!(used, DayUse { questions: 2, tokens: 0 });
        assert!(counter.begin(&QuestionBudgets { asker: Asker::TEST, ..asked }, none).unwrap().is_ok());
    }

    #[test]
    fn a_day_goes_on_with_what_was_stored_of_it() {
        let (counter, asked) = (ConsumptionCounter::default(), question(3));
        let begun = counter.begin(&asked, none).unwrap().ok().unwrap();
        let usage = Usage { input_tokens: 3, output_tokens: 4, ..Usage::default() };
        begun.calls().add("m", Some(&usage));
        let stored = begun.settle(ANSWERED);
        assert_eq!(stored.len(), 3);
        let later = ConsumptionCounter::default();
        let used = later.of_flow(asked.at, &asked.flow, || Ok(stored)).unwrap();
        assert_eq!(used, DayUse { questions: 1, tokens: 7 });
        let again = later.begin(&asked, none).unwrap().ok().unwrap().settle(ANSWERED);
        assert_eq!(again[0].1.questions, 2);
    }

    #[test]
    fn times_take_no_room_from_models() {
        let (counter, asked) = (ConsumptionCounter::default(), question(1));
        let time = |_| {
            let subject = ConsumptionSubject::Time(TimeStep::of(Duration::from_millis(5)));
            let (day, source, flow) = (asked.at.1, ConsumptionSource::Asked, FlowId::random());
            let one = Consumption { questions: 1, ..Consumption::default() };
            (ConsumptionKey { day, source, flow, key: None, subject }, one)
        };
        let stored = || Ok((0..ROWS_OF_DAY_MAX).map(time).collect());
        let begun = counter.begin(&asked, stored).unwrap().ok().unwrap();
        begun.calls().add("m", None);
        let told = begun.settle(ANSWERED);
        assert!(told.iter().any(|(row, _)| row.subject == ConsumptionSubject::Model("m".to_owned())));
        assert_eq!(counter.held_rows(asked.at).len(), ROWS_OF_DAY_MAX + 3);
    }
}
