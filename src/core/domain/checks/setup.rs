//! What a check of a flow would be: whether there can be one, and what it could ask (manual 18.1).

use super::check::CheckLimits;
use super::sides::SideNames;
use crate::domain::error::Conflict;
use jiff::Timestamp;

/// What a person sees before a check begins.
#[derive(Debug)]
pub struct CheckSetup {
    /// Why there can be none.
    pub unavailable: Option<Unavailable>,
    pub questions: Vec<OfferedQuestion>,
    pub risky_steps: Vec<RiskyStep>,
    pub limits: CheckLimits,
    /// The time that a check has which asks Live once more.
    pub control_seconds_max: u64,
    /// Live has no cards, so only the draft would be asked.
    pub live_empty: bool,
    pub estimate: Option<Estimate>,
}

/// Why a flow cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// Drafts are off on this server.
    Off,
    /// Flows of this kind are not checked.
    Type,
    NoDraft,
    /// One of these sides does not start with a chat message.
    Start(SideNames),
    /// A version from Dev is of a flow that this server does not have.
    NewFlow,
    /// A version from Dev uses credentials that this server does not have.
    Credentials(Vec<String>),
}

impl Unavailable {
    /// What refuses a check that is begun all the same.
    #[must_use]
    pub fn conflict(self) -> Conflict {
        match self {
            Self::Off => Conflict::DraftsOff,
            Self::Type => Conflict::KindWithoutChecks,
            Self::NoDraft => Conflict::NothingToCheck,
            Self::Start(sides) => Conflict::CheckStart { sides },
            Self::NewFlow => Conflict::CheckOfNewFlow,
            Self::Credentials(names) => Conflict::CheckCredentials { names },
        }
    }
}

/// A question that a check could ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedQuestion {
    pub text: String,
    /// When a person asked it last; `None` for one that the flow offers and nobody asked yet.
    pub asked: Option<Timestamp>,
}

/// A card that may do something to the world when a question is replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskyStep {
    pub id: String,
    pub label: String,
}

/// What an answer of the flow took lately, on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub tokens: f64,
    pub seconds: f64,
}
