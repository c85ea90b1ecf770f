//! A check of two flows of files, without a service.

use super::sides::{CheckRun, Side, Sides};
use crate::domain::checks::check::{Check, CheckLimits, CheckOptions, NewCheck, QuestionRow};
use crate::domain::checks::questions;
use crate::domain::checks::sides::SideNames;
use crate::domain::error::Result;
use crate::domain::ids::FlowId;
use crate::ops::predictions::offline::{OfflineFlow, OfflineServices};
use crate::state::checks::CheckEntry;

/// Two flows, and what is asked of them.
pub(crate) struct FileCheck<'a> {
    pub services: &'a OfflineServices,
    pub live: &'a OfflineFlow,
    pub draft: &'a OfflineFlow,
    pub questions: Vec<QuestionRow>,
    pub options: CheckOptions,
    pub limits: CheckLimits,
    pub include_risky_steps: bool,
}

impl FileCheck<'_> {
    /// Asks both flows until the end.
    ///
    /// # Errors
    /// 400 for wrong questions; 409 where there is nothing to compare, or what would run is risky; why the draft cannot run.
    pub(crate) fn run(self) -> Result<Check> {
        let Self { services, live, draft, questions, options, limits, include_risky_steps } = self;
        let questions = questions::choose(questions, Vec::new())?;
        let side = |flow| Side::File { services, flow };
        let sides = Sides {
            left: Some(side(live)).filter(|live| !live.is_empty()),
            right: side(draft),
            names: SideNames::LIVE_AND_DRAFT,
        };
        if let Some(unavailable) = sides.unavailable() {
            return Err(unavailable.conflict().into());
        }
        sides.refuse_risky(include_risky_steps)?;
        let entry = CheckEntry::new(Check::new(NewCheck {
            flow: FlowId::random(),
            sides: sides.names,
            started: services.clock().now(),
            questions,
            options,
            limits,
            include_risky_steps,
            live_empty: sides.left.is_none(),
            draft_saved: None,
        }));
        sides.ask(&CheckRun {
            entry: &entry,
            has_effects: include_risky_steps,
            make_way: &|_| {},
            clock: services.clock(),
        })?;
        let check = entry.check().clone();
        Ok(check)
    }
}
