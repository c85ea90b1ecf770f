//! The client against servers of a few lines, each with one habit. What a real one does, `tests/api/postgres.rs` sees.

use super::*;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::net::{NetError, Outgoing, TlsError};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Instant;

const PASSWORD: &str = "it is secret";

/// A message of the server: its kind, and what it says.
fn says(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
    [&[kind][..], &length, body].concat()
}

fn error(code: &str, message: &str) -> Vec<u8> {
    says(b'E', format!("SERROR\0C{code}\0M{message}\0\0").as_bytes())
}

fn welcome() -> Vec<u8> {
    [says(b'R', &[0; 4]), says(b'S', b"server_version\x0016\0"), says(b'K', &[0; 8]), says(b'Z', b"I")]
        .concat()
}

/// What a client sends first, which has no kind.
fn startup(stream: &mut TcpStream) -> String {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut body = vec![0; u32::from_be_bytes(length) as usize - 4];
    stream.read_exact(&mut body).unwrap();
    String::from_utf8_lossy(&body).into_owned()
}

/// Reads until a client has said all of a statement.
fn statement(stream: &mut TcpStream) -> bool {
    let mut head = [0; 5];
    loop {
        if stream.read_exact(&mut head).is_err() {
            return false;
        }
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize - 4;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        if head[0] == b'S' {
            return true;
        }
    }
}

/// A server with this habit, and a session with it.
fn session(tls: PgTls, habit: impl Fn(TcpStream) + Send + 'static) -> PgClient {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(habit));
    PgClient::new(server(port, tls), Outgoing::new(Vec::new(), true))
}

fn server(port: u16, tls: PgTls) -> PgServer {
    PgServer {
        host: "127.0.0.1".into(),
        port,
        database: "books".into(),
        user: "ada".into(),
        password: PASSWORD.into(),
        tls,
        application: "flowkeep".into(),
        time: Duration::from_secs(20),
    }
}

fn run(session: &PgClient, cancel: &CancelToken) -> Result<Vec<PgRow>, PgError> {
    session.with_connection(cancel, |connection| connection.run("SELECT $1", &["x"], cancel))
}

fn fails(tls: PgTls, habit: impl Fn(TcpStream) + Send + 'static) -> PgError {
    run(&session(tls, habit), &CancelToken::new(None)).unwrap_err()
}

/// A server that answers the first message and holds the line.
fn answers(bytes: Vec<u8>) -> impl Fn(TcpStream) + Send {
    move |mut stream| {
        startup(&mut stream);
        stream.write_all(&bytes).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

#[test]
fn what_a_server_says_is_for_the_log_and_callers_are_told_what_to_do() {
    for (code, message, shown) in [
        ("28P01", "password authentication failed for user \"ada\"", "check the card's credential"),
        ("28000", "no pg_hba.conf entry for host \"10.1.2.3\", user \"ada\"", "without SSL; check"),
        ("3D000", "database \"books\" does not exist", "no such database; check"),
        ("42501", "permission denied for table ada_secrets", "may not do this"),
        ("53300", "sorry, too many clients already", "no connection left"),
        ("57P03", "the database system is starting up", "try again later"),
        ("XX000", "cache lookup failed for it is secret\n ada", "refused to do this (XX000)"),
    ] {
        let error = fails(PgTls::Off, answers(error(code, message)));
        let (text, logged) = told(error);
        assert!(
            text.starts_with("Books: ") && text.contains(shown) && text.ends_with("; see the log"),
            "{text}"
        );
        assert!(!["ada", "books", "10.1.2.3"].iter().any(|word| text.contains(word)), "{text}");
        let words = message.replace(PASSWORD, "[secret hidden]").replace('\n', "").replace('"', "\\\"");
        assert!(logged.contains(&words) && logged.contains(code) && !logged.contains(PASSWORD), "{logged}");
    }
    let long = fails(PgTls::Off, answers(error("XX000", &"x".repeat(5_000))));
    assert!(told(long).1.len() < 1_000);
    let (text, logged) = told(PgError::Net(NetError::Unreachable("10.1.2.3:5432".into())));
    assert!(text.contains("no connection") && !text.contains("10.1.2.3"), "{text}");
    assert!(logged.contains("10.1.2.3:5432"), "{logged}");
}

/// What callers are told of an error, and what the log is.
fn told(error: PgError) -> (String, String) {
    let log = tempfile::NamedTempFile::new().unwrap();
    let writer = Arc::new(log.reopen().unwrap());
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(writer).finish();
    let text = tracing::subscriber::with_default(subscriber, || error.at("Books").to_string());
    (text, std::fs::read_to_string(log.path()).unwrap())
}

#[test]
fn nothing_is_said_in_clear_text_or_to_who_proves_nothing() {
    assert_eq!(fails(PgTls::Off, answers(says(b'R', &[0, 0, 0, 3]))), PgError::InsecurePassword);
    assert_eq!(fails(PgTls::Off, answers(says(b'R', &[0, 0, 0, 7]))), PgError::NoSignIn);
    let other = [&[0, 0, 0, 10][..], b"SCRAM-SHA-512\0\0"].concat();
    assert_eq!(fails(PgTls::Off, answers(says(b'R', &other))), PgError::NoSignIn);
    let ours = says(b'R', &[&[0, 0, 0, 10][..], b"SCRAM-SHA-256\0\0"].concat());
    assert_eq!(fails(PgTls::Off, answers([ours, welcome()].concat())), PgError::Garbled);
}

#[test]
fn an_older_password_is_sent_as_its_hash_with_the_servers_salt() {
    let session = session(PgTls::Off, |mut stream| {
        startup(&mut stream);
        stream.write_all(&says(b'R', b"\0\0\0\x05salt")).unwrap();
        let mut sent = [0; 41];
        stream.read_exact(&mut sent).unwrap();
        let good = &sent[5..40] == b"md5ccff82dd22654c67e9bbfdde2eb6ff87";
        stream.write_all(&if good { welcome() } else { error("28P01", "wrong") }).unwrap();
        while statement(&mut stream) {
            stream.write_all(&[says(b'C', b"SELECT 0\0"), says(b'Z', b"I")].concat()).unwrap();
        }
    });
    assert_eq!(run(&session, &CancelToken::new(None)), Ok(Vec::new()));
}

#[test]
fn where_the_owner_wants_tls_nothing_goes_without_it() {
    assert_eq!(fails(PgTls::Public, answers(b"N".to_vec())), PgError::NoTls);
    assert_eq!(fails(PgTls::Public, answers(error("08P01", "what?"))), PgError::Garbled);
    let error = fails(PgTls::Public, answers(b"Sno TLS".to_vec()));
    assert!(matches!(&error, PgError::Net(NetError::Untrusted { fault: TlsError::NotTls, .. })), "{error:?}");
    let bad = fails(PgTls::WithAuthorities("no certificate".into()), answers(b"S".to_vec()));
    assert!(bad.to_string().contains("certificate"), "{bad}");
}

#[test]
fn a_server_that_speaks_something_else_or_announces_too_much_is_left() {
    let garbled = [PgError::Garbled, PgError::TooLarge];
    for bytes in [
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        b"R\xff\xff\xff\xff".to_vec(),
        b"R\x7f\xff\xff\xff".to_vec(),
        b"R\0\0\0\x01".to_vec(),
        says(b'Z', b"I"),
    ] {
        let error = fails(PgTls::Off, answers(bytes.clone()));
        assert!(garbled.contains(&error), "{bytes:?}: {error:?}");
    }
    let closed = fails(PgTls::Off, drop);
    assert!(matches!(closed, PgError::Net(NetError::Broken(_))), "{closed:?}");
}

#[test]
fn a_result_larger_than_it_may_be_ends_the_connection() {
    let mut column = (1_000_000_u32).to_be_bytes().to_vec();
    column.extend(vec![b'x'; 1_000_000]);
    let row = says(b'D', &[&[0, 1][..], &column].concat());
    let session = session(PgTls::Off, move |mut stream| {
        startup(&mut stream);
        stream.write_all(&welcome()).unwrap();
        statement(&mut stream);
        while stream.write_all(&row).is_ok() {}
    });
    assert_eq!(run(&session, &CancelToken::new(None)), Err(PgError::TooLarge));
}

#[test]
fn rows_of_nothing_count_by_the_memory_that_they_take() {
    let of = |columns: u16| {
        let nothing = [0xff_u8; 4].repeat(usize::from(columns));
        says(b'D', &[&columns.to_be_bytes()[..], &nothing].concat())
    };
    // So few bytes of the line that they would pass for a small result.
    for (row, count) in [(of(0), limits::POSTGRES_RESULT_ROWS_MAX), (of(1_000), 1_197)] {
        for (count, fits) in [(count, true), (count + 5, false)] {
            assert!(row.len() * count < limits::POSTGRES_RESULT_BYTES_MAX / 4);
            let all = [row.repeat(count), says(b'C', b"SELECT 1\0"), says(b'Z', b"I")].concat();
            let session = session(PgTls::Off, move |mut stream| {
                startup(&mut stream);
                stream.write_all(&welcome()).unwrap();
                statement(&mut stream);
                let _ = stream.write_all(&all);
            });
            match run(&session, &CancelToken::new(None)) {
                Ok(rows) => assert!(fits && rows.len() == count, "{} rows", rows.len()),
                Err(error) => assert_eq!((error, fits), (PgError::TooLarge, false)),
            }
        }
    }
}

#[test]
fn a_pooler_that_takes_no_options_is_asked_without_them() {
    let session = session(PgTls::Off, |mut stream| {
        if startup(&mut stream).contains("statement_timeout") {
            stream.write_all(&error("08P01", "unsupported startup parameter: options")).unwrap();
            return;
        }
        stream.write_all(&welcome()).unwrap();
        while statement(&mut stream) {
            let row = says(b'D', b"\0\x02\0\0\0\x01x\xff\xff\xff\xff");
            let all = [says(b'1', b""), says(b'2', b""), row, says(b'C', b"SELECT 1\0"), says(b'Z', b"I")];
            stream.write_all(&all.concat()).unwrap();
        }
    });
    let cancel = CancelToken::new(None);
    for _ in 0..2 {
        assert_eq!(run(&session, &cancel), Ok(vec![vec![Some("x".to_owned()), None]]));
    }
}

#[test]
fn a_cancelled_run_waits_no_longer() {
    let session = session(PgTls::Off, |mut stream| {
        startup(&mut stream);
        stream.write_all(&welcome()).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let (cancel, start) = (CancelToken::new(None), Instant::now());
    let other = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.cancel(CancelReason::CallerLeft);
    });
    assert_eq!(run(&session, &cancel), Err(PgError::Net(NetError::Cancelled)));
    let late = CancelToken::new(Some(Duration::from_millis(50)));
    assert_eq!(run(&session, &late), Err(PgError::Net(NetError::TimedOut)));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_host_is_judged_like_any_address() {
    let open = |outgoing: &Outgoing, host: &str| {
        let server = PgServer { host: host.into(), ..server(1, PgTls::Off) };
        PgConnection::open(&server, outgoing, &CancelToken::new(None)).err().unwrap()
    };
    let policy = PgError::Net(NetError::RefusedByPolicy);
    let public = Outgoing::new(Vec::new(), false);
    for host in
        ["127.0.0.1", "localhost", "::1", "[::1]", "10.0.0.1", "169.254.169.254", "0x7f.1", "2130706433"]
    {
        assert_eq!(open(&public, host), policy, "{host}");
    }
    let beside = Outgoing::new(Vec::new(), true);
    for host in ["169.254.169.254", "metadata.google.internal", "::ffff:169.254.169.254"] {
        assert_eq!(open(&beside, host), policy, "{host}");
    }
    assert_eq!(open(&beside, "127.0.0.1"), PgError::Net(NetError::Unreachable("127.0.0.1:1".into())));
    for host in ["", "a b", "a/b", "a@b", "a:1", "/var/run", "http://a", "a?x", "ａ"] {
        let error = open(&beside, host);
        assert!(matches!(error, PgError::Net(NetError::BadAddress(_))), "{host}: {error:?}");
    }
}
