//! A mail server that is not ours, which `.ci/mail` starts: with STARTTLS and a user.

use super::{invite, mail_when, service_at};
use std::env::var;
use std::path::PathBuf;

#[test]
fn a_real_mail_server_takes_an_invitation() {
    // A folder with the server's place, authority, password, and the folder of what it took.
    let Ok(folder) = var("FLOWKEEP_MAIL") else { return };
    let folder = PathBuf::from(folder);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap().trim().to_owned();
    let authority = folder.join("authority.pem");
    for (place, tls) in [(read("starttls"), "starttls"), (read("tls"), "tls")] {
        let server = service_at(
            &place,
            &[
                ("SERVICE_MAIL_TLS", tls),
                ("SERVICE_MAIL_USER", "flows"),
                ("SERVICE_MAIL_PASSWORD", &read("password")),
                ("SERVICE_CA_FILE", authority.to_str().unwrap()),
            ],
        );
        let made = invite(&server, &format!("bob-{tls}@example.org"));
        let status = mail_when(&server, |mail| mail["lastSentAt"].is_string() || mail["error"].is_string());
        assert_eq!(status["mail"]["error"], serde_json::Value::Null);
        let taken = read(&format!("taken/bob-{tls}@example.org"));
        let whole = taken.replace("=\n", "").replace("=3D", "=");
        assert!(whole.contains(made["link"]["token"].as_str().unwrap()), "{taken}");
        assert!(whole.contains("Subject: Invitation to "), "{taken}");
        assert!(read("log").contains("signed in over TLS"), "the server let nobody in unseen");
    }
}
