//! Answers that a task reads without waiting, over each kind of connection, and who uses the connection afterwards.

#![cfg(unix)]

use super::test_servers::{ForwardProxy, TestAuthority, read_head, serve_plain, serve_tls};
use super::*;
use std::io::{ErrorKind, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

/// What is sent: of every length, so that chunks begin and end everywhere in what is read at once.
fn content() -> String {
    (0..400_usize).map(|number| format!("{number}:{};", "x".repeat(number * 7 % 300))).collect()
}

/// Answers with [`content`] in chunks, which go out in pieces that heed no border, some of them after a pause. A request
/// whose head says so is left with half of it.
fn serve(stream: &mut (impl Read + Write)) {
    loop {
        let asked = read_head(stream);
        if asked.is_empty() {
            return;
        }
        let mut body = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        for chunk in content().as_bytes().chunks(97) {
            body.extend(format!("{:x}\r\n", chunk.len()).as_bytes());
            body.extend(chunk);
            body.extend(b"\r\n");
        }
        body.extend(b"0\r\n\r\n");
        let half = asked.contains("GET /half");
        let sent = if half { body.len() / 2 } else { body.len() };
        for (at, piece) in body[..sent].chunks(1_013).enumerate() {
            if at % 3 == 0 {
                std::thread::sleep(Duration::from_millis(2));
            }
            if stream.write_all(piece).and_then(|()| stream.flush()).is_err() {
                return;
            }
        }
        if half {
            return;
        }
    }
}

/// A client, the address of a server, and how many connections that had.
struct Case {
    outgoing: Outgoing,
    url: String,
    connections: Arc<AtomicUsize>,
}

fn cases() -> Vec<(&'static str, Case)> {
    let counted = || {
        let connections = Arc::new(AtomicUsize::new(0));
        (connections.clone(), connections)
    };
    let (connections, counts) = counted();
    let port = serve_plain(move |mut stream| {
        counts.fetch_add(1, Ordering::SeqCst);
        serve(&mut stream);
    });
    let outgoing = Outgoing::with_trust(Vec::new(), true, TrustStore::default(), Proxies::default());
    let open = Case { outgoing, url: format!("http://127.0.0.1:{port}"), connections };

    let authority = TestAuthority::generate();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), authority.pem()).unwrap();
    let trust = TrustStore::with_file(file.path()).unwrap();
    let served = || {
        let (connections, counts) = counted();
        let port = serve_tls(authority.issue("localhost"), move |mut stream| {
            counts.fetch_add(1, Ordering::SeqCst);
            serve(&mut stream);
        });
        (connections, port)
    };
    let (connections, port) = served();
    let outgoing = Outgoing::with_trust(Vec::new(), true, trust.clone(), Proxies::default());
    let tls = Case { outgoing, url: format!("https://localhost:{port}"), connections };

    let (connections, port) = served();
    let forward = ForwardProxy::start(port, None);
    let proxy =
        crate::settings::Proxy { host: "127.0.0.1".to_owned(), port: forward.port, authorization: None };
    let proxies = Proxies { https: Some(proxy), ..Proxies::default() };
    let outgoing = Outgoing::with_trust(Vec::new(), true, trust, proxies);
    let tunnel = Case { outgoing, url: format!("https://localhost:{port}"), connections };
    vec![("open", open), ("tls", tls), ("tunnel", tunnel)]
}

impl Case {
    fn get(&self, path: &str) -> Incoming {
        let url = format!("{}{path}", self.url);
        let cancel = CancelToken::new(None);
        self.outgoing.get(CallPurpose::Provider, &url, &[], &cancel, ResponseLimits::default()).unwrap()
    }
}

/// Reads as a task does, at most so many bytes; how often it waited.
async fn read(incoming: &mut Incoming, most: usize) -> (Result<String, NetError>, usize) {
    let (mut all, mut waits, mut room) = (Vec::new(), 0, [0; 700]);
    let read = std::future::poll_fn(|cx| {
        while all.len() < most {
            match incoming.read(&mut room) {
                Ok(0) => break,
                Ok(amount) => all.extend_from_slice(&room[..amount]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    waits += 1;
                    std::task::ready!(incoming.poll_readable(cx))?;
                }
                Err(error) => return Poll::Ready(Err(NetError::from(error))),
            }
        }
        Poll::Ready(Ok(()))
    });
    let read = read.await;
    (read.map(|()| String::from_utf8(all).unwrap()), waits)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn a_task_reads_what_a_thread_would_and_the_connection_serves_on() {
    let runtime = runtime();
    for (name, case) in cases() {
        for round in 0..3 {
            let mut incoming = case.get("/");
            assert!(incoming.leave_to_task(), "{name}");
            let (seen, waits) = runtime.block_on(read(&mut incoming, usize::MAX));
            assert!(seen == Ok(content()), "{name} {round}");
            assert!(waits > 0, "{name}");
            incoming.leave_to_thread();
            incoming.finish();
            // A thread that waits, on the connection that the task has left.
            let whole = case.get("/").read_to_string(1_000_000);
            assert!(whole == Ok(content()), "{name} {round}");
        }
        assert_eq!(case.connections.load(Ordering::SeqCst), 1, "{name}");
    }
}

#[test]
fn a_thread_goes_on_where_a_task_stopped() {
    let runtime = runtime();
    for (name, case) in cases() {
        for most in [1, 5_000, 30_000] {
            let mut incoming = case.get("/");
            assert!(incoming.leave_to_task(), "{name}");
            let (seen, _) = runtime.block_on(read(&mut incoming, most));
            incoming.leave_to_thread();
            let rest = incoming.read_to_string(1_000_000).unwrap();
            assert!(seen.unwrap() + &rest == content(), "{name} {most}");
        }
    }
}

#[test]
fn an_answer_that_breaks_off_is_an_error_for_a_task_too() {
    let runtime = runtime();
    for (name, case) in cases() {
        let mut incoming = case.get("/half");
        assert!(incoming.leave_to_task(), "{name}");
        let (seen, _) = runtime.block_on(read(&mut incoming, usize::MAX));
        assert!(matches!(seen, Err(NetError::Broken(_))), "{name}: {seen:?}");
    }
}

#[test]
fn an_answer_that_is_too_large_ends_for_a_task_too() {
    let (_, case) = cases().swap_remove(0);
    let limits = ResponseLimits { body_bytes: 2_000, ..ResponseLimits::default() };
    let mut incoming =
        case.outgoing.get(CallPurpose::Provider, &case.url, &[], &CancelToken::new(None), limits).unwrap();
    assert!(incoming.leave_to_task());
    let (seen, _) = runtime().block_on(read(&mut incoming, usize::MAX));
    assert_eq!(seen, Err(NetError::TooLarge));
}

#[test]
fn a_task_that_nobody_left_an_answer_to_is_told() {
    let (_, case) = cases().swap_remove(0);
    let mut incoming = case.get("/");
    let polled = runtime().block_on(std::future::poll_fn(|cx| Poll::Ready(incoming.poll_readable(cx))));
    assert!(matches!(polled, Poll::Ready(Err(_))));
}
