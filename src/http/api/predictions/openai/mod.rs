//! Flows asked by OpenAI's protocol (manual 2.14).

mod chat;
mod question;
mod responses;
mod run;

pub(crate) use self::chat::complete;
pub(crate) use self::responses::respond;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::http::request::Request;
use crate::http::routing::guard::{Guard, RequiredAccess};
use crate::http::routing::handler::Json;
use crate::ops;
use crate::ops::predictions;
use crate::wire::predictions::openai::models::{ModelView, ModelsView};

/// The holder of any key of this service; what it opens, each flow says. A session is no key.
pub(crate) const KEY: Guard<Caller> =
    Guard { name: "KEY", access: RequiredAccess::Key, authorize, object: None };

fn authorize(app: &App, request: &Request) -> Result<Caller> {
    let bearer = request.bearer().ok_or_else(Error::unauthorized)?;
    ops::accounts::keys::authenticate(app, bearer, Some(request.address()))?.ok_or_else(Error::unauthorized)
}

/// `GET /openai/v1/models`.
pub(crate) fn list(app: &App, caller: Caller, _: &Request) -> Result<Json<ModelsView>> {
    let flows = predictions::list_models(app, &caller)?;
    Ok(Json(ModelsView::new(flows.iter().map(ModelView::from).collect())))
}

/// `GET /openai/v1/models/:model`.
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<ModelView>> {
    let flow = predictions::find_model(app, &caller, request.param("model"))?;
    Ok(Json(ModelView::from(&*flow)))
}
