//! `key` and `owner`: through the control socket of a running service, and on a folder nobody uses.

use crate::program::{OWNER, complaint};
use crate::{Home, one_line, status_with};
use serde_json::json;

/// The id of the key of this name, as `key list` shows it.
fn id_of(home: &Home, name: &str) -> String {
    let listed = home.good(&["key", "list"]);
    let row = listed.lines().find(|row| row.split_whitespace().nth(1) == Some(name));
    row.unwrap_or_else(|| panic!("{name} is not listed: {listed}")).split(' ').next().unwrap().to_owned()
}

#[test]
fn a_key_is_made_listed_and_revoked_while_the_service_runs() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("first");
    assert!(key.starts_with("fk_") && key.len() == 46, "{key}");
    assert_eq!(status_with(&service, &key), 200);
    let listed = home.good(&["key", "list"]);
    assert!(listed.contains("first") && listed.contains(&key[key.len() - 4..]), "{listed}");
    assert!(!listed.contains(&key), "the value is shown once: {listed}");
    home.good(&["key", "revoke", &id_of(&home, "first")]);
    assert_eq!(status_with(&service, &key), 401, "it stops working at once");
    assert!(!home.good(&["key", "list"]).contains("first"));
}

#[test]
fn a_key_is_made_listed_and_revoked_while_the_service_is_stopped() {
    let home = Home::new();
    assert!(home.serve().stop().success());
    let (kept, revoked) = (home.key("kept"), home.key("revoked"));
    home.good(&["key", "revoke", &id_of(&home, "revoked")]);
    let service = home.serve();
    assert_eq!((status_with(&service, &kept), status_with(&service, &revoked)), (200, 401));
}

#[test]
fn a_key_may_do_only_what_it_was_given() {
    let home = Home::new();
    let service = home.serve();
    let key = home.good(&["key", "create", "--name", "narrow", "--permission", "credentials:view"]);
    let bearer = format!("Bearer {}", key.trim());
    let status = |path| service.get(path, &[("authorization", &bearer)]).status();
    assert_eq!((status("/api/v1/credentials"), status("/api/v1/chatflows")), (200, 403));
}

#[test]
fn a_key_command_that_cannot_be_done_says_why() {
    let home = Home::new();
    let line = one_line(&home.run(&["key", "list"]), 1);
    assert!(line.contains("there is no data"), "{line}");
    let _service = home.serve();
    let unknown = "00000000-0000-4000-8000-000000000000";
    one_line(&home.run(&["key", "revoke", unknown]), 1);
    for wrong in [
        &["key", "revoke", "nonsense"][..],
        &["key", "create", "--name", "a"],
        &["key", "create", "--all"],
        &["key", "create", "--name", "a", "--permission", "everything:do"],
    ] {
        one_line(&home.run(wrong), 2);
    }
}

/// The password that `owner reset-password --random` printed.
fn reset(home: &Home) -> String {
    let told = home.good(&["owner", "reset-password", "--random"]);
    assert!(told.contains(OWNER.0) && told.lines().count() == 1, "{told}");
    told.trim_end().rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn a_password_is_reset_while_the_service_runs() {
    let home = Home::new();
    let service = home.serve();
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let me = || service.get("/api/v1/auth/me", &[("cookie", &cookie)]).status();
    assert_eq!(me(), 200);
    let password = reset(&home);
    assert_eq!(me(), 401, "sessions end with the password");
    assert!(service.sign_in(OWNER.0, OWNER.1).is_none());
    assert!(service.sign_in(OWNER.0, &password).is_some());
}

#[test]
fn a_password_is_reset_while_the_service_is_stopped() {
    let home = Home::new();
    assert!(home.serve().stop().success());
    let password = reset(&home);
    // The variables of the first owner are still set: they make no second one and change nothing.
    let service = home.serve();
    assert!(service.sign_in(OWNER.0, OWNER.1).is_none());
    assert!(service.sign_in(OWNER.0, &password).is_some());
}

#[test]
fn a_chosen_password_that_is_too_short_is_refused() {
    let home = Home::new();
    let service = home.serve();
    let output = home.run(&["owner", "reset-password", "--password", "hunter2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!complaint(&output).contains("hunter2"));
    assert!(service.sign_in(OWNER.0, OWNER.1).is_some(), "the old one stays");
}

#[test]
fn people_are_listed_kept_out_and_let_in_running_and_stopped() {
    let home = Home::new();
    let service = home.serve();
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let base = service.get("/api/v1/auth/me", &[("cookie", &cookie)]);
    assert_eq!(base.status(), 200);
    let invited = json!({"user": {"email": "bob@example.org"}, "roleId": flowkeep::domain::role::VIEWER});
    let made = service.call("POST", "/api/v1/account/invite", &[("cookie", &cookie)], &invited);
    assert_eq!(made.status(), 201, "{}", made.text());
    let token = made.json()["link"]["token"].clone();
    let bob = ("bob@example.org", "a long enough password");
    let user = json!({"name": "Bob", "credential": bob.1, "tempToken": token});
    let registered = service.call("POST", "/api/v1/account/register", &[], &json!({ "user": user }));
    assert_eq!(registered.status(), 201, "{}", registered.text());

    let listed = home.good(&["user", "list"]);
    assert!(listed.contains(OWNER.0) && listed.contains("owner"), "{listed}");
    let row = listed.lines().find(|row| row.contains(bob.0)).unwrap();
    assert!(row.contains("active") && row.contains("Viewer"), "{listed}");
    assert_eq!(home.good(&["user", "disable", bob.0]), "bob@example.org is kept out.\n");
    assert!(service.sign_in(bob.0, bob.1).is_none());
    assert!(home.good(&["user", "list"]).contains("disabled"));
    assert!(one_line(&home.run(&["user", "disable", OWNER.0]), 1).contains("owner"));
    one_line(&home.run(&["user", "enable", "nobody@example.org"]), 1);

    assert!(service.stop().success());
    let id = row.split(' ').next().unwrap();
    assert_eq!(home.good(&["user", "enable", id]), "bob@example.org may sign in.\n");
    assert!(home.serve().sign_in(bob.0, bob.1).is_some());
}

#[test]
fn a_workspace_is_exported_and_imported_running_and_stopped() {
    let home = Home::new();
    let service = home.serve();
    let key = home.key("all");
    let canvas = crate::canvases::scripted(&serde_json::json!([]), "You said: {question}");
    let flow = service.make_flow(&key, "Talker", &canvas);
    let file = home.path().join("export.json");
    let path = file.to_str().unwrap();
    home.good(&["export", path]);
    assert!(home.good(&["export"]).contains("\"Talker\""), "without a file it is printed");
    assert!(home.good(&["import", path]).starts_with("skip     ChatFlow       Talker\n"));
    assert!(service.stop().success());

    let other = Home::new();
    assert!(other.serve().stop().success());
    let preview = other.good(&["import", path, "--preview"]);
    assert!(preview.starts_with("create   ChatFlow       Talker\n"), "{preview}");
    assert_eq!(other.good(&["import", path]), preview);
    let service = other.serve();
    let answer = service.ask(&flow, &serde_json::json!({"question": "Hi"}));
    assert_eq!(answer.status(), 200);

    std::fs::write(&file, r#"{"ChatFlow": [{"name": "bad", "flowData": "x"}]}"#).unwrap();
    let refused = other.run(&["import", path]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(crate::program::out(&refused).contains("refused  ChatFlow       bad"));
    one_line(&other.run(&["import", "/nowhere"]), 1);
    one_line(&other.run(&["export", "--workspace", "x"]), 2);
}
