//! The organization and its people over HTTP: invitations, links for new passwords, members (manual 8.4, 8.5).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::user::DisplayName;
use crate::domain::error::Result;
use crate::domain::ids::{UserId, WorkspaceId};
use crate::domain::paging::PageRequest;
use crate::domain::resource::ResourceId as _;
use crate::http::api::accounts::session_cookie_value;
use crate::http::request::Request;
use crate::http::routing::guard::Owner;
use crate::http::routing::handler::{CreatedJson, Json};
use crate::ops::accounts::{invitations, members, password_resets, people, sessions};
use crate::ops::workspace::workspaces;
use crate::wire::accounts::invitations::{InvitationBody, InvitationView};
use crate::wire::accounts::links::ResetLinkView;
use crate::wire::accounts::members::{MemberEdit, MemberView, parse_member};
use crate::wire::accounts::organization::{OrganizationEdit, OrganizationView};
use crate::wire::accounts::people::{PersonStatus, PersonView};
use crate::wire::accounts::sessions::SessionView;
use crate::wire::deleted::DeletedCount;
use crate::wire::page::ListOrPage;

/// `POST /account/invite`
pub(crate) fn invite(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<InvitationBody>,
) -> Result<CreatedJson<InvitationView>> {
    let (invitation, token) = invitations::create(app, &caller, &body.try_into()?)?;
    Ok(CreatedJson(InvitationView::of_new(invitation, &token)))
}

/// `GET /account/invite`
pub(crate) fn invitations(
    app: &App,
    caller: Caller,
    _request: &Request,
) -> Result<Json<Vec<InvitationView>>> {
    Ok(Json(invitations::list(app, &caller)?.into_iter().map(Into::into).collect()))
}

/// `DELETE /account/invite/:id`
pub(crate) fn uninvite(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    invitations::remove(app, &caller, request.id("id")?)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `GET /organizationuser`
pub(crate) fn list(app: &App, caller: Caller, request: &Request) -> Result<Json<ListOrPage<PersonView>>> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    let people = people::list(app, &caller)?.into_iter().map(PersonView::from).collect();
    Ok(Json(ListOrPage::of(paging, people)))
}

/// `PUT /organizationuser`
pub(crate) fn set_status(
    app: &App,
    owner: Owner,
    _: &Request,
    Json(body): Json<PersonStatus>,
) -> Result<Json<PersonView>> {
    let person = people::set_status(app, owner.caller(), UserId::from_caller(&body.user_id)?, body.status)?;
    Ok(Json(person.into()))
}

/// `DELETE /organizationuser?userId=`
pub(crate) fn delete(app: &App, owner: Owner, request: &Request) -> Result<Json<DeletedCount>> {
    let user = UserId::from_caller(request.query("userId").unwrap_or_default())?;
    people::delete(app, owner.caller(), user)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `POST /user/:id/reset-link`
pub(crate) fn reset_link(app: &App, owner: Owner, request: &Request) -> Result<CreatedJson<ResetLinkView>> {
    Ok(CreatedJson(password_resets::make_link(app, owner.caller(), request.id("id")?)?.into()))
}

/// `GET /user/:id/sessions`
pub(crate) fn sessions(app: &App, _: Owner, request: &Request) -> Result<Json<Vec<SessionView>>> {
    let user = people::load(app, request.id("id")?)?;
    let found = sessions::list(app, user.id, session_cookie_value(app, request))?;
    Ok(Json(found.into_iter().map(Into::into).collect()))
}

/// `DELETE /user/:id/sessions`
pub(crate) fn end_sessions(app: &App, owner: Owner, request: &Request) -> Result<Json<DeletedCount>> {
    let user = people::load(app, request.id("id")?)?;
    let ended = sessions::end_others(app, owner.caller(), &user, session_cookie_value(app, request))?;
    Ok(Json(DeletedCount::new(ended)))
}

/// `GET /workspaceuser`
pub(crate) fn members(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<MemberView>>> {
    let found = members::list(app, &caller, workspace(request)?)?;
    // A text that is no id is nobody's.
    let wanted = request.query("userId").map(UserId::parse);
    let shown = found.into_iter().filter(|member| wanted.is_none_or(|id| id == Some(member.user.id)));
    Ok(Json(shown.map(Into::into).collect()))
}

/// `POST /workspaceuser`
pub(crate) fn add_member(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<MemberEdit>,
) -> Result<CreatedJson<MemberView>> {
    Ok(CreatedJson(members::add(app, &caller, &body.try_into()?)?.into()))
}

/// `PUT /workspaceuser`
pub(crate) fn change_member(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<MemberEdit>,
) -> Result<Json<MemberView>> {
    Ok(Json(members::update(app, &caller, &body.try_into()?)?.into()))
}

/// `DELETE /workspaceuser?workspaceId=&userId=`
pub(crate) fn remove_member(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    let workspace = workspace(request)?;
    members::remove(app, &caller, workspace, parse_member(request.query("userId").unwrap_or_default())?)?;
    Ok(Json(DeletedCount::new(1)))
}

/// The workspace that the query names, if it names one.
fn workspace(request: &Request) -> Result<Option<WorkspaceId>> {
    WorkspaceId::from_caller_if_any(request.query("workspaceId"))
}

/// `GET /organization`
pub(crate) fn organization(app: &App, _: Caller, _request: &Request) -> Result<Json<OrganizationView>> {
    Ok(Json(workspaces::organization(app)?.into()))
}

/// `PUT /organization`
pub(crate) fn rename_organization(
    app: &App,
    owner: Owner,
    _: &Request,
    Json(body): Json<OrganizationEdit>,
) -> Result<Json<OrganizationView>> {
    let name = DisplayName::parse("name", &body.name)?;
    Ok(Json(workspaces::rename_organization(app, owner.caller(), &name)?.into()))
}
