//! A check of two flows of files, without a service.

use super::drive::{CheckDrive, Respondent};
use super::respondent::{BrokenCanvas, FileRespondent};
use crate::domain::checks::check::{Check, CheckLimits, CheckOptions, NewCheck, QuestionRow};
use crate::domain::checks::questions;
use crate::domain::checks::setup::Unavailable;
use crate::domain::error::{Conflict, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::ids::FlowId;
use crate::engine::agentflow;
use crate::engine::risk::risky_steps;
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
        let is_live_empty = live.canvas.nodes().iter().all(crate::canvas::Node::is_note);
        let sides = if is_live_empty { vec![draft] } else { vec![draft, live] };
        require_checkable(&sides)?;
        refuse_risky(&sides, include_risky_steps)?;
        let entry = CheckEntry::new(Check::new(NewCheck {
            flow: FlowId::random(),
            started: services.clock().now(),
            questions,
            options,
            limits,
            include_risky_steps,
            live_empty: is_live_empty,
            draft_saved: None,
        }));
        let draft = FileRespondent::new(services, draft)?;
        let live: Option<Box<dyn Respondent + '_>> = if is_live_empty {
            None
        } else {
            Some(match FileRespondent::new(services, live) {
                Ok(live) => Box::new(live),
                Err(fault) => Box::new(BrokenCanvas(fault.to_string())),
            })
        };
        let drive = CheckDrive {
            entry: &entry,
            live: live.as_deref(),
            draft: &draft,
            make_way: &|_| {},
            clock: services.clock(),
        };
        drive.run();
        let check = entry.check().clone();
        Ok(check)
    }
}

fn require_checkable(sides: &[&OfflineFlow]) -> Result<()> {
    let is_checked = |kind: FlowKind| matches!(kind, FlowKind::Chatflow | FlowKind::Agentflow);
    if !sides.iter().all(|flow| is_checked(flow.kind)) {
        return Err(Unavailable::Type.conflict().into());
    }
    let starts_otherwise = |flow: &&&OfflineFlow| {
        flow.kind == FlowKind::Agentflow && !agentflow::starts_with_question(&flow.canvas)
    };
    match sides.iter().find(starts_otherwise) {
        Some(_) => Err(Unavailable::Start.conflict().into()),
        None => Ok(()),
    }
}

fn refuse_risky(sides: &[&OfflineFlow], include: bool) -> Result<()> {
    let mut steps: Vec<String> = Vec::new();
    for step in sides.iter().flat_map(|flow| risky_steps(flow.kind, &flow.canvas)) {
        if !steps.contains(&step.label) {
            steps.push(step.label);
        }
    }
    if steps.is_empty() || include { Ok(()) } else { Err(Conflict::RiskySteps { steps }.into()) }
}
