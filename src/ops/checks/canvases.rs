//! The canvases of a flow as a check of its draft finds them.

use super::sides::{CanvasSource, Side, Sides, is_checked, risky_steps_of};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::setup::{RiskyStep, Unavailable};
use crate::domain::error::Result;
use crate::domain::flows::draft::Draft;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::FlowId;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::drafts;

/// A flow with what a check of its draft compares, of one moment.
pub(super) struct FlowCanvases {
    pub(super) flow: Flow,
    /// `None` where nothing of it is published.
    live: Option<Side<'static>>,
    /// The draft, where it is of the flow's kind.
    pub(super) draft: Option<Draft>,
    draft_side: Option<Side<'static>>,
}

impl FlowCanvases {
    /// # Errors
    /// 404, 403.
    pub(super) fn read(app: &App, caller: &Caller, id: &FlowId, action: FlowAction) -> Result<Self> {
        app.store.read(|tx| {
            let flow = access::flow(tx, caller, id, action)?;
            let side = |source: CanvasSource| -> Result<Option<Side<'static>>> {
                let canvas = source.read(tx, &flow)?;
                let of = |canvas| Side::Flow { app: app.clone(), flow: Box::new(flow.clone()), canvas };
                Ok(canvas.map(of))
            };
            let draft = drafts::find(tx, &flow)?.filter(|draft| draft.kind == Some(flow.kind));
            let draft_side = if draft.is_some() { side(CanvasSource::Draft)? } else { None };
            Ok(Self { live: side(CanvasSource::Live)?, draft_side, draft, flow })
        })
    }

    /// Live has no cards: nothing of it is published.
    pub(super) const fn is_live_empty(&self) -> bool {
        self.live.is_none()
    }

    /// What a check would run that may do something to the world: of the draft, then what Live alone has.
    pub(super) fn risky_steps(&self) -> Vec<RiskyStep> {
        risky_steps_of(self.draft_side.iter().chain(&self.live))
    }

    /// What there is to compare, or why there is nothing.
    pub(super) fn into_sides(self, app: &App) -> std::result::Result<Sides<'static>, Unavailable> {
        if !app.settings.drafts {
            return Err(Unavailable::Off);
        }
        // Of a flow that cannot be checked it says nothing that its draft is missing.
        if !is_checked(self.flow.kind) {
            return Err(Unavailable::Type);
        }
        let sides = Sides { left: self.live, right: self.draft_side.ok_or(Unavailable::NoDraft)? };
        sides.unavailable().map_or(Ok(sides), Err)
    }
}
