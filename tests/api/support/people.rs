//! Members of workspaces, made without the detour over an invitation.

use super::Server;
use super::client::Call;
use flowkeep::domain::accounts::session::Session;
use flowkeep::domain::accounts::token::{self, Token};
use flowkeep::domain::accounts::user::{DisplayName, Email, Membership, User};
use flowkeep::domain::ids::{RoleId, SessionId, UserId, WorkspaceId};
use flowkeep::store::tables::{SESSIONS, USER_BY_EMAIL, USERS};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A person with a session, whose password is [`super::server::PASSWORD`].
pub struct Person {
    pub id: String,
    pub email: String,
    pub cookie: String,
}

impl Person {
    /// A call of this person's page.
    pub fn call(&self, server: &Server, method: &str, path: &str) -> Call {
        server.call(method, path).header("Cookie", &self.cookie)
    }

    /// This person's GET: the body of its 200.
    #[track_caller]
    pub fn read(&self, server: &Server, path: &str) -> Value {
        self.call(server, "GET", path).send().is(200).json()
    }
}

impl Server {
    /// A member of the owner's active workspace.
    pub fn member(&self, role: RoleId) -> Person {
        let me = self.read("/auth/me");
        self.member_of(me["activeWorkspaceId"].as_str().unwrap(), role)
    }

    /// A member of this workspace, with a session there.
    pub fn member_of(&self, workspace: &str, role: RoleId) -> Person {
        let workspace = WorkspaceId::parse(workspace).unwrap();
        let (id, now) = (UserId::random(), Timestamp::now());
        let email = format!("{id}@example.org");
        let put = |tx: &_| {
            // Not by the list of all: some tests make thousands.
            let owner = USER_BY_EMAIL.get(tx, super::server::EMAIL)?.unwrap();
            let owner = USERS.get(tx, &owner)?;
            let user = User {
                id,
                name: DisplayName::parse("name", "Max").unwrap(),
                email: Email::parse(&email).unwrap(),
                memberships: vec![Membership { workspace, role, since: Some(now) }],
                ..owner.unwrap()
            };
            USERS.put(tx, &id, &user)?;
            USER_BY_EMAIL.put(tx, user.email.as_str(), &id)
        };
        self.app.store.write(put).unwrap();
        Person { id: id.to_string(), email, cookie: self.session_of(&id.to_string(), workspace) }
    }

    /// The `Cookie` header of a new session of this person.
    pub fn session_of(&self, user: &str, workspace: WorkspaceId) -> String {
        let (value, now) = (Token::random(), Timestamp::now());
        let session = Session {
            id: SessionId::random(),
            user: UserId::parse(user).unwrap(),
            workspace,
            created: now,
            last_seen: now,
            address: None,
            agent: None,
        };
        let hash = token::hash(value.as_str());
        self.app.store.write(|tx| SESSIONS.put(tx, &hash, &session)).unwrap();
        format!("flowkeep_session={}", value.as_str())
    }

    /// Makes a role of these permissions.
    pub fn role(&self, name: &str, permissions: &[&str]) -> RoleId {
        let made = self.post("/role", &json!({"name": name, "permissions": permissions}));
        serde_json::from_value(made["id"].clone()).unwrap()
    }

    /// Makes a workspace.
    pub fn new_workspace(&self, name: &str) -> String {
        super::id(&self.post("/workspace", &json!({ "name": name })))
    }

    /// Moves the owner's session into this workspace.
    pub fn enter(&self, workspace: &str) {
        self.owner("POST", &format!("/workspace/switch?id={workspace}")).send().is(200);
    }
}
