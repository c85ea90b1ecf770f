//! The parser against every split and any garbage, and the client against servers of a few lines, each with one habit. What
//! a real one does, `tests/api/redis.rs` sees.

use super::*;
use crate::base::cancel::CancelReason;
use crate::limits;
use crate::net::NetError;
use crate::net::test_servers::serve_plain;
use proptest::prelude::*;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PASSWORD: &str = "it is secret";

/// Bytes that arrive in pieces of these sizes.
struct Pieces<'a> {
    bytes: &'a [u8],
    sizes: std::iter::Cycle<std::slice::Iter<'a, usize>>,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = *self.sizes.next().unwrap();
        let amount = size.min(buffer.len()).min(self.bytes.len());
        buffer[..amount].copy_from_slice(&self.bytes[..amount]);
        self.bytes = &self.bytes[amount..];
        Ok(amount)
    }
}

fn read_in_pieces(bytes: &[u8], sizes: &[usize]) -> Result<RedisReply, RedisError> {
    read_reply(&mut BufReader::with_capacity(64, Pieces { bytes, sizes: sizes.iter().cycle() }))
}

/// A reply as a server writes it.
fn written(reply: &RedisReply) -> Vec<u8> {
    match reply {
        RedisReply::Word(text) => format!("+{text}\r\n").into_bytes(),
        RedisReply::Refusal(text) => format!("-{text}\r\n").into_bytes(),
        RedisReply::Number(number) => format!(":{number}\r\n").into_bytes(),
        RedisReply::Bytes(bytes) => [format!("${}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat(),
        RedisReply::List(list) => {
            let mut out = format!("*{}\r\n", list.len()).into_bytes();
            list.iter().for_each(|reply| out.extend(written(reply)));
            out
        }
        RedisReply::Nothing => b"$-1\r\n".to_vec(),
    }
}

fn reply() -> impl Strategy<Value = RedisReply> {
    let leaf = prop_oneof![
        "[ -~]{0,40}".prop_map(RedisReply::Word),
        "[A-Z]{3,9} [ -~]{0,40}".prop_map(RedisReply::Refusal),
        any::<i64>().prop_map(RedisReply::Number),
        proptest::collection::vec(any::<u8>(), 0..300).prop_map(RedisReply::Bytes),
        Just(RedisReply::Nothing),
    ];
    leaf.prop_recursive(3, 40, 6, |inner| proptest::collection::vec(inner, 0..6).prop_map(RedisReply::List))
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(1..70_usize, 1..20)
}

proptest! {
    #[test]
    fn a_reply_is_the_same_however_it_arrives(reply in reply(), sizes in sizes()) {
        let bytes = written(&reply);
        prop_assert_eq!(read_in_pieces(&bytes, &sizes), Ok(reply));
        for end in 0..bytes.len() {
            let broken = read_in_pieces(&bytes[..end], &sizes);
            prop_assert!(matches!(broken, Err(RedisError::Net(NetError::Broken(_)))), "{} {:?}", end, broken);
        }
    }

    #[test]
    fn garbage_is_refused_and_takes_no_memory_by_announcing_it(
        start in prop_oneof![Just(""), Just("*"), Just("$"), Just("*2\r\n$"), Just("*99999999999\r\n"), Just("$99999999\r\n")],
        bytes in proptest::collection::vec(any::<u8>(), 0..500),
        sizes in sizes(),
    ) {
        let bytes = [start.as_bytes(), &bytes].concat();
        if let Ok(reply) = read_in_pieces(&bytes, &sizes) {
            prop_assert!(written(&reply).len() <= bytes.len() * 8 + 8);
        }
    }
}

#[test]
fn what_announces_or_nests_too_much_is_left() {
    for bytes in [
        format!("${}\r\n", limits::REDIS_REPLY_BYTES_MAX),
        format!("*{}\r\n", limits::REDIS_REPLY_BYTES_MAX),
        "*1\r\n".repeat(limits::REDIS_REPLY_DEPTH_MAX + 1) + ":1\r\n",
        "*3\r\n".to_owned() + &format!("${0}\r\n{1}\r\n", 12_000_000, "x".repeat(12_000_000)).repeat(3),
        "*400000\r\n".to_owned() + &format!("+{}\r\n", "x".repeat(100)).repeat(400_000),
    ] {
        assert_eq!(read_reply(&mut bytes.as_bytes()), Err(RedisError::TooLarge), "{}", &bytes[..20]);
    }
    for bytes in [
        "HTTP/1.1 400 Bad Request\r\n",
        "\r\n",
        "+OK\n",
        ":one\r\n",
        "$-2\r\n",
        "$+\r\n",
        "*x\r\n",
        "$1\r\nab\r\n",
        "\u{1F4E6}\r\n",
        &("+".to_owned() + &"x".repeat(limits::REDIS_LINE_BYTES_MAX)),
    ] {
        assert_eq!(read_reply(&mut bytes.as_bytes()), Err(RedisError::Garbled), "{bytes:.20}");
    }
}

/// A server with this habit, and a session with it.
fn session(habit: impl Fn(TcpStream) + Send + Sync + 'static) -> RedisClient {
    RedisClient::new(server(serve_plain(habit)), Outgoing::new(Vec::new(), true))
}

fn server(port: u16) -> RedisServer {
    RedisServer {
        host: "127.0.0.1".into(),
        port,
        user: None,
        password: Some(PASSWORD.into()),
        database: 0,
        tls: false,
    }
}

/// A habit: each thing that is said is answered with the next of these.
fn answers(replies: &'static [&'static str]) -> impl Fn(TcpStream) + Send + Sync {
    move |mut stream| {
        let mut some = [0; 4096];
        for reply in replies {
            if !matches!(stream.read(&mut some), Ok(1..)) {
                return;
            }
            let _ = stream.write_all(reply.as_bytes());
        }
        let _ = stream.read(&mut some);
    }
}

fn get(session: &RedisClient, cancel: &CancelToken) -> Result<RedisReply, RedisError> {
    session.with_connection(cancel, |connection| connection.run(&[b"GET", b"key"], cancel))
}

/// What callers are told of an error, and what the log is.
fn told(error: RedisError) -> (String, String) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let writer = Arc::new(log.reopen().unwrap());
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(writer).finish();
    let text = tracing::subscriber::with_default(subscriber, || error.at("Memory").to_string());
    (text, std::fs::read_to_string(log.path()).unwrap())
}

#[test]
fn what_a_server_says_is_for_the_log_and_callers_are_told_what_to_do() {
    for (said, shown) in [
        ("WRONGPASS invalid username-password pair or user is disabled.", "check the card's credential"),
        ("ERR invalid password", "check the card's credential"),
        ("ERR AUTH <password> called without any password configured for ada", "check the card's credential"),
        ("NOAUTH Authentication required.", "enter it in the card's credential"),
        ("NOPERM User ada has no permissions to run the 'lrange' command", "may not do this"),
        ("OOM command not allowed when used memory > 'maxmemory'.", "the server is full"),
        ("WRONGTYPE Operation against a key holding the wrong kind of value", "another program"),
        ("READONLY You can't write against a read only replica.", "can only be read"),
        ("LOADING Redis is loading the dataset in memory", "try again later"),
        ("MOVED 3999 10.1.2.3:6381", "cluster"),
        ("DENIED Redis is running in protected mode", "its own machine only"),
        ("ERR DB index is out of range", "no such database"),
        ("ERR max number of clients reached", "no connection left"),
        ("ERR it is secret\tada", "refused to do this"),
    ] {
        let (text, logged) = told(RedisError::from_server(said, &[PASSWORD]));
        assert!(
            text.starts_with("Memory: ") && text.contains(shown) && text.ends_with("; see the log"),
            "{text}"
        );
        assert!(!["ada", "10.1.2.3"].iter().any(|word| text.contains(word)), "{text}");
        let words = said.replace(PASSWORD, "[secret hidden]").replace('\t', " ");
        assert!(logged.contains(&words) && !logged.contains(PASSWORD), "{logged}");
    }
    let (text, logged) = told(RedisError::Net(NetError::Unreachable("10.1.2.3:6379".into())));
    assert!(text.contains("the card's credential") && !text.contains("10.1.2.3"), "{text}");
    assert!(logged.contains("10.1.2.3:6379"), "{logged}");
}

#[test]
fn a_refusal_leaves_the_connection_and_garbage_ends_it() {
    let session = session(answers(&["+OK\r\n", "-ERR no\r\n", "$1\r\nx\r\n", "HTTP/1.1 400\r\n"]));
    let cancel = CancelToken::new(None);
    assert!(matches!(get(&session, &cancel), Err(RedisError::Server { .. })));
    assert_eq!(get(&session, &cancel), Ok(RedisReply::Bytes(b"x".to_vec())));
    assert_eq!(get(&session, &cancel), Err(RedisError::Garbled));
    assert!(matches!(get(&session, &cancel), Err(RedisError::Server { .. })), "this is another connection");
}

#[test]
fn of_several_commands_the_first_refusal_is_told_and_every_reply_is_read() {
    let session = session(answers(&["+OK\r\n", ":2\r\n-OOM full\r\n-ERR other\r\n", "$-1\r\n"]));
    let cancel = CancelToken::new(None);
    let done = session.with_connection(&cancel, |connection| {
        connection.run_all(&[&[b"LPUSH"], &[b"SET"], &[b"EXPIRE"]], &cancel)
    });
    assert!(matches!(done, Err(RedisError::Server { code, .. }) if code == "OOM"));
    assert_eq!(get(&session, &cancel), Ok(RedisReply::Nothing));
}

#[test]
fn a_server_that_closes_or_wants_another_password_is_told() {
    let cancel = CancelToken::new(None);
    let closed = get(&session(drop), &cancel);
    assert!(matches!(closed, Err(RedisError::Net(NetError::Broken(_)))), "{closed:?}");
    let refused = get(&session(answers(&["-WRONGPASS no\r\n"])), &cancel).unwrap_err();
    assert!(refused.to_string().contains("check the card's credential"), "{refused}");
    let plain = RedisServer { tls: true, ..server(serve_plain(answers(&["-ERR what?\r\n"]))) };
    let error = get(&RedisClient::new(plain, Outgoing::new(Vec::new(), true)), &cancel).unwrap_err();
    assert!(matches!(error, RedisError::Net(NetError::Untrusted { .. })), "{error:?}");
}

#[test]
fn a_cancelled_run_waits_no_longer() {
    let session = session(answers(&["+OK\r\n", ""]));
    let (cancel, start) = (CancelToken::new(None), Instant::now());
    let other = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.cancel(CancelReason::CallerLeft);
    });
    assert_eq!(get(&session, &cancel), Err(RedisError::Net(NetError::Cancelled)));
    let late = CancelToken::new(Some(Duration::from_millis(50)));
    assert_eq!(get(&session, &late), Err(RedisError::Net(NetError::TimedOut)));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_host_is_judged_like_any_address() {
    let open = |outgoing: &Outgoing, host: &str| {
        let server = RedisServer { host: host.into(), ..server(1) };
        RedisConnection::open(&server, outgoing, &CancelToken::new(None)).err().unwrap()
    };
    let policy = RedisError::Net(NetError::RefusedByPolicy);
    let public = Outgoing::new(Vec::new(), false);
    for host in ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "2130706433"] {
        assert_eq!(open(&public, host), policy, "{host}");
    }
    assert_eq!(open(&Outgoing::new(Vec::new(), true), "169.254.169.254"), policy);
}
