//! The organization and its people over HTTP: invitations, links for new passwords, members (manual 8.4, 8.5).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::paging::PageRequest;
use crate::http::api::accounts::session_cookie_value;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::guard::Owner;
use crate::ops::accounts::{invitations, members, password_resets, people, sessions};
use crate::ops::workspace::workspaces;
use crate::wire::page::ListOrPage;
use serde::Deserialize;

#[derive(Deserialize)]
struct OrganizationBody {
    name: String,
}

/// `POST /account/invite`
pub fn invite(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json_created(&invitations::create(app, &caller, &request.json()?)?)
}

/// `GET /account/invite`
pub fn invitations(app: &App, caller: Caller, _request: &Request) -> Result<Reply> {
    Reply::json(&invitations::list(app, &caller)?)
}

/// `DELETE /account/invite/:id`
pub fn uninvite(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&invitations::remove(app, &caller, request.param("id"))?)
}

/// `GET /organizationuser`
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    Reply::json(&ListOrPage::of(paging, people::list(app, &caller)?))
}

/// `PUT /organizationuser`
pub fn set_status(app: &App, owner: Owner, request: &Request) -> Result<Reply> {
    Reply::json(&people::set_status(app, owner.caller(), &request.json()?)?)
}

/// `DELETE /organizationuser?userId=`
pub fn delete(app: &App, owner: Owner, request: &Request) -> Result<Reply> {
    Reply::json(&people::delete(app, owner.caller(), request.query("userId").unwrap_or_default())?)
}

/// `POST /user/:id/reset-link`
pub fn reset_link(app: &App, owner: Owner, request: &Request) -> Result<Reply> {
    Reply::json_created(&password_resets::make_link(app, owner.caller(), request.param("id"))?)
}

/// `GET /user/:id/sessions`
pub fn sessions(app: &App, _: Owner, request: &Request) -> Result<Reply> {
    let user = people::load(app, request.param("id"))?;
    Reply::json(&sessions::list(app, user.id, session_cookie_value(app, request))?)
}

/// `DELETE /user/:id/sessions`
pub fn end_sessions(app: &App, owner: Owner, request: &Request) -> Result<Reply> {
    let user = people::load(app, request.param("id"))?;
    Reply::json(&sessions::end_others(app, owner.caller(), &user, session_cookie_value(app, request))?)
}

/// `GET /workspaceuser`
pub fn members(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (workspace, user) = (request.query("workspaceId"), request.query("userId"));
    Reply::json(&members::list(app, &caller, workspace, user)?)
}

/// `POST /workspaceuser`
pub fn add_member(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json_created(&members::add(app, &caller, &request.json()?)?)
}

/// `PUT /workspaceuser`
pub fn change_member(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&members::update(app, &caller, &request.json()?)?)
}

/// `DELETE /workspaceuser?workspaceId=&userId=`
pub fn remove_member(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (workspace, user) = (request.query("workspaceId"), request.query("userId").unwrap_or_default());
    Reply::json(&members::remove(app, &caller, workspace, user)?)
}

/// `GET /organization`
pub fn organization(app: &App, _: Caller, _request: &Request) -> Result<Reply> {
    Reply::json(&workspaces::organization(app)?)
}

/// `PUT /organization`
pub fn rename_organization(app: &App, owner: Owner, request: &Request) -> Result<Reply> {
    let body: OrganizationBody = request.json()?;
    Reply::json(&workspaces::rename_organization(app, owner.caller(), &body.name)?)
}
