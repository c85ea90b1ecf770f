//! Export and import (manual 5.11).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::http::api::conversations::messages::read_filter;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::workspace::transfer::{self, ExportSelection, ImportBody};
use serde::Deserialize;
use serde_json::Value;

/// `POST /export-import/export`.
///
/// # Errors
/// 403 for a kind the caller may not have, 400 for a file that would be too large.
pub fn export(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let wanted: ExportSelection =
        if request.body().is_empty() { ExportSelection::default() } else { request.json()? };
    Reply::json(&transfer::export(app, &caller, &wanted)?)
}

/// `POST /export-import/import`.
///
/// # Errors
/// 400 for a file with nothing in it.
pub fn import(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body: ImportBody = request.json()?;
    Reply::json(&transfer::import(app, &caller, body)?)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TranscriptsBody {
    chatflow_id: String,
    #[serde(default)]
    chat_type: Option<Value>,
    #[serde(default)]
    feedback_type: Option<Value>,
    #[serde(default)]
    start_date: Option<String>,
    #[serde(default)]
    end_date: Option<String>,
}

/// `POST /export-import/chatflow-messages`: conversations as a file.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn transcripts(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body: TranscriptsBody = request.json()?;
    let id = FlowId::parse(&body.chatflow_id).ok_or_else(|| Error::no_flow_text(&body.chatflow_id))?;
    // A body says one value or a list where a query says it once or more.
    let texts = |value: &Option<Value>| match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => vec![text.clone()],
        Some(other) => vec![other.to_string()],
    };
    let (types, ratings) = (texts(&body.chat_type), texts(&body.feedback_type));
    let filter = read_filter(
        &|name| match name {
            "startDate" => body.start_date.as_deref(),
            "endDate" => body.end_date.as_deref(),
            _ => None,
        },
        &|name| {
            let list = if name == "chatType" { &types } else { &ratings };
            list.iter().map(String::as_str).collect()
        },
    )?;
    let exported = transfer::transcripts(app, &caller, &id, &filter)?;
    let disposition = format!("attachment; filename=\"{id}-Message.json\"");
    Ok(Reply::json(&exported)?.with_header("content-disposition", &disposition))
}
