//! Invitations, new passwords, people and their sessions (manual 8.4, 8.5).

use crate::support::server::{EMAIL, PASSWORD};
use crate::support::{Answer, Person, Server, golden, id};
use flowkeep::domain::accounts::role::{ADMINISTRATOR, EDITOR, VIEWER};
use flowkeep::domain::ids::RoleId;
use serde_json::{Value, json};

const NEW: &str = "another long password";

fn invite(server: &Server, email: &str, role: impl ToString) -> Value {
    server.post("/account/invite", &json!({"user": {"email": email}, "roleId": role.to_string()}))
}

fn token(made: &Value) -> &str {
    made["link"]["token"].as_str().unwrap()
}

fn accept(server: &Server, token: &str) -> Answer {
    let user = json!({"name": "Bob", "credential": PASSWORD, "tempToken": token});
    server.call("POST", "/account/register").json(&json!({ "user": user })).send()
}

fn login(server: &Server, email: &str, password: &str) -> Answer {
    server.call("POST", "/auth/login").json(&json!({"email": email, "password": password})).send()
}

fn reset(server: &Server, token: &str, password: &str) -> Answer {
    let user = json!({"tempToken": token, "password": password});
    server.call("POST", "/account/reset-password").json(&json!({ "user": user })).send()
}

fn link_for(server: &Server, person: &Person) -> String {
    let made = server.post(&format!("/user/{}/reset-link", person.id), &json!({}));
    token(&made).to_owned()
}

#[test]
fn an_invitation_makes_one_account_once() {
    let server = Server::start();
    let made = invite(&server, " Bob@Example.org", EDITOR);
    golden::check("invitation.json", &serde_json::to_string_pretty(&made).unwrap());
    let token = token(&made);
    assert_eq!(made["link"]["path"], format!("/invite?token={token}"));
    assert_eq!(server.files_with(token), Vec::<String>::new(), "only the hash is kept");
    assert!(server.read("/account/invite")[0].get("link").is_none(), "the link is shown once");
    let verify = json!({"user": {"tempToken": token}});
    let told = server.call("POST", "/account/verify").json(&verify).send().is(200).json();
    assert_eq!((&told["kind"], &told["email"]), (&json!("invitation"), &json!("bob@example.org")));

    let account = accept(&server, token).is(201).json();
    assert_eq!(account["user"]["email"], "bob@example.org");
    accept(&server, token).is_error(400);
    server.call("POST", "/account/verify").json(&verify).send().is_error(400);
    assert_eq!(server.read("/account/invite"), json!([]));
    let user = login(&server, "bob@example.org", PASSWORD).is(200).json();
    assert_eq!((&user["roleId"], &user["isOrganizationAdmin"]), (&json!(EDITOR), &json!(false)));
}

#[test]
fn of_many_who_accept_an_invitation_one_gets_in() {
    let server = Server::start();
    let made = invite(&server, "bob@example.org", VIEWER);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let one = || scope.spawn(|| accept(&server, token(&made)).status);
        let threads: Vec<_> = (0..4).map(|_| one()).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
}

#[test]
fn an_invitation_ends_after_its_minutes_and_by_another_one() {
    let server = Server::with(&[("SERVICE_INVITATION_MINUTES", "20")]);
    let first = invite(&server, "bob@example.org", VIEWER);
    let second = invite(&server, "bob@example.org", EDITOR);
    accept(&server, token(&first)).is_error(400);
    server.app.clock.advance_seconds(19 * 60);
    assert_eq!(server.read("/account/invite")[0]["expired"], false);
    server.app.clock.advance_seconds(60);
    assert_eq!(server.read("/account/invite")[0]["expired"], true);
    accept(&server, token(&second)).is_error(400);
    let third = invite(&server, "bob@example.org", EDITOR);
    server.owner("DELETE", &format!("/account/invite/{}", id(&third))).send().is(200);
    accept(&server, token(&third)).is_error(400);
    server.owner("DELETE", &format!("/account/invite/{}", id(&third))).send().is_error(404);
}

#[test]
fn an_invitation_is_replaced_only_by_those_who_may_take_it_back() {
    let server = Server::start();
    let role = json!({"name": "Inviter", "permissions": ["workspace:add-user", "chatflows:view"]});
    let role = RoleId::parse(&id(&server.post("/role", &role))).unwrap();
    let member = server.member(role);
    let open = invite(&server, "bob@example.org", ADMINISTRATOR);
    let body = json!({"user": {"email": "bob@example.org"}, "roleId": role});
    member.call(&server, "POST", "/account/invite").json(&body).send().is_error(403);
    accept(&server, token(&open)).is(201);
}

#[test]
fn an_invitation_ends_with_the_place_of_who_made_it() {
    let server = Server::start();
    let role = json!({"name": "Inviter", "permissions": ["workspace:add-user", "chatflows:view"]});
    let role = RoleId::parse(&id(&server.post("/role", &role))).unwrap();
    for end in ["demoted", "removed"] {
        let member = server.member(role);
        let body = json!({"user": {"email": format!("{end}@example.org")}, "roleId": role});
        let made = member.call(&server, "POST", "/account/invite").json(&body).send().is(201).json();
        if end == "demoted" {
            server.put("/workspaceuser", &json!({"userId": member.id, "roleId": VIEWER.to_string()}));
        } else {
            server.owner("DELETE", &format!("/workspaceuser?userId={}", member.id)).send().is(200);
        }
        accept(&server, token(&made)).is_error(400);
    }
}

#[test]
fn a_new_password_ends_open_links_for_another() {
    let server = Server::start();
    let person = server.member(VIEWER);
    let open = link_for(&server, &person);
    let body = json!({"newPassword": NEW, "currentPassword": PASSWORD});
    person.call(&server, "PUT", "/user").json(&body).send().is(200);
    reset(&server, &open, "a third long password").is_error(400);
}

#[test]
fn an_invitation_is_for_one_address_without_an_account() {
    let server = Server::start();
    let again = json!({"user": {"email": EMAIL}, "roleId": VIEWER});
    server.owner("POST", "/account/invite").json(&again).send().is_error(409);
    let made = invite(&server, "bob@example.org", VIEWER);
    let other = json!({"user": {
        "name": "Eve", "credential": PASSWORD, "tempToken": token(&made), "email": "eve@example.org"
    }});
    server.call("POST", "/account/register").json(&other).send().is_error(400);
    for (field, bad) in [("credential", "short"), ("credential", "bob@example.org"), ("name", "")] {
        let mut user = json!({"name": "Bob", "credential": PASSWORD, "tempToken": token(&made)});
        user[field] = bad.into();
        server.call("POST", "/account/register").json(&json!({ "user": user })).send().is_error(400);
    }
    accept(&server, token(&made)).is(201);
    for wrong in [json!({}), json!({"user": {"email": "no address"}, "roleId": VIEWER})] {
        server.owner("POST", "/account/invite").json(&wrong).send().is_error(400);
    }
    let unknown = json!({"user": {"email": "x@example.org"}, "roleId": "nothing"});
    server.owner("POST", "/account/invite").json(&unknown).send().is_error(404);
}

#[test]
fn guessing_links_is_slowed_down() {
    let server = Server::start();
    let made = invite(&server, "bob@example.org", VIEWER);
    let refused = (0..12).map(|_| accept(&server, &"x".repeat(43))).find(|answer| answer.status == 429);
    refused.expect("the eleventh guess is refused").is_error(429);
    accept(&server, token(&made)).is_error(429);
    for odd in [json!(7), json!(""), json!("short"), json!([]), json!({})] {
        let user = json!({"name": "Bob", "credential": PASSWORD, "tempToken": odd});
        let status = server.call("POST", "/account/register").json(&json!({ "user": user })).send().status;
        assert!(matches!(status, 400 | 429), "{odd} gave {status}");
    }
}

#[test]
fn who_forgot_a_password_is_seen_by_the_owner_and_gets_a_link() {
    let server = Server::start();
    let bob = server.member(VIEWER);
    let ask = |email: &str| {
        server.call("POST", "/account/forgot-password").json(&json!({"user": {"email": email}})).send()
    };
    let (known, unknown) = (ask(&bob.email).is(200).json(), ask("nobody@example.org").is(200).json());
    assert_eq!(known, unknown);
    let row = |server: &Server| {
        let people = server.read("/organizationuser");
        people.as_array().unwrap().iter().find(|row| row["userId"] == *bob.id).unwrap().clone()
    };
    assert!(row(&server)["resetRequestedDate"].is_string());
    let (first, second) = (link_for(&server, &bob), link_for(&server, &bob));
    assert_eq!(server.files_with(&second), Vec::<String>::new());
    reset(&server, &first, NEW).is_error(400);
    reset(&server, &second, "short").is_error(400);
    reset(&server, &second, NEW).is(200);
    reset(&server, &second, PASSWORD).is_error(400);
    bob.call(&server, "GET", "/auth/me").send().is_error(401);
    login(&server, &bob.email, PASSWORD).is_error(401);
    login(&server, &bob.email, NEW).is(200);
    assert_eq!(row(&server)["resetRequestedDate"], json!(null));
    let third = link_for(&server, &bob);
    server.app.clock.advance_seconds(15 * 60);
    reset(&server, &third, PASSWORD).is_error(400);
    // A link for one thing opens no other.
    accept(&server, &link_for(&server, &bob)).is_error(400);
    reset(&server, token(&invite(&server, "eve@example.org", VIEWER)), NEW).is_error(400);
}

#[test]
fn asking_for_new_passwords_is_slowed_down_alike() {
    let server = Server::start();
    for email in [EMAIL, "nobody@example.org"] {
        let ask = || {
            server.call("POST", "/account/forgot-password").json(&json!({"user": {"email": email}})).send()
        };
        let refused = (0..12).map(|_| ask()).find(|answer| answer.status == 429);
        assert!(refused.expect("too many").header("retry-after").is_some());
    }
    login(&server, EMAIL, PASSWORD).is(200);
}

#[test]
fn only_the_owner_makes_links_and_keeps_people_out() {
    let server = Server::start();
    let (admin, bob) = (server.member(ADMINISTRATOR), server.member(VIEWER));
    let me = id(&server.read("/user"));
    for (method, path, body) in [
        ("POST", format!("/user/{}/reset-link", bob.id), json!({})),
        ("PUT", "/organizationuser".to_owned(), json!({"userId": bob.id, "status": "disabled"})),
        ("DELETE", format!("/organizationuser?userId={}", bob.id), json!({})),
        ("GET", format!("/user/{}/sessions", bob.id), json!({})),
        ("DELETE", format!("/user/{}/sessions", bob.id), json!({})),
        ("PUT", "/organization".to_owned(), json!({"name": "Mine"})),
        ("GET", "/audit".to_owned(), json!({})),
    ] {
        let call = admin.call(&server, method, &path);
        let call = if matches!(method, "POST" | "PUT") { call.json(&body) } else { call };
        call.send().is_error(403);
    }
    // The owner cannot be kept out, not even by themselves.
    server.owner("POST", &format!("/user/{me}/reset-link")).json(&json!({})).send().is_error(409);
    let out = json!({"userId": me, "status": "disabled"});
    server.owner("PUT", "/organizationuser").json(&out).send().is_error(409);
    server.owner("DELETE", &format!("/organizationuser?userId={me}")).send().is_error(409);
    server.owner("GET", "/auth/me").send().is(200);
}

#[test]
fn who_is_kept_out_or_removed_is_out_at_once() {
    let server = Server::start();
    let (bob, eve) = (server.member(EDITOR), server.member(EDITOR));
    let set = |status: &str| server.put("/organizationuser", &json!({"userId": bob.id, "status": status}));
    let link = link_for(&server, &bob);
    assert_eq!(set("disabled")["status"], "disabled");
    bob.call(&server, "GET", "/auth/me").send().is_error(401);
    login(&server, &bob.email, PASSWORD).is_error(401);
    reset(&server, &link, NEW).is_error(400);
    set("active");
    bob.call(&server, "GET", "/auth/me").send().is_error(401);
    login(&server, &bob.email, PASSWORD).is(200);

    eve.call(&server, "GET", "/auth/me").send().is(200);
    server.owner("DELETE", &format!("/organizationuser?userId={}", eve.id)).send().is(200);
    eve.call(&server, "GET", "/auth/me").send().is_error(401);
    login(&server, &eve.email, PASSWORD).is_error(401);
    server.owner("DELETE", &format!("/organizationuser?userId={}", eve.id)).send().is_error(404);
    invite(&server, &eve.email, VIEWER);
}

#[test]
fn a_profile_is_changed_by_its_owner_who_knows_the_password() {
    let server = Server::start();
    let bob = server.member(VIEWER);
    let row = bob.read(&server, "/user");
    golden::check("profile.json", &serde_json::to_string_pretty(&row).unwrap());
    let put = |body: Value| bob.call(&server, "PUT", "/user").json(&body).send();
    assert_eq!(put(json!({"name": " Robert "})).is(200).json()["name"], "Robert");
    put(json!({"name": ""})).is_error(400);
    let other = login(&server, &bob.email, PASSWORD).is(200);
    let other = other.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let still_in =
        |cookie: &str| server.call("GET", "/auth/me").header("Cookie", cookie).send().status == 200;
    put(json!({"newPassword": NEW})).is_error(400);
    put(json!({"newPassword": NEW, "currentPassword": "wrong"})).is_error(401);
    put(json!({"newPassword": "short", "currentPassword": PASSWORD})).is_error(400);
    put(json!({"email": EMAIL, "currentPassword": PASSWORD})).is_error(409);
    assert!(still_in(&other));
    put(json!({"newPassword": NEW, "oldPassword": PASSWORD})).is(200);
    assert!(!still_in(&other) && still_in(&bob.cookie));
    put(json!({"email": "Robert@Example.org", "currentPassword": NEW})).is(200);
    login(&server, &bob.email, NEW).is_error(401);
    login(&server, "robert@example.org", NEW).is(200);
    let refused = (0..12).map(|_| put(json!({"email": "a@b", "currentPassword": "guess"})));
    assert!(refused.into_iter().any(|answer| answer.status == 429));
}

#[test]
fn another_account_is_as_unknown_but_for_the_owner() {
    let server = Server::start();
    let (bob, eve) = (server.member(ADMINISTRATOR), server.member(VIEWER));
    for path in [format!("/user?id={}", eve.id), format!("/user?email={}", eve.email)] {
        bob.call(&server, "GET", &path).send().is_error(404);
        assert_eq!(server.read(&path)["email"], *eve.email);
    }
    bob.call(&server, "GET", &format!("/user?email={}", bob.email)).send().is(200);
    assert!(!server.read(&format!("/user?id={}", eve.id)).to_string().contains("argon2"));
}

#[test]
fn sessions_are_listed_and_ended() {
    let server = Server::start();
    let bob = server.member(VIEWER);
    let body = json!({"email": bob.email, "password": PASSWORD});
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";
    let sign_in =
        || server.call("POST", "/auth/login").header("User-Agent", agent).json(&body).send().is(200);
    let second = sign_in().header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    sign_in();
    let listed = bob.read(&server, "/account/sessions");
    golden::check("sessions.json", &serde_json::to_string_pretty(&listed).unwrap());
    assert_eq!(listed.as_array().unwrap().len(), 3);
    assert_eq!(listed, bob.read(&server, "/account/sessions"));
    let of_owner = server.read("/account/sessions")[0]["id"].clone();
    let end = |session: &Value| {
        let path = format!("/account/sessions/{}", session.as_str().unwrap());
        bob.call(&server, "DELETE", &path).send()
    };
    end(&of_owner).is_error(404);
    end(&json!("nothing")).is_error(404);
    let mine = |cookie: &str| server.call("GET", "/account/sessions").header("Cookie", cookie).send();
    let second_id = mine(&second).is(200).json()[0]["id"].clone();
    end(&second_id).is(200);
    end(&second_id).is_error(404);
    mine(&second).is_error(401);
    assert_eq!(bob.call(&server, "DELETE", "/account/sessions").send().is(200).json()["affected"], 1);
    assert_eq!(bob.read(&server, "/account/sessions").as_array().unwrap().len(), 1);
    sign_in();
    assert_eq!(server.read(&format!("/user/{}/sessions", bob.id)).as_array().unwrap().len(), 2);
    server.owner("DELETE", &format!("/user/{}/sessions", bob.id)).send().is(200);
    bob.call(&server, "GET", "/auth/me").send().is_error(401);
    server.owner("GET", "/auth/me").send().is(200);
}

#[test]
fn a_page_begins_at_the_setup_or_at_the_sign_in() {
    let empty = Server::empty(crate::support::Options::default());
    let at = |server: &Server| server.call("POST", "/auth/resolve").json(&json!({})).send().is(200).json();
    assert_eq!(at(&empty), json!({"redirectUrl": "/organization-setup"}));
    assert_eq!(at(&Server::start()), json!({"redirectUrl": "/signin"}));
}

#[test]
fn the_organization_has_a_name() {
    let server = Server::start();
    let bob = server.member(VIEWER);
    assert_eq!(server.put("/organization", &json!({"name": "Ours"}))["name"], "Ours");
    assert_eq!(bob.read(&server, "/organization")["name"], "Ours");
    server.owner("PUT", "/organization").json(&json!({"name": " "})).send().is_error(400);
}
