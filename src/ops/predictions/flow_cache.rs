//! What every answer needs to know of its flow, kept until the database changes.

use crate::app::App;
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::workspace::quota::WorkspaceQuota;
use crate::ops::flows;
use crate::ops::workspace::{quota, variables};
use crate::store::ReadCache;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) type SavedVariables = Arc<HashMap<String, String>>;

/// Records as they were read last.
#[derive(Default)]
pub struct FlowCache {
    flows: ReadCache<FlowId, Arc<Flow>>,
    variables: ReadCache<WorkspaceId, SavedVariables>,
    quotas: ReadCache<WorkspaceId, WorkspaceQuota>,
}

impl FlowCache {
    /// The flow of this id, whoever asks (manual 2.3).
    ///
    /// # Errors
    /// 404 naming the id.
    pub fn flow(&self, app: &App, id: &FlowId) -> Result<Arc<Flow>> {
        app.store.read_cached(&self.flows, id, |tx| flows::find(tx, id).map(Arc::new))
    }

    /// What a workspace may hold and use.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn quota(&self, app: &App, workspace: &WorkspaceId) -> Result<WorkspaceQuota> {
        app.store.read_cached(&self.quotas, workspace, |tx| quota::of(tx, workspace))
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
