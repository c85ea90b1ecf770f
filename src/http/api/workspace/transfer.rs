//! Export and import (manual 5.11).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::http::api::conversations::messages::read_filter;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::workspace::transfer;
use crate::wire::workspace::export::{ExportFile, ExportSelection};
use crate::wire::workspace::import::{ImportBody, ImportResult};
use crate::wire::workspace::transcripts::TranscriptFilter;
use serde_json::Value;

/// `POST /export-import/export`.
///
/// # Errors
/// 403 for a kind the caller may not have, 400 for a file that would be too large.
pub(crate) fn export(
    app: &App,
    caller: Caller,
    _: &Request,
    body: Option<Json<ExportSelection>>,
) -> Result<Json<ExportFile>> {
    let wanted = body.map(|Json(wanted)| wanted).unwrap_or_default();
    Ok(Json(transfer::export(app, &caller, &wanted)?))
}

/// `POST /export-import/import`.
///
/// # Errors
/// 400 for a file with nothing in it.
pub(crate) fn import(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<ImportBody>,
) -> Result<Json<ImportResult>> {
    Ok(Json(transfer::import(app, &caller, body.into())?))
}

/// `POST /export-import/chatflow-messages`: conversations as a file.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub(crate) fn transcripts(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<TranscriptFilter>,
) -> Result<Reply> {
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
