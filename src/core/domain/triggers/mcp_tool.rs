//! A flow as a tool, as whoever calls it sees it (manual 2.15).

use crate::domain::flows::flow::Flow;
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug, Clone)]
pub struct McpTool {
    pub flow: Arc<Flow>,
    pub name: String,
    pub description: String,
    pub arguments: ToolArguments,
    /// The schema of what it answers, where it always answers so.
    pub output: Option<Value>,
}

/// What it is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolArguments {
    Question,
    /// The fields of the form that the flow begins with.
    Form(Vec<ToolArgument>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolArgument {
    pub name: String,
    pub label: String,
    pub kind: ArgumentKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentKind {
    Text,
    Number,
    Switch,
    Choice(Vec<String>),
}
