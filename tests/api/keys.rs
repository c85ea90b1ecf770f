//! API keys (manual 8.3 r3, 8.7): shown once, kept as a hash, limited to what their maker may.

use crate::support::{Server, golden, id};
use serde_json::{Value, json};

fn value(key: &Value) -> &str {
    key["apiKey"].as_str().unwrap()
}

#[test]
fn a_made_key_shows_its_value_this_once() {
    let server = Server::start();
    let body = json!({"keyName": "ci", "permissions": ["chatflows:view"]});
    let made = server.owner("POST", "/apikey").json(&body).send().is(201).json();
    golden::check("key.json", &serde_json::to_string_pretty(&made).unwrap());
    let value = value(&made);
    assert!(value.starts_with("fk_") && value.len() == 46, "{value}");
    assert!(value[3..].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    let listed = server.read("/apikey");
    assert_eq!(listed[0]["apiKey"], format!("fk_••••{}", &value[42..]));
    assert!(!listed.to_string().contains(value));
}

#[test]
fn the_value_of_a_key_is_in_no_file_of_the_service() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    server.call("GET", "/chatflows").bearer(value(&key)).send().is(200);
    assert_eq!(server.files_with(value(&key)), Vec::<String>::new());
    assert_eq!(server.files_with(&value(&key)[3..]), Vec::<String>::new());
}

#[test]
fn use_of_a_key_is_counted() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    for count in 0..3 {
        assert_eq!(server.read("/apikey")[0]["usage"], count);
        server.call("GET", "/chatflows").bearer(value(&key)).send().is(200);
    }
}

#[test]
fn a_key_does_what_its_permissions_say() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    server.call("GET", "/chatflows").bearer(value(&key)).send().is(200);
    let create = json!({"name": "x", "type": "CHATFLOW"});
    let message = server.call("POST", "/chatflows").bearer(value(&key)).json(&create).send().is_error(403);
    assert!(message.contains("chatflows:create"), "{message}");
}

#[test]
fn a_changed_key_does_what_it_may_now_from_the_next_request() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let body = json!({"keyName": "renamed", "permissions": ["variables:view"]});
    let listed = server.put(&format!("/apikey/{}", id(&key)), &body);
    assert_eq!(
        (&listed[0]["keyName"], &listed[0]["permissions"]),
        (&json!("renamed"), &json!(["variables:view"]))
    );
    server.call("GET", "/chatflows").bearer(value(&key)).send().is_error(403);
    server.call("GET", "/variables").bearer(value(&key)).send().is(200);
}

#[test]
fn a_deleted_key_opens_nothing() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let deleted = server.owner("DELETE", &format!("/apikey/{}", id(&key))).send().is(200);
    assert_eq!(deleted.json(), json!({"raw": [], "affected": 1}));
    server.call("GET", "/chatflows").bearer(value(&key)).send().is_error(401);
    server.owner("DELETE", &format!("/apikey/{}", id(&key))).send().is_error(404);
}

#[test]
fn bad_keys_are_refused() {
    let server = Server::start();
    for body in [
        json!({}),
        json!({"keyName": "x"}),
        json!({"keyName": "x", "permissions": []}),
        json!({"keyName": "x", "permissions": "chatflows:view"}),
        json!({"keyName": "x", "permissions": ["chatflows"]}),
        json!({"keyName": "x", "permissions": ["chatflows:fly"]}),
        json!({"keyName": "x", "permissions": ["chatflows:view", "workspace:view"]}),
        json!({"keyName": "x", "permissions": ["admin:all"]}),
        json!({"keyName": "x", "permissions": ["*"]}),
        json!({"keyName": "x", "permissions": [7]}),
        json!({"keyName": "", "permissions": ["chatflows:view"]}),
        json!({"keyName": null, "permissions": ["chatflows:view"]}),
    ] {
        server.owner("POST", "/apikey").json(&body).send().is_error(400);
    }
    assert_eq!(server.read("/apikey"), json!([]));
}

#[test]
fn a_key_cannot_make_a_stronger_key() {
    let server = Server::start();
    let key = server.key(&["apikeys:create", "chatflows:view"]);
    let make = |permissions: &[&str]| {
        let body = json!({"keyName": "x", "permissions": permissions});
        server.call("POST", "/apikey").bearer(value(&key)).json(&body).send()
    };
    make(&["chatflows:view"]).is(201);
    make(&["chatflows:view", "chatflows:delete"]).is_error(400);
}

#[test]
fn the_flows_a_key_is_bound_to_are_listed_with_it() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    server.flow_with(
        &crate::support::canvases::scripted_flow(),
        &json!({"apikeyid": key["id"], "name": "Bound"}),
    );
    let flows = server.read("/apikey")[0]["chatFlows"].clone();
    assert_eq!((&flows[0]["flowName"], flows.as_array().unwrap().len()), (&json!("Bound"), 1));
}

#[test]
fn who_may_not_see_flows_of_a_kind_finds_none_of_them_with_a_key() {
    let server = Server::start();
    let bound = server.key(&["chatflows:view"]);
    for (name, kind) in [("Chat", "CHATFLOW"), ("Steps", "AGENTFLOW")] {
        server.post("/chatflows", &json!({"name": name, "type": kind, "apikeyid": bound["id"]}));
    }
    let named = |method: &str, path: &str, body: Option<&Value>, permissions: &[&str]| -> Vec<Value> {
        let reader = server.key(permissions);
        let call = server.call(method, path).bearer(value(&reader));
        let keys = body.into_iter().fold(call, |call, body| call.json(body)).send().is(200).json();
        let row = keys.as_array().unwrap().iter().find(|key| key["id"] == bound["id"]).unwrap().clone();
        row["chatFlows"].as_array().unwrap().iter().map(|flow| flow["flowName"].clone()).collect()
    };
    assert!(named("GET", "/apikey", None, &["apikeys:view"]).is_empty());
    assert_eq!(named("GET", "/apikey", None, &["apikeys:view", "chatflows:view"]), ["Chat"]);
    assert_eq!(named("GET", "/apikey", None, &["apikeys:view", "agentflows:view"]), ["Steps"]);
    // A change answers with the list too.
    let path = format!("/apikey/{}", id(&bound));
    let change = json!({"keyName": "bound", "permissions": ["apikeys:view"]});
    assert!(named("PUT", &path, Some(&change), &["apikeys:view", "apikeys:update"]).is_empty());
}

#[test]
fn the_catalogue_of_permissions_is_cut_to_the_caller() {
    let server = Server::start();
    let all = server.read("/auth/permissions/API_KEY");
    assert!(
        all["chatflows"].to_string().contains("chatflows:view") && all.get("workspace").is_none(),
        "{all}"
    );
    assert!(server.read("/auth/permissions/ROLE").get("workspace").is_some());
    let key = server.key(&["variables:view"]);
    let own = server.call("GET", "/auth/permissions/API_KEY").bearer(value(&key)).send().is(200).json();
    assert_eq!(own.as_object().unwrap().keys().collect::<Vec<_>>(), ["variables"]);
    assert_eq!(own["variables"][0]["key"], "variables:view");
}
