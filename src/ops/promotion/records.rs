//! What a workspace holds of all that a canvas of another server can name, read in one transaction.

use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::version::Sha;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::knowledge::document_store::DocumentStore;
use crate::domain::workspace::credential::Credential;
use crate::domain::workspace::tool::WorkspaceTool;
use crate::domain::workspace::tool_server::ToolServer;
use crate::domain::workspace::variable::Variable;
use crate::store::Tx;
use crate::store::tables::{CREDENTIALS, DOCUMENT_STORES, FLOWS, TOOL_SERVERS, TOOLS, VARIABLES};
use std::collections::HashMap;

/// All that a flow of Dev may be mapped to here, read in one transaction.
pub(super) struct WorkspaceRecords {
    pub credentials: Vec<Credential>,
    pub tools: Vec<WorkspaceTool>,
    pub tool_servers: Vec<ToolServer>,
    pub stores: Vec<DocumentStore>,
    pub flows: Vec<Flow>,
    pub variables: Vec<Variable>,
}

impl WorkspaceRecords {
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn read(tx: &impl Tx, workspace: &WorkspaceId) -> Result<Self> {
        Ok(Self {
            credentials: CREDENTIALS.list(tx, workspace)?,
            tools: TOOLS.list(tx, workspace)?,
            tool_servers: TOOL_SERVERS.list(tx, workspace)?,
            stores: DOCUMENT_STORES.list(tx, workspace)?,
            flows: FLOWS.list(tx, workspace)?,
            variables: VARIABLES.list(tx, workspace)?,
        })
    }
    /// The version of Dev that each flow was promoted from last.
    pub(super) fn last_promotions(&self) -> HashMap<FlowId, Sha> {
        self.flows.iter().filter_map(|flow| Some((flow.id, flow.last_promoted?.from))).collect()
    }
}
