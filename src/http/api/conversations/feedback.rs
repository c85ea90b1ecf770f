//! Ratings of answers (manual 3.7).

use super::conversation_access::{flow_for_public_write, is_owner, request_proofs};
use super::messages::{order, parse_optional};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::feedback::AnswerRating;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FeedbackId, MessageId};
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::conversations::feedback::{self, FeedbackFilter};
use crate::wire::conversations::feedback::{FeedbackChangeView, FeedbackEdit, FeedbackView, NewFeedback};
use jiff::Timestamp;

/// `POST /feedback/:id` and `POST /feedback`.
///
/// # Errors
/// 400 for what is missing, 404 for an unknown flow or message, 401, 403 and 429 as [`feedback::rate`] and the flow say.
pub(crate) fn rate(
    app: &App,
    (): (),
    request: &Request,
    Json(body): Json<NewFeedback>,
) -> Result<Json<FeedbackView>> {
    let named = body.chatflowid.as_deref().filter(|id| !id.is_empty());
    let id = match (request.param("id"), named) {
        ("", None) => return Err(Error::invalid("'chatflowid' is required.")),
        ("", Some(named)) => named,
        (path, Some(named)) if path != named => {
            return Err(Error::invalid("'chatflowid' is not the flow of the address."));
        }
        (path, _) => path,
    };
    let flow = flow_for_public_write(app, request, id)?;
    let required = |name: &str| Error::Invalid(format!("'{name}' is required."));
    let new = AnswerRating {
        message: required_id("messageId", body.message_id.as_deref(), MessageId::parse)?,
        chat: required_id("chatId", body.chat_id.as_deref(), ChatId::parse)?,
        rating: body.rating.ok_or_else(|| required("rating"))?,
        content: body.content,
    };
    let owns = is_owner(app, request, &flow, &new.chat, &request_proofs(request, body.session_token))?;
    Ok(Json(feedback::rate(app, &flow, &new, owns)?.into()))
}

/// An id of the body; text that is no id names nothing there is.
fn required_id<T>(name: &str, text: Option<&str>, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    let text = text.filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Error::Invalid(format!("'{name}' is required.")))?;
    parse(text).ok_or_else(|| Error::NotFound(format!("There is nothing with this '{name}'.")))
}

/// `PUT /feedback/:feedback`.
///
/// # Errors
/// 404 for an unknown rating.
pub(crate) fn change(
    app: &App,
    (): (),
    request: &Request,
    Json(body): Json<FeedbackEdit>,
) -> Result<Json<FeedbackChangeView>> {
    let text = request.param("feedback");
    let id = FeedbackId::parse(text)
        .ok_or_else(|| Error::NotFound("There is no feedback with this id.".to_owned()))?;
    let flow = flow_for_public_write(app, request, &feedback::flow_of(app, &id)?.to_string())?;
    feedback::update(app, &flow, &id, &body.into())?;
    Ok(Json(FeedbackChangeView::OK))
}

/// `GET /feedback/:id`.
///
/// # Errors
/// 400 for a bad filter, 404, 403.
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<FeedbackView>>> {
    let text = |name: &str| request.query(name).filter(|text| !text.is_empty());
    let filter = FeedbackFilter {
        chat: parse_optional(text("chatId"), "chatId", ChatId::parse)?,
        order: order(request)?,
        start: parse_optional(text("startDate"), "startDate", |text| text.parse::<Timestamp>().ok())?,
        end: parse_optional(text("endDate"), "endDate", |text| text.parse::<Timestamp>().ok())?,
    };
    let found = feedback::list(app, &caller, &flow_id(request)?, filter)?;
    Ok(Json(found.into_iter().map(FeedbackView::from).collect()))
}
