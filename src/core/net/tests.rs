//! The client against servers of a few lines, each with one habit.

use super::*;
use crate::base::cancel::CancelReason;
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Serves each connection with `habit` on a thread of its own; gives the address and counts connections.
fn server(habit: impl Fn(TcpStream, usize) + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/secret-path?key=secret", listener.local_addr().unwrap());
    let (count, habit) = (Arc::new(AtomicUsize::new(0)), Arc::new(habit));
    let counted = count.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            let habit = habit.clone();
            std::thread::spawn(move || habit(stream, number));
        }
    });
    (url, count)
}

/// Reads one request; false when there is none.
fn request(stream: &mut TcpStream) -> bool {
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while !seen.ends_with(b"\r\n\r\n") {
        if !matches!(stream.read(&mut byte), Ok(1)) {
            return false;
        }
        seen.push(byte[0]);
    }
    let head = String::from_utf8(seen).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ").map(str::to_owned));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).is_ok()
}

fn outgoing() -> Outgoing {
    Outgoing::new(Vec::new(), true)
}

fn post(outgoing: &Outgoing, url: &str, cancel: &CancelToken) -> Result<Incoming, NetError> {
    outgoing.post_json(
        CallPurpose::Provider,
        url,
        &[],
        &json!({"q": "x".repeat(20_000)}),
        cancel,
        ResponseLimits::model(),
    )
}

fn later(milliseconds: u64, cancel: &CancelToken) {
    let cancel = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(milliseconds));
        cancel.cancel(CancelReason::CallerLeft);
    });
}

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-a: b\r\n\r\nhello";

#[test]
fn connections_are_used_again() {
    let (url, connections) = server(|mut stream, _| {
        while request(&mut stream) {
            stream.write_all(HELLO).unwrap();
        }
    });
    let (outgoing, cancel) = (outgoing(), CancelToken::new(None));
    for _ in 0..5 {
        let mut response = post(&outgoing, &url, &cancel).unwrap();
        assert_eq!((response.status(), response.header("X-A")), (200, Some("b")));
        assert_eq!(response.read_to_string(100).unwrap(), "hello");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[test]
fn a_small_request_leaves_in_one_piece() {
    let (url, _) = server(|mut stream, _| {
        let mut piece = [0; 16 * 1024];
        let length = stream.read(&mut piece).unwrap();
        let whole = piece[..length].starts_with(b"POST ") && piece[..length].ends_with(b"{\"q\":1}");
        let answer: &[u8] = if whole { HELLO } else { b"HTTP/1.1 500 -\r\ncontent-length: 0\r\n\r\n" };
        stream.write_all(answer).unwrap();
    });
    let (body, cancel) = (json!({"q": 1}), CancelToken::new(None));
    let answer =
        outgoing().post_json(CallPurpose::Provider, &url, &[], &body, &cancel, ResponseLimits::model());
    assert_eq!(answer.unwrap().status(), 200);
}

#[test]
fn an_idle_connection_that_dies_as_it_is_used_is_replaced() {
    // Answers once per connection and closes when the next request has come in: the one moment a probe cannot see.
    let (url, connections) = server(|mut stream, _| {
        if request(&mut stream) {
            stream.write_all(HELLO).unwrap();
        }
        request(&mut stream);
    });
    let (outgoing, cancel) = (outgoing(), CancelToken::new(None));
    for _ in 0..3 {
        assert_eq!(post(&outgoing, &url, &cancel).unwrap().read_to_string(100).unwrap(), "hello");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 3);
}

#[test]
fn what_may_happen_twice_is_sent_once_when_a_stranger_can_be_asked() {
    // Answers the very first request; every other one is read, and then the connection closes.
    for (method, is_sent_again) in [
        (Method::POST, false),
        (Method::PATCH, false),
        (Method::GET, true),
        (Method::PUT, true),
        (Method::DELETE, true),
    ] {
        let requests = Arc::new(AtomicUsize::new(0));
        let counted = requests.clone();
        let (url, connections) = server(move |mut stream, number| {
            let takes =
                |stream: &mut TcpStream| request(stream).then(|| counted.fetch_add(1, Ordering::SeqCst));
            if takes(&mut stream).is_some() && number == 0 {
                stream.write_all(HELLO).unwrap();
                takes(&mut stream);
            }
        });
        let allow = vec![AllowRule::Host { host: "127.0.0.1".into(), port: port_of(&url) }];
        let (outgoing, cancel) = (Outgoing::new(allow, true), CancelToken::new(None));
        let ask = || {
            let body = (method != Method::GET).then_some(&b"x"[..]);
            let (method, limits) = (method.clone(), ResponseLimits::default());
            let sent = outgoing.send(CallPurpose::Reachable, method, &url, &[], body, &cancel, limits)?;
            { sent }.read_to_string(100)
        };
        assert_eq!(ask().as_deref(), Ok("hello"), "{method}");
        assert!(ask().is_err(), "{method}");
        let seen = (requests.load(Ordering::SeqCst), connections.load(Ordering::SeqCst));
        assert_eq!(seen, (if is_sent_again { 3 } else { 2 }, 2), "{method}");
    }
}

fn port_of(url: &str) -> u16 {
    guard::parse(url).unwrap().port_u16().unwrap()
}

#[test]
fn a_fresh_connection_that_dies_is_not_tried_again() {
    let (url, connections) = server(|mut stream, _| {
        request(&mut stream);
    });
    assert!(matches!(post(&outgoing(), &url, &CancelToken::new(None)), Err(NetError::Broken(_))));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[test]
fn cancelling_ends_a_wait_for_the_head_at_once() {
    let (url, _) = server(|mut stream, _| {
        request(&mut stream);
        std::thread::sleep(Duration::from_secs(30));
    });
    let cancel = CancelToken::new(None);
    later(100, &cancel);
    let start = Instant::now();
    assert_eq!(post(&outgoing(), &url, &cancel).unwrap_err(), NetError::Cancelled);
    assert!(start.elapsed() < Duration::from_millis(700));
}

#[test]
fn cancelling_ends_a_wait_for_the_body_even_where_closing_would_end_it() {
    for length in ["", "content-length: 50\r\n", "transfer-encoding: chunked\r\n"] {
        let (url, _) = server(move |mut stream, _| {
            request(&mut stream);
            write!(stream, "HTTP/1.1 200 OK\r\n{length}\r\n5\r\nhello\r\n").unwrap();
            std::thread::sleep(Duration::from_secs(30));
        });
        let cancel = CancelToken::new(None);
        let mut response = post(&outgoing(), &url, &cancel).unwrap();
        later(100, &cancel);
        let start = Instant::now();
        assert_eq!(response.read_to_string(1000).unwrap_err(), NetError::Cancelled, "{length}");
        assert!(start.elapsed() < Duration::from_millis(700));
    }
}

#[test]
fn cancelling_ends_a_blocked_write() {
    let (url, _) = server(|_stream, _| std::thread::sleep(Duration::from_secs(30)));
    let cancel = CancelToken::new(None);
    later(200, &cancel);
    let body = vec![b'x'; 64 * 1024 * 1024];
    let start = Instant::now();
    let sent = outgoing().send(
        CallPurpose::Provider,
        Method::POST,
        &url,
        &[],
        Some(&body),
        &cancel,
        ResponseLimits::default(),
    );
    assert_eq!(sent.unwrap_err(), NetError::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn cancelling_ends_a_tls_handshake() {
    let (url, _) = server(|_stream, _| std::thread::sleep(Duration::from_secs(30)));
    let cancel = CancelToken::new(None);
    later(100, &cancel);
    let start = Instant::now();
    let url = url.replacen("http", "https", 1);
    assert_eq!(post(&outgoing(), &url, &cancel).unwrap_err(), NetError::Cancelled);
    assert!(start.elapsed() < Duration::from_millis(700));
}

#[test]
fn the_runs_deadline_and_the_stall_limit_end_waits() {
    let (url, _) = server(|mut stream, _| {
        request(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe").unwrap();
        std::thread::sleep(Duration::from_secs(30));
    });
    let mut response = post(&outgoing(), &url, &CancelToken::new(Some(Duration::from_millis(300)))).unwrap();
    assert_eq!(response.read_to_string(100).unwrap_err(), NetError::TimedOut);
    let limits = ResponseLimits { stall: Duration::from_millis(100), ..ResponseLimits::default() };
    let mut response =
        outgoing().get(CallPurpose::Provider, &url, &[], &CancelToken::new(None), limits).unwrap();
    assert_eq!(response.read_to_string(100).unwrap_err(), NetError::TimedOut);
}

#[test]
fn large_heads_pass_and_larger_ones_do_not() {
    let (url, _) = server(|mut stream, number| {
        request(&mut stream);
        let filler = "a".repeat(if number == 0 { 30_000 } else { 40_000 });
        let _ = write!(
            stream,
            "HTTP/1.1 200 OK\r\nx-filler: {filler}\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"
        );
    });
    let (outgoing, cancel) = (outgoing(), CancelToken::new(None));
    assert_eq!(post(&outgoing, &url, &cancel).unwrap().read_to_string(10).unwrap(), "ok");
    assert!(matches!(post(&outgoing, &url, &cancel), Err(NetError::TooLarge | NetError::Broken(_))));
}

#[test]
fn bodies_are_limited_declared_or_not() {
    let (url, _) = server(|mut stream, number| {
        request(&mut stream);
        let length = if number == 0 { "content-length: 2000\r\n" } else { "" };
        let _ = write!(stream, "HTTP/1.1 200 OK\r\n{length}\r\n{}", "a".repeat(2000));
    });
    let (outgoing, cancel) = (outgoing(), CancelToken::new(None));
    let get = |bytes| {
        let limits = ResponseLimits { body_bytes: bytes, ..ResponseLimits::default() };
        outgoing.get(CallPurpose::Provider, &url, &[], &cancel, limits)?.read_to_string(1 << 20)
    };
    assert_eq!(get(1999), Err(NetError::TooLarge));
    assert_eq!(get(1999), Err(NetError::TooLarge));
    assert_eq!(get(2000).unwrap().len(), 2000);
    let mut response =
        outgoing.get(CallPurpose::Provider, &url, &[], &cancel, ResponseLimits::default()).unwrap();
    assert_eq!(response.read_to_string(1999), Err(NetError::TooLarge));
}

#[test]
fn redirects_are_answers_and_errors_show_host_and_port_only() {
    let (url, connections) = server(|mut stream, _| {
        request(&mut stream);
        let head = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/other\r\ncontent-length: 0\r\n\r\n";
        let _ = stream.write_all(head.as_bytes());
    });
    let (outgoing, cancel) = (outgoing(), CancelToken::new(None));
    assert_eq!(post(&outgoing, &url, &cancel).unwrap().status(), 302);
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    let gone = { TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };
    let error = post(&outgoing, &format!("http://{gone}/secret?key=secret"), &cancel).unwrap_err();
    assert_eq!(error, NetError::Unreachable(gone.to_string()));
    let refused =
        outgoing.get(CallPurpose::Reachable, &url, &[], &cancel, ResponseLimits::default()).unwrap_err();
    assert_eq!(refused, NetError::RefusedByPolicy);
    let named = url.replace("127.0.0.1", "localhost");
    assert_eq!(post(&outgoing, &named, &cancel).unwrap().status(), 302);
    let refused =
        outgoing.get(CallPurpose::Reachable, &named, &[], &cancel, ResponseLimits::default()).unwrap_err();
    assert_eq!(refused, NetError::RefusedByPolicy);
}

#[test]
fn headers_that_could_write_more_than_themselves_are_refused() {
    let cancel = CancelToken::new(None);
    for (name, value) in [
        ("x-a", "b\r\nc: d"),
        ("x-a", "b\0"),
        ("x-a", "b\n"),
        ("x a", "b"),
        ("Host", "other"),
        ("content-length", "5"),
    ] {
        let sent = outgoing().get(
            CallPurpose::Provider,
            "http://127.0.0.1:1/",
            &[(name, value)],
            &cancel,
            ResponseLimits::default(),
        );
        assert!(matches!(sent, Err(NetError::BadAddress(_))), "{name}");
    }
}

#[test]
fn a_call_after_the_run_ended_does_not_connect() {
    let (url, connections) = server(|_, _| {});
    let cancel = CancelToken::new(None);
    cancel.cancel(CancelReason::Shutdown);
    assert_eq!(post(&outgoing(), &url, &cancel).unwrap_err(), NetError::Cancelled);
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[test]
fn a_body_that_is_read_while_it_goes_out_arrives_whole_and_outlasts_the_first_byte_limit() {
    let (url, _) = server(|mut stream, _| {
        // The other side reads slowly, for longer than it may be silent.
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        assert!(
            head.contains("content-length: 60000000\r\n") && !head.contains("transfer-encoding"),
            "{head}"
        );
        let (mut left, mut piece) = (60_000_000_usize, vec![0; 1_500_000]);
        while left > 0 {
            stream.read_exact(&mut piece).unwrap();
            left -= piece.len();
            std::thread::sleep(Duration::from_millis(100));
        }
        stream.write_all(HELLO).unwrap();
    });
    let limits = ResponseLimits { first_byte: Duration::from_secs(2), ..ResponseLimits::default() };
    let send = |length| {
        outgoing().post_stream(
            CallPurpose::Provider,
            &url,
            &[],
            &mut std::io::repeat(7).take(length),
            60_000_000,
            &CancelToken::new(None),
            limits,
        )
    };
    let mut answer = send(60_000_000).unwrap();
    assert_eq!(answer.read_to_string(100).unwrap(), "hello");
    let early = send(1_000).unwrap_err();
    assert_eq!(early, NetError::Broken("what was to be sent ended early".into()));
}

/// Sends what is longer than the other side reads of it.
fn post_much(outgoing: &Outgoing, url: &str, first_byte: Duration) -> Result<Incoming, NetError> {
    let limits = ResponseLimits { first_byte, ..ResponseLimits::default() };
    let body = &mut std::io::repeat(7);
    let cancel = CancelToken::new(None);
    outgoing.post_stream(CallPurpose::Provider, url, &[], body, 60_000_000, &cancel, limits)
}

const REFUSAL: &[u8] = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 8\r\n\r\ntoo much";

#[test]
fn an_answer_that_came_before_all_was_sent_is_read() {
    let patient = Duration::from_secs(60);
    let closing = |answer: &'static [u8]| {
        server(move |mut stream, _| {
            stream.read_exact(&mut [0; 1_000]).unwrap();
            stream.write_all(answer).unwrap();
        })
        .0
    };
    let mut answer = post_much(&outgoing(), &closing(REFUSAL), patient).unwrap();
    assert_eq!((answer.status(), answer.is_early()), (413, true));
    assert_eq!(answer.read_to_string(100).unwrap(), "too much");

    let silent = post_much(&outgoing(), &closing(b""), patient).unwrap_err();
    assert_eq!(silent, NetError::Broken("the other side closed the connection".into()));
    let half = post_much(&outgoing(), &closing(&REFUSAL[..20]), patient).unwrap_err();
    assert!(matches!(half, NetError::Broken(_)), "{half:?}");

    let (waiting, _) = server(|mut stream, _| {
        stream.read_exact(&mut [0; 1_000]).unwrap();
        stream.write_all(REFUSAL).unwrap();
        std::thread::sleep(Duration::from_secs(30));
    });
    let answer = post_much(&outgoing(), &waiting, Duration::from_millis(300)).unwrap();
    assert_eq!((answer.status(), answer.is_early()), (413, true));
    let (stuck, _) = server(|mut stream, _| {
        stream.read_exact(&mut [0; 1_000]).unwrap();
        std::thread::sleep(Duration::from_secs(30));
    });
    let begun = Instant::now();
    let silent = post_much(&outgoing(), &stuck, Duration::from_millis(300)).unwrap_err();
    assert_eq!(silent, NetError::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn a_connection_that_did_not_take_a_whole_request_gets_no_other() {
    let (url, connections) = server(|mut stream, _| {
        stream.read_exact(&mut [0; 1_000]).unwrap();
        stream.write_all(REFUSAL).unwrap();
        std::thread::sleep(Duration::from_secs(30));
    });
    let (outgoing, much) = (outgoing(), vec![7; 60_000_000]);
    let limits = ResponseLimits { first_byte: Duration::from_millis(300), ..ResponseLimits::default() };
    for number in 1..=2 {
        let cancel = CancelToken::new(None);
        let sent =
            outgoing.send(CallPurpose::Provider, Method::POST, &url, &[], Some(&much), &cancel, limits);
        assert_eq!(sent.unwrap().read_to_string(100).unwrap(), "too much");
        assert_eq!(connections.load(Ordering::SeqCst), number);
    }
}

#[test]
fn a_place_of_this_network_is_told_by_its_name_or_number() {
    for private in [
        "http://localhost:11434",
        "https://10.0.0.1/v1",
        "http://[fd00::1]:1",
        "http://169.254.169.254/latest",
        "postgres://db.internal:5432/x",
        "ollama:11434",
        "192.168.1.7",
        "http://models.lan",
    ] {
        assert!(is_private_place(private), "{private}");
    }
    for public in [
        "",
        "5432",
        "https://api.example.org/v1",
        "https://8.8.8.8",
        "db.example.org:5432",
        "http://{{$vars.host}}",
        "a b",
    ] {
        assert!(!is_private_place(public), "{public}");
    }
}
