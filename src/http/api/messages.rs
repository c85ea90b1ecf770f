//! Stored conversations (reference 1.2 `/chatmessage`).

use super::flows::{deleted, page};
use super::prediction::flow_id;
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, MessageId};
use crate::domain::prediction::ChatType;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::messages::{self, MessageFilter, MessageOrder, MessagePage};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// `GET /chatmessage/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let order = match request.query("order") {
        None | Some("" | "ASC") => MessageOrder::Ascending,
        Some("DESC") => MessageOrder::Descending,
        Some(_) => return Err(Error::invalid("Invalid order: it must be ASC or DESC.")),
    };
    let (skip, limit) =
        page(request)?.map_or((0, usize::MAX), |(page, size)| ((page - 1).saturating_mul(size), size));
    Reply::json(&messages::list(
        app,
        &caller,
        &flow_id(request)?,
        &filter(request)?,
        MessagePage { order, skip, limit },
    )?)
}

/// `DELETE /chatmessage/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    deleted(messages::delete(app, &caller, &flow_id(request)?, &filter(request)?)?)
}

fn filter(request: &Request) -> Result<MessageFilter> {
    let text = |name: &str| request.query(name).filter(|text| !text.is_empty());
    Ok(MessageFilter {
        chat_types: chat_types(&request.query_all("chatType"))?,
        chat: named(text("chatId"), "chatId", ChatId::parse)?,
        session: text("sessionId").map(str::to_owned),
        memory_type: text("memoryType").map(str::to_owned),
        message: named(text("messageId"), "messageId", MessageId::parse)?,
        start: named(text("startDate"), "startDate", |text| text.parse::<Timestamp>().ok())?,
        end: named(text("endDate"), "endDate", |text| text.parse::<Timestamp>().ok())?,
    })
}

fn named<T>(text: Option<&str>, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
    let wrong = || Error::Invalid(format!("Invalid {name}."));
    text.map(|text| parse(text).ok_or_else(wrong)).transpose()
}

/// One value, several, or a JSON array of them.
fn chat_types(sent: &[&str]) -> Result<Vec<ChatType>> {
    let mut types = Vec::new();
    for text in sent.iter().filter(|text| !text.is_empty()) {
        let read: Option<Vec<ChatType>> =
            if text.starts_with('[') { parse(text) } else { one(text).map(|one| vec![one]) };
        types.extend(
            read.ok_or_else(|| Error::invalid("Invalid chatType: it must be INTERNAL or EXTERNAL."))?,
        );
    }
    Ok(types)
}

fn parse<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

fn one(text: &str) -> Option<ChatType> {
    serde_json::from_value(Value::from(text)).ok()
}
