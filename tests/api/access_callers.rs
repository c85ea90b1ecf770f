//! Who calls in the access grid: holders of keys and of roles, and a session that is over; and what they call with.

use crate::access;
use crate::support::client::Call;
use crate::support::{Answer, Person, Server, id};
use flowkeep::domain::accounts::caller::Permission;
use flowkeep::domain::accounts::role::{Role, VIEWER, find_built_in};
use flowkeep::domain::accounts::session::Session;
use flowkeep::domain::accounts::token;
use flowkeep::domain::ids::{RoleId, SessionId, WorkspaceId};
use flowkeep::http::routing::guard::RequiredAccess;
use flowkeep::http::routing::router::Route;
use flowkeep::http::routing::routes::service_routes;
use flowkeep::store::tables::{ROLES, SESSIONS};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::cell::Cell;
use std::rc::Rc;

/// The value of a key with these permissions.
pub fn key(server: &Server, permissions: &[&str]) -> String {
    server.key(permissions)["apiKey"].as_str().unwrap().to_owned()
}

/// The header of a caller who holds this one permission of a route's, and may see what its answer shows: of a key, or of
/// a person where no key can hold it. A person may look besides, because nobody gives others a role that they do not
/// hold themselves.
pub fn holder(server: &Server, route: &Route, permission: &str) -> (&'static str, String) {
    let RequiredAccess::AnyOf(of_route) = route.guard.access else {
        panic!("{} asks for no permission", route.pattern)
    };
    if Permission::parse(permission).unwrap().is_allowed_for_keys() {
        let held: Vec<&str> = [permission].into_iter().chain(view_permission(route, permission)).collect();
        return ("Authorization", format!("Bearer {}", key(server, &held)));
    }
    let route = of_route;
    let viewer = find_built_in(&VIEWER).unwrap().permissions;
    let besides = viewer.iter().map(Permission::as_str).filter(|name| !route.contains(name));
    ("Cookie", member(server, &besides.chain([permission]).collect::<Vec<_>>()).cookie)
}

/// What lets the holder of a permission see what the answer shows, of the same kind where there is one.
fn view_permission(route: &Route, permission: &str) -> Option<&'static str> {
    let resource = |name: &str| name.split(':').next().map(str::to_owned);
    let same = route.shows.iter().find(|name| resource(name) == resource(permission));
    // A template is made of a flow, whose kind the route does not know, or of a tool that comes with the request.
    let of_flow = (permission == "templates:flowexport").then_some("chatflows:view");
    same.or_else(|| route.shows.first()).copied().or(of_flow)
}

/// A member of the active workspace with a role of these permissions.
pub fn member(server: &Server, permissions: &[&str]) -> Person {
    server.member(role(server, permissions))
}

/// A role of these permissions, whoever may give them.
pub fn role(server: &Server, permissions: &[&str]) -> RoleId {
    let role = Role {
        id: RoleId::random(),
        name: "test".to_owned(),
        description: String::new(),
        permissions: permissions.iter().map(|name| Permission::parse(name).unwrap()).collect(),
        created: None,
        updated: None,
    };
    server.app.store.write(|tx| ROLES.put(tx, &role.id, &role)).unwrap();
    role.id
}

/// The cookie of a session that was the owner's and is over.
pub fn expired_session(server: &Server) -> String {
    let me = server.read("/auth/me");
    let value = "e".repeat(43);
    let long_ago = Timestamp::now() - SignedDuration::from_hours(24 * 60);
    let session = Session {
        id: SessionId::random(),
        user: serde_json::from_value(me["id"].clone()).unwrap(),
        workspace: serde_json::from_value(me["activeWorkspaceId"].clone()).unwrap(),
        created: long_ago,
        last_seen: long_ago,
        address: None,
        agent: None,
    };
    server.app.store.write(|tx| SESSIONS.put(tx, &token::hash(&value), &session)).unwrap();
    format!("flowkeep_session={value}")
}

/// How many routes are tried on one server: what good requests leave behind makes every list of the next ones longer.
pub const ROUTES_OF_A_SERVER: usize = 50;

/// Every route of the service, and a server to try it on.
pub fn routes_on_servers() -> impl Iterator<Item = (Rc<Server>, &'static Route)> {
    service_routes().chunks(ROUTES_OF_A_SERVER).flat_map(|routes| {
        let server = Rc::new(Server::start());
        routes.iter().map(move |route| (server.clone(), route))
    })
}

/// Good calls of one route, for one caller after another. One that is refused uses nothing up, so the next caller tries the same.
pub struct RouteCalls<'a> {
    server: &'a Server,
    route: &'a Route,
    unused: Cell<Option<Call>>,
}

impl<'a> RouteCalls<'a> {
    pub const fn new(server: &'a Server, route: &'a Route) -> Self {
        Self { server, route, unused: Cell::new(None) }
    }

    /// Sends one, after `dress` said who calls.
    pub fn send(&self, dress: impl FnOnce(Call) -> Call) -> Answer {
        let good = self.unused.take().unwrap_or_else(|| access::call(self.server, self.route, "CHATFLOW"));
        let answer = dress(good.clone()).send();
        self.unused.set(Some(good).filter(|_| answer.status >= 400));
        answer
    }
}

/// The cookie of a new session of the owner, of whom `me` is what `GET /auth/me` tells. Signing in for each route would take a minute.
pub fn owner_session(server: &Server, me: &Value) -> String {
    let workspace = WorkspaceId::parse(me["activeWorkspaceId"].as_str().unwrap()).unwrap();
    server.session_of(&id(me), workspace)
}
