//! What requests may do with a flow: how often, with which names of conversations, and what they change (manual 5.3, 7.1).

use super::{ReadSetting, Setting, is_on};
use crate::domain::flows::rate_limit::{RateLimit, RateLimitSetting};
use crate::domain::predictions::consumption::Budget;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

const RATE_LIMIT: &str = "rateLimit";
/// What the flow may use in a day.
const BUDGET: &str = "budget";
/// Whether callers with the flow's key may name conversations.
const NAMED_SESSIONS: &str = "namedSessions";

#[derive(Debug, Clone)]
pub struct ApiConfig {
    /// The flow's rate limit, when it is on and whole (manual 5.3).
    pub rate_limit: Option<RateLimit>,
    /// True when callers with the flow's key may name conversations (manual 3.3).
    pub named_conversations: bool,
    pub overrides: OverridePolicy,
    /// What the flow may use in a day (manual 5.16).
    pub budget: Option<Budget>,
}

impl ApiConfig {
    /// What must not be saved.
    pub(super) fn find_fault(raw: &Map<String, Value>) -> Option<(&'static str, &'static str)> {
        if let Err(why) = RateLimitSetting::parse(raw.get(RATE_LIMIT)) {
            return Some((RATE_LIMIT, why));
        }
        if let Err(why) = Budget::parse(raw.get(BUDGET)) {
            return Some((BUDGET, why));
        }
        let is_switch = matches!(raw.get(NAMED_SESSIONS), None | Some(Value::Null | Value::Bool(_)));
        (!is_switch).then_some((NAMED_SESSIONS, "it must be true or false"))
    }
}

impl ReadSetting for ApiConfig {
    fn read(raw: &Map<String, Value>) -> Self {
        Self {
            rate_limit: RateLimitSetting::parse(raw.get(RATE_LIMIT)).ok().and_then(RateLimitSetting::limit),
            named_conversations: is_on(raw.get(NAMED_SESSIONS)),
            overrides: raw.get("overrideConfig").map(OverridePolicy::read).unwrap_or_default(),
            budget: Budget::parse(raw.get(BUDGET)).ok().flatten(),
        }
    }
}

impl Setting<ApiConfig> {
    /// A limit with a value not filled in leaves the one of before (manual 5.3).
    pub fn keep_rate_limit(&mut self, before: &Self) {
        let limit = |setting: &Self| setting.raw().and_then(|raw| raw.get(RATE_LIMIT)).cloned();
        let Some(former) = limit(before) else { return };
        let was_on = matches!(RateLimitSetting::parse(Some(&former)), Ok(RateLimitSetting::On(_)));
        if was_on && RateLimitSetting::parse(limit(self).as_ref()) == Ok(RateLimitSetting::Partial) {
            self.edit(|raw| raw.extend([(RATE_LIMIT.to_owned(), former)]));
        }
    }
}

/// What the owner lets requests change (manual 7.1). Off is a list of nothing.
#[derive(Debug, Clone, Default)]
pub struct OverridePolicy {
    /// The inputs that are switched on, by the label of their card.
    inputs: HashMap<String, HashMap<String, RowFields>>,
    variables: HashSet<String>,
}

/// Which fields of an object a row switches on: those that its schema names, or all where it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RowFields {
    All,
    Named(HashSet<String>),
}

impl RowFields {
    /// Editors of today write a schema as an object of names and types, and those of former years as a list of both.
    fn of_row(row: &Value) -> Self {
        let name_of = |field: &Value| field.get("name")?.as_str().map(str::to_owned);
        match row.get("schema") {
            None | Some(Value::Null) => Self::All,
            Some(Value::Object(fields)) => Self::Named(fields.keys().cloned().collect()),
            Some(Value::Array(fields)) => Self::Named(fields.iter().filter_map(name_of).collect()),
            Some(_) => Self::Named(HashSet::new()),
        }
    }

    fn has(&self, field: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.contains(field),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Named(_), Self::All) => false,
            (Self::Named(names), Self::Named(others)) => others.is_subset(names),
        }
    }

    /// Of two rows of one name each counts.
    fn extend(&mut self, other: Self) {
        if let (Self::Named(names), Self::Named(others)) = (&mut *self, other) {
            names.extend(others);
        } else {
            *self = Self::All;
        }
    }
}

impl OverridePolicy {
    fn read(config: &Value) -> Self {
        if !is_on(config.get("status")) {
            return Self::default();
        }
        let cards = config.get("nodes").and_then(Value::as_object).into_iter().flatten();
        Self {
            inputs: cards.map(|(label, rows)| (label.clone(), fields_by_input(rows))).collect(),
            variables: rows_that_are_on(config.get("variables")).map(|(name, _)| name.to_owned()).collect(),
        }
    }

    /// True when the owner switched on `input` of the card with this label. Both are compared as written.
    #[must_use]
    pub fn allows(&self, label: &str, input: &str) -> bool {
        self.fields_of(label, input).is_some()
    }

    /// True when the row of `input` switched on this field of its object. All names are compared as written.
    #[must_use]
    pub fn allows_field(&self, label: &str, input: &str, field: &str) -> bool {
        self.fields_of(label, input).is_some_and(|fields| fields.has(field))
    }

    fn fields_of(&self, label: &str, input: &str) -> Option<&RowFields> {
        self.inputs.get(label)?.get(input)
    }

    /// Every input of which this switches on more than `other` does, by the label of its card, in one order.
    #[must_use]
    pub fn inputs_beyond(&self, other: &Self) -> Vec<(&str, &str)> {
        let mut beyond = Vec::new();
        for (label, inputs) in &self.inputs {
            let more = inputs.iter().filter(|(input, fields)| {
                other.fields_of(label, input).is_none_or(|known| !known.covers(fields))
            });
            beyond.extend(more.map(|(input, _)| (label.as_str(), input.as_str())));
        }
        beyond.sort_unstable();
        beyond
    }

    /// Every variable that is switched on, in one order.
    #[must_use]
    pub fn listed_variables(&self) -> Vec<&str> {
        let mut listed: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        listed.sort_unstable();
        listed
    }

    /// True when the owner switched this variable on.
    #[must_use]
    pub fn allows_variable(&self, name: &str) -> bool {
        self.variables.contains(name)
    }
}

fn fields_by_input(rows: &Value) -> HashMap<String, RowFields> {
    let mut by_input: HashMap<String, RowFields> = HashMap::new();
    for (name, row) in rows_that_are_on(Some(rows)) {
        let fields = RowFields::of_row(row);
        match by_input.get_mut(name) {
            Some(known) => known.extend(fields),
            None => drop(by_input.insert(name.to_owned(), fields)),
        }
    }
    by_input
}

/// The rows that are switched on, by their names.
fn rows_that_are_on(rows: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    let rows = rows.and_then(Value::as_array).into_iter().flatten();
    let on = rows.filter(|row| is_on(row.get("enabled")));
    on.filter_map(|row| Some((row.get("name")?.as_str()?, row)))
}
