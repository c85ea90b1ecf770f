//! A flow ready to run, whatever its kind.

use super::agentflow::AgentPlan;
use super::harness::TeamPlan;
use super::legacy::MemberPlan;
use super::overrides::CardPlace;
use super::plan::Plan;
use super::upload_store::UploadStore;
use super::validate::assistant;
use crate::canvas::Canvas;
use crate::cards::unsupported;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;

/// A compiled canvas, as its kind runs it.
#[derive(Debug)]
pub enum FlowPlan {
    Chat(Plan),
    Agent(AgentPlan),
    /// A Multi-Agent or Sequential Agent flow.
    Members(Box<MemberPlan>),
    Team(TeamPlan),
}

impl FlowPlan {
    /// Compiles Live or a draft of a flow.
    ///
    /// # Errors
    /// When no card can answer, or cards wait for each other; 400 for an agentflow whose drawing is wrong, for a kind
    /// that does not run here, and for a card whose provider ended what it calls.
    pub fn compile(kind: FlowKind, canvas: &Canvas) -> Result<Self> {
        kind.require_answers()?;
        if let Some(why) = canvas.nodes().iter().find_map(|node| unsupported::ended(&node.name)) {
            return Err(Error::invalid(why));
        }
        match kind {
            FlowKind::Agentflow => AgentPlan::compile(canvas).map(Self::Agent),
            FlowKind::Multiagent => MemberPlan::compile(canvas).map(|plan| Self::Members(Box::new(plan))),
            FlowKind::Harness => TeamPlan::compile(canvas).map(Self::Team),
            FlowKind::Assistant if assistant::waits_for_model(canvas).is_some() => {
                Err(Error::RunFailed(assistant::NO_MODEL.to_owned()))
            }
            _ => Ok(Self::Chat(Plan::compile(canvas)?)),
        }
    }

    /// True when the answer can go out token by token (manual 2.12).
    #[must_use]
    pub const fn streams(&self) -> bool {
        match self {
            Self::Chat(plan) => plan.streams,
            Self::Agent(_) | Self::Members(_) | Self::Team(_) => true,
        }
    }

    /// True when nothing is told of a run before its answer.
    #[must_use]
    pub const fn begins_with_answer(&self) -> bool {
        match self {
            Self::Chat(plan) => !plan.may_be_team,
            Self::Agent(_) | Self::Members(_) | Self::Team(_) => false,
        }
    }

    /// A team may answer, whose work is told before the answer begins.
    #[must_use]
    pub const fn may_be_team(&self) -> bool {
        match self {
            Self::Chat(plan) => plan.may_be_team,
            Self::Agent(_) | Self::Members(_) => false,
            Self::Team(_) => true,
        }
    }

    /// What it did is a record of its own.
    #[must_use]
    pub const fn is_agentflow(&self) -> bool {
        matches!(self, Self::Agent(_))
    }

    /// The label of the memory card in use, for the answer's `memoryType`.
    #[must_use]
    pub fn memory_type(&self) -> Option<&str> {
        match self {
            Self::Chat(plan) => plan.memory_type.as_deref(),
            Self::Members(plan) => plan.parts.memory_type.as_deref(),
            Self::Agent(_) | Self::Team(_) => None,
        }
    }

    /// True when the flow's chat offers image uploads (manual 4.1).
    #[must_use]
    pub const fn takes_images(&self) -> bool {
        match self {
            Self::Chat(plan) => plan.takes_images,
            Self::Agent(plan) => plan.takes_images,
            Self::Members(plan) => plan.parts.takes_images,
            Self::Team(plan) => plan.takes_images,
        }
    }

    /// The store that takes files of the flow's chat.
    #[must_use]
    pub const fn upload_store(&self) -> Option<&UploadStore> {
        match self {
            Self::Chat(plan) => plan.upload_store.as_ref(),
            Self::Members(plan) => plan.parts.upload_store.as_ref(),
            Self::Agent(_) | Self::Team(_) => None,
        }
    }

    /// The cards whose settings a request may mean.
    #[must_use]
    pub fn places(&self) -> Vec<CardPlace<'_>> {
        match self {
            Self::Chat(plan) => plan.places(),
            Self::Agent(plan) => plan.places(),
            Self::Members(plan) => plan.parts.places(),
            Self::Team(plan) => plan.places(),
        }
    }

    /// The plan by which its cards are built, where that comes before all else.
    #[must_use]
    pub const fn as_chat(&self) -> Option<&Plan> {
        match self {
            Self::Chat(plan) => Some(plan),
            Self::Members(plan) => Some(&plan.parts),
            Self::Agent(_) | Self::Team(_) => None,
        }
    }
}
