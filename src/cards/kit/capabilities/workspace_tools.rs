//! Tools that people wrote.

use crate::domain::error::Result;
use crate::domain::ids::ToolId;
use crate::domain::workspace::tool::WorkspaceTool;

pub trait WorkspaceTools: Send + Sync {
    /// A tool of the flow's workspace; `None` when there is no such tool.
    ///
    /// # Errors
    /// When it cannot be read.
    fn tool(&self, id: &ToolId) -> Result<Option<WorkspaceTool>>;
}
