//! The way through the operator's proxy: a tunnel for https, and addresses written in full for http.

use super::NetError;
use super::transport::retry_until;
use super::wait_limits::WaitLimits;
use crate::settings::Proxy;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most bytes of what a proxy answers to a wish for a tunnel.
const ANSWER_BYTES_MAX: usize = 8 * 1024;

/// Asks a proxy for a tunnel to host and port. What is sent afterwards goes there.
///
/// # Errors
/// When the proxy refuses, or says nothing in time.
pub(super) fn open_tunnel(
    stream: &Arc<TcpStream>,
    proxy: &Proxy,
    target: &str,
    waiting: &WaitLimits,
    most: Duration,
) -> Result<(), NetError> {
    let end = waiting.deadline(most);
    let mut wish = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
    if let Some(authorization) = &proxy.authorization {
        wish.push_str(&format!("Proxy-Authorization: {authorization}\r\n"));
    }
    wish.push_str("\r\n");
    let mut sent = 0;
    while sent < wish.len() {
        sent += retry_until(stream, waiting, end, |left| {
            stream.set_write_timeout(Some(left))?;
            (&**stream).write(&wish.as_bytes()[sent..])
        })?;
    }
    let status = parse_status(&read_answer(stream, waiting, end)?);
    match status {
        Some(200..=299) => Ok(()),
        Some(407) => Err(NetError::Proxy(
            "it wants a user and a password; write them into its address: http://user:password@host:port"
                .into(),
        )),
        Some(status) => Err(NetError::Proxy(format!("it answered {status} when asked for {target}"))),
        None => Err(NetError::Proxy("what answers there is no HTTP proxy".into())),
    }
}

/// The head of the answer. Byte by byte: what follows it belongs to the other side of the tunnel.
fn read_answer(stream: &Arc<TcpStream>, waiting: &WaitLimits, end: Instant) -> Result<Vec<u8>, NetError> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let byte = retry_until(stream, waiting, end, |left| {
            let mut byte = [0];
            stream.set_read_timeout(Some(left))?;
            match (&**stream).read(&mut byte)? {
                0 => Err(io::Error::from(ErrorKind::ConnectionReset)),
                _ => Ok(byte[0]),
            }
        });
        head.push(byte.map_err(|error| match error {
            NetError::Broken(_) => NetError::Proxy("it closed the connection".into()),
            other => other,
        })?);
        if head.len() > ANSWER_BYTES_MAX {
            return Err(NetError::Proxy("its answer is too long".into()));
        }
    }
    Ok(head)
}

fn parse_status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    words.next()?.strip_prefix("HTTP/1.")?;
    words.next()?.parse().ok()
}

/// What is written into the head of each request that a proxy passes on by itself: the whole address, and who asks.
#[derive(Debug)]
pub(super) struct AbsoluteForm {
    /// Scheme, host and port.
    origin: String,
    authorization: Option<String>,
}

impl AbsoluteForm {
    pub(super) fn new(target: &str, proxy: &Proxy) -> Self {
        Self { origin: format!("http://{target}"), authorization: proxy.authorization.clone() }
    }

    /// The head of a request as the proxy wants it; `None` while its first line is not there as a whole.
    pub(super) fn rewrite(&self, begun: &[u8]) -> Option<Vec<u8>> {
        let line_end = begun.windows(2).position(|pair| pair == b"\r\n")? + 2;
        let space = begun.iter().position(|byte| *byte == b' ')? + 1;
        let mut whole = Vec::with_capacity(begun.len() + self.origin.len() + 64);
        whole.extend_from_slice(&begun[..space]);
        if begun[space..].starts_with(b"/") {
            whole.extend_from_slice(self.origin.as_bytes());
        }
        whole.extend_from_slice(&begun[space..line_end]);
        if let Some(authorization) = &self.authorization {
            whole.extend_from_slice(format!("proxy-authorization: {authorization}\r\n").as_bytes());
        }
        whole.extend_from_slice(&begun[line_end..]);
        Some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_gets_the_whole_address() {
        let proxy = Proxy { host: "p".into(), port: 1, authorization: Some("Basic eDp5".into()) };
        let full = AbsoluteForm::new("a.example:80", &proxy);
        assert_eq!(full.rewrite(b"GET /x?q=/ HTTP/1.1\r"), None);
        let head = full.rewrite(b"GET /x?q=/ HTTP/1.1\r\nhost: a.example\r\n\r\nbody").unwrap();
        let expected = "GET http://a.example:80/x?q=/ HTTP/1.1\r\nproxy-authorization: Basic eDp5\r\nhost: a.example\r\n\r\nbody";
        assert_eq!(String::from_utf8(head).unwrap(), expected);
    }

    #[test]
    fn an_answer_of_a_proxy_is_read() {
        assert_eq!(parse_status(b"HTTP/1.1 200 Connection established\r\n\r\n"), Some(200));
        assert_eq!(parse_status(b"HTTP/1.0 407 x\r\n\r\n"), Some(407));
        assert_eq!(parse_status(b"SSH-2.0-x\r\n\r\n"), None);
        assert_eq!(parse_status(b"HTTP/1.1 abc\r\n\r\n"), None);
    }
}
