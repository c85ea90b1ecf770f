//! Invitations by mail.

use super::{BASE_URL, both, invite, mail_when, service_at};
use crate::support::mail_server::{Habit, MailServer};
use crate::support::server::PASSWORD;
use crate::support::{Server, id};
use serde_json::json;

#[test]
fn an_invitation_arrives_once_and_its_link_makes_the_account() {
    let (mail, server) = both();
    let made = invite(&server, "bob@example.org");
    let taken = mail.taken_for("bob@example.org", 1).remove(0);
    assert_eq!(taken.from, "flows@example.org");
    assert_eq!(taken.token(), made["link"]["token"].as_str().unwrap(), "whoever invites is shown it too");
    let body = taken.body();
    assert!(body.contains(&format!("\n{BASE_URL}/invite?token=")), "{body}");
    assert!(body.starts_with("Hello Bob,\n\nAda invites you to the workspace "), "{body}");
    assert_eq!(taken.header("Auto-Submitted").as_deref(), Some("auto-generated"));
    let status = mail_when(&server, |mail| mail["lastSentAt"].is_string() && mail["waiting"] == 0);
    assert_eq!((&status["mail"]["waiting"], &status["mail"]["givenUp"]), (&json!(0), &json!(0)));
    assert_eq!(status["mail"]["server"], mail.place());
    let user = json!({"name": "Bob", "credential": PASSWORD, "tempToken": taken.token()});
    server.call("POST", "/account/register").json(&json!({ "user": user })).send().is(201);
    // A new start finds nothing that waits.
    let again = server.restart_with(&super::settings_at(&mail.place(), &[]));
    invite(&again, "eve@example.org");
    mail.taken_for("eve@example.org", 1);
    assert_eq!(mail.taken_for("bob@example.org", 1).len(), 1);
}

#[test]
fn without_a_mail_server_everything_is_as_it_was() {
    let server = Server::start();
    assert!(invite(&server, "bob@example.org")["link"]["token"].is_string());
    assert_eq!(server.read("/server")["mail"], json!(null));
}

#[test]
fn a_name_cannot_add_a_header_or_a_receiver() {
    let (mail, server) = both();
    let name = json!({"name": "Acme\" <eve@example.org>, \"x"});
    server.owner("PUT", "/organization").json(&name).send().is(200);
    let role = flowkeep::domain::accounts::role::EDITOR.to_string();
    let invite = |email: &str, name: &str| {
        let body = json!({"user": {"email": email, "name": name}, "roleId": role});
        server.owner("POST", "/account/invite").json(&body).send()
    };
    invite("bob@example.org", "Bob\r\nBcc: eve@example.org").is_error(400);
    invite("bob@example.org\r\nRCPT TO:<eve@example.org>", "Bob").is_error(400);
    // A sign-in name may be odder than an address of mail: then there is the link alone.
    invite("bob>,<eve@example.org", "Bob").is(201);
    invite("bob@example.org", "Bob\" <eve@example.org>, \"Größe \u{2028}Bcc: eve@example.org").is(201);
    let taken = mail.taken_for("bob@example.org", 1).remove(0);
    let mut names = taken.header_names();
    names.sort();
    assert_eq!(
        names,
        [
            "auto-submitted",
            "content-transfer-encoding",
            "content-type",
            "date",
            "from",
            "message-id",
            "mime-version",
            "subject",
            "to"
        ]
    );
    assert!(taken.header("To").unwrap().ends_with(" <bob@example.org>"), "{}", taken.text);
    assert!(mail.taken_now().iter().all(|mail| mail.to.len() == 1 && !mail.to[0].contains("eve")));
}

#[test]
fn what_was_taken_back_while_it_waited_is_not_sent() {
    let mail = MailServer::start(Habit { refusal: Some("451 later"), ..Habit::default() });
    let server = service_at(&mail.place(), &[]);
    let back = invite(&server, "bob@example.org");
    let stays = invite(&server, "eve@example.org");
    mail_when(&server, |mail| mail["waiting"] == 2 && mail["lastFailure"].is_string());
    server.owner("DELETE", &format!("/account/invite/{}", id(&back))).send().is(200);
    mail.change(Habit::default());
    server.app.clock.advance_seconds(50);
    let taken = mail.taken_for("eve@example.org", 1);
    assert_eq!(taken[0].token(), stays["link"]["token"].as_str().unwrap());
    let status = mail_when(&server, |mail| mail["waiting"] == 0);
    assert_eq!(status["mail"]["givenUp"], 0);
    assert!(mail.taken_now().iter().all(|mail| mail.to != ["bob@example.org"]));
}

#[test]
fn no_link_that_waits_is_readable_in_a_file() {
    let server = service_at("localhost:9", &[]);
    let made = invite(&server, "bob@example.org");
    mail_when(&server, |mail| mail["waiting"] == 1);
    assert_eq!(server.files_with(made["link"]["token"].as_str().unwrap()), Vec::<String>::new());
}
