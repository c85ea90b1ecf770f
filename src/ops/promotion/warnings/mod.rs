//! What an owner should know before a version of Dev becomes Live here (manual 20.4).

mod behaviour;
mod credentials;
mod files;

use super::assessment::LiveFlow;
use super::records::WorkspaceRecords;
use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::restore::{HiddenSecret, RestoreNotes};
use crate::domain::promotion::warning::Warning;
use crate::store::Tx;
use serde_json::{Map, Value};

/// A change of Live that is looked at.
pub(super) struct Change<'a> {
    pub here: Option<&'a LiveFlow>,
    /// The flow as it would be.
    pub flow: &'a Flow,
    /// Its canvas as it would be.
    pub canvas: &'a Canvas,
    /// The settings that the version had on Dev; none of them is taken over.
    pub settings_on_dev: &'a Map<String, Value>,
    pub notes: &'a RestoreNotes,
    /// The secrets that the version does not hold.
    pub hidden: &'a [HiddenSecret],
    pub records: &'a WorkspaceRecords,
}

impl Change<'_> {
    /// Live's canvas; `None` for a new flow, and for one whose canvas cannot be read.
    fn live(&self) -> Option<Canvas> {
        Canvas::parse(&self.here?.canvas).ok()
    }
}

/// Everything to be known but the records that are not here, which were looked for before.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn find(app: &App, tx: &impl Tx, change: &Change<'_>) -> Result<Vec<Warning>> {
    let live = change.live();
    let mut found = credentials::edited(change);
    found.extend(credentials::ambiguous(change));
    found.extend(credentials::addresses(tx, change, live.as_ref())?);
    found.extend(credentials::private_addresses(change, live.as_ref()));
    found.extend(files::missing(app, change)?);
    found.extend(behaviour::models(change, live.as_ref()));
    found.extend(behaviour::codes(change, live.as_ref()));
    found.extend(behaviour::overrides(change));
    found.extend(behaviour::secrets(change));
    found.extend(behaviour::starts(app, tx, change, live.as_ref())?);
    Ok(found)
}
