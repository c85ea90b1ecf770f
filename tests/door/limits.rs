//! Paths, sizes, times and bad input: each gets its status in the shape of errors (manual 1.4 r1), and the service keeps
//! serving.

use crate::support::{Server, read_answer, request};
use flowkeep::http::connection::timeouts::Timeouts;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

#[test]
fn unknown_paths_and_methods_are_told() {
    let server = Server::start();
    assert_eq!(server.get("/api/v1/ok", &[]).json()["ok"], true);
    assert_eq!(server.get("/api/v1/ok/", &[]).status, 200);
    assert_eq!(server.get("/health?x=1", &[]).status, 200);
    for path in [
        "/api/v1/nothing",
        "/api/v1/ok//",
        "/api/v1/%2e%2e/ok",
        "/API/v1/ok",
        "//",
        "/nothing.js",
        "/api/v1/ok%00",
        "/api/v1/o\\k",
    ] {
        server.get(path, &[]).is_error(404);
    }
    assert_eq!(server.send_raw("GET /health HTTP/1.0\r\n\r\n").json()["ok"], true);
    server.send_raw("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").is_error(404);
    let refused = server.ask("DELETE", "/api/v1/ok", &[], "");
    refused.is_error(405);
    assert_eq!(refused.header("allow"), Some("GET, HEAD"));
    let head = server.send_raw("HEAD /api/v1/ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!((head.status, head.header("content-length"), head.body.as_str()), (200, Some("11"), ""));
    server.ask("GET", "/api/v1/echo", &["X-HTTP-Method-Override: POST"], "").is_error(405);
}

#[test]
fn heads_are_bounded() {
    let server = Server::start();
    let long = |length: usize| format!("GET /api/v1/ok?{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(length));
    assert_eq!(server.send_raw(long(8_000)).status, 200);
    for length in [8_192, 20_000, 40_000, 500_000] {
        server.send_raw(long(length)).is_error(414);
    }
    let fat =
        |length: usize| format!("GET /api/v1/ok HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(length));
    assert_eq!(server.send_raw(fat(30_000)).status, 200);
    for length in [33_000, 50_000, 400_000] {
        server.send_raw(fat(length)).is_error(431);
    }
    let many =
        |count: usize| format!("GET /api/v1/ok HTTP/1.1\r\nHost: a\r\n{}\r\n", "A: b\r\n".repeat(count));
    assert_eq!(server.send_raw(many(99)).status, 200);
    server.send_raw(many(101)).is_error(431);
}

#[test]
fn what_is_not_http_gets_400() {
    let server = Server::start();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n"[..],
        b"GET /api/v1/ok HTTP/9.9\r\nHost: a\r\n\r\n",
        b"GET /api/v1/ok HTTP/1.1\r\nHost a\r\n\r\n",
        b"GET /api/v1/ok HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n",
        b"GET  /api/v1/ok HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /api/v1/ok HTTP/1.1\r\n\r\n",
        b"GET /api/v1/ok HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /api/v1/ok HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
    ] {
        server.send_raw(bytes).is_error(400);
    }
    assert_eq!(server.get("/api/v1/ok", &[]).status, 200);
}

#[test]
fn garbage_after_a_request_is_refused_by_itself() {
    let server = Server::start();
    let mut socket = server.connect();
    socket
        .write_all(&[request("GET", "/api/v1/ok", &[], "").as_bytes(), b"\x00\x01garbage\r\n\r\n"].concat())
        .unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).unwrap();
    let (first, second) = text.split_at(text.rfind("HTTP/1.1").unwrap());
    assert!(first.starts_with("HTTP/1.1 200") && first.ends_with("{\"ok\":true}"), "{text}");
    assert!(second.starts_with("HTTP/1.1 400") && second.contains("\"stack\":{}"), "{text}");
}

#[test]
fn requests_in_a_row_and_in_one_piece_are_answered_in_order() {
    let server = Server::start();
    let mut socket = server.connect();
    let two = [request("GET", "/api/v1/ok", &[], ""), request("POST", "/api/v1/echo", &[], "[1]")].concat();
    socket.write_all(two.as_bytes()).unwrap();
    let mut text = String::new();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let _ = socket.read_to_string(&mut text);
    assert_eq!(text.matches("HTTP/1.1 200").count(), 2, "{text}");
    assert!(text.ends_with("[1]"));
}

#[test]
fn bodies_are_bounded_whether_announced_or_not() {
    let server = Server::start();
    let body = format!("\"{}\"", "x".repeat(998));
    assert_eq!(server.ask("POST", "/api/v1/small", &[], &body).json()["bytes"], 1000);
    server.ask("POST", "/api/v1/small", &[], &format!("{body} ")).is_error(413);
    server.send_raw("POST /api/v1/small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n").is_error(413);
    let head = "POST /api/v1/small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks =
        |count: usize| format!("{head}{}0\r\n\r\n", format!("64\r\n{}\r\n", "1".repeat(100)).repeat(count));
    assert_eq!(server.send_raw(chunks(10)).json()["bytes"], 1000);
    server.send_raw(chunks(11)).is_error(413);
    let large = format!("\"{}\"", "x".repeat(5_000_000));
    assert_eq!(server.ask("POST", "/api/v1/large", &[], &large).json()["bytes"], 5_000_002);
    // A client that sends everything before it reads still learns why it was refused.
    let mut socket = server.connect();
    let sent = socket.write_all(request("POST", "/api/v1/small", &[], &large).as_bytes());
    assert!(sent.is_ok(), "{sent:?}");
    read_answer(&mut socket).unwrap().is_error(413);
    let endless =
        std::iter::repeat_n("1000\r\n".to_owned() + &"1".repeat(4096) + "\r\n", 1000).collect::<String>();
    server.send_raw(format!("{head}{endless}")).is_error(413);
}

#[test]
fn bodies_are_json_in_plain_utf8() {
    let server = Server::start();
    let ask = |header: &str, body: &str| server.ask("POST", "/api/v1/echo", &[header], body);
    for good in [
        "Content-Type: application/json",
        "Content-Type: Application/JSON; charset=UTF-8",
        "Content-Type: application/json;charset=\"utf-8\"",
    ] {
        assert_eq!(ask(good, "[1,{\"a\":null}]").body, "[1,{\"a\":null}]");
    }
    for bad in [
        "Content-Type: text/plain",
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Type:",
        "Content-Type: application/jsonx",
        "Content-Type: application/json; charset=latin1",
        "Content-Type: multipart/form-data; boundary=x",
    ] {
        ask(bad, "[1]").is_error(415);
    }
    server.ask("POST", "/api/v1/echo", &["Content-Encoding: gzip"], "[1]").is_error(415);
    server.send_raw("POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n").is_error(415);
    assert_eq!(server.ask("POST", "/api/v1/echo", &["Content-Encoding: identity"], "[1]").status, 200);
    assert_eq!(
        server
            .ask("POST", "/api/v1/large", &["Content-Type: multipart/form-data; boundary=x"], "--x--")
            .status,
        200
    );
    server.ask("GET", "/api/v1/ok", &[], "[1]").is_error(415);
    for body in
        ["{\"a\":1,\"a\":2}", "[1] x", "{", "[01]", &"[".repeat(128), &"[".repeat(500_000), "\u{feff}{}"]
    {
        server.ask("POST", "/api/v1/echo", &[], body).is_error(400);
    }
    server.ask("POST", "/api/v1/echo", &[], "").is_error(400);
    let mut bytes = request("POST", "/api/v1/echo", &[], "[\"aa\"]").into_bytes();
    let end = bytes.len();
    bytes[end - 4] = 0xff;
    assert!(server.send_raw(bytes).is_error(400).contains("UTF-8"));
}

fn short_timeouts() -> Timeouts {
    Timeouts {
        headers: Duration::from_millis(300),
        idle: Duration::from_millis(1_500),
        body: Duration::from_millis(300),
        body_per_100_kib: Duration::from_millis(300),
        write_stall: Duration::from_millis(500),
        heartbeat: Duration::from_millis(200),
        ..Timeouts::default()
    }
}

#[test]
fn slow_clients_are_told_and_cut_off() {
    let server = Server::start_with_timeouts(short_timeouts());
    let begun = Instant::now();
    let mut slow = server.connect();
    let writer = slow.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut writer = writer;
        for byte in b"GET /api/v1/ok HTTP/1.1\r\nHost: a\r\nX: aaaaaaaaaaaaaaaa" {
            if writer.write_all(&[*byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    read_answer(&mut slow).unwrap().is_error(408);
    assert!(begun.elapsed() < Duration::from_secs(10));
    // A connection on which nothing comes closes without a word.
    let mut silent = server.connect();
    assert!(read_answer(&mut silent).is_none());
    // One that is idle after an answer lives longer, and its next request has its own time.
    let mut idle = server.connect();
    for _ in 0..2 {
        idle.write_all(request("GET", "/api/v1/ok", &[], "").as_bytes()).unwrap();
        assert_eq!(read_answer(&mut idle).unwrap().status, 200);
        std::thread::sleep(Duration::from_millis(400));
    }
    let begun = Instant::now();
    assert!(read_answer(&mut idle).is_none());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    // A body that stops half-way.
    server.send_raw("POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n[1").is_error(408);
    // A larger one has more time: 250 KiB earn 600 ms.
    let mut large = server.connect();
    let body = format!("\"{}\"", "x".repeat(250 * 1024));
    let text = request("POST", "/api/v1/large", &[], &body);
    let (most, last) = text.split_at(text.len() - 10);
    large.write_all(most.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(600));
    large.write_all(last.as_bytes()).unwrap();
    assert_eq!(read_answer(&mut large).unwrap().status, 200);
}

#[test]
fn a_client_that_reads_nothing_ends_its_stream() {
    let server = Server::start_with_timeouts(short_timeouts());
    let mut deaf = server.connect();
    deaf.write_all(request("GET", "/api/v1/stream?tokens=100000&size=1000&probe=deaf", &[], "").as_bytes())
        .unwrap();
    let noted = crate::support::wait_for_note("deaf", Duration::from_secs(8));
    assert!(noted.unwrap().ends_with("Some(CallerLeft)"));
}

const FORM: &str = "Content-Type: multipart/form-data; boundary=x";
const PART: &str = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n";

#[test]
fn what_stands_behind_a_form_is_read_and_means_nothing() {
    let server = Server::start();
    let mut socket = server.connect();
    for end in ["--x--", "--x--\r\n", "--x--\r\nan epilogue of any kind --x\r\n"] {
        let whole = request("POST", "/api/v1/large", &[FORM], &format!("a preamble\r\n{PART}{end}"));
        socket.write_all(whole.as_bytes()).unwrap();
        assert_eq!(read_answer(&mut socket).unwrap().status, 200, "{end:?}");
    }
}

#[test]
fn a_form_that_stalls_is_told_and_holds_nobody_up() {
    let server = Server::start_with_timeouts(short_timeouts());
    let begun = Instant::now();
    let head = format!("POST /api/v1/large HTTP/1.1\r\nHost: a\r\n{FORM}\r\nContent-Length: 1000\r\n\r\n");
    let stalled: Vec<_> = ["", "--x", "--x\r\nContent-Disposition: form-data; name=\"a", PART]
        .into_iter()
        .map(|begun| {
            let mut socket = server.connect();
            socket.write_all(format!("{head}{begun}").as_bytes()).unwrap();
            socket
        })
        .collect();
    let whole = format!("{PART}--x--");
    assert_eq!(server.ask("POST", "/api/v1/large", &[FORM], &whole).status, 200);
    for mut socket in stalled {
        read_answer(&mut socket).unwrap().is_error(408);
    }
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_head_of_a_part_that_never_ends_is_cut_off_early() {
    let server = Server::start();
    let begun = Instant::now();
    for start in ["", "--x\r\n", "--x\r\nX: "] {
        let endless = format!("{start}{}", "y".repeat(20 << 20));
        server.ask("POST", "/api/v1/large", &[FORM], &endless).is_error(400);
    }
    // Searching all of it again with every piece would take minutes.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn faults_of_the_service_say_nothing_and_leave_it_serving() {
    let server = Server::start();
    server.get("/api/v1/panic", &[]).is_error(500);
    server.get("/api/v1/fail", &[]).is_error(500);
    let limited = server.get("/api/v1/fail?with=rate", &[]);
    assert_eq!((limited.status, limited.body.as_str()), (429, "slow down"));
    assert_eq!(limited.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!((limited.header("retry-after"), limited.header("x-ratelimit-limit")), (Some("9"), Some("3")));
    server.get("/api/v1/fail?with=origin", &[]).is_error(403);
    let plain = server.get("/api/v1/fail?with=origin&streaming=1", &[]);
    assert_eq!((plain.status, plain.body.as_str()), (403, "Not from here"));
    let broken = server.get("/api/v1/stream?panic=1", &[]);
    assert!(
        broken.status == 200
            && broken.body.contains("\"event\":\"error\"")
            && !broken.body.contains("secret"),
        "{broken:?}"
    );
    assert!(broken.body.ends_with("\"[DONE]\"}\n\n"));
    assert_eq!(server.get("/api/v1/ok", &[]).status, 200);
}
