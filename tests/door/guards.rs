//! Guards and origins, seen from outside.

use crate::service::{LISTED, OPEN};
use crate::support::Server;
use flowkeep::http::connection::timeouts::Timeouts;

const OWNER: &str = "Cookie: a=b; flowkeep_session=ooooooooooooooooooooooooooooooooooooooooooo";
const MEMBER: &str = "Cookie: flowkeep_session=mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
const EXPIRED: &str = "Cookie: flowkeep_session=eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
const KEY: &str = "Authorization: Bearer fk_vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv";
const WRONG_KEY: &str = "Authorization: Bearer fk_wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww";
const INTERNAL: &str = "x-request-from: internal";

#[test]
fn every_guard_meets_every_caller() {
    let server = Server::start();
    for (path, expected) in [
        // nobody, wrong key, key, expired session, member, owner
        ("/api/v1/ok", [200, 200, 200, 200, 200, 200]),
        ("/api/v1/signed-in", [401, 401, 200, 401, 200, 200]),
        ("/api/v1/session", [401, 401, 403, 401, 200, 200]),
        ("/api/v1/viewer", [401, 401, 200, 401, 403, 200]),
        ("/api/v1/owner", [401, 401, 403, 401, 403, 200]),
    ] {
        let callers: [&[&str]; 6] = [&[], &[WRONG_KEY], &[KEY], &[EXPIRED], &[MEMBER], &[OWNER]];
        let statuses = callers.map(|headers| server.get(path, headers).status);
        assert_eq!(statuses, expected, "{path}");
    }
    let message = server.get("/api/v1/viewer", &[MEMBER]).is_error(403);
    assert!(message.contains("chatflows:view, agentflows:view"), "{message}");
    // A key decides alone; two headers are no key; other schemes are not read.
    server.get("/api/v1/signed-in", &[WRONG_KEY, OWNER]).is_error(401);
    server.get("/api/v1/session", &[KEY, OWNER]).is_error(403);
    server.get("/api/v1/signed-in", &[KEY, KEY]).is_error(401);
    server
        .get("/api/v1/signed-in", &["Authorization: fk_vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"])
        .is_error(401);
    assert_eq!(server.get("/api/v1/session", &["Authorization: Basic eDp5", OWNER]).status, 200);
}

#[test]
fn the_canvas_is_told_about_its_session() {
    let server = Server::start();
    let expired = server.get("/api/v1/signed-in", &[EXPIRED, INTERNAL]);
    assert_eq!(expired.is_error(401), "Token Expired");
    assert_eq!(expired.json()["retry"], true);
    assert_eq!(server.get("/api/v1/signed-in", &[INTERNAL]).is_error(401), "Invalid or Missing token");
    assert_eq!(server.get("/api/v1/signed-in", &[]).is_error(401), "Unauthorized");
    assert_eq!(server.get("/api/v1/session", &[KEY, OWNER, INTERNAL]).status, 200);
}

#[test]
fn the_caller_is_judged_before_the_body() {
    let server = Server::start();
    let large = "x".repeat(2000);
    server.ask("POST", "/api/v1/guarded", &[], "not json").is_error(401);
    server.ask("POST", "/api/v1/guarded", &[], &large).is_error(401);
    server.ask("POST", "/api/v1/guarded", &[WRONG_KEY], &large).is_error(401);
    server.ask("POST", "/api/v1/guarded", &[KEY, "Content-Type: text/plain"], "x").is_error(403);
    server.ask("POST", "/api/v1/guarded", &[OWNER, "Content-Type: text/plain"], "x").is_error(415);
    server.ask("POST", "/api/v1/guarded", &[OWNER], &large).is_error(413);
    assert_eq!(server.ask("POST", "/api/v1/guarded", &[OWNER], "{}").status, 200);
}

#[test]
fn other_sites_cannot_change_anything_with_a_session() {
    let server = Server::start();
    let change = |headers: &[&str]| server.ask("DELETE", "/api/v1/change", headers, "").status;
    assert_eq!(change(&[OWNER]), 200);
    assert_eq!(change(&[OWNER, "Origin: http://here.example"]), 200);
    assert_eq!(change(&[OWNER, "Sec-Fetch-Site: same-origin"]), 200);
    for bad in [
        "Origin: https://evil.example",
        "Origin: null",
        "Origin: http://here.example:8080",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        assert_eq!(change(&[OWNER, bad]), 403, "{bad}");
        assert_eq!(change(&[KEY, bad]), 200, "{bad}");
    }
    assert_eq!(change(&[OWNER, "Origin: http://here.example", "Origin: https://evil.example"]), 403);
    // Signing in is no exception: it is public and a change.
    assert_eq!(server.ask("POST", "/api/v1/echo", &["Origin: https://evil.example"], "{}").status, 403);
    let https = Server::with(Timeouts::default(), Some("https://here.example"), &[]);
    let cookie = "Cookie: __Host-flowkeep_session=ooooooooooooooooooooooooooooooooooooooooooo";
    let change = |headers: &[&str]| https.ask("DELETE", "/api/v1/change", headers, "").status;
    assert_eq!(change(&[OWNER]), 401);
    assert_eq!(change(&[cookie, "Origin: https://here.example"]), 200);
    assert_eq!(change(&[cookie, "Origin: http://here.example"]), 403);
    assert_eq!(https.get("/api/v1/ok", &[]).header("strict-transport-security"), Some("max-age=31536000"));
    assert_eq!(
        https.send_raw("nonsense\r\n\r\n").header("strict-transport-security"),
        Some("max-age=31536000")
    );
}

#[test]
fn pages_read_only_what_they_may() {
    let server = Server::with(Timeouts::default(), None, &["https://cors.example"]);
    let allowed = |path: &str, origin: &str| {
        let answer = server.get(path, &[&format!("Origin: {origin}")]);
        let credentials = answer.header("access-control-allow-credentials") == Some("true");
        answer.header("access-control-allow-origin").map(|shown| (shown.to_owned(), credentials))
    };
    let (listed, open) = (format!("/api/v1/flow/{LISTED}"), format!("/api/v1/flow/{OPEN}"));
    for (path, origin, expected) in [
        (listed.as_str(), "https://listed.example", Some(true)),
        (&listed, "https://other.example", None),
        (&listed, "https://cors.example", Some(true)),
        (&listed, "http://here.example", Some(true)),
        (&listed, "null", None),
        (&open, "https://other.example", Some(false)),
        (&open, "null", None),
        ("/api/v1/flow/unknown", "https://other.example", None),
        ("/api/v1/listed", "https://cors.example", Some(true)),
        ("/api/v1/listed", "https://other.example", None),
        ("/api/v1/ok", "https://cors.example", None),
    ] {
        let expected = expected.map(|credentials| (origin.to_owned(), credentials));
        assert_eq!(allowed(path, origin), expected, "{path} {origin}");
    }
    let answer = server.get(&open, &["Origin: https://other.example"]);
    assert_eq!(answer.header("vary"), Some("Origin"));
    assert!(answer.header("access-control-expose-headers").unwrap().contains("x-service-session-token"));
    // Errors carry the headers too; the flow may stand in the body.
    let failed = server.get(&format!("/api/v1/fail?chatflowid={OPEN}"), &["Origin: https://other.example"]);
    failed.is_error(500);
    assert!(failed.header("access-control-allow-origin").is_some());
    let body = format!("{{\"x\":[1],\"chatflowid\":\"{LISTED}\",\"y\":2}}");
    let answer = server.ask("POST", "/api/v1/in-body", &["Origin: https://listed.example"], &body);
    assert!(answer.header("access-control-allow-origin").is_some());
}

#[test]
fn preflights_are_answered_for_admitted_pages() {
    let server = Server::start();
    let ask = |path: &str, origin: &str, method: &str| {
        let headers = [
            format!("Origin: {origin}"),
            format!("Access-Control-Request-Method: {method}"),
            "Access-Control-Request-Headers: content-type, x-service-session-token".to_owned(),
        ];
        server.ask("OPTIONS", path, &headers.each_ref().map(String::as_str), "")
    };
    let listed = format!("/api/v1/flow/{LISTED}");
    let admitted = ask(&listed, "https://listed.example", "GET");
    assert_eq!((admitted.status, admitted.header("access-control-allow-methods")), (204, Some("GET")));
    assert_eq!(
        admitted.header("access-control-allow-headers"),
        Some("content-type, x-service-session-token")
    );
    let refused = ask(&listed, "https://other.example", "GET");
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (204, None));
    let in_body = ask("/api/v1/in-body", "https://other.example", "POST");
    assert_eq!(
        (in_body.status, in_body.header("access-control-allow-origin")),
        (204, Some("https://other.example"))
    );
    assert_eq!(in_body.header("access-control-allow-credentials"), None);
    ask("/api/v1/ok", "https://listed.example", "GET").is_error(405);
    ask("/api/v1/nothing", "https://listed.example", "GET").is_error(404);
}
