//! A schedule as somebody sees it.

use super::{Schedule, ScheduleDefinition};
use crate::domain::flows::flow::FlowKind;
use jiff::Timestamp;

/// Times that are told ahead.
const UPCOMING_COUNT: usize = 5;

/// A schedule of Live, and when it comes next.
#[derive(Debug, Clone)]
pub struct ScheduleDetails {
    /// Of the flow that it starts.
    pub kind: FlowKind,
    pub schedule: Schedule,
    pub definition: ScheduleDefinition,
    /// The next times, the first of them in the past while it is due.
    pub upcoming: Vec<Timestamp>,
}

/// How the schedule of a flow stands.
#[derive(Debug)]
pub struct ScheduleStatus {
    pub details: Option<ScheduleDetails>,
    /// Why it cannot be switched on; `None` when it can.
    pub obstacle: Option<String>,
    /// Live has none now, and one that is published next is on from then.
    pub starts_with_publish: bool,
    /// What unpublished changes make of it; `None` where that comes at the same times, or never.
    pub draft: Option<DraftSchedule>,
}

/// A schedule that is not published.
#[derive(Debug)]
pub struct DraftSchedule {
    pub definition: ScheduleDefinition,
    /// When it would come next.
    pub upcoming: Vec<Timestamp>,
}

impl DraftSchedule {
    /// As it would come after `now`, at most every `seconds_min` seconds.
    pub fn new(definition: ScheduleDefinition, seconds_min: u64, now: Timestamp) -> Self {
        let upcoming = definition.upcoming(seconds_min, now, UPCOMING_COUNT);
        Self { definition, upcoming }
    }
}

impl ScheduleDetails {
    /// `None` while Live has no schedule.
    #[must_use]
    pub fn new(kind: FlowKind, schedule: Schedule, seconds_min: u64) -> Option<Self> {
        let definition = schedule.definition.clone()?;
        let upcoming = schedule.upcoming(seconds_min, UPCOMING_COUNT);
        Some(Self { kind, schedule, definition, upcoming })
    }
}
