//! The one door to Live: every write of a flow record or its canvas goes through here.

use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::error::{Error, Result};
use crate::domain::flow::{CanvasDigest, Flow};
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::store::tables::{CANVASES, FLOW_HOME, FLOWS};
use crate::store::{WriteTx, messages};

/// A checked canvas on its way to Live.
#[derive(Debug, Clone)]
pub struct NewCanvas {
    text: String,
    card_count: u32,
}

impl NewCanvas {
    /// Checks a canvas text (spec 4.2 r2).
    ///
    /// # Errors
    /// 400 when it is not JSON text with the lists `nodes` and `edges`.
    pub fn check(text: String) -> Result<Self> {
        let canvas = Canvas::parse(&text).map_err(|fault| Error::Invalid(fault.to_string()))?;
        Ok(Self { card_count: canvas.card_count(), text })
    }

    /// The canvas of a flow nobody has drawn yet.
    #[must_use]
    pub fn empty() -> Self {
        Self { text: r#"{"nodes":[],"edges":[]}"#.to_owned(), card_count: 0 }
    }

    /// Puts what the record says about its canvas in line with this one.
    pub fn describe(&self, flow: &mut Flow) {
        flow.digest = CanvasDigest::of(flow.kind, &self.text);
        flow.card_count = self.card_count;
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Makes a flow.
///
/// # Errors
/// When the database cannot be written.
pub fn create(app: &App, mut flow: Flow, canvas: &NewCanvas) -> Result<Flow> {
    canvas.describe(&mut flow);
    app.store.write(|tx| {
        FLOW_HOME.put(tx, &flow.id, &flow.workspace)?;
        put(tx, &flow, Some(canvas))
    })?;
    Ok(flow)
}

/// Changes a flow: `change` gets the record as it is and returns it as it shall be.
///
/// # Errors
/// 404 when the workspace has no such flow; what `change` refuses.
pub fn update(
    app: &App,
    workspace: &WorkspaceId,
    id: &FlowId,
    canvas: Option<&NewCanvas>,
    change: impl Fn(&WriteTx, Flow) -> Result<Flow>,
) -> Result<Flow> {
    app.store.write(|tx| {
        let before = FLOWS.get(tx, workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
        let kind = before.kind;
        let mut flow = change(tx, before)?;
        match canvas {
            Some(canvas) => canvas.describe(&mut flow),
            // The digest covers the kind, so a flow that changes kind has another Live with the same canvas.
            None if flow.kind != kind => {
                let text = CANVASES.get(tx, workspace, id)?.unwrap_or_default();
                flow.digest = CanvasDigest::of(flow.kind, &text);
            }
            None => {}
        }
        put(tx, &flow, canvas)?;
        Ok(flow)
    })
}

fn put(tx: &WriteTx, flow: &Flow, canvas: Option<&NewCanvas>) -> Result<()> {
    if let Some(canvas) = canvas {
        CANVASES.put(tx, &flow.workspace, &flow.id, canvas.text())?;
    }
    FLOWS.put(tx, &flow.workspace, &flow.id, flow)
}

/// Deletes a flow with its canvas and its conversations. `permit` judges the record first.
///
/// # Errors
/// 404 when the workspace has no such flow; what `permit` refuses.
pub fn delete(
    app: &App,
    workspace: &WorkspaceId,
    id: &FlowId,
    permit: impl Fn(&Flow) -> Result<()>,
) -> Result<()> {
    app.store.write(|tx| {
        let flow = FLOWS.get(tx, workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
        permit(&flow)?;
        messages::remove_flow(tx, workspace, id)?;
        CANVASES.remove(tx, workspace, id)?;
        FLOWS.remove(tx, workspace, id)?;
        FLOW_HOME.remove(tx, id)?;
        Ok(())
    })
}
