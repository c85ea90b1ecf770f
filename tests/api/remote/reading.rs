//! Prod reads what Dev copied, and writes nothing.

use super::*;

/// A Prod server beside a Dev server, each connected to [`NAME`].
fn pair() -> (Stage, Server) {
    let dev = Stage::new();
    save(&dev.server);
    connect(&dev.server, NAME);
    push(&dev.server);
    let prod = Server::with(&stand_in(&dev.root));
    label(&prod, json!("prod"));
    connect(&prod, NAME);
    (dev, prod)
}

#[test]
fn prod_reads_the_versions_of_dev_and_changes_nothing_else() {
    let (dev, prod) = pair();
    let flow = save(&prod);
    let own = tip(&history(&prod), "main");
    let read = push(&prod);
    assert_eq!((&read["state"], &read["role"]), (&json!("up-to-date"), &json!("read")), "{read}");
    let there = dev.tip(NAME).unwrap();
    assert_eq!(read["incomingVersion"], there[..7]);
    assert!(read["lastCheckedAt"].is_string() && read["waiting"].is_null());
    assert_eq!(tip(&history(&prod), "refs/versions/incoming"), Some(there.clone()));
    assert_eq!(tip(&history(&prod), "main"), own);
    assert_eq!(dev.tip(NAME), Some(there), "a version of Prod is never copied");
    assert_eq!(prod.read("/chatflows").as_array().unwrap().len(), 1);
    prod.read(&format!("/chatflows/{flow}"));
}

#[test]
fn prod_reads_again_after_two_minutes() {
    let (dev, prod) = pair();
    push(&prod);
    save(&dev.server);
    push(&dev.server);
    prod.app.clock.advance_seconds(121);
    let _reading = Copying::start(&prod);
    let end = Instant::now() + Duration::from_secs(20);
    while status(&prod)["incomingVersion"] != dev.tip(NAME).unwrap()[..7] {
        assert!(Instant::now() < end, "{}", status(&prod));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_save_on_prod_makes_nothing_wait() {
    let (_dev, prod) = pair();
    push(&prod);
    save(&prod);
    assert_eq!(status(&prod)["state"], "up-to-date");
}

#[test]
fn disconnecting_forgets_what_was_read() {
    let (_dev, prod) = pair();
    push(&prod);
    let gone = disconnect(&prod);
    assert_eq!((&gone["incomingVersion"], &gone["lastCheckedAt"]), (&Value::Null, &Value::Null));
    assert_eq!(tip(&history(&prod), "refs/versions/incoming"), None);
}

#[test]
fn prod_may_connect_an_empty_repository_and_none_with_other_branches_only() {
    let stage = Stage::new();
    label(&stage.server, json!("prod"));
    connect(&stage.server, NAME);
    let read = push(&stage.server);
    assert_eq!((&read["state"], &read["incomingVersion"]), (&json!("up-to-date"), &Value::Null), "{read}");
    stage.create("acme/other");
    commit(&stage.folder("acme/other"), "trunk", "Somebody else's");
    let said = refused(&stage.server, &json!({"repo": "acme/other", "token": TOKEN}), 409);
    assert!(said.contains("other content"), "{said}");
}

#[test]
fn a_read_that_fails_is_tried_again() {
    let (dev, prod) = pair();
    push(&prod);
    std::fs::remove_dir_all(dev.folder(NAME)).unwrap();
    let failed = push(&prod);
    assert_eq!(failed["state"], "retrying");
    assert!(failed["nextTryAt"].is_string() && failed["incomingVersion"].is_string(), "{failed}");
}
