//! Mail servers that are away or refuse.

use super::{invite, mail_when, service_at, settings_at};
use crate::support::mail_server::{Habit, MailServer};
use serde_json::{Value, json};
use std::net::TcpListener;

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn problems(status: &Value) -> String {
    status["problems"].to_string()
}

#[test]
fn a_server_that_is_away_gets_it_later() {
    let port = free_port();
    let server = service_at(&format!("localhost:{port}"), &[]);
    invite(&server, "bob@example.org");
    invite(&server, "eve@example.org");
    let status = mail_when(&server, |mail| mail["error"].is_string());
    assert_eq!(status["mail"]["waiting"], 2);
    let told = status["mail"]["lastFailure"].as_str().unwrap();
    assert!(told.starts_with(&format!("The mail server localhost:{port}: no connection")), "{told}");
    assert!(problems(&status).contains("no connection"), "{status}");
    let mail = MailServer::start_at(port, Habit::default());
    server.app.clock.advance_seconds(50);
    mail.taken_for("bob@example.org", 1);
    mail.taken_for("eve@example.org", 1);
    let status = mail_when(&server, |mail| mail["waiting"] == 0);
    assert_eq!((&status["mail"]["error"], &status["mail"]["givenUp"]), (&Value::Null, &json!(0)));
}

#[test]
fn what_waits_outlives_a_restart() {
    let port = free_port();
    let place = format!("localhost:{port}");
    let server = service_at(&place, &[]);
    let made = invite(&server, "bob@example.org");
    mail_when(&server, |mail| mail["error"].is_string());
    let mail = MailServer::start_at(port, Habit::default());
    let _server = server.restart_with(&settings_at(&place, &[]));
    assert_eq!(mail.taken_for("bob@example.org", 1)[0].token(), made["link"]["token"].as_str().unwrap());
}

#[test]
fn what_is_refused_for_good_is_given_up_and_told() {
    let mail = MailServer::start(Habit {
        refusal: Some("550 5.1.1 <bob@example.org>: nobody here"),
        ..Habit::default()
    });
    let server = service_at(&mail.place(), &[]);
    invite(&server, "bob@example.org");
    let status = mail_when(&server, |mail| mail["givenUp"] == 1);
    let told = status["mail"]["error"].as_str().unwrap();
    assert_eq!(status["mail"]["waiting"], 0);
    assert!(told.contains("refused the receiver with 550: 5.1.1 <bob@example.org>: nobody here."), "{told}");
    assert!(problems(&status).contains("A message was given up."), "{status}");
    // Others are sent all the same.
    mail.change(Habit::default());
    invite(&server, "eve@example.org");
    mail.taken_for("eve@example.org", 1);
}

#[test]
fn a_refusal_of_one_message_keeps_no_other_from_the_same_connection() {
    let mail = MailServer::start(Habit { refusal: Some("451 4.7.1 greylisted"), ..Habit::default() });
    let server = service_at(&mail.place(), &[]);
    for email in ["bob@example.org", "eve@example.org"] {
        invite(&server, email);
    }
    let status = mail_when(&server, |mail| mail["error"].is_string());
    assert!(problems(&status).contains("greylisted"), "{status}");
    mail.heard("RSET");
    mail.change(Habit::default());
    server.app.clock.advance_seconds(50);
    mail.taken_for("bob@example.org", 1);
    mail.taken_for("eve@example.org", 1);
}

#[test]
fn a_link_that_ran_out_is_not_sent() {
    let port = free_port();
    let place = format!("localhost:{port}");
    let server = service_at(&place, &[]);
    invite(&server, "bob@example.org");
    mail_when(&server, |mail| mail["lastFailure"].is_string());
    let mail = MailServer::start_at(port, Habit::default());
    server.app.clock.advance_seconds(16 * 60);
    let status = mail_when(&server, |mail| mail["givenUp"] == 1);
    assert!(status["mail"]["lastFailure"].as_str().unwrap().contains("ran out"), "{status}");
    assert!(mail.taken_now().iter().all(|taken| taken.to != ["bob@example.org"]));
}

#[test]
fn a_wrong_password_is_told_and_never_shown() {
    let mail = MailServer::start(Habit {
        starttls: true,
        user: Some(("flows", "the right password")),
        ..Habit::default()
    });
    let authority = mail.authority();
    let with = |password: &'static str| {
        [
            ("SERVICE_MAIL_TLS", "starttls"),
            ("SERVICE_MAIL_USER", "flows"),
            ("SERVICE_MAIL_PASSWORD", password),
            ("SERVICE_CA_FILE", authority.as_str()),
        ]
    };
    let server = service_at(&mail.place(), &with("canary-password"));
    invite(&server, "bob@example.org");
    let status = mail_when(&server, |mail| mail["error"].is_string());
    let told = status["mail"]["error"].as_str().unwrap();
    assert!(told.contains("refused the user or the password with 535"), "{told}");
    assert!(!status.to_string().contains("canary"), "{status}");
    assert_eq!(server.files_with("canary-password"), Vec::<String>::new());
    // It waits: the operator can set it right.
    assert_eq!((&status["mail"]["waiting"], &status["mail"]["givenUp"]), (&json!(1), &json!(0)));
    let server = server.restart_with(&settings_at(&mail.place(), &with("the right password")));
    let taken = mail.taken_for("bob@example.org", 1).remove(0);
    assert_eq!((taken.tls, taken.user.as_deref()), (true, Some("flows")));
    mail_when(&server, |mail| mail["waiting"] == 0);
}
