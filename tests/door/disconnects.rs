//! Streams on the wire, and callers that leave.

use crate::support::{Server, read_answer, read_head, reason, request, wait_for_note};
use flowkeep::base::cancel::CancelReason;
use flowkeep::http::connection::timeouts::Timeouts;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

#[test]
fn a_stream_is_framed_as_the_clients_expect() {
    let server = Server::start();
    let answer = server.get("/api/v1/stream?tokens=2", &[]);
    let frame =
        |event: &str, data: &str| format!("message:\ndata:{{\"event\":\"{event}\",\"data\":\"{data}\"}}\n\n");
    let expected =
        [frame("start", ""), frame("token", "tt"), frame("token", "tt"), frame("end", "[DONE]")].concat();
    assert_eq!(answer.body, expected);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache, no-transform"),
        ("connection", "keep-alive"),
        ("x-accel-buffering", "no"),
        ("x-content-type-options", "nosniff"),
        ("x-service-session-token", "token"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
}

#[test]
fn silence_is_broken_by_a_comment() {
    let server = Server::start_with_timeouts(Timeouts {
        heartbeat: Duration::from_millis(100),
        ..Timeouts::default()
    });
    let answer = server.get("/api/v1/stream?tokens=1&ms=350", &[]);
    assert!(answer.body.matches(":heartbeat\n").count() >= 1, "{}", answer.body);
    assert!(!answer.body.contains(":heartbeat\n\n"));
}

#[test]
fn a_caller_that_leaves_ends_its_run() {
    let server = Server::start();
    for (number, with_body) in [(0, false), (1, true)] {
        let probe = format!("left{number}");
        let mut socket = server.connect();
        let path = format!("/api/v1/block?probe={probe}");
        let text = if with_body {
            request("GET", &path, &["Content-Length: 0"], "")
        } else {
            request("GET", &path, &[], "")
        };
        socket.write_all(text.as_bytes()).unwrap();
        assert_eq!(wait_for_note(&probe, Duration::from_secs(5)).as_deref(), Some("started"));
        let begun = Instant::now();
        drop(socket);
        assert_eq!(wait_for_note(&probe, Duration::from_secs(2)), Some(reason(CancelReason::CallerLeft)));
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_caller_that_leaves_a_stream_ends_its_run() {
    let server = Server::start();
    // The run is silent when the caller leaves: only the connection can tell.
    let mut socket = server.connect();
    socket.write_all(request("GET", "/api/v1/stream?ms=60000&probe=quiet", &[], "").as_bytes()).unwrap();
    let (head, _) = read_head(&mut socket).unwrap();
    assert!(head.starts_with("HTTP/1.1 200"));
    let begun = Instant::now();
    drop(socket);
    assert!(wait_for_note("quiet", Duration::from_secs(2)).unwrap().ends_with("Some(CallerLeft)"));
    assert!(begun.elapsed() < Duration::from_secs(2));
    // The run is talking.
    let mut socket = server.connect();
    socket
        .write_all(request("GET", "/api/v1/stream?ms=5&tokens=100000&probe=loud", &[], "").as_bytes())
        .unwrap();
    socket.read_exact(&mut [0; 400]).unwrap();
    drop(socket);
    assert!(wait_for_note("loud", Duration::from_secs(2)).unwrap().ends_with("Some(CallerLeft)"));
}

#[test]
fn a_caller_that_got_its_answer_did_not_leave() {
    let server = Server::start();
    let answer = server.get("/api/v1/stream?probe=whole", &["Connection: close"]);
    assert!(answer.body.ends_with("\"[DONE]\"}\n\n"));
    assert_eq!(wait_for_note("whole", Duration::from_secs(2)).as_deref(), Some("Ok(()) None"));
    let mut socket = server.connect();
    socket.write_all(request("GET", "/api/v1/block?ms=50&probe=stayed", &[], "").as_bytes()).unwrap();
    assert_eq!(read_answer(&mut socket).unwrap().json()["done"], true);
    drop(socket);
    assert_eq!(wait_for_note("stayed", Duration::from_millis(500)).as_deref(), Some("started"));
}

#[test]
fn a_run_has_its_time() {
    let server =
        Server::start_with_timeouts(Timeouts { run_end: Duration::from_millis(300), ..Timeouts::default() });
    let message = server.get("/api/v1/short?probe=late", &[]).is_error(500);
    assert!(message.contains("longer"), "{message}");
    assert_eq!(wait_for_note("late", Duration::from_secs(1)), Some(reason(CancelReason::TimedOut)));
    let begun = Instant::now();
    server.get("/api/v1/stubborn", &[]).is_error(500);
    assert!(begun.elapsed() < Duration::from_millis(2900));
}
