//! Which names the service answers to, and what a page at another address is told (manual 12.4).

use crate::support::{Answer, Server};
use flowkeep::http::connection::timeouts::Timeouts;

const OWNER: &str = "Cookie: flowkeep_session=ooooooooooooooooooooooooooooooooooooooooooo";
const BOUND_OWNER: &str = "Cookie: __Host-flowkeep_session=ooooooooooooooooooooooooooooooooooooooooooo";
const BASE: &str = "https://flows.example";

fn ask(server: &Server, method: &str, path: &str, host: &str, headers: &[&str]) -> Answer {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let body = if method == "POST" { "Content-Type: application/json\r\nContent-Length: 2\r\n" } else { "" };
    let content = if body.is_empty() { "" } else { "{}" };
    server.send_raw(format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}{body}\r\n{content}"))
}

#[test]
fn a_strangers_name_that_leads_to_loopback_opens_nothing() {
    let server = Server::start();
    for (method, path) in
        [("GET", "/api/v1/ok"), ("POST", "/api/v1/echo"), ("GET", "/health"), ("GET", "/nothing")]
    {
        for host in
            ["evil.example", "evil.example:3000", "localhost.evil.example", "127.0.0.1.evil.example", ""]
        {
            let message = ask(&server, method, path, host, &[]).is_error(421);
            assert!(
                message.contains("SERVICE_HOSTS") && message.contains(&format!("\"{host}\"")),
                "{message}"
            );
        }
    }
    // Neither a page nor a preflight of that name.
    ask(&server, "POST", "/api/v1/echo", "evil.example", &["Origin: http://evil.example"]).is_error(421);
    ask(
        &server,
        "OPTIONS",
        "/api/v1/listed",
        "evil.example",
        &["Origin: http://evil.example", "Access-Control-Request-Method: GET"],
    )
    .is_error(421);
    for host in [
        "localhost",
        "LocalHost:3000",
        "a.localhost",
        "127.0.0.1:3000",
        "[::1]:3000",
        "192.168.1.7",
        "here.example:80",
    ] {
        assert_eq!(ask(&server, "GET", "/api/v1/ok", host, &[]).status, 200, "{host}");
    }
    assert_eq!(server.send_raw("GET /health HTTP/1.0\r\n\r\n").status, 200);
}

#[test]
fn the_base_address_and_listed_names_are_answered() {
    let server = Server::with(Timeouts::default(), Some(BASE), &[]);
    for host in ["flows.example", "FLOWS.example:443", "a", "localhost", "127.0.0.1"] {
        assert_eq!(ask(&server, "GET", "/api/v1/ok", host, &[]).status, 200, "{host}");
    }
    let message = ask(&server, "GET", "/api/v1/ok", "evil.example", &[]).is_error(421);
    assert!(message.contains(BASE), "{message}");
}

#[test]
fn a_page_elsewhere_is_told_its_address_the_expected_one_and_the_setting() {
    let server = Server::start();
    let refused =
        |host: &str, headers: &[&str]| ask(&server, "POST", "/api/v1/echo", host, headers).is_error(403);
    let message = refused("127.0.0.1:3000", &[OWNER, "Origin: https://flows.example"]);
    for part in ["page is at https://flows.example", "SERVICE_BASE_URL=https://flows.example"] {
        assert!(message.contains(part), "{message}");
    }
    // Nothing to set makes these the service's own.
    for header in ["Origin: null", "Sec-Fetch-Site: cross-site"] {
        let message = refused("127.0.0.1:3000", &[OWNER, header]);
        assert!(message.starts_with("A page of another site") && !message.contains("SERVICE_"), "{message}");
    }
    let public = Server::with(Timeouts::default(), Some(BASE), &[]);
    let message = ask(&public, "POST", "/api/v1/echo", "flows.example", &["Origin: https://other.example"])
        .is_error(403);
    for part in
        ["at https://other.example", "expected at https://flows.example", "SERVICE_HOSTS=other.example"]
    {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn loopback_stays_usable_beside_a_base_address() {
    let server = Server::with(Timeouts::default(), Some(BASE), &[]);
    let here = ["127.0.0.1:3000", "localhost:3000", "[::1]:3000"];
    for host in here {
        let own = format!("Origin: http://{host}");
        assert_eq!(ask(&server, "POST", "/api/v1/echo", host, &[&own]).status, 200, "{host}");
        // Its cookie is one that a browser sends without https.
        assert_eq!(ask(&server, "GET", "/api/v1/session", host, &[OWNER]).status, 200, "{host}");
        let change = |origin: &str| ask(&server, "DELETE", "/api/v1/change", host, &[OWNER, origin]).status;
        assert_eq!((change(&own), change("Origin: http://127.0.0.1:9")), (200, 403), "{host}");
    }
    // What came through a proxy came by https, and there a cookie without its name's promise may be anybody's.
    for proxied in [
        "X-Forwarded-For: 203.0.113.9",
        "Forwarded: for=203.0.113.9",
        "Via: 1.1 proxy",
        "Origin: https://flows.example",
    ] {
        ask(&server, "GET", "/api/v1/session", here[0], &[OWNER, proxied]).is_error(401);
        assert_eq!(ask(&server, "GET", "/api/v1/session", here[0], &[BOUND_OWNER, proxied]).status, 200);
    }
    ask(&server, "GET", "/api/v1/session", "flows.example", &[OWNER]).is_error(401);
}
