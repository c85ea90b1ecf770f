//! Schedules: a flow that its Start card lets the clock start (manual 16.7).

mod cron;
mod inputs;
mod status;
#[cfg(test)]
mod tests;
mod times;
#[cfg(test)]
mod times_tests;

pub use self::inputs::ScheduleInput;
pub use self::status::{DraftSchedule, ScheduleDetails, ScheduleStatus};

use crate::domain::ids::{ExecutionId, FlowId, ScheduleId, TriggerLogId, WorkspaceId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// A scheduled run that comes this late is still on time: the service looks at its clock and at other schedules meanwhile (manual 14.4).
const ON_TIME_SECONDS: i64 = 60;
/// Most missed times of a schedule that are counted (manual 14.4).
const MISSED_MAX_COUNT: u64 = 100_000;

/// What the Start card of Live says, checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleDefinition {
    /// The card.
    pub node: String,
    /// Five fields.
    pub cron: String,
    /// Its name in the IANA database.
    pub zone: String,
    /// The last moment at which it may come.
    pub end: Option<Timestamp>,
    pub input: ScheduleInput,
    /// How late a run that was missed may be and still be made up for.
    pub catch_up_minutes: u64,
}

/// What is kept of a flow's schedule, also while Live has none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    pub id: ScheduleId,
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    /// The switch.
    pub is_on: bool,
    /// `None` while Live does not start by a schedule; the switch waits for its return.
    pub definition: Option<ScheduleDefinition>,
    /// Times up to this one have run, or never will. It only goes forwards by itself, so a clock that is set back starts
    /// nothing a second time.
    pub done_until: Timestamp,
    pub last_run: Option<Timestamp>,
    /// The row of the log whose run has not ended.
    pub running: Option<u64>,
    /// The number of the next row of the log.
    pub next_row: u64,
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// What became of a time of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum TriggerStatus {
    /// It waits for a place.
    Queued,
    Running,
    Succeeded,
    Failed,
    Skipped,
}

impl TriggerStatus {
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Succeeded, Self::Failed, Self::Skipped];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "QUEUED",
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Skipped => "SKIPPED",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// A row of the log of a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerLog {
    pub id: TriggerLogId,
    pub schedule: ScheduleId,
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    pub status: TriggerStatus,
    /// When it was due; of several that were missed, the newest.
    pub scheduled_at: Timestamp,
    pub created: Timestamp,
    pub execution: Option<ExecutionId>,
    pub error: Option<String>,
    pub elapsed_ms: Option<u64>,
    /// How late it was started, where that was a second or more.
    pub late_seconds: Option<u64>,
    /// How many times were missed, where the row stands for them.
    pub count: Option<u64>,
}

/// What was deleted of the log of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedLogs {
    pub rows: usize,
    /// Records of the runs that the rows told of.
    pub runs: usize,
}

/// Times of a schedule that are due: what is to run, and what is not made up for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTimes {
    /// The newest, unless it is too late for it.
    pub run: Option<Timestamp>,
    /// How late that is.
    pub late: SignedDuration,
    /// How many others there are, and the newest of them.
    pub missed: Option<(u64, Timestamp)>,
    pub newest: Timestamp,
}

impl Schedule {
    /// Of a flow that never had one.
    #[must_use]
    pub fn new(workspace: WorkspaceId, flow: FlowId, is_on: bool, now: Timestamp) -> Self {
        Self {
            id: ScheduleId::random(),
            workspace,
            flow,
            is_on,
            definition: None,
            done_until: now,
            last_run: None,
            running: None,
            next_row: 0,
            created: now,
            updated: now,
        }
    }

    /// Follows Live. What changes its times counts from the next run on, and nothing of before is made up for.
    pub fn redefine(&mut self, definition: Option<ScheduleDefinition>, now: Timestamp) {
        let times =
            |of: &Option<ScheduleDefinition>| of.as_ref().map(|of| (of.cron.clone(), of.zone.clone()));
        if times(&self.definition) != times(&definition) {
            self.done_until = self.done_until.max(now);
        }
        self.definition = definition;
        self.updated = now;
    }

    /// Turns the switch. Whoever turns it on wants what comes from now on, and none of what was due meanwhile.
    pub fn switch(&mut self, is_on: bool, now: Timestamp) {
        if is_on && !self.is_on {
            self.done_until = now;
        }
        self.is_on = is_on;
        self.updated = now;
    }

    /// When it comes next; in the past for what is due.
    #[must_use]
    pub fn next_due(&self, seconds_min: u64) -> Option<Timestamp> {
        let definition = self.definition.as_ref().filter(|_| self.is_on)?;
        definition.times(seconds_min).ok()?.next(self.done_until)
    }

    /// When it comes after now, the next one first.
    #[must_use]
    pub fn upcoming(&self, seconds_min: u64, count: usize) -> Vec<Timestamp> {
        let Some(definition) = self.definition.as_ref().filter(|_| self.is_on) else { return Vec::new() };
        definition.upcoming(seconds_min, self.done_until, count)
    }

    /// Why nothing can start the flow although Live has a schedule.
    #[must_use]
    pub fn obstacle(&self, seconds_min: u64, now: Timestamp) -> Option<String> {
        let definition = self.definition.as_ref()?;
        match definition.times(seconds_min) {
            Err(fault) => Some(format!("The schedule cannot be kept: {}", fault.why)),
            Ok(times) if times.next(now.max(self.done_until)).is_none() => {
                Some("The end date has passed: nothing comes before it any more.".to_owned())
            }
            Ok(_) => None,
        }
    }

    /// The times that are due and not done.
    #[must_use]
    pub fn due_times(&self, seconds_min: u64, now: Timestamp) -> Option<DueTimes> {
        let definition = self.definition.as_ref().filter(|_| self.is_on)?;
        let times = definition.times(seconds_min).ok()?;
        let catch_up = i64::try_from(definition.catch_up_minutes).unwrap_or(0) * 60;
        let in_time = SignedDuration::from_secs(catch_up.max(ON_TIME_SECONDS));
        let (mut count, mut newest, mut before) = (0, None, None);
        let mut after = self.done_until;
        while let Some(next) = times.next(after).filter(|next| *next <= now) {
            before = newest.replace(next);
            count += 1;
            // What is far too many to count is too late as well.
            let is_enough = count == MISSED_MAX_COUNT;
            after = if is_enough { next.max(now.checked_sub(in_time).unwrap_or(next)) } else { next };
        }
        let newest = newest?;
        let late = now.duration_since(newest);
        let run = Some(newest).filter(|_| late < in_time);
        let missed = match run {
            Some(_) => before.map(|before| (count - 1, before)),
            None => Some((count, newest)),
        };
        let missed = missed.map(|(count, at)| (count.min(MISSED_MAX_COUNT), at));
        Some(DueTimes { run, late, missed, newest })
    }
}
