//! What arrives on the wire, whatever it is: every request gets an answer, none of them panics, and none is two for somebody
//! in front (manual 12.2 r1).

use crate::support::{Server, read_answer};
use flowkeep::http::connection::timeouts::Timeouts;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::io::{Read as _, Write as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Panics of the service itself; handlers of these tests panic on purpose.
static PANICS: LazyLock<&'static AtomicUsize> = LazyLock::new(|| {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(|place| place.file().to_owned()).unwrap_or_default();
        if !place.contains("tests/") {
            COUNT.fetch_add(1, Ordering::SeqCst);
        }
        before(panic);
    }));
    &COUNT
});

/// Everything the service says on one connection to these bytes.
fn exchange(server: &Server, bytes: &[u8]) -> String {
    let mut socket = server.connect();
    // A refusal may close the connection before the last byte is out.
    let _ = socket.write_all(bytes);
    let mut said = Vec::new();
    let _ = socket.read_to_end(&mut said);
    String::from_utf8_lossy(&said).into_owned()
}

/// Sends bytes and keeps the connection open, as somebody does who has more to send.
fn is_refused_and_closed(server: &Server, bytes: &[u8]) -> String {
    let mut socket = server.connect();
    socket.write_all(bytes).unwrap();
    let answer = read_answer(&mut socket).expect("an answer");
    let message = answer.is_error(400);
    assert_eq!(answer.header("connection"), Some("close"), "{answer:?}");
    // Whatever follows is no request any more.
    let _ = socket.write_all(b"GET /api/v1/ok HTTP/1.1\r\nHost: a\r\n\r\n");
    let mut rest = Vec::new();
    let _ = socket.read_to_end(&mut rest);
    assert_eq!(String::from_utf8_lossy(&rest), "");
    message
}

#[test]
fn a_head_that_says_two_things_is_refused_and_closes_the_connection() {
    let server = Server::start();
    let json = "Content-Type: application/json";
    for (head, named) in [
        (format!("{json}\r\nContent-Length: 2\r\nContent-Length: 2"), "Content-Length"),
        (format!("{json}\r\nContent-Length: 2\r\nContent-Length: 3"), "Content-Length"),
        (format!("{json}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked"), "Transfer-Encoding"),
        (format!("{json}\r\nTransfer-Encoding: chunked\r\ncontent-length: 2"), "Transfer-Encoding"),
        (format!("{json}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), "Transfer-Encoding"),
        (format!("{json}\r\n{json}\r\nContent-Length: 2"), "Content-Type"),
        (format!("{json}\r\nContent-Type: text/plain\r\nContent-Length: 2"), "Content-Type"),
        (format!("Host: a\r\n{json}\r\nContent-Length: 2"), "Host"),
        (format!("HOST: evil.example\r\n{json}\r\nContent-Length: 2"), "Host"),
    ] {
        let request = format!("POST /api/v1/echo HTTP/1.1\r\nHost: a\r\n{head}\r\n\r\n[]");
        let message = is_refused_and_closed(&server, request.as_bytes());
        assert!(message.contains(named), "{head}: {message}");
        // Behind a good request it is refused as well, after that one's answer.
        let good = "POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n[1]";
        let said = exchange(&server, format!("{good}{request}").as_bytes());
        let (first, second) = said.split_at(said.rfind("HTTP/1.1 ").unwrap());
        assert!(first.starts_with("HTTP/1.1 200") && first.ends_with("[1]"), "{said}");
        assert!(second.starts_with("HTTP/1.1 400") && second.contains(named), "{said}");
    }
    assert_eq!(server.get("/api/v1/ok", &[]).status, 200);
}

#[test]
fn requests_that_arrive_together_or_in_crumbs_are_answered_one_by_one() {
    let server = Server::start();
    let requests = [
        "GET /api/v1/ok HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n[1]",
        "POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n[2\r\n1\r\n]\r\n0\r\nT: u\r\n\r\n",
        "GET /api/v1/block?ms=100 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 3\r\n\r\n[3]",
    ];
    let all = requests.concat();
    for piece in [1, 10, 100, all.len()] {
        let mut socket = server.connect();
        for part in all.as_bytes().chunks(piece) {
            socket.write_all(part).unwrap();
        }
        let mut said = String::new();
        socket.read_to_string(&mut said).unwrap();
        let bodies: Vec<&str> =
            said.split("HTTP/1.1 200 OK").skip(1).filter_map(|one| one.split("\r\n\r\n").nth(1)).collect();
        assert_eq!(bodies, ["{\"ok\":true}", "[1]", "[2]", "{\"done\":true}", "[3]"], "{piece}: {said}");
    }
}

#[test]
fn a_target_that_is_no_path_is_nothing_we_have() {
    let server = Server::start();
    LazyLock::force(&PANICS);
    for line in [
        "CONNECT a.example:443",
        "CONNECT /api/v1/ok",
        "CONNECT *",
        "OPTIONS *",
        "GET a.example:80",
        "GET *",
        "FOO a:1",
    ] {
        server
            .send_raw(format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n"))
            .is_error(if line == "CONNECT /api/v1/ok" { 405 } else { 404 });
    }
    assert_eq!(server.send_raw("GET http://a/api/v1/ok HTTP/1.1\r\nHost: a\r\n\r\n").status, 200);
    assert_eq!(PANICS.load(Ordering::SeqCst), 0);
}

#[test]
fn a_query_value_the_route_knows_is_given_once() {
    let server = Server::start();
    for twice in ["one=1&one=2", "one=&one=", "x=1&one=1&y=2&%6fne=1", "several=1&one=1&one=1"] {
        let message = server.get(&format!("/api/v1/query?{twice}"), &[]).is_error(400);
        assert!(message.contains("'one'"), "{message}");
    }
    for fine in ["one=1", "several=1&several=2&one=1", "other=1&other=1", "One=1&one=1"] {
        assert_eq!(server.get(&format!("/api/v1/query?{fine}"), &[]).status, 200, "{fine}");
    }
}

fn token() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PRI"
        ])
        .prop_map(str::to_owned),
        "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}",
    ]
}

fn target() -> impl Strategy<Value = String> {
    let path = prop::sample::select(vec![
        "/api/v1/ok",
        "/api/v1/query",
        "/health",
        "/api/v1/flow/x",
        "/",
        "//",
        "*",
        "",
        "?",
    ]);
    prop_oneof![
        path.prop_map(str::to_owned),
        "/[!-~]{0,40}",
        "[!-~]{1,40}",
        "(http|https|ftp|x)://[!-~]{0,30}",
        "[a-z.]{1,20}:[0-9]{0,6}",
        "\\[[0-9a-f:]{0,12}\\](:[0-9]{1,5})?",
        "/api/v1/(ok|query|flow/[!-~]{0,6})\\?[!-~]{0,30}",
    ]
}

fn header() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "Host",
        "Origin",
        "Cookie",
        "Authorization",
        "Content-Type",
        "Content-Length",
        "Content-Encoding",
        "Transfer-Encoding",
        "Expect",
        "Upgrade",
        "Connection",
        "X-Forwarded-For",
        "Forwarded",
        "Access-Control-Request-Method",
        "If-None-Match",
        "Sec-Fetch-Site",
        "Accept",
        "Accept-Encoding",
        "Traceparent",
        "x-request-from",
    ]);
    let value = prop_oneof![
        "[ -~]{0,30}",
        prop::sample::select(vec![
            "a",
            "localhost",
            "[::1]:80",
            "0",
            "2",
            "5",
            "-1",
            "99999999999999999999",
            "chunked",
            "gzip, chunked",
            "identity",
            "100-continue",
            "h2c",
            "websocket",
            "close",
            "keep-alive",
            "application/json",
            "multipart/form-data; boundary=x",
            "null",
            "https://a.example",
            "http://a",
            "GET",
            "bearer x",
            "flowkeep_session=x",
            "for=1.2.3.4",
            "::1, 1.2.3.4",
        ])
        .prop_map(str::to_owned),
        "[\u{80}-\u{ff}]{1,4}",
    ];
    (prop_oneof![known.prop_map(str::to_owned), "[A-Za-z-]{1,12}"], value)
        .prop_map(|(name, value)| format!("{name}: {value}\r\n"))
}

#[test]
fn no_request_panics_and_each_gets_an_answer() {
    let soon = Duration::from_millis(200);
    let server = Server::start_with_timeouts(Timeouts {
        headers: soon,
        idle: soon,
        body: soon,
        ..Timeouts::default()
    });
    LazyLock::force(&PANICS);
    let version = prop::sample::select(vec![
        "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "http/1.1", "X", "",
    ]);
    let host = prop::sample::select(vec![
        "Host: a\r\n",
        "Host: localhost\r\n",
        "Host: evil.example\r\n",
        "Host: \r\n",
        "",
    ]);
    let request = (
        token(),
        target(),
        version,
        host,
        prop::collection::vec(header(), 0..5),
        prop::collection::vec(any::<u8>(), 0..40),
    );
    let cases = std::env::var("FLOWKEEP_WIRE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&request, |(method, target, version, host, headers, body)| {
        let head =
            format!("{method} {target} {version}\r\n{host}{}Connection: close\r\n\r\n", headers.concat());
        let said = exchange(&server, &[head.as_bytes(), &body].concat());
        prop_assert_eq!(PANICS.load(Ordering::SeqCst), 0, "{:?}", head);
        prop_assert!(said.starts_with("HTTP/1."), "{:?}: {:?}", head, said);
        Ok(())
    });
    outcome.unwrap();
    assert_eq!(server.get("/api/v1/ok", &[]).status, 200);
}
