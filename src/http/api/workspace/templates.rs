//! Templates (manual 5.12).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::workspace::templates;
use crate::wire::deleted::DeletedCount;
use crate::wire::workspace::templates::{
    NewTemplate, SentSource, StarterView, TemplateEdit, TemplateLabelView, TemplateView,
};

/// `GET /marketplaces/templates`: the starter flows of this service.
///
/// # Errors
/// Never.
pub(crate) fn starters(_: &App, _: Caller, _: &Request) -> Result<Json<Vec<StarterView>>> {
    Ok(Json(templates::starters().iter().map(StarterView::from).collect()))
}

/// `GET /marketplaces/custom`.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: Caller, _: &Request) -> Result<Json<Vec<TemplateView>>> {
    Ok(Json(templates::list_usable(app, &caller)?.into_iter().map(TemplateView::from).collect()))
}

/// `POST /marketplaces/custom`.
///
/// # Errors
/// 400, 403, 404 as [`templates::create`].
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<NewTemplate>,
) -> Result<Json<TemplateView>> {
    let (label, sent) = body.into_parts()?;
    // Whoever may not make one of such a thing is told so before what they sent is judged.
    match &sent {
        SentSource::Flow(_) => templates::check_flow_export(&caller)?,
        SentSource::Tool(_) => templates::check_tool_export(&caller)?,
    }
    Ok(Json(templates::create(app, &caller, label, &sent.try_into()?)?.into()))
}

/// `PUT /marketplaces/custom/:id`.
///
/// # Errors
/// 400, 403, 404 as [`templates::update`].
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<TemplateEdit>,
) -> Result<Json<TemplateLabelView>> {
    Ok(Json(templates::update(app, &caller, request.id("id")?, body.into())?.into()))
}

/// `DELETE /marketplaces/custom/:id`.
///
/// # Errors
/// 404.
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    templates::delete(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedCount::new(1)))
}
