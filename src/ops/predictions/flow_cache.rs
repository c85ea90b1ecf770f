//! What every answer needs to know of its flow, kept until the database changes.

use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::ops::flows;
use crate::ops::workspace::variables;
use crate::store::queries::intents;
use crate::store::{ReadCache, ReadTx};
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) type SavedVariables = Arc<HashMap<String, String>>;

/// Records as they were read last.
#[derive(Default)]
pub struct FlowCache {
    flows: ReadCache<FlowId, Arc<Flow>>,
    variables: ReadCache<WorkspaceId, SavedVariables>,
    versions: ReadCache<FlowId, Arc<str>>,
}

impl FlowCache {
    /// The flow of this id, whoever asks (manual 2.3).
    ///
    /// # Errors
    /// 404 naming the id.
    pub fn flow(&self, app: &App, id: &FlowId) -> Result<Arc<Flow>> {
        app.store.read_cached(&self.flows, id, |tx| flows::find(tx, id).map(Arc::new))
    }

    /// The version of Live, in short; none while its newest change is not recorded. A version is promised and noted in the
    /// database, so it is known until that changes; that there is none is asked again.
    pub fn live_version(&self, app: &App, id: &FlowId) -> Option<String> {
        if !app.history.is_enabled() {
            return None;
        }
        let read = |tx: &ReadTx| {
            let is_recorded = !intents::has_unrecorded(tx, id)?;
            // A history that cannot be read is told of elsewhere.
            let newest = if is_recorded { app.history.newest(id).ok().flatten() } else { None };
            newest.map(|version| version.sha.short().into()).ok_or(Error::Cancelled)
        };
        app.store.read_cached(&self.versions, id, read).ok().map(|short: Arc<str>| short.to_string())
    }

    /// The values of a workspace's variables.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn variables(&self, app: &App, workspace: &WorkspaceId) -> Result<SavedVariables> {
        app.store.read_cached(&self.variables, workspace, |tx| {
            variables::values(tx, &app.environment, workspace).map(Arc::new)
        })
    }
}
