//! How connections to mail servers are encrypted, and who signs in.

use super::{invite, mail_when, service_at};
use crate::support::mail_server::{Habit, MailServer};

const USER: Option<(&str, &str)> = Some(("flows", "correct horse"));

/// Sends one message to a server of this habit; whether it came over TLS, and who had signed in.
fn sent(habit: Habit, tls: &str) -> (bool, Option<String>) {
    let mail = MailServer::start(habit);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "correct horse\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let server = service_at(
        &mail.place(),
        &[
            ("SERVICE_MAIL_TLS", tls),
            ("SERVICE_MAIL_USER", "flows"),
            ("SERVICE_MAIL_PASSWORD_FILE", file.to_str().unwrap()),
            ("SERVICE_CA_FILE", &mail.authority()),
        ],
    );
    invite(&server, "bob@example.org");
    let taken = mail.taken_for("bob@example.org", 1).remove(0);
    (taken.tls, taken.user)
}

#[test]
fn each_way_to_encrypt_and_to_sign_in_works() {
    let flows = || Some("flows".to_owned());
    for ways in ["PLAIN", "LOGIN"] {
        let starttls = Habit { starttls: true, user: USER, ways, ..Habit::default() };
        assert_eq!(sent(starttls, "starttls"), (true, flows()), "{ways}");
    }
    let implicit = Habit { implicit_tls: true, user: USER, ..Habit::default() };
    assert_eq!(sent(implicit, "tls"), (true, flows()));
    let plain = Habit { user: USER, ..Habit::default() };
    assert_eq!(sent(plain, "off"), (false, flows()), "on this machine");
}

#[test]
fn nothing_is_sent_where_encryption_cannot_be_had() {
    for (habit, tls, trusted, told) in [
        (Habit::default(), "starttls", true, "offers no encryption"),
        (Habit { starttls: true, ..Habit::default() }, "starttls", false, "authority"),
        (Habit { implicit_tls: true, ..Habit::default() }, "tls", false, "authority"),
        (Habit { starttls: true, says_before_tls: true, ..Habit::default() }, "starttls", true, "before"),
        (Habit { user: USER, ways: "CRAM-MD5", ..Habit::default() }, "off", true, "by PLAIN or LOGIN"),
    ] {
        let mail = MailServer::start(habit);
        let authority = mail.authority();
        let mut more = vec![
            ("SERVICE_MAIL_TLS", tls),
            ("SERVICE_MAIL_USER", "flows"),
            ("SERVICE_MAIL_PASSWORD", "correct horse"),
        ];
        if trusted {
            more.push(("SERVICE_CA_FILE", authority.as_str()));
        }
        let server = service_at(&mail.place(), &more);
        invite(&server, "bob@example.org");
        let status = mail_when(&server, |mail| mail["error"].is_string());
        let error = status["mail"]["error"].as_str().unwrap();
        assert!(error.contains(told), "{tls}: {error}");
        assert!(mail.taken_now().is_empty());
    }
}

#[test]
fn a_password_file_that_gives_none_is_told_without_its_place() {
    let mail = MailServer::start(Habit { user: USER, ..Habit::default() });
    let more = [("SERVICE_MAIL_USER", "flows"), ("SERVICE_MAIL_PASSWORD_FILE", "/nowhere/kept-here")];
    let server = service_at(&mail.place(), &more);
    invite(&server, "bob@example.org");
    let status = mail_when(&server, |mail| mail["error"].is_string());
    let error = status["mail"]["error"].as_str().unwrap();
    assert!(error.starts_with("The file of the mail password cannot be read"), "{error}");
    assert!(!status.to_string().contains("/nowhere"), "{status}");
}
