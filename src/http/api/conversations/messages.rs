//! Stored conversations (manual 3.5).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::version::ShaPrefix;
use crate::domain::ids::{ChatId, FlowId, MessageId};
use crate::domain::predictions::prediction::ChatType;
use crate::http::api::flows::page_params;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::conversations::messages::search::ConversationSearch;
use crate::ops::conversations::messages::{
    self, ListOptions, MessageFilter, MessageOrder, conversations, search, stats,
};
use crate::wire::conversations::messages::MessageView;
use crate::wire::conversations::summaries::{
    ConversationCountView, ConversationView, FlowStatsView, FoundConversationsView,
};
use crate::wire::deleted::DeletedCount;
use crate::wire::page::Page;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Rows of a page that a cursor goes on from, unless the request says otherwise.
const CURSOR_PAGE_ROWS: usize = 20;
/// Most rows of a page that a cursor goes on from (manual 14.1).
const CURSOR_PAGE_ROWS_MAX_COUNT: usize = 100;
/// Longest text that messages are searched for (manual 14.1).
const SEARCHED_TEXT_MAX_CHARS: usize = 200;

/// `GET /chatmessage/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<MessageView>>> {
    list_filtered(app, &caller, request, &filter(request)?)
}

/// `GET /internal-chatmessage/:id`: of the canvas test chat only.
///
/// # Errors
/// As [`list`].
pub(crate) fn list_internal(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<MessageView>>> {
    let filter = MessageFilter { chat_types: Some(vec![ChatType::Internal]), ..filter(request)? };
    list_filtered(app, &caller, request, &filter)
}

fn list_filtered(
    app: &App,
    caller: &Caller,
    request: &Request,
    filter: &MessageFilter,
) -> Result<Json<Vec<MessageView>>> {
    let telling = ListOptions {
        order: order(request)?,
        page: page_params(request)?,
        feedback: is_truthy(request, "feedback"),
    };
    let found = messages::list(app, caller, &flow_id(request)?, filter, telling)?;
    Ok(Json(found.into_iter().map(MessageView::from).collect()))
}

/// A flag of the query: anything but nothing, `false` and `0`.
fn is_truthy(request: &Request, name: &str) -> bool {
    request.query(name).is_some_and(|text| !matches!(text, "" | "false" | "0"))
}

pub(in crate::http::api) fn order(request: &Request) -> Result<MessageOrder> {
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
pub(crate) fn conversations(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<Page<ConversationView>>> {
    const ROWS: usize = 20;
    let page = page_params(request)?.unwrap_or((1, ROWS));
    let (rows, total) = conversations::list(app, &caller, &flow_id(request)?, &filter(request)?, page)?;
    Ok(Json(Page { data: rows.into_iter().map(ConversationView::from).collect(), total }))
}

/// `GET /conversations`: of all flows, a page at a time.
///
/// # Errors
/// 400 for a bad filter; 404 and 403 for the flow that is named.
pub(crate) fn search(app: &App, caller: Caller, request: &Request) -> Result<Json<FoundConversationsView>> {
    Ok(Json(search::search(app, &caller, &wanted(request)?)?.into()))
}

/// `GET /conversations/count`: of all flows, without the cursor and the limit of a page.
///
/// # Errors
/// As [`search()`].
pub(crate) fn count(app: &App, caller: Caller, request: &Request) -> Result<Json<ConversationCountView>> {
    Ok(Json(search::count(app, &caller, &wanted_of_all_pages(request)?)?.into()))
}

/// `DELETE /conversations`: those that [`count`] counts.
///
/// # Errors
/// As [`search()`], and 403 where one of a flow fits that the caller may not change.
pub(crate) fn delete_conversations(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<DeletedCount>> {
    let count = messages::delete_conversations(app, &caller, &wanted_of_all_pages(request)?)?;
    Ok(Json(DeletedCount::new(count)))
}

/// Which conversations are wanted, where those of all pages are: a page that is named would be taken for a bound.
fn wanted_of_all_pages(request: &Request) -> Result<ConversationSearch> {
    if let Some(name) = ["cursor", "limit"].into_iter().find(|name| request.query(name).is_some()) {
        return Err(Error::Invalid(format!(
            "'{name}' is of a page; this means the conversations of all pages."
        )));
    }
    wanted(request)
}

fn wanted(request: &Request) -> Result<ConversationSearch> {
    let text = |name: &str| request.query(name).filter(|text| !text.is_empty());
    Ok(ConversationSearch {
        flow: parse_optional(text("flowId"), "flowId", FlowId::parse)?,
        messages: read_filter(&|name| request.query(name), &|name| request.query_all(name))?,
        version: text("versionId").map(ShaPrefix::parse).transpose()?,
        failed: parse_switch(text("failed"), "failed")?,
        before: parse_optional(text("cursor"), "cursor", |text| text.parse().ok())?,
        most: page_size(request)?,
    })
}

/// How many rows a page has that a cursor goes on from.
pub(super) fn page_size(request: &Request) -> Result<usize> {
    let text = request.query("limit").filter(|text| !text.is_empty());
    let Some(text) = text else { return Ok(CURSOR_PAGE_ROWS) };
    let count = text.parse().ok().filter(|count| (1..=CURSOR_PAGE_ROWS_MAX_COUNT).contains(count));
    count.ok_or_else(|| {
        Error::Invalid(format!("Invalid limit: it must be 1 to {CURSOR_PAGE_ROWS_MAX_COUNT}."))
    })
}

/// `GET /stats/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub(crate) fn stats(app: &App, caller: Caller, request: &Request) -> Result<Json<FlowStatsView>> {
    Ok(Json(stats::of_flow(app, &caller, &flow_id(request)?, &filter(request)?)?.into()))
}

/// `DELETE /chatmessage/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    let count = messages::delete(app, &caller, &flow_id(request)?, &filter(request)?)?;
    Ok(Json(DeletedCount::new(count)))
}

fn filter(request: &Request) -> Result<MessageFilter> {
    // They choose conversations: who deletes by them and is not understood would lose more than was meant.
    if let Some(name) = ["versionId", "failed"].into_iter().find(|name| request.query(name).is_some()) {
        return Err(Error::Invalid(format!(
            "'{name}' chooses conversations and no messages; ask for those with /conversations?flowId=…&{name}=…."
        )));
    }
    read_filter(&|name| request.query(name), &|name| request.query_all(name))
}

/// A filter of named texts: the first of a name, and all of it.
pub(in crate::http::api) fn read_filter<'a>(
    first: &dyn Fn(&str) -> Option<&'a str>,
    all: &dyn Fn(&str) -> Vec<&'a str>,
) -> Result<MessageFilter> {
    let text = |name: &str| first(name).filter(|text| !text.is_empty());
    let searched = text("text").unwrap_or_default();
    if searched.chars().count() > SEARCHED_TEXT_MAX_CHARS {
        return Err(Error::Invalid(format!(
            "Invalid text: it may have {SEARCHED_TEXT_MAX_CHARS} characters."
        )));
    }
    Ok(MessageFilter {
        words: searched.split_whitespace().map(str::to_lowercase).collect(),
        chat_types: chat_types(&all("chatType"))?,
        chat: parse_optional(text("chatId"), "chatId", ChatId::parse)?,
        is_stopped: parse_switch(text("stopped"), "stopped")?,
        session: text("sessionId").map(str::to_owned),
        memory_type: text("memoryType").map(str::to_owned),
        message: parse_optional(text("messageId"), "messageId", MessageId::parse)?,
        start: parse_optional(text("startDate"), "startDate", parse_instant)?,
        end: parse_optional(text("endDate"), "endDate", parse_instant)?,
        ratings: parse_list(
            &all("feedbackType"),
            "Invalid feedbackType: it must be THUMBS_UP or THUMBS_DOWN.",
        )?,
    })
}

/// The chat types of Flowise; no message is of one that this server does not have.
#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum ChatTypeName {
    Internal,
    External,
    Evaluation,
    Mcp,
    Scheduled,
    Webhook,
}

fn chat_types(sent: &[&str]) -> Result<Option<Vec<ChatType>>> {
    let wrong = "Invalid chatType: it must be INTERNAL, EXTERNAL, EVALUATION, MCP, SCHEDULED or WEBHOOK.";
    let wanted: Vec<ChatTypeName> = parse_list(sent, wrong)?;
    let here = wanted.iter().filter_map(|door| match door {
        ChatTypeName::Internal => Some(ChatType::Internal),
        ChatTypeName::External => Some(ChatType::External),
        ChatTypeName::Scheduled => Some(ChatType::Scheduled),
        ChatTypeName::Webhook => Some(ChatType::Webhook),
        ChatTypeName::Mcp => Some(ChatType::Mcp),
        ChatTypeName::Evaluation => None,
    });
    Ok((!wanted.is_empty()).then(|| here.collect()))
}

/// A moment; a date without a time is its first one, and a time without a zone is in UTC.
pub(in crate::http::api) fn parse_instant(text: &str) -> Option<Timestamp> {
    let in_utc = |text: &str| text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    text.parse().ok().or_else(|| in_utc(text).map(|zoned| zoned.timestamp()))
}

pub(in crate::http::api) fn parse_optional<T>(
    text: Option<&str>,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>> {
    let wrong = || Error::Invalid(format!("Invalid {name}."));
    text.map(|text| parse(text).ok_or_else(wrong)).transpose()
}

/// `true` or `false`, which is usual.
fn parse_switch(text: Option<&str>, name: &str) -> Result<bool> {
    match text {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Error::Invalid(format!("Invalid {name}: it must be true or false."))),
    }
}

/// One value, several, or a JSON array of them.
fn parse_list<T: DeserializeOwned>(sent: &[&str], wrong: &'static str) -> Result<Vec<T>> {
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
