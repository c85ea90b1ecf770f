//! The label of a server.

use super::*;

#[test]
fn a_server_is_labelled_and_says_so_before_anybody_signs_in() {
    let stage = Stage::new();
    let settings =
        |server: &Server| server.call("GET", "/settings").send().is(200).json()["environment"].clone();
    assert_eq!(settings(&stage.server), Value::Null);
    let labelled = label(&stage.server, json!("prod"));
    assert_eq!((&labelled["environment"], &labelled["role"]), (&json!("prod"), &json!("read")));
    assert_eq!(settings(&stage.server), "prod");
    let stage = stage.restart();
    assert_eq!(settings(&stage.server), "prod");
    let labelled = label(&stage.server, json!("dev"));
    assert_eq!((&labelled["environment"], &labelled["role"]), (&json!("dev"), &json!("copy")));
    assert_eq!(label(&stage.server, Value::Null)["environment"], Value::Null);
    assert_eq!(settings(&stage.restart().server), Value::Null);
}

#[test]
fn a_label_is_in_no_version() {
    let stage = Stage::new();
    save(&stage.server);
    let before = tip(&history(&stage.server), "main");
    label(&stage.server, json!("dev"));
    assert_eq!(tip(&history(&stage.server), "main"), before);
}

#[test]
fn dev_and_prod_are_not_switched_while_a_repository_is_connected() {
    let stage = Stage::new();
    label(&stage.server, json!("dev"));
    connect(&stage.server, NAME);
    let body = json!({"environment": "prod"});
    let said = stage.server.owner("PUT", "/flow-versions/environment").json(&body).send().is_error(409);
    assert!(said.contains("Disconnect"), "{said}");
    assert_eq!(status(&stage.server)["environment"], "dev");
    // Neither of these changes what the server does.
    label(&stage.server, Value::Null);
    stage.server.owner("PUT", "/flow-versions/environment").json(&body).send().is_error(409);
    label(&stage.server, json!("dev"));
    disconnect(&stage.server);
    assert_eq!(label(&stage.server, json!("prod"))["environment"], "prod");
}
