//! Stored conversations (reference 1.2 `/chatmessage`, `/stats`).

use super::flows::{deleted, page};
use super::prediction::flow_id;
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, MessageId};
use crate::domain::prediction::ChatType;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::messages::{self, MessageFilter, MessageOrder, Telling, conversations, stats};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// `GET /chatmessage/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    tell(app, &caller, request, &filter(request)?)
}

/// `GET /internal-chatmessage/:id`: of the canvas test chat only.
///
/// # Errors
/// As [`list`].
pub fn list_internal(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let filter = MessageFilter { chat_types: vec![ChatType::Internal], ..filter(request)? };
    tell(app, &caller, request, &filter)
}

fn tell(app: &App, caller: &Caller, request: &Request, filter: &MessageFilter) -> Result<Reply> {
    let telling =
        Telling { order: order(request)?, page: page(request)?, feedback: truthy(request, "feedback") };
    Reply::json(&messages::list(app, caller, &flow_id(request)?, filter, telling)?)
}

/// A flag of the query: anything but nothing, `false` and `0`.
fn truthy(request: &Request, name: &str) -> bool {
    request.query(name).is_some_and(|text| !matches!(text, "" | "false" | "0"))
}

pub(super) fn order(request: &Request) -> Result<MessageOrder> {
    match request.query("order") {
        None | Some("" | "ASC") => Ok(MessageOrder::Ascending),
        Some("DESC") => Ok(MessageOrder::Descending),
        Some(_) => Err(Error::invalid("Invalid order: it must be ASC or DESC.")),
    }
}

/// `GET /conversations/:id`: a page of conversations, one row for each.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn conversations(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    const ROWS: usize = 20;
    let page = page(request)?.unwrap_or((1, ROWS));
    let (rows, total) = conversations::list(app, &caller, &flow_id(request)?, &filter(request)?, page)?;
    Reply::json(&json!({"data": rows, "total": total}))
}

/// `GET /stats/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn stats(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&stats::of_flow(app, &caller, &flow_id(request)?, &filter(request)?)?)
}

/// `DELETE /chatmessage/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    deleted(messages::delete(app, &caller, &flow_id(request)?, &filter(request)?)?)
}

fn filter(request: &Request) -> Result<MessageFilter> {
    read_filter(&|name| request.query(name), &|name| request.query_all(name))
}

/// A filter of named texts: the first of a name, and all of it.
pub(super) fn read_filter<'a>(
    first: &dyn Fn(&str) -> Option<&'a str>,
    all: &dyn Fn(&str) -> Vec<&'a str>,
) -> Result<MessageFilter> {
    let text = |name: &str| first(name).filter(|text| !text.is_empty());
    Ok(MessageFilter {
        chat_types: several(&all("chatType"), "Invalid chatType: it must be INTERNAL or EXTERNAL.")?,
        chat: named(text("chatId"), "chatId", ChatId::parse)?,
        session: text("sessionId").map(str::to_owned),
        memory_type: text("memoryType").map(str::to_owned),
        message: named(text("messageId"), "messageId", MessageId::parse)?,
        start: named(text("startDate"), "startDate", |text| text.parse::<Timestamp>().ok())?,
        end: named(text("endDate"), "endDate", |text| text.parse::<Timestamp>().ok())?,
        ratings: several(&all("feedbackType"), "Invalid feedbackType: it must be THUMBS_UP or THUMBS_DOWN.")?,
    })
}

pub(super) fn named<T>(
    text: Option<&str>,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let wrong = || Error::Invalid(format!("Invalid {name}."));
    text.map(|text| parse(text).ok_or_else(wrong)).transpose()
}

/// One value, several, or a JSON array of them.
fn several<T: DeserializeOwned>(sent: &[&str], wrong: &'static str) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for text in sent.iter().filter(|text| !text.is_empty()) {
        let read: Option<Vec<T>> = if text.starts_with('[') {
            serde_json::from_str(text).ok()
        } else {
            serde_json::from_value(Value::from(*text)).ok().map(|one| vec![one])
        };
        found.extend(read.ok_or_else(|| Error::invalid(wrong))?);
    }
    Ok(found)
}
