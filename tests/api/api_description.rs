//! The API description against the service: what it says of a route is what the route does.

use crate::access;
use crate::access_callers::{self, RouteCalls};
use crate::support::Server;
use crate::support::canvases::scripted_flow;
use crate::support::client::{Answer, Call};
use flowkeep::http::openapi;
use flowkeep::http::routing::guard::RequiredAccess;
use flowkeep::http::routing::router::Route;
use flowkeep::http::routing::routes::service_routes;
use serde_json::{Value, json};

/// A description, and what does not fit it.
struct DescriptionCheck {
    document: Value,
    faults: Vec<String>,
}

impl DescriptionCheck {
    fn operation(&self, route: &Route) -> Value {
        let path: Vec<String> = route
            .pattern
            .split('/')
            .map(|part| part.strip_prefix(':').map_or(part.to_owned(), |name| format!("{{{name}}}")))
            .collect();
        self.document["paths"][path.join("/")][route.method.as_str().to_ascii_lowercase()].clone()
    }

    fn resolve_reference<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(name) => self.document.pointer(&name[1..]).unwrap_or_else(|| panic!("{name} is nowhere")),
            None => value,
        }
    }

    /// Holds an answer against what the description says of its route.
    fn check_value(&mut self, route: &Route, answer: &Answer) {
        let name = format!("{} {} {}", route.method, route.pattern, answer.status);
        let operation = self.operation(route);
        let response = &operation["responses"][answer.status.to_string()];
        if response.is_null() {
            self.faults.push(format!("{name}: the status is not described"));
            return;
        }
        let response = self.resolve_reference(response).clone();
        let kind = answer.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default();
        let content = &response["content"];
        let described = if content[kind].is_null() { &content["*/*"] } else { &content[kind] };
        if described.is_null() && !(content.is_null() && answer.body.is_empty()) {
            self.faults.push(format!("{name}: {kind} is not described"));
        } else if kind == "application/json" {
            let mut faults = Vec::new();
            self.check(&described["schema"], &answer.json(), "", &mut faults);
            self.faults.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
        }
    }

    /// Checks a value against a schema, as far as this description uses schemas; a field that an object's schema does
    /// not name is a fault too.
    fn check(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let schema = self.resolve_reference(schema);
        if let Some(choices) = schema["anyOf"].as_array() {
            let of = |choice| {
                let mut faults = Vec::new();
                self.check(choice, value, at, &mut faults);
                faults
            };
            let tried: Vec<Vec<String>> = choices.iter().map(of).collect();
            if !tried.iter().any(Vec::is_empty) {
                faults.extend(tried.into_iter().flatten());
            }
            return;
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is = |kind: &str| match kind {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("the description uses the type {other}"),
        };
        if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind)) {
            faults.push(format!("{at} is {value} and should be {}", kinds.join(" or ")));
            return;
        }
        if let Some(words) = schema["enum"].as_array().filter(|words| !words.contains(value)) {
            faults.push(format!("{at} is {value} and should be one of {words:?}"));
        }
        if let (Some(format), Some(text)) = (schema["format"].as_str(), value.as_str()) {
            let fits = match format {
                "uuid" => text.len() == 36 && text.split('-').count() == 5,
                "date-time" => text.parse::<jiff::Timestamp>().is_ok(),
                "email" => text.contains('@'),
                _ => true,
            };
            if !fits {
                faults.push(format!("{at} is {value} and no {format}"));
            }
        }
        if let Some(list) = value.as_array() {
            for (index, item) in list.iter().enumerate() {
                self.check(&schema["items"], item, &format!("{at}/{index}"), faults);
            }
        }
        let Some(object) = value.as_object().filter(|_| kinds.contains(&"object")) else { return };
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                faults.push(format!("{at} lacks {name}"));
            }
        }
        for (name, field) in object {
            let at = format!("{at}/{name}");
            match (&schema["properties"][name], &schema["additionalProperties"]) {
                (Value::Null, Value::Null) => faults.push(format!("{at} is not described")),
                (Value::Null, values) => self.check(values, field, &at, faults),
                (known, _) => self.check(known, field, &at, faults),
            }
        }
    }
}

fn described() -> DescriptionCheck {
    DescriptionCheck { document: openapi::document().unwrap(), faults: Vec::new() }
}

#[test]
fn every_answer_of_every_route_is_as_described() {
    let (mut server, mut described) = (Server::start(), described());
    let (me, wrong) = (server.read("/auth/me"), format!("fk_{}", "w".repeat(43)));
    for route in service_routes() {
        let calls = RouteCalls::new(&server, route);
        let mut check = |dress: &dyn Fn(Call) -> Call| described.check_value(route, &calls.send(dress));
        let fresh = access_callers::owner_session(&server, &me);
        check(&|call| call);
        check(&|call| call.bearer(&wrong));
        check(&|call| call.header("Cookie", &fresh));
        if let RequiredAccess::AnyOf(permissions) = route.guard.access {
            let (header, value) = access_callers::holder(&server, route, permissions[0]);
            let other = access_callers::key(&server, &["agentflows:domains"]);
            check(&|call| call.header(header, &value));
            check(&|call| call.bearer(&other));
        }
        if route.guard.access == RequiredAccess::Key {
            let key = access_callers::key(&server, &["chatflows:view"]);
            check(&|call| call.bearer(&key));
        }
        // Some routes end sessions.
        server.cookie = access_callers::owner_session(&server, &me);
    }
    assert!(described.faults.is_empty(), "{}", described.faults.join("\n"));
}

#[test]
fn what_no_route_can_read_is_refused_as_described() {
    let (server, mut described) = (Server::start(), described());
    let me = server.read("/auth/me");
    for route in service_routes() {
        let path: Vec<&str> = route
            .pattern
            .split('/')
            .map(|part| if part.starts_with(':') { "unknown" } else { part })
            .collect();
        let fresh = access_callers::owner_session(&server, &me);
        let call = || server.call_root(route.method.as_str(), &path.join("/")).header("Cookie", &fresh);
        let mut calls = vec![call(), call().bytes("text/csv", "a,b")];
        for body in ["", "{", "[]", "{}", "null"] {
            calls.push(call().bytes("application/json", body));
        }
        for call in calls {
            described.check_value(route, &call.send());
        }
    }
    assert!(described.faults.is_empty(), "{}", described.faults.join("\n"));
}

#[test]
fn what_becomes_of_good_and_bad_things_of_a_file_is_as_described() {
    let (server, mut described) = (Server::start(), described());
    let route =
        service_routes().iter().find(|route| route.pattern.ends_with("/export-import/import")).unwrap();
    let file = json!({
        "ChatFlow": [{"name": "bad", "type": "CHATFLOW", "flowData": "{}"}, {"name": "good", "type": "CHATFLOW", "flowData": scripted_flow()}],
        "ChatMessage": [{}],
    });
    for mode in ["preview", "import"] {
        let mut body = file.clone();
        body["mode"] = mode.into();
        let answer = server.owner("POST", "/export-import/import").json(&body).send().is(200);
        assert!(answer.json()["items"][0].get("newId").is_none(), "it has no place here");
        described.check_value(route, &answer);
    }
    assert!(described.faults.is_empty(), "{}", described.faults.join("\n"));
}

#[test]
fn good_requests_are_as_described() {
    let (server, mut described) = (Server::start(), described());
    for route in service_routes() {
        let (_, Some(body)) = access::sample(&server, route, "CHATFLOW", "chatflows:view") else { continue };
        let schema = &described.operation(route)["requestBody"]["content"]["application/json"]["schema"];
        let mut faults = Vec::new();
        described.check(schema, &body, "", &mut faults);
        let name = format!("{} {}", route.method, route.pattern);
        described.faults.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(described.faults.is_empty(), "{}", described.faults.join("\n"));
}

#[test]
fn the_service_hands_its_description_out() {
    let server = Server::start();
    assert_eq!(server.call("GET", "/openapi.json").send().is(200).json(), openapi::document().unwrap());
}
