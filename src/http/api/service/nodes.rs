//! The card catalogue (manual 9.8).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::service::card_definition::CardDefinition;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::service::{catalogue, code_trials, load_methods};
use crate::wire::choice::ChoiceView;
use crate::wire::flows::problems::OverridableSettingView;
use crate::wire::service::answer_schema::{AnswerKeys, AnswerSchemaView};
use crate::wire::service::cards::{CardView, LoadMethodRequest};
use crate::wire::service::code_trial::{CodeOutcomeView, CodeTrialRequest};
use serde_json::{Map, Value};

/// `GET /nodes`.
///
/// # Errors
/// Never.
pub(crate) fn list(_: &App, _: Caller, _: &Request) -> Result<Json<Vec<CardView>>> {
    Ok(Json(views(catalogue::all())))
}

/// `GET /nodes/:name`.
///
/// # Errors
/// 404.
pub(crate) fn read(_: &App, _: Caller, request: &Request) -> Result<Json<CardView>> {
    Ok(Json(catalogue::card(request.param("name"))?.into()))
}

/// `GET /nodes/category/:name`.
///
/// # Errors
/// Never: a category without cards is an empty list.
pub(crate) fn list_category(_: &App, _: Caller, request: &Request) -> Result<Json<Vec<CardView>>> {
    Ok(Json(views(catalogue::cards_of_category(request.param("name")))))
}

fn views(cards: Vec<CardDefinition>) -> Vec<CardView> {
    cards.into_iter().map(CardView::from).collect()
}

/// `POST /node-config`: what an override list may name of one card.
///
/// # Errors
/// 400.
pub(crate) fn config(
    _: &App,
    _: Caller,
    _: &Request,
    Json(data): Json<Map<String, Value>>,
) -> Result<Json<Vec<OverridableSettingView>>> {
    let found = catalogue::node_config(&Value::Object(data))?;
    Ok(Json(found.into_iter().map(OverridableSettingView::from).collect()))
}

/// `GET /node-icon/:name`.
///
/// # Errors
/// 404.
pub(crate) fn icon(_: &App, (): (), request: &Request) -> Result<Reply> {
    Ok(Reply::svg(catalogue::icon(request.param("name"))?, request.header("if-none-match")))
}

/// `GET /components-credentials-icon/:name`.
///
/// # Errors
/// 404.
pub(crate) fn credential_icon(_: &App, (): (), request: &Request) -> Result<Reply> {
    Ok(Reply::svg(catalogue::credential_icon(request.param("name"))?, request.header("if-none-match")))
}

/// `POST /node-load-method/:name`.
///
/// # Errors
/// 404.
pub(crate) fn load(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<LoadMethodRequest>,
) -> Result<Json<Vec<ChoiceView>>> {
    let found = load_methods::load(app, &caller, request.param("name"), &body.into(), request.cancel())?;
    Ok(Json(found.into_iter().map(ChoiceView::from).collect()))
}

/// `POST /node-custom-function`: tries code, with example values.
///
/// # Errors
/// Never: what keeps the code from a result is in the answer.
pub(crate) fn try_code(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<CodeTrialRequest>,
) -> Result<Json<CodeOutcomeView>> {
    Ok(Json(code_trials::run(app, &caller, &body.into(), request.cancel()).into()))
}

/// `POST /node-answer-schema`: what a model is sent for the keys that its answer must have.
///
/// # Errors
/// Never: what is wrong with the keys is in the answer.
pub(crate) fn answer_schema(
    _: &App,
    _: Caller,
    _: &Request,
    Json(body): Json<AnswerKeys>,
) -> Result<Json<AnswerSchemaView>> {
    Ok(Json(catalogue::answer_schema(&body.rows).into()))
}
