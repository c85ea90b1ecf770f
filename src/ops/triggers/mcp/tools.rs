//! What tools a caller finds, and what a call of one asks its flow.

use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::Flow;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::prediction::{ChatType, Question};
use crate::domain::triggers::mcp_server::McpServer;
use crate::domain::triggers::mcp_tool::{ArgumentKind, McpTool, ToolArgument, ToolArguments};
use crate::engine::FlowPlan;
use crate::engine::agentflow::{FieldKind, FormField, StartKind};
use crate::engine::answer_shape::answer_schema;
use crate::ops::predictions::{self, PredictionRequest};
use crate::store::tables::{CANVASES, FLOWS, MCP_SERVERS};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The flow as a tool.
///
/// # Errors
/// 404 when nothing of it is published.
pub fn tool_of(app: &App, flow: Arc<Flow>, server: McpServer) -> Result<McpTool> {
    predictions::require_cards(&flow)?;
    // A canvas that cannot run says so when it is called.
    let arguments = match predictions::plan(app, &flow).as_deref() {
        Ok(FlowPlan::Agent(plan)) if plan.start.kind == StartKind::Form => {
            ToolArguments::Form(plan.start.fields.iter().map(ToolArgument::from).collect())
        }
        _ => ToolArguments::Question,
    };
    let output = output_of(app, &flow)?;
    let McpServer { tool_name: name, description, .. } = server;
    Ok(McpTool { flow, name, description, arguments, output })
}

fn output_of(app: &App, flow: &Flow) -> Result<Option<Value>> {
    if flow.settings.chatbot_config.post_processing.is_some() {
        return Ok(None);
    }
    let text = app.store.read(|tx| CANVASES.get(tx, &flow.workspace, &flow.id))?;
    let canvas = text.and_then(|text| Canvas::parse(&text).ok());
    Ok(canvas.and_then(|canvas| answer_schema(flow.kind, &canvas)))
}

impl From<&FormField> for ToolArgument {
    fn from(field: &FormField) -> Self {
        let kind = match &field.kind {
            FieldKind::Text => ArgumentKind::Text,
            FieldKind::Number => ArgumentKind::Number,
            FieldKind::Switch => ArgumentKind::Switch,
            FieldKind::Choice(choices) => ArgumentKind::Choice(choices.clone()),
        };
        Self { name: field.name.clone(), label: field.label.clone(), kind }
    }
}

/// The tools of the workspace that the holder of a key may call, by name.
///
/// # Errors
/// When the database cannot be read.
pub fn list_tools(app: &App, caller: &Caller) -> Result<Vec<McpTool>> {
    let found = app.store.read(|tx| {
        let servers = MCP_SERVERS.entries(tx, &caller.workspace)?;
        let on = servers.into_iter().filter(|(_, server)| server.enabled);
        let flow = |(id, server)| Ok((FLOWS.get(tx, &caller.workspace, &id)?, server));
        on.map(flow).collect::<Result<Vec<(Option<Flow>, McpServer)>>>()
    })?;
    let open = found.into_iter().filter_map(|(flow, server)| Some((flow?, server)));
    let open = open.filter(|(flow, _)| predictions::may_ask(caller, flow));
    let mut tools: Vec<McpTool> =
        open.map(|(flow, server)| tool_of(app, Arc::new(flow), server)).collect::<Result<_>>()?;
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(tools)
}

/// What a call with these arguments asks the flow: in a conversation of its own.
///
/// # Errors
/// 400 for arguments that are none of this tool.
pub fn request(
    tool: &McpTool,
    (question, form): (&str, &str),
    mut arguments: Map<String, Value>,
    streaming: bool,
) -> Result<PredictionRequest> {
    let asked = match &tool.arguments {
        ToolArguments::Question => {
            let text = arguments.shift_remove(question);
            if let Some(name) = arguments.keys().next() {
                return Err(Error::Invalid(format!(
                    "There is no argument '{}': this tool has '{question}' alone.",
                    name.escape_debug()
                )));
            }
            match text {
                Some(Value::String(text)) if !text.trim().is_empty() => {
                    Question { text, ..Question::default() }
                }
                _ => return Err(Error::Invalid(format!("'{question}' is required: the text to ask."))),
            }
        }
        ToolArguments::Form(fields) => {
            let is_field = fields.iter().any(|field| field.name == form);
            let whole = arguments.get(form).and_then(Value::as_object).filter(|_| !is_field);
            let sent = match whole {
                Some(whole) if arguments.len() == 1 => whole.clone(),
                _ => arguments,
            };
            Question { form: Some(sent), ..Question::default() }
        }
    };
    let question = Question { streaming, ..asked };
    Ok(PredictionRequest {
        flow: tool.flow.clone(),
        question,
        chat_type: ChatType::Mcp,
        side: CanvasSide::Live,
        asker: Asker::ANYBODY,
    })
}
