//! New passwords by mail.

use super::{BASE_URL, both, forget, mail_when};
use crate::support::server::{EMAIL, PASSWORD};
use flowkeep::domain::accounts::role::EDITOR;
use serde_json::json;

const NEW: &str = "another long password";

#[test]
fn who_forgot_a_password_gets_a_link_that_sets_one() {
    let (mail, server) = both();
    let person = server.member(EDITOR);
    forget(&server, &person.email);
    let taken = mail.taken_for(&person.email, 1).remove(0);
    assert!(taken.body().contains(&format!("\n{BASE_URL}/reset?token=")), "{}", taken.body());
    let body = json!({"user": {"tempToken": taken.token(), "password": NEW}});
    server.call("POST", "/account/reset-password").json(&body).send().is(200);
    server.call("POST", "/account/reset-password").json(&body).send().is_error(400);
    for (password, status) in [(NEW, 200), (PASSWORD, 401)] {
        let login = json!({"email": person.email, "password": password});
        server.call("POST", "/auth/login").json(&login).send().is(status);
    }
}

#[test]
fn the_owner_gets_a_link_too() {
    let (mail, server) = both();
    forget(&server, EMAIL);
    assert!(mail.taken_for(EMAIL, 1)[0].body().contains("/reset?token="));
}

#[test]
fn nobody_learns_whether_an_account_exists() {
    let (mail, server) = both();
    let person = server.member(EDITOR);
    let (known, unknown) = (forget(&server, &person.email), forget(&server, "nobody@example.org"));
    assert_eq!(known, unknown);
    assert_eq!(forget(&server, "no address"), known);
    assert!(known.contains("on its way"), "{known}");
    mail.taken_for(&person.email, 1);
    mail_when(&server, |mail| mail["waiting"] == 0 && mail["lastSentAt"].is_string());
    assert!(mail.taken_now().iter().all(|mail| mail.to != ["nobody@example.org"]));
}

#[test]
fn a_mailbox_is_not_filled_by_asking_again() {
    let (mail, server) = both();
    let person = server.member(EDITOR);
    for _ in 0..3 {
        forget(&server, &person.email);
    }
    let first = mail.taken_for(&person.email, 1)[0].token();
    server.app.clock.advance_seconds(121);
    forget(&server, &person.email);
    assert_ne!(mail.taken_for(&person.email, 2)[1].token(), first);
    mail_when(&server, |mail| mail["waiting"] == 0);
    assert_eq!(mail.taken_for(&person.email, 2).len(), 2);
    let body = json!({"user": {"tempToken": first, "password": NEW}});
    // Whoever asked again need not be the person, whose link works on.
    server.call("POST", "/account/reset-password").json(&body).send().is(200);
    for _ in 0..20 {
        let body = json!({"user": {"email": person.email}});
        server.call("POST", "/account/forgot-password").json(&body).send();
    }
    let body = json!({"user": {"email": person.email}});
    server.call("POST", "/account/forgot-password").json(&body).send().is_error(429);
}

#[test]
fn a_link_that_the_owner_makes_is_sent_and_shown() {
    let (mail, server) = both();
    let person = server.member(EDITOR);
    let made = server.post(&format!("/user/{}/reset-link", person.id), &json!({}));
    assert_eq!(mail.taken_for(&person.email, 1)[0].token(), made["link"]["token"].as_str().unwrap());
}

#[test]
fn who_is_kept_out_gets_none() {
    let (mail, server) = both();
    let (out, person) = (server.member(EDITOR), server.member(EDITOR));
    let body = json!({"userId": out.id, "status": "disabled"});
    server.owner("PUT", "/organizationuser").json(&body).send().is(200);
    forget(&server, &out.email);
    forget(&server, &person.email);
    mail.taken_for(&person.email, 1);
    assert_eq!(mail_when(&server, |mail| mail["waiting"] == 0)["mail"]["givenUp"], 0);
    assert!(mail.taken_now().iter().all(|mail| mail.to != [out.email.as_str()]));
}

#[test]
fn a_browser_that_asks_for_german_gets_german() {
    let (mail, server) = both();
    let person = server.member(EDITOR);
    let body = json!({"user": {"email": person.email}});
    let call =
        server.call("POST", "/account/forgot-password").header("Accept-Language", "de-AT,de;q=0.9,en;q=0.5");
    call.json(&body).send().is(200);
    let taken = mail.taken_for(&person.email, 1).remove(0);
    assert!(
        taken.body().starts_with("Guten Tag Max,\n\nmit diesem Link setzen Sie ein neues Passwort für"),
        "{}",
        taken.body()
    );
    assert!(taken.text.is_ascii() && taken.header("Content-Type").unwrap().to_lowercase().contains("utf-8"));
}
