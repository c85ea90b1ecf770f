//! The first owner, signing in and out, and guessing (manual 8.1, 8.3).

use crate::support::server::{EMAIL, PASSWORD};
use crate::support::{Answer, Options, Server, golden};
use serde_json::{Value, json};

fn registration(email: &str, password: &str) -> Value {
    json!({"user": {"name": "Ada", "email": email, "credential": password}, "organization": {"name": "Ours"}})
}

fn register(server: &Server, body: &Value) -> Answer {
    server.call("POST", "/account/register").json(body).send()
}

fn login(server: &Server, email: &str, password: &str) -> Answer {
    server.call("POST", "/auth/login").json(&json!({"email": email, "password": password})).send()
}

#[test]
fn the_owner_registers_once() {
    let server = Server::empty(Options::default());
    let made = register(&server, &registration(EMAIL, PASSWORD)).is(201).json();
    assert_eq!((&made["user"]["email"], &made["organization"]["name"]), (&json!(EMAIL), &json!("Ours")));
    assert!(!made.to_string().contains(PASSWORD));
    register(&server, &registration("eve@example.org", PASSWORD)).is_error(409);
    login(&server, "eve@example.org", PASSWORD).is_error(401);
    login(&server, EMAIL, PASSWORD).is(200);
}

#[test]
fn bad_registrations_are_refused() {
    let server = Server::empty(Options::default());
    for body in [
        json!({}),
        json!({"user": {}}),
        json!({"user": "Ada"}),
        registration("no address", PASSWORD),
        registration("", PASSWORD),
        registration(EMAIL, "short"),
        registration(EMAIL, "password123"),
        registration(EMAIL, EMAIL),
        registration(EMAIL, &"x".repeat(257)),
        json!({"user": {"name": "", "email": EMAIL, "credential": PASSWORD}}),
        json!({"user": {"name": "Ada", "email": EMAIL, "credential": 12_345_678}}),
    ] {
        register(&server, &body).is_error(400);
    }
    register(&server, &registration(EMAIL, PASSWORD)).is(201);
}

#[test]
fn a_sign_in_gives_the_user_object_and_a_cookie() {
    let server = Server::start();
    let answer = login(&server, EMAIL, PASSWORD).is(200);
    let mut user = answer.json();
    assert!(!user.to_string().contains(PASSWORD));
    user["permissions"] = json!(user["permissions"].as_array().unwrap().len() > 20);
    golden::check("user.json", &serde_json::to_string_pretty(&user).unwrap());
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["flowkeep_session=", "; Path=/", "; HttpOnly", "; SameSite=Lax"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"));
}

#[test]
fn an_email_is_the_same_in_any_case() {
    login(&Server::start(), " ADA@Example.ORG ", PASSWORD).is(200);
}

#[test]
fn a_session_on_https_works_and_is_bound_to_its_host() {
    let server = Server::with(&[("SERVICE_BASE_URL", "https://flows.example")]);
    let answer = login(&server, EMAIL, PASSWORD).is(200);
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-flowkeep_session=") && cookie.contains("; Secure"), "{cookie}");
    server.owner("GET", "/auth/me").send().is(200);
    server.owner("POST", "/account/logout").send().is(200);
    server.owner("GET", "/auth/me").send().is_error(401);
}

#[test]
fn somebody_on_the_machine_itself_signs_in_past_the_proxy() {
    let server = Server::with(&[("SERVICE_BASE_URL", "https://flows.example")]);
    let origin = format!("http://{}", server.address);
    let body = json!({"email": EMAIL, "password": PASSWORD});
    let answer = server.call("POST", "/auth/login").header("Origin", &origin).json(&body).send().is(200);
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("flowkeep_session=") && !cookie.contains("Secure"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    server.call("GET", "/auth/me").header("Cookie", cookie).send().is(200);
    server.call("GET", "/auth/me").header("Cookie", cookie).header("Via", "1.1 proxy").send().is_error(401);
}

#[test]
fn the_cookie_is_in_no_file_of_the_service() {
    let server = Server::start();
    let value = server.cookie.split_once('=').unwrap().1;
    assert_eq!(server.files_with(value), Vec::<String>::new());
    assert_eq!(server.files_with(PASSWORD), Vec::<String>::new());
}

#[test]
fn every_failed_sign_in_is_told_alike() {
    let server = Server::start();
    let wrong = login(&server, EMAIL, "not this one");
    let unknown = login(&server, "eve@example.org", PASSWORD);
    let odd = login(&server, "nonsense", "");
    wrong.is_error(401);
    for other in [&unknown, &odd] {
        assert_eq!((other.status, other.json()), (401, wrong.json()));
        assert_eq!(other.header("set-cookie"), None);
    }
}

#[test]
fn a_password_counts_exactly_as_it_is() {
    let server = Server::start();
    for near in [PASSWORD.to_uppercase(), format!("{PASSWORD} "), PASSWORD.replace(' ', "")] {
        login(&server, EMAIL, &near).is_error(401);
    }
}

#[test]
fn who_is_signed_in_can_be_read() {
    let server = Server::start();
    let me = server.read("/auth/me");
    assert_eq!((&me["email"], &me["isOrganizationAdmin"]), (&json!(EMAIL), &json!(true)));
    server.call("GET", "/auth/me").send().is_error(401);
    let key = server.key(&["chatflows:view"]);
    server.call("GET", "/auth/me").bearer(key["apiKey"].as_str().unwrap()).send().is_error(403);
}

#[test]
fn signing_out_ends_the_session_on_the_server() {
    let server = Server::start();
    let other = server.sign_in();
    let answer = server.owner("POST", "/account/logout").send().is(200);
    assert_eq!(answer.json()["message"], "logged_out");
    assert!(answer.header("set-cookie").unwrap().contains("Max-Age=0"));
    server.owner("GET", "/auth/me").send().is_error(401);
    server.call("GET", "/auth/me").header("Cookie", &other).send().is(200);
}

#[test]
fn signing_out_without_a_session_is_fine() {
    let server = Server::start();
    server.call("POST", "/account/logout").send().is(200);
    server.call("POST", "/account/logout").header("Cookie", "flowkeep_session=nonsense").send().is(200);
}

#[test]
fn every_sign_in_makes_a_new_session() {
    let server = Server::start();
    assert_ne!(server.sign_in(), server.sign_in());
}

#[test]
fn guessing_is_slowed_down_whoever_guesses() {
    let server = Server::start();
    let refused = (0..12).map(|_| login(&server, EMAIL, "a guess")).find(|answer| answer.status == 429);
    let refused = refused.expect("the eleventh guess is refused");
    refused.is_error(429);
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() > 0);
    // The right password waits as well, or the answer would tell it apart.
    login(&server, EMAIL, PASSWORD).is_error(429);
    server.owner("GET", "/auth/me").send().is(200);
}

#[test]
fn another_site_cannot_sign_a_person_in() {
    let server = Server::start();
    let body = json!({"email": EMAIL, "password": PASSWORD});
    let call = server.call("POST", "/auth/login").header("Origin", "https://evil.example").json(&body);
    call.send().is_error(403);
}

#[test]
fn bad_sign_ins_are_refused() {
    let server = Server::start();
    for body in
        [json!({}), json!({"email": EMAIL}), json!({"email": 7, "password": []}), json!([]), json!(null)]
    {
        server.call("POST", "/auth/login").json(&body).send().is_error(400);
    }
}
