//! Request heads, on the wire of the built program.

use crate::program::Program;
use crate::{fuzz, seeds};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

const WORDS: &[&str] = &[
    "GET",
    "CONNECT",
    "OPTIONS",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/1.0",
    "HTTP/9.9",
    "Host: a\r\n",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Expect: 100-continue\r\n",
    "Connection: upgrade\r\nUpgrade: h2c\r\n",
    "\r\n\r\n",
    "*",
    "//",
    "/..%2f",
    "http://[::1",
    "?a=%",
    "Authorization: Bearer \r\n",
    "Cookie: =;=;\r\n",
    "Origin: null\r\n",
    "Range: bytes=-1\r\n",
    "Content-Type: multipart/form-data; boundary=\"\r\n",
];

/// Sends these bytes and nothing more; the answer.
pub fn answer(program: &Program, sent: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(program.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The other side may have answered and closed already.
    let _ = stream.write_all(sent);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

/// The first line of an answer, which tells of no fault of the service.
pub fn outcome(answer: &[u8]) -> String {
    if answer.is_empty() {
        return String::new();
    }
    let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line).into_owned();
    assert!(line.starts_with("HTTP/1."), "{line:?}");
    assert!(!line.contains(" 500"), "{}", String::from_utf8_lossy(answer));
    line
}

/// Still answers, and nothing in it panicked.
pub fn is_well(program: &Program) {
    assert_eq!(program.get("/api/v1/ping", &[]).status(), 200);
    let log = program.log();
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn request_heads() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::serve(&folder.path().join("data"), &[]);
    fuzz("head", seeds("head"), WORDS, |input| outcome(&answer(&program, input)));
    is_well(&program);
}
