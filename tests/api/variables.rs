//! Saved variables (manual 7.5): their way into a card's text, and what they may not read.

use crate::support::canvases::prompted_chain;
use crate::support::{Options, Server, golden, id};
use serde_json::{Value, json};

fn make(server: &Server, name: &str, value: &str, kind: &str) -> Value {
    server.post("/variables", &json!({"name": name, "value": value, "type": kind}))
}

fn answer(server: &Server, flow: &str) -> Value {
    server.ask(flow, &json!({"question": "Hi"})).is(200).json()["text"].clone()
}

#[test]
fn a_variable_has_these_fields() {
    let server = Server::start();
    let made = make(&server, "city", "Oslo", "static");
    golden::check("variable.json", &serde_json::to_string_pretty(&made).unwrap());
    assert_eq!(server.read("/variables"), json!([made]));
    assert_eq!(server.read("/variables?page=1&limit=5"), json!({"data": [made], "total": 1}));
}

#[test]
fn a_variable_reaches_the_text_of_a_card() {
    let server = Server::start();
    make(&server, "city", "Oslo", "static");
    let flow = server.flow(&prompted_chain("{question} from {city}", r#"{"city":"{{$vars.city}}"}"#));
    assert_eq!(answer(&server, &flow), "Hi from Oslo");
}

#[test]
fn a_changed_variable_counts_from_the_next_question() {
    let server = Server::start();
    let made = make(&server, "city", "Oslo", "static");
    let flow = server.flow(&prompted_chain("{question} from {city}", r#"{"city":"{{$vars.city}}"}"#));
    answer(&server, &flow);
    let changed = server.put(&format!("/variables/{}", id(&made)), &json!({"value": "Rome"}));
    assert_eq!((&changed["name"], &changed["value"]), (&json!("city"), &json!("Rome")));
    assert_eq!(answer(&server, &flow), "Hi from Rome");
}

#[test]
fn what_a_variable_says_is_not_read_again() {
    let server = Server::start();
    make(&server, "inner", "secret", "static");
    make(&server, "city", "{{$vars.inner}}", "static");
    let flow = server.flow(&prompted_chain("{question} from {city}", r#"{"city":"{{$vars.city}}"}"#));
    assert_eq!(answer(&server, &flow), "Hi from {{$vars.inner}}");
    let asked = server.ask(&flow, &json!({"question": "{{$vars.inner}}"})).is(200).json();
    assert_eq!(asked["text"], "{{$vars.inner}} from {{$vars.inner}}");
}

fn with_environment() -> Server {
    let environment = vec![
        ("REGION", "north"),
        ("FLOW_REGION", "south"),
        ("SERVICE_OWNER_PASSWORD", "operator secret"),
        ("service_owner_password", "operator secret"),
    ];
    Server::with_options(Options { environment, ..Options::default() })
}

fn region(server: &Server, name: &str) -> String {
    make(server, name, "", "runtime");
    let values = json!({"region": format!("{{{{$vars.{name}}}}}")}).to_string();
    let flow = server.flow(&prompted_chain("{question} from {region}", &values));
    answer(server, &flow).as_str().unwrap().to_owned()
}

#[test]
fn a_runtime_variable_is_read_from_the_environment() {
    assert_eq!(region(&with_environment(), "FLOW_REGION"), "Hi from south");
}

#[test]
fn a_runtime_variable_reads_no_name_that_is_not_for_flows() {
    assert!(!region(&with_environment(), "REGION").contains("north"));
    let environment = vec![("REGION", "north"), ("FLOW_REGION", "south")];
    let settings = vec![("SERVICE_RUNTIME_VARIABLES", "REGION".to_owned())];
    let server = Server::with_options(Options { environment, settings, ..Options::default() });
    assert_eq!(region(&server, "REGION"), "Hi from north");
    assert!(!region(&server, "FLOW_REGION").contains("south"));
}

#[test]
fn a_runtime_variable_cannot_read_the_services_settings() {
    let server = with_environment();
    for name in ["SERVICE_OWNER_PASSWORD", "service_owner_password"] {
        let text = region(&server, name);
        assert!(!text.contains("operator secret"), "{text}");
    }
}

#[test]
fn the_value_of_a_runtime_variable_is_not_shown() {
    let server = with_environment();
    make(&server, "FLOW_REGION", "", "runtime");
    assert!(!server.read("/variables").to_string().contains("south"));
}

#[test]
fn bad_variables_are_refused() {
    let server = Server::start();
    for body in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "a b"}),
        json!({"name": "a.b"}),
        json!({"name": "a}}"}),
        json!({"name": 7}),
        json!({"name": "a", "type": "dynamic"}),
        json!({"name": "a", "value": 7}),
    ] {
        server.owner("POST", "/variables").json(&body).send().is_error(400);
    }
    assert_eq!(server.read("/variables"), json!([]));
}

#[test]
fn two_variables_cannot_have_one_name() {
    let server = Server::start();
    make(&server, "city", "Oslo", "static");
    server.owner("POST", "/variables").json(&json!({"name": "city", "value": "Rome"})).send().is_error(409);
}

#[test]
fn a_deleted_variable_is_gone() {
    let server = Server::start();
    let path = format!("/variables/{}", id(&make(&server, "city", "Oslo", "static")));
    assert_eq!(server.owner("DELETE", &path).send().is(200).json(), json!({"raw": [], "affected": 1}));
    server.owner("DELETE", &path).send().is_error(404);
    server.owner("PUT", &path).json(&json!({"value": "x"})).send().is_error(404);
    assert_eq!(server.read("/variables"), json!([]));
}
