//! Tools that people wrote, and servers of tools.

use crate::domain::error::Result;
use crate::domain::ids::{ToolId, ToolServerId};
use crate::domain::workspace::tool::WorkspaceTool;
use crate::domain::workspace::tool_server::{ToolServer, ToolServerAccess};

pub trait WorkspaceTools: Send + Sync {
    /// A tool of the flow's workspace; `None` when there is no such tool.
    ///
    /// # Errors
    /// When it cannot be read.
    fn tool(&self, id: &ToolId) -> Result<Option<WorkspaceTool>>;

    /// A server of tools of the flow's workspace, and how it is reached; `None` when there is no such server.
    ///
    /// # Errors
    /// When it cannot be read.
    fn server(&self, id: &ToolServerId) -> Result<Option<(ToolServer, ToolServerAccess)>>;
}
