//! Credentials and their types over HTTP (manual 8.8).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::workspace::credential_types;
use crate::http::api::flows::has_flag;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::ops::workspace::credentials;
use crate::wire::deleted::DeletedCount;
use crate::wire::flows::usage::ResourceUsageView;
use crate::wire::new::New;
use crate::wire::workspace::credential_types::{CredentialTypeOrTypes, CredentialTypeView};
use crate::wire::workspace::credentials::{CredentialAddressesView, CredentialEdit, CredentialView};
use std::collections::BTreeMap;

/// `GET /credentials`
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<CredentialView>>> {
    let found = credentials::list(app, &caller, &request.query_all("credentialName"))?;
    Ok(Json(found.into_iter().map(CredentialView::from).collect()))
}

/// `POST /credentials`
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(New(body)): Json<New<CredentialEdit>>,
) -> Result<Json<CredentialView>> {
    Ok(Json(credentials::create(app, &caller, credential_types::find_type, &body.try_into()?)?.into()))
}

/// `GET /credentials/:id`
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<CredentialView>> {
    let (found, fields) = credentials::read(app, &caller, credential_types::find_type, request.id("id")?)?;
    Ok(Json(CredentialView::with_fields(found, fields)))
}

/// `GET /credentials/:id/reveal`: the addresses among its fields. What is secret never leaves, so a password within an
/// address stays hidden (manual 8.8 r3).
pub(crate) fn reveal(app: &App, caller: Caller, request: &Request) -> Result<Json<CredentialAddressesView>> {
    let found = credentials::addresses(app, &caller, credential_types::find_type, request.id("id")?)?;
    Ok(Json(CredentialAddressesView { plain_data_obj: found }))
}

/// `GET /used-by/:kind`: which flows use each credential, tool, document store, variable or key.
pub(crate) fn used_by(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<BTreeMap<String, ResourceUsageView>>> {
    let used = ResourceKind::parse(request.param("kind"));
    let used = used.ok_or_else(|| {
        Error::NotFound(
            "There is nothing to count but credentials, tools, document stores, variables and API keys."
                .to_owned(),
        )
    })?;
    let found = usage::count(app, &caller, used)?.into_iter();
    Ok(Json(found.map(|(name, usage)| (name, usage.into())).collect()))
}

/// `PUT /credentials/:id`
pub(crate) fn update(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<CredentialEdit>,
) -> Result<Json<CredentialView>> {
    let change = body.try_into()?;
    let id = request.id("id")?;
    Ok(Json(credentials::update(app, &caller, credential_types::find_type, id, &change)?.into()))
}

/// `DELETE /credentials/:id`
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    let force = has_flag(request, "force")?;
    credentials::delete(app, &caller, request.id("id")?, force)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `GET /components-credentials`
pub(crate) fn types(
    _app: &App,
    _caller: Caller,
    _request: &Request,
) -> Result<Json<Vec<CredentialTypeView>>> {
    Ok(Json(credential_types::ALL.iter().map(CredentialTypeView::from).collect()))
}

/// `GET /components-credentials/:name`: one form, or an array for `a&b`.
pub(crate) fn read_types(
    _app: &App,
    _caller: Caller,
    request: &Request,
) -> Result<Json<CredentialTypeOrTypes>> {
    let names = request.param("name");
    if !names.contains('&') {
        return Ok(Json(CredentialTypeOrTypes::Type(type_form(names)?)));
    }
    let forms = names.split('&').map(type_form).collect::<Result<_>>()?;
    Ok(Json(CredentialTypeOrTypes::Types(forms)))
}

fn type_form(name: &str) -> Result<CredentialTypeView> {
    let found = credential_types::find_type(name).map(CredentialTypeView::from);
    found.ok_or_else(|| Error::no_such("Credential type", name))
}
