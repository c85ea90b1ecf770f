//! The two canvases of a flow as a check finds them.

use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::setup::{RiskyStep, Unavailable};
use crate::domain::error::Result;
use crate::domain::flows::draft::Draft;
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::FlowId;
use crate::engine::agentflow;
use crate::engine::risk::risky_steps;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::drafts;
use crate::store::tables::CANVASES;

/// The code of the flow's settings that changes answers, as a step.
const POST_PROCESSING: (&str, &str) = ("postProcessing", "Post-processing");

/// A flow with the texts of both canvases, of one moment.
pub(super) struct FlowCanvases {
    pub(super) flow: Flow,
    pub(super) live: String,
    /// The draft, where it is of the flow's kind.
    pub(super) draft: Option<Draft>,
    pub(super) draft_canvas: Option<String>,
}

impl FlowCanvases {
    /// # Errors
    /// 404, 403.
    pub(super) fn read(app: &App, caller: &Caller, id: &FlowId, action: FlowAction) -> Result<Self> {
        app.store.read(|tx| {
            let flow = access::flow(tx, caller, id, action)?;
            let live = CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
            let draft = drafts::find(tx, &flow)?.filter(|draft| draft.kind == Some(flow.kind));
            let draft_canvas = match draft {
                Some(_) => drafts::canvas(tx, &flow)?,
                None => None,
            };
            Ok(Self { flow, live, draft, draft_canvas })
        })
    }

    /// Live has no cards: nothing of it is published.
    pub(super) const fn is_live_empty(&self) -> bool {
        self.flow.card_count == 0
    }

    /// Why there can be no check.
    pub(super) fn unavailable(&self, app: &App) -> Option<Unavailable> {
        if !app.settings.drafts {
            return Some(Unavailable::Off);
        }
        if !matches!(self.flow.kind, FlowKind::Chatflow | FlowKind::Agentflow) {
            return Some(Unavailable::Type);
        }
        let Some(draft) = &self.draft_canvas else { return Some(Unavailable::NoDraft) };
        if self.flow.kind == FlowKind::Agentflow {
            let starts_otherwise = |text: &str| {
                Canvas::parse(text).is_ok_and(|canvas| !agentflow::starts_with_question(&canvas))
            };
            if starts_otherwise(draft) || (!self.is_live_empty() && starts_otherwise(&self.live)) {
                return Some(Unavailable::Start);
            }
        }
        None
    }

    /// What a check would run that may do something to the world: of the draft, then what Live alone has.
    pub(super) fn risky_steps(&self) -> Vec<RiskyStep> {
        let live = (!self.is_live_empty()).then_some(&self.live);
        let mut steps: Vec<RiskyStep> = Vec::new();
        for text in self.draft_canvas.iter().chain(live) {
            let Ok(canvas) = Canvas::parse(text) else { continue };
            for step in risky_steps(self.flow.kind, &canvas) {
                if !steps.iter().any(|known| known.id == step.id) {
                    steps.push(step);
                }
            }
        }
        if self.flow.settings.chatbot_config.post_processing.is_some() {
            let (id, label) = POST_PROCESSING;
            steps.push(RiskyStep { id: id.to_owned(), label: label.to_owned() });
        }
        steps
    }
}
