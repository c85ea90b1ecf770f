//! The client against servers of a few lines, each with one habit. What a real one does, `tests/api/code_databases.rs` sees.

use super::*;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::net::test_servers::{TestAuthority, serve_plain, serve_upgraded};
use crate::net::{NetError, Outgoing};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

const PASSWORD: &str = "it is secret";
const OK: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
const END: &[u8] = &[0xfe, 0, 0, 2, 0];
const WITH_TLS: u32 = 0x800;

/// A packet with its number.
fn says(number: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], body].concat()
}

fn hears(stream: &mut impl Read) -> Vec<u8> {
    let mut head = [0; 4];
    if stream.read_exact(&mut head).is_err() {
        return Vec::new();
    }
    let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
    stream.read_exact(&mut body).unwrap();
    body
}

fn greeting(way: &str, able: u32) -> Vec<u8> {
    let able = (able | 0x8_8200).to_le_bytes();
    let body = [
        &b"\x0a8.0.36\0\x07\0\0\0"[..],
        b"12345678\0",
        &able[..2],
        &[45, 2, 0],
        &able[2..],
        &[21],
        &[0; 10],
        b"901234567890\0",
        way.as_bytes(),
        b"\0",
    ];
    says(0, &body.concat())
}

fn error(number: u16, message: &str) -> Vec<u8> {
    [&[0xff][..], &number.to_le_bytes(), b"#42000", message.as_bytes()].concat()
}

fn server(port: u16, authorities: Option<String>) -> MySqlServer {
    MySqlServer {
        host: "localhost".into(),
        port,
        database: "books".into(),
        user: "ada".into(),
        password: PASSWORD.into(),
        tls: authorities.is_some(),
        authorities,
    }
}

fn bounds() -> MySqlLimits {
    MySqlLimits { time: Duration::from_secs(20), rows: 100, bytes: 100_000 }
}

fn outgoing() -> Outgoing {
    Outgoing::new(Vec::new(), true)
}

fn opened(port: u16, authorities: Option<String>) -> Result<MySqlConnection, MySqlError> {
    MySqlConnection::open(&server(port, authorities), &outgoing(), &CancelToken::new(None))
}

/// What a statement gives at a server that lets everybody in, and answers with this.
fn answered(answer: &[Vec<u8>]) -> Result<MySqlQueryResult, MySqlError> {
    let answer = answer.concat();
    let port = serve_plain(move |mut stream| {
        stream.write_all(&greeting("mysql_native_password", 0)).unwrap();
        hears(&mut stream);
        stream.write_all(&says(2, OK)).unwrap();
        hears(&mut stream);
        let _ = stream.write_all(&answer);
    });
    opened(port, None).unwrap().run("SELECT 1", &[], &bounds(), &CancelToken::new(None))
}

fn column(kind: u8) -> Vec<u8> {
    [&b"\x03def\0\0\0\x01a\0\x0c\x2d\0\0\0\0\0"[..], &[kind, 0, 0, 0, 0, 0]].concat()
}

#[test]
fn a_server_that_remembers_the_password_lets_in_by_its_proof() {
    let port = serve_plain(|mut stream| {
        stream.write_all(&greeting("caching_sha2_password", 0)).unwrap();
        let sent = hears(&mut stream);
        assert_eq!(&sent[32..36], b"ada\0");
        assert_eq!(sent[36], 32);
        assert!(!String::from_utf8_lossy(&sent).contains(PASSWORD));
        // Neither several statements at once nor files are offered.
        let able = u32::from_le_bytes([sent[0], sent[1], sent[2], sent[3]]);
        assert_eq!(able & (0x1_0000 | 0x80), 0);
        stream.write_all(&[says(2, &[1, 3]), says(3, OK)].concat()).unwrap();
        hears(&mut stream);
        stream.write_all(&says(1, OK)).unwrap();
    });
    let mut connection = opened(port, None).unwrap();
    assert_eq!(
        connection.run("DO 1", &[], &bounds(), &CancelToken::new(None)),
        Ok(MySqlQueryResult::default())
    );
}

#[test]
fn the_password_itself_goes_over_tls_only() {
    let port = serve_plain(|mut stream| {
        stream.write_all(&greeting("caching_sha2_password", 0)).unwrap();
        hears(&mut stream);
        stream.write_all(&says(2, &[1, 4])).unwrap();
        assert!(hears(&mut stream).is_empty());
    });
    assert_eq!(opened(port, None).err(), Some(MySqlError::InsecurePassword));
    let authority = TestAuthority::generate();
    let begin = |stream: &mut std::net::TcpStream| {
        stream.write_all(&greeting("caching_sha2_password", WITH_TLS)).unwrap();
        hears(stream)
    };
    let port = serve_upgraded(authority.issue("localhost"), begin, |mut tls, asked| {
        // Before TLS nothing is said of who comes.
        assert_eq!(asked.len(), 32);
        hears(&mut tls);
        tls.write_all(&says(3, &[1, 4])).unwrap();
        let password = hears(&mut tls);
        assert_eq!(password, format!("{PASSWORD}\0").as_bytes());
        tls.write_all(&says(5, OK)).unwrap();
        let _ = tls.flush();
        hears(&mut tls);
    });
    assert!(opened(port, Some(authority.pem())).is_ok());
    let other = opened(port, Some(TestAuthority::generate().pem())).err();
    assert!(matches!(other, Some(MySqlError::Net(NetError::Untrusted { .. }))), "{other:?}");
}

#[test]
fn another_way_of_signing_in_is_taken_where_it_is_known() {
    for (way, fits) in [("mysql_native_password", true), ("mysql_clear_password", false), ("dialog", false)] {
        let port = serve_plain(move |mut stream| {
            stream.write_all(&greeting("caching_sha2_password", 0)).unwrap();
            hears(&mut stream);
            let switch = [&[0xfe][..], way.as_bytes(), b"\0abcdefghijklmnopqrst\0"].concat();
            stream.write_all(&says(2, &switch)).unwrap();
            if hears(&mut stream).len() == 20 {
                stream.write_all(&says(4, OK)).unwrap();
            }
        });
        let error = opened(port, None).err();
        assert_eq!(error, (!fits).then_some(MySqlError::NoSignIn), "{way}");
    }
}

#[test]
fn where_the_owner_wants_tls_nothing_goes_without_it() {
    let port = serve_plain(|mut stream| {
        stream.write_all(&greeting("mysql_native_password", 0)).unwrap();
        assert!(hears(&mut stream).is_empty());
    });
    assert_eq!(opened(port, Some(TestAuthority::generate().pem())).err(), Some(MySqlError::NoTls));
    // What is sent ahead of TLS could be anybody's.
    let port = serve_plain(|mut stream| {
        let _ = stream.write_all(&[greeting("mysql_native_password", WITH_TLS), says(1, OK)].concat());
        let _ = stream.read_to_end(&mut Vec::new());
    });
    assert_eq!(opened(port, Some(TestAuthority::generate().pem())).err(), Some(MySqlError::Garbled));
}

#[test]
fn what_a_server_says_of_an_error_holds_no_password() {
    let told = answered(&[says(1, &error(1064, &format!("near {PASSWORD}\n{}", "x".repeat(5_000))))]);
    let Err(MySqlError::Server { number, state, message }) = told else { panic!("{told:?}") };
    assert_eq!((number, state.as_str()), (1064, "42000"));
    assert!(message.starts_with("near [secret hidden] x") && message.len() < 400, "{message}");
    let away =
        serve_plain(|mut stream| drop(stream.write_all(&says(0, b"\xff\x10\x04Too many connections"))));
    assert!(matches!(opened(away, None).err(), Some(MySqlError::Server { number: 1040, .. })));
}

#[test]
fn a_server_gets_no_file() {
    assert_eq!(answered(&[says(1, b"\xfb/etc/passwd")]), Err(MySqlError::WantsFile));
}

#[test]
fn rows_come_back_and_more_than_may_do_not() {
    let rows = |count: usize, row: &[u8]| {
        let mut all = vec![says(1, &[1]), says(2, &column(253)), says(3, END)];
        all.extend((0..count).map(|_| says(4, row)));
        all.push(says(5, END));
        answered(&all)
    };
    assert_eq!(rows(2, b"\x02hi").unwrap().rows, vec![vec![Some(b"hi".to_vec())]; 2]);
    assert_eq!(rows(100, b"\xfb").unwrap().rows, vec![vec![None]; 100]);
    assert_eq!(rows(101, b"\xfb"), Err(MySqlError::TooLarge));
    let wide = [&[0xfd, 0, 0, 1][..], &[b'x'; 0x1_0000]].concat();
    assert!(rows(1, &wide).is_ok());
    assert_eq!(rows(2, &wide), Err(MySqlError::TooLarge));
}

#[test]
fn a_statement_that_nobody_waits_for_is_ended_at_the_server() {
    let heard: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let noted = heard.clone();
    let port = serve_plain(move |mut stream| {
        stream.write_all(&greeting("mysql_native_password", 0)).unwrap();
        hears(&mut stream);
        stream.write_all(&says(2, OK)).unwrap();
        let statement = hears(&mut stream);
        noted.lock().unwrap().push(statement.clone());
        if statement.ends_with(b"KILL QUERY 7") {
            stream.write_all(&says(1, OK)).unwrap();
        }
        hears(&mut stream);
    });
    let mut connection = opened(port, None).unwrap();
    let (cancel, other) = (CancelToken::new(None), CancelToken::new(None));
    let ending = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        ending.cancel(CancelReason::CallerLeft);
    });
    let waited = connection.run("SELECT SLEEP(60)", &[], &bounds(), &cancel);
    assert_eq!(waited, Err(MySqlError::Net(NetError::Cancelled)));
    connection.cancel_statement(&server(port, None), &outgoing());
    assert!(other.reason().is_none());
    assert!(heard.lock().unwrap().iter().any(|statement| statement == b"\x03KILL QUERY 7"));
}

/// Gives bytes in pieces of any lengths.
struct Pieces<'a>(&'a [u8], &'a [usize], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.2 += 1;
        let piece = self.1.get(self.2 % self.1.len().max(1)).copied().unwrap_or(1).max(1);
        let amount = piece.min(buffer.len()).min(self.0.len());
        let (now, later) = self.0.split_at(amount);
        buffer[..amount].copy_from_slice(now);
        self.0 = later;
        Ok(amount)
    }
}

/// An answer with a few columns of these types and rows of these bytes.
fn answer_of(kinds: &[u8], rows: &[Vec<u8>]) -> Vec<u8> {
    let mut all = says(1, &[u8::try_from(kinds.len()).unwrap()]);
    kinds.iter().for_each(|kind| all.extend(says(2, &column(*kind))));
    all.extend(says(3, END));
    rows.iter().for_each(|row| all.extend(says(4, row)));
    all.extend(says(5, END));
    all
}

proptest! {
    #[test]
    fn whatever_comes_is_read_without_a_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        is_text in any::<bool>(),
    ) {
        let format = if is_text { RowFormat::Text } else { RowFormat::Binary };
        let _ = read(&mut &bytes[..], format, &bounds());
        let _ = ServerGreeting::parse(&bytes);
    }

    #[test]
    fn rows_of_anything_are_read_alike_however_they_are_cut(
        kinds in proptest::collection::vec(prop_oneof![0_u8..17, 245_u8..=255], 1..6),
        rows in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..5),
        pieces in proptest::collection::vec(1_usize..9, 1..6),
        is_text in any::<bool>(),
    ) {
        let format = if is_text { RowFormat::Text } else { RowFormat::Binary };
        let bytes = answer_of(&kinds, &rows);
        let whole = read(&mut &bytes[..], format, &bounds());
        let cut = read(&mut Pieces(&bytes, &pieces, 0), format, &bounds());
        prop_assert_eq!(&whole, &cut);
        if let Ok(answer) = whole {
            prop_assert!(answer.rows.len() <= rows.len());
        }
    }
}
