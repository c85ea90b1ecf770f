//! The canvases of a flow as a check finds them.

use super::sides::{CanvasSource, GivenCanvas, Side, Sides, risky_steps_of};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::check::WantedSide;
use crate::domain::checks::setup::{RiskyStep, Unavailable};
use crate::domain::checks::sides::{Comparison, SideName, SideNames};
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::version::ShaPrefix;
use crate::domain::ids::FlowId;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::{self, drafts, versions};
use jiff::Timestamp;

/// Where both sides of a check are from.
pub(super) struct Sources {
    pub(super) left: CanvasSource,
    pub(super) right: CanvasSource,
}

impl Sources {
    /// Live and the draft, as a check compares them where nothing else is wanted.
    pub(super) const DRAFT: Self = Self { left: CanvasSource::Live, right: CanvasSource::Draft };

    /// As a caller wants them.
    ///
    /// # Errors
    /// 404, 403; 400 for another name, for what is no canvas, and for one side twice; 409 for a version while history is off.
    pub(super) fn wanted(
        app: &App,
        caller: &Caller,
        id: &FlowId,
        (left, right): (Option<WantedSide>, Option<WantedSide>),
    ) -> Result<Self> {
        let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Update))?;
        let find = |wanted: Option<WantedSide>, field: &str, default: CanvasSource| match wanted {
            None => Ok(default),
            Some(WantedSide::Named(name)) => find_source(app, caller, id, (field, &name)),
            Some(WantedSide::Canvas(canvas)) => given_canvas(app, &flow, &canvas),
        };
        let left = find(left, "left", CanvasSource::Live)?;
        let right = find(right, "right", CanvasSource::Draft)?;
        if left.name() == right.name() {
            return Err(Error::invalid(
                "Invalid right: it is what left is too, so there is nothing to compare.",
            ));
        }
        Ok(Self { left, right })
    }

    fn names(&self) -> SideNames {
        SideNames { left: self.left.name(), right: self.right.name() }
    }
}

/// A canvas that the caller brings, as a save to the draft would take it.
fn given_canvas(app: &App, flow: &Flow, canvas: &str) -> Result<CanvasSource> {
    let canvas = flows::take_in(canvas, Some((app, flow)))?.text().to_owned();
    Ok(CanvasSource::Given(GivenCanvas { name: SideName::Given, kind: flow.kind, canvas }))
}

fn find_source(app: &App, caller: &Caller, id: &FlowId, (field, name): (&str, &str)) -> Result<CanvasSource> {
    match name {
        "live" => return Ok(CanvasSource::Live),
        "draft" => return Ok(CanvasSource::Draft),
        _ => {}
    }
    if ShaPrefix::parse(name).is_err() {
        return Err(Error::Invalid(format!(
            "Invalid {field}: it must be live, draft or the id of a version (7 to 40 lowercase hex characters)."
        )));
    }
    if !app.history.is_enabled() {
        return Err(Conflict::HistoryOff.into());
    }
    let found = versions::load_restorable(app, caller, id, name, FlowAction::Update)?;
    let name = SideName::Version(found.version.sha);
    Ok(CanvasSource::Given(GivenCanvas { name, kind: found.kind, canvas: found.canvas }))
}

/// A flow with what a check compares, of one moment.
pub(super) struct FlowCanvases {
    pub(super) flow: Flow,
    pub(super) names: SideNames,
    /// `None` where nothing of it could answer.
    left: Option<Side<'static>>,
    /// `None` where there is no such canvas.
    right: Option<Side<'static>>,
    /// When the draft was saved, where it is one of the sides and of the flow's kind.
    pub(super) draft_saved: Option<Timestamp>,
}

impl FlowCanvases {
    /// # Errors
    /// 404, 403.
    pub(super) fn read(
        app: &App,
        caller: &Caller,
        id: &FlowId,
        action: FlowAction,
        sources: Sources,
    ) -> Result<Self> {
        let names = sources.names();
        app.store.read(|tx| {
            let flow = access::flow(tx, caller, id, action)?;
            let side = |source: CanvasSource| -> Result<Option<Side<'static>>> {
                let kind = source.kind(&flow);
                let side = |canvas| Side::Flow {
                    app: app.clone(),
                    flow: Box::new(Flow { kind, ..flow.clone() }),
                    canvas,
                };
                Ok(source.read(tx, &flow)?.map(side))
            };
            let draft = if names.has_draft() { drafts::find(tx, &flow)? } else { None };
            let draft = draft.filter(|draft| draft.kind == Some(flow.kind));
            Ok(Self {
                left: side(sources.left)?.filter(|left| !left.is_empty()),
                right: side(sources.right)?,
                names,
                draft_saved: draft.map(|draft| draft.updated),
                flow,
            })
        })
    }

    /// What stands has no cards: only the other side can answer.
    pub(super) const fn is_left_empty(&self) -> bool {
        self.left.is_none()
    }

    /// What a check would run that may do something to the world: of the new side, then what only stands.
    pub(super) fn risky_steps(&self) -> Vec<RiskyStep> {
        risky_steps_of(self.right.iter().chain(&self.left))
    }

    /// What there is to compare, or why there is nothing.
    pub(super) fn into_sides(self, app: &App) -> std::result::Result<Sides<'static>, Unavailable> {
        if !app.settings.drafts && self.names.comparison() != Comparison::Promotion {
            return Err(Unavailable::Off);
        }
        if self.names.has_draft() && self.draft_saved.is_none() {
            // Of a flow that cannot be checked it says nothing that its draft is missing.
            let has_drafts = matches!(self.flow.kind, FlowKind::Chatflow | FlowKind::Agentflow);
            return Err(if has_drafts { Unavailable::NoDraft } else { Unavailable::Type });
        }
        let sides =
            Sides { left: self.left, right: self.right.ok_or(Unavailable::NoDraft)?, names: self.names };
        sides.unavailable().map_or(Ok(sides), Err)
    }
}
