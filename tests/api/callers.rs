//! Who calls in the access grid: holders of keys and of roles, and a session that is over.

use crate::support::{Person, Server};
use flowkeep::domain::caller::Permission;
use flowkeep::domain::ids::{RoleId, SessionId};
use flowkeep::domain::role::{Role, VIEWER, built_in_with};
use flowkeep::domain::session::Session;
use flowkeep::domain::token;
use flowkeep::store::tables::{ROLES, SESSIONS};
use jiff::{SignedDuration, Timestamp};

/// The value of a key with these permissions.
pub fn key(server: &Server, permissions: &[&str]) -> String {
    server.key(permissions)["apiKey"].as_str().unwrap().to_owned()
}

/// The header of a caller who holds this one permission of a route's: of a key, or of a person where no key can hold
/// it. A person may look besides, because nobody gives others a role that they do not hold themselves.
pub fn holder(server: &Server, route: &[&str], permission: &str) -> (&'static str, String) {
    if Permission::parse(permission).unwrap().fits_a_key() {
        return ("Authorization", format!("Bearer {}", key(server, &[permission])));
    }
    let viewer = built_in_with(&VIEWER).unwrap().permissions;
    let besides = viewer.iter().map(Permission::as_str).filter(|name| !route.contains(name));
    ("Cookie", member(server, &besides.chain([permission]).collect::<Vec<_>>()).cookie)
}

/// A member of the active workspace with a role of these permissions.
pub fn member(server: &Server, permissions: &[&str]) -> Person {
    let role = Role {
        id: RoleId::random(),
        name: "test".to_owned(),
        description: String::new(),
        permissions: permissions.iter().map(|name| Permission::parse(name).unwrap()).collect(),
        created: None,
        updated: None,
    };
    server.app.store.write(|tx| ROLES.put(tx, &role.id, &role)).unwrap();
    server.member(role.id)
}

/// The cookie of a session that was the owner's and is over.
pub fn expired(server: &Server) -> String {
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
