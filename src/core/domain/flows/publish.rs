//! What Publish, Roll back and Restore come to (manual 5.7, 5.8, 6.7).

use super::card_problems::CardProblems;
use super::draft::DraftStatus;
use super::flow::Flow;
use super::record_result::RecordResult;
use super::restore::RestoreNotes;
use super::version::Sha;
use crate::domain::ids::FlowId;

/// What Publish did.
#[derive(Debug, Clone)]
pub struct PublishResult {
    pub flow: Flow,
    /// The draft was the same as Live.
    pub unchanged: bool,
    pub recorded: RecordResult,
    pub status: DraftStatus,
    /// What is wrong with what is Live now.
    pub problems: Vec<CardProblems>,
}

/// One of many flows that were to be published, and what became of it.
#[derive(Debug, Clone)]
pub struct FlowPublication {
    pub id: FlowId,
    /// `None` for a flow that the caller may not see.
    pub name: Option<String>,
    pub outcome: PublishOutcome,
}

#[derive(Debug, Clone)]
pub enum PublishOutcome {
    Published {
        recorded: RecordResult,
        problems: Vec<CardProblems>,
    },
    /// There was nothing to publish; the reason where there was no draft at all.
    Unchanged {
        reason: Option<String>,
        problems: Vec<CardProblems>,
    },
    /// It could not answer: it stays as it was.
    Blocked {
        problems: Vec<CardProblems>,
    },
    /// It stays as it was, for another reason.
    Refused {
        reason: String,
    },
}

/// What became of a version that was restored or rolled back to.
#[derive(Debug, Clone)]
pub struct RestoreResult {
    pub flow: Flow,
    pub version: Sha,
    pub target: RestoreTarget,
    /// It was there already.
    pub unchanged: bool,
    pub recorded: RecordResult,
    pub notes: RestoreNotes,
}

/// Where a version was put.
#[derive(Debug, Clone)]
pub enum RestoreTarget {
    Draft(DraftStatus),
    /// With what is known of the draft, after Roll back.
    Live(Option<DraftStatus>),
}
