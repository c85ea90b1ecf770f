//! The two sides of a check: what stands, and what is to take its place. A check knows nothing else of the canvases that it
//! compares, so any two can be compared; where those of a flow are from is [`CanvasSource`]'s to say.

use super::drive::{CHECK_RUN, CheckDrive, Respondent};
use super::respondent::{BrokenCanvas, CanvasRespondent, FileRespondent};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::Canvas;
use crate::clock::Clock;
use crate::domain::checks::setup::{RiskyStep, Unavailable};
use crate::domain::checks::sides::{SideName, SideNames};
use crate::domain::error::{Conflict, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::engine::agentflow;
use crate::engine::risk::risky_steps;
use crate::ops::flows::drafts;
use crate::ops::predictions::ReplayMemory;
use crate::ops::predictions::offline::{OfflineFlow, OfflineServices};
use crate::state::checks::CheckEntry;
use crate::store::Tx;
use crate::store::tables::CANVASES;
use std::borrow::Cow;

/// The code of the flow's settings that changes answers, as a step.
const POST_PROCESSING: (&str, &str) = ("postProcessing", "Post-processing");

/// Where a flow has a canvas that can be a side of a check.
pub(super) enum CanvasSource {
    /// What callers get: the published canvas.
    Live,
    /// The draft, which may be published.
    Draft,
    /// Wherever an operation found it, which made it fit for this server.
    Given(GivenCanvas),
}

/// A canvas that an operation gives to be a side of a check: a version of the history, or one from another server.
pub(super) struct GivenCanvas {
    pub(super) name: SideName,
    /// The flow's kind in it.
    pub(super) kind: FlowKind,
    /// With credentials of this server.
    pub(super) canvas: String,
}

impl CanvasSource {
    pub(super) const fn name(&self) -> SideName {
        match self {
            Self::Live => SideName::Live,
            Self::Draft => SideName::Draft,
            Self::Given(given) => given.name,
        }
    }

    pub(super) const fn kind(&self, flow: &Flow) -> FlowKind {
        match self {
            Self::Live | Self::Draft => flow.kind,
            Self::Given(given) => given.kind,
        }
    }

    /// The canvas there; `None` where there is no such draft.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn read(self, tx: &impl Tx, flow: &Flow) -> Result<Option<String>> {
        match self {
            Self::Live => Ok(Some(CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default())),
            Self::Draft => drafts::canvas(tx, flow),
            Self::Given(given) => Ok(Some(given.canvas)),
        }
    }
}

/// One side of a check, ready to be asked.
pub(super) enum Side<'a> {
    /// A canvas of a flow of this server, wherever it has it.
    Flow { app: App, flow: Box<Flow>, canvas: String },
    /// A flow of a file, without a service.
    File { services: &'a OfflineServices, flow: &'a OfflineFlow },
}

impl Side<'_> {
    fn kind(&self) -> FlowKind {
        match self {
            Self::Flow { flow, .. } => flow.kind,
            Self::File { flow, .. } => flow.kind,
        }
    }

    /// Its canvas; `None` where that cannot be read, which is what comes of running it.
    fn canvas(&self) -> Option<Cow<'_, Canvas>> {
        match self {
            Self::Flow { canvas, .. } => Canvas::parse(canvas).ok().map(Cow::Owned),
            Self::File { flow, .. } => Some(Cow::Borrowed(&flow.canvas)),
        }
    }

    /// Nothing on it could answer.
    pub(super) fn is_empty(&self) -> bool {
        let is_blank = matches!(self, Self::Flow { canvas, .. } if canvas.is_empty());
        is_blank || self.canvas().is_some_and(|canvas| canvas.card_count() == 0)
    }

    fn is_post_processed(&self) -> bool {
        match self {
            Self::Flow { flow, .. } => flow.settings.chatbot_config.post_processing.is_some(),
            Self::File { .. } => false,
        }
    }

    /// Who answers with it, in runs that have `memory` in common. The flows of files have nothing else that they could ask, so
    /// only those of this server can be let to other flows and programs by `has_effects`.
    ///
    /// # Errors
    /// Why it cannot run.
    fn respondent<'s>(
        &'s self,
        memory: &'s ReplayMemory,
        has_effects: bool,
    ) -> Result<Box<dyn Respondent + 's>> {
        Ok(match self {
            Self::Flow { app, flow, canvas } => {
                Box::new(CanvasRespondent::new(app, flow, canvas, memory, has_effects)?)
            }
            Self::File { services, flow } => Box::new(FileRespondent::new(services, flow)?),
        })
    }
}

/// What is compared.
pub(super) struct Sides<'a> {
    /// What stands; `None` where nothing does.
    pub(super) left: Option<Side<'a>>,
    /// What is to take its place.
    pub(super) right: Side<'a>,
    pub(super) names: SideNames,
}

/// How a check runs, whatever it compares.
pub(super) struct CheckRun<'a> {
    pub(super) entry: &'a CheckEntry,
    /// Cards that may do something to the world are let.
    pub(super) has_effects: bool,
    /// Waits before each turn for what goes first.
    pub(super) make_way: &'a (dyn Fn(&CancelToken) + Sync),
    pub(super) clock: &'a Clock,
}

impl Sides<'_> {
    /// The new side first: what both have is told by its name there.
    fn both(&self) -> impl Iterator<Item = &Side<'_>> {
        [&self.right].into_iter().chain(&self.left)
    }

    /// Why these cannot be compared.
    pub(super) fn unavailable(&self) -> Option<Unavailable> {
        let canvases: Vec<_> = self.both().map(|side| (side.kind(), side.canvas())).collect();
        let canvases: Vec<_> = canvases.iter().map(|(kind, canvas)| (*kind, canvas.as_deref())).collect();
        unavailable(&canvases, self.names)
    }

    /// # Errors
    /// 409 that names what would run and may do something to the world, unless the caller lets it.
    pub(super) fn refuse_risky(&self, include: bool) -> Result<()> {
        let mut steps: Vec<String> = Vec::new();
        for step in risky_steps_of(self.both()) {
            if !steps.contains(&step.label) {
                steps.push(step.label);
            }
        }
        if steps.is_empty() || include { Ok(()) } else { Err(Conflict::RiskySteps { steps }.into()) }
    }

    /// Asks both sides until the end of the check.
    ///
    /// # Errors
    /// Why the new side cannot run: there is nothing to compare then.
    pub(super) fn ask(&self, run: &CheckRun<'_>) -> Result<()> {
        let memory = ReplayMemory::default();
        let right = self.right.respondent(&memory, run.has_effects)?;
        // What stands may be broken: that the other side mends it is what the check finds.
        let left = self.left.as_ref().map(|left| {
            let asked = left.respondent(&memory, run.has_effects);
            asked.unwrap_or_else(|fault| Box::new(BrokenCanvas(fault.to_string())))
        });
        let drive = CheckDrive {
            entry: run.entry,
            live: left.as_deref(),
            draft: &*right,
            run_limit: CHECK_RUN,
            make_way: run.make_way,
            clock: run.clock,
        };
        drive.run();
        Ok(())
    }
}

/// Why canvases of these kinds cannot be asked the same questions. One that cannot be read is none here: running it says so.
pub(super) fn unavailable(canvases: &[(FlowKind, Option<&Canvas>)], names: SideNames) -> Option<Unavailable> {
    if !canvases.iter().all(|(kind, _)| is_checked(*kind)) {
        return Some(Unavailable::Type);
    }
    let starts_otherwise = |(kind, canvas): &(FlowKind, Option<&Canvas>)| {
        *kind == FlowKind::Agentflow && canvas.is_some_and(|canvas| !agentflow::starts_with_question(canvas))
    };
    canvases.iter().any(starts_otherwise).then_some(Unavailable::Start(names))
}

/// Flows of this kind are checked.
const fn is_checked(kind: FlowKind) -> bool {
    matches!(kind, FlowKind::Chatflow | FlowKind::Agentflow | FlowKind::Harness)
}

/// The risky steps of these sides, each once, and then what the settings of a flow run.
pub(super) fn risky_steps_of<'s>(sides: impl Iterator<Item = &'s Side<'s>>) -> Vec<RiskyStep> {
    let (mut steps, mut is_post_processed) = (Vec::<RiskyStep>::new(), false);
    for side in sides {
        is_post_processed |= side.is_post_processed();
        let Some(canvas) = side.canvas() else { continue };
        for step in risky_steps(side.kind(), &canvas) {
            if !steps.iter().any(|known| known.id == step.id) {
                steps.push(step);
            }
        }
    }
    if is_post_processed {
        let (id, label) = POST_PROCESSING;
        steps.push(RiskyStep { id: id.to_owned(), label: label.to_owned() });
    }
    steps
}
