//! What the service says about itself, and the headers every answer has (manual 12.3).

use crate::access::sample;
use crate::support::Server;
use crate::support::canvases::scripted_flow;
use flowkeep::http::routing::routes::service_routes;
use serde_json::json;

#[test]
fn ping_answers_pong() {
    let answer = Server::start().call("GET", "/ping").send().is(200);
    assert_eq!(answer.text(), "pong");
    assert!(answer.header("content-type").unwrap().starts_with("text/plain"));
}

#[test]
fn the_version_is_that_of_the_package() {
    let answer = Server::start().call("GET", "/version").send().is(200);
    assert_eq!(answer.json(), json!({"version": env!("CARGO_PKG_VERSION")}));
}

#[test]
fn health_and_readiness_say_nothing_about_the_host() {
    let server = Server::start();
    assert_eq!(server.call_root("GET", "/health").send().is(200).json(), json!({"status": "ok"}));
    assert_eq!(server.call_root("GET", "/ready").send().is(200).json(), json!({"status": "ready"}));
}

#[test]
fn a_head_is_answered_without_a_body() {
    let server = Server::start();
    let socket = server.call_root("HEAD", "/health").connect();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut { socket }, &mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200") && text.ends_with("\r\n\r\n"), "{text}");
}

#[test]
fn every_answer_has_the_headers_that_keep_it_inert() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    for answer in [
        server.call("GET", "/version").send(),
        server.call("GET", "/nothing").send(),
        server.call("GET", "/chatflows").send(),
        server.owner("GET", "/chatflows").send(),
        server.ask(&flow, &json!({"question": "Hi"})),
        server.ask(&flow, &json!({})),
        server.owner("PATCH", "/chatflows").send(),
    ] {
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{answer:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer:?}");
        assert!(
            answer.header("content-security-policy").unwrap().contains("default-src 'none'"),
            "{answer:?}"
        );
        assert_eq!((answer.header("server"), answer.header("x-powered-by")), (None, None));
    }
}

#[test]
fn data_survives_a_new_start() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let first = server.ask(&flow, &json!({"question": "One"})).is(200).json();
    let key = server.key(&["chatflows:view"]);
    let server = server.restart();
    assert_eq!(server.read("/auth/me")["email"], crate::support::server::EMAIL);
    assert_eq!(server.messages(&flow).len(), 2);
    server.call("GET", "/chatflows").bearer(key["apiKey"].as_str().unwrap()).send().is(200);
    let more = json!({"question": "Two", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    assert_eq!(server.ask(&flow, &more).is(200).json()["chatId"], first["chatId"]);
}

#[test]
fn another_method_is_told_which_there_are() {
    let server = Server::start();
    // A webhook takes every method: which one counts, its card says.
    let with_others = service_routes().iter().filter(|route| route.pattern != "/api/v1/webhook/:id");
    for route in with_others {
        let (path, _) = sample(&server, route, "CHATFLOW", "chatflows:view");
        let other = if route.method == "PATCH" { "DELETE" } else { "PATCH" };
        let answer = server.call_root(other, &path).send();
        // Clients of a protocol are told in its own words.
        if path.starts_with("/api/v1/mcp/") || path == "/api/v1/mcp" || path.starts_with("/api/v1/openai/") {
            assert_eq!(answer.status, 405, "{path}");
        } else {
            answer.is_error(405);
        }
        let allow = answer.header("allow").unwrap();
        assert!(allow.split(", ").any(|method| method == route.method.as_str()), "{allow}");
    }
}
