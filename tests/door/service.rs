//! The service over a temporary folder, with the people, sessions, key and flows that these tests ask as.

use flowkeep::app::App;
use flowkeep::domain::accounts::api_key::{ApiKey, KeyOwner};
use flowkeep::domain::accounts::caller::Permission;
use flowkeep::domain::accounts::registration::{NewOwner, OwnerRegistration};
use flowkeep::domain::accounts::role::Role;
use flowkeep::domain::accounts::session::Session;
use flowkeep::domain::accounts::token;
use flowkeep::domain::accounts::user::{DisplayName, Email, Membership, User};
use flowkeep::domain::flows::flow::{CanvasDigest, Flow, FlowKind};
use flowkeep::domain::flows::settings::FlowSettings;
use flowkeep::domain::ids::{FlowId, KeyId, RoleId, SessionId, UserId, WorkspaceId};
use flowkeep::ops::accounts::owner;
use flowkeep::ops::flows::live::{self, ParsedCanvas};
use flowkeep::settings::{Environment, Flags, Settings};
use flowkeep::store::tables::{
    API_KEYS, KEY_BY_HASH, ORGANIZATION, ORGANIZATION_KEY, ROLES, SESSIONS, USERS,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tempfile::TempDir;

/// The flow whose list is `https://listed.example`, and the one without a list.
pub const LISTED: &str = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
pub const OPEN: &str = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb";

/// Cookie values of the owner, of a member who may delete flows only, and of a session that is over.
pub const OWNER_COOKIE: &str = "ooooooooooooooooooooooooooooooooooooooooooo";
pub const MEMBER_COOKIE: &str = "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
pub const EXPIRED_COOKIE: &str = "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/// The value of a key with `chatflows:view`.
pub const VIEW_KEY: &str = "fk_vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";

/// Opens the service and stores them.
pub fn open(base_url: Option<&str>, cors_origins: &[&str]) -> (TempDir, App) {
    let folder = tempfile::tempdir().unwrap();
    let flags = Flags::default()
        .with("SERVICE_DATA_DIR", "--data-dir", folder.path().to_str())
        .with("SERVICE_BASE_URL", "--base-url", base_url)
        .with(
            "SERVICE_HOSTS",
            "--hosts",
            Some(if base_url.is_none() { "here.example, a, b" } else { "a, b" }),
        )
        .with("CORS_ORIGINS", "--cors-origins", Some(&cors_origins.join(",")));
    let app = App::open(Settings::from_vars(|_| None, flags).unwrap(), Environment::new(|_| None)).unwrap();
    let owner = NewOwner {
        name: "Olga".to_owned(),
        email: "olga@example.org".to_owned(),
        password: "correct horse battery".to_owned(),
    };
    owner::register(&app, &OwnerRegistration { owner, organization: None, setup_token: None }).unwrap();
    let organization = app.store.read(|tx| ORGANIZATION.get(tx, ORGANIZATION_KEY)).unwrap().unwrap();
    let workspace = organization.default_workspace;
    let member = member(&app, organization.owner, workspace);
    sessions(&app, organization.owner, member, workspace);
    key(&app, workspace);
    flow(&app, LISTED, workspace, &["https://listed.example"]);
    flow(&app, OPEN, workspace, &[]);
    (folder, app)
}

fn permission(name: &str) -> Permission {
    Permission::parse(name).unwrap()
}

fn member(app: &App, owner: UserId, workspace: WorkspaceId) -> UserId {
    let owner = app.store.read(|tx| USERS.get(tx, &owner)).unwrap().unwrap();
    let role = Role {
        id: RoleId::random(),
        name: "sweeper".to_owned(),
        description: String::new(),
        permissions: [permission("chatflows:delete")].into(),
        created: None,
        updated: None,
    };
    let member = User {
        id: UserId::random(),
        name: DisplayName::parse("name", "Max").unwrap(),
        email: Email::parse("max@example.org").unwrap(),
        memberships: vec![Membership { workspace, role: role.id, since: None }],
        ..owner
    };
    let put = |tx: &_| {
        ROLES.put(tx, &role.id, &role)?;
        USERS.put(tx, &member.id, &member)
    };
    app.store.write(put).unwrap();
    member.id
}

fn sessions(app: &App, owner: UserId, member: UserId, workspace: WorkspaceId) {
    let now = Timestamp::now();
    let long_ago = now - SignedDuration::from_hours(24 * 60);
    for (cookie, user, when) in
        [(OWNER_COOKIE, owner, now), (MEMBER_COOKIE, member, now), (EXPIRED_COOKIE, owner, long_ago)]
    {
        let session = Session {
            id: SessionId::random(),
            user,
            workspace,
            created: when,
            last_seen: when,
            address: None,
            agent: None,
        };
        app.store.write(|tx| SESSIONS.put(tx, &token::hash(cookie), &session)).unwrap();
    }
}

fn key(app: &App, workspace: WorkspaceId) {
    let now = Timestamp::now();
    let key = ApiKey {
        id: KeyId::random(),
        workspace,
        name: "viewer".to_owned(),
        hash: token::hash(VIEW_KEY),
        last_four: "vvvv".to_owned(),
        permissions: [permission("chatflows:view")].into(),
        usage: 0,
        created: now,
        updated: now,
        foreign: false,
        budget: None,
    };
    let home = KeyOwner { workspace, id: key.id };
    let put = |tx: &_| {
        API_KEYS.put(tx, &workspace, &key.id, &key)?;
        KEY_BY_HASH.put(tx, &key.hash, &home)
    };
    app.store.write(put).unwrap();
}

fn flow(app: &App, id: &str, workspace: WorkspaceId, allowed: &[&str]) {
    let now = Timestamp::now();
    let config = json!({"allowedOrigins": allowed});
    let settings =
        FlowSettings { chatbot_config: config.as_object().cloned().into(), ..FlowSettings::default() };
    let flow = Flow {
        id: FlowId::parse(id).unwrap(),
        workspace,
        name: "flow".to_owned(),
        kind: FlowKind::Chatflow,
        category: None,
        digest: CanvasDigest::compute(FlowKind::Chatflow, ""),
        card_count: 0,
        settings,
        last_published: None,
        last_promoted: None,
        harness: None,
        live_version: None,
        created: now,
        updated: now,
    };
    let caller = owner::operator(app).unwrap().unwrap();
    let (canvas, origin) = (ParsedCanvas::empty(), live::ChangeOrigin::Edit);
    let new = live::NewFlow { flow, canvas: &canvas, draft: None, origin, guard: None };
    live::create(app, &caller, new).unwrap();
}
