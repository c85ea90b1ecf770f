//! What is wrong with flows before anybody asks them: the one answer of `/validation/:id`, of Publish and of an import.

use super::access::{self, Action};
use super::drafts;
use super::gaps;
use super::predict::Side;
use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flow::FlowKind;
use crate::domain::ids::{CredentialId, FlowId, WorkspaceId};
use crate::engine::validate::validate;
use crate::store::Tx;
use crate::store::tables::{CANVASES, CREDENTIALS};
use std::collections::HashMap;

pub use crate::engine::validate::{Problems, can_run, unknown_cards};

/// Judges canvases of a workspace by the credentials that are there now.
pub struct Validator {
    /// Types of credentials.
    credentials: HashMap<CredentialId, String>,
}

impl Validator {
    /// For this workspace.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn of(tx: &impl Tx, workspace: &WorkspaceId) -> Result<Self> {
        let credentials = CREDENTIALS.list(tx, workspace)?.into_iter();
        let types = credentials.map(|stored| (stored.id, stored.credential_name));
        Ok(Self { credentials: types.collect() })
    }

    /// The problems of a canvas, by card; none when it is fine.
    ///
    /// # Errors
    /// 400 when the text is no canvas.
    pub fn problems(&self, kind: FlowKind, canvas: &str) -> Result<Vec<Problems>> {
        let canvas = Canvas::parse(canvas).map_err(|fault| Error::Invalid(fault.to_string()))?;
        let type_of = |id: &str| self.credentials.get(&CredentialId::parse(id)?).cloned();
        Ok(validate(kind, &canvas, &type_of))
    }
}

/// The problems of a flow: of its draft when there is one, or of Live.
///
/// # Errors
/// 404 or 403.
pub fn problems(app: &App, caller: &Caller, id: &FlowId, side: Side) -> Result<Vec<Problems>> {
    let (flow, canvas, validator) = app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, Action::Read)?;
        let draft = match side {
            Side::Draft if app.settings.drafts => drafts::canvas(tx, &flow)?,
            Side::Draft | Side::Live => None,
        };
        let canvas = match draft {
            Some(canvas) => canvas,
            None => CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default(),
        };
        let validator = Validator::of(tx, &flow.workspace)?;
        Ok((flow, canvas, validator))
    })?;
    let mut found = validator.problems(flow.kind, &canvas)?;
    let drawn = Canvas::parse(&canvas).map_err(|fault| Error::Invalid(fault.to_string()))?;
    app.store.read(|tx| gaps::add(tx, &flow, &drawn, &mut found))?;
    Ok(found)
}
