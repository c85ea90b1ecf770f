//! The secret that signs calls of a flow's webhook (manual 17.2).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::triggers::webhooks;
use crate::wire::triggers::webhooks::WebhookSecretView;

/// `POST /chatflows/:id/webhook-secret`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn generate(app: &App, caller: Caller, request: &Request) -> Result<Json<WebhookSecretView>> {
    let webhook_secret = webhooks::generate_secret(app, &caller, &flow_id(request)?)?;
    Ok(Json(WebhookSecretView { webhook_secret }))
}

/// `DELETE /chatflows/:id/webhook-secret`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    webhooks::delete_secret(app, &caller, &flow_id(request)?)?;
    Ok(Reply::empty(204))
}
