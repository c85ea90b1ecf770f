//! Just enough HTTP/1.1 for a git host: one request for each connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// The first line and the headers of a request.
#[derive(Debug, Clone)]
pub struct RequestHead {
    pub method: String,
    /// Path and query, as they were sent.
    pub target: String,
    pub headers: Vec<(String, String)>,
}

impl RequestHead {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// The body of a request.
pub type Body = Box<dyn Read + Send>;

/// The next request of a connection, its body still to be read.
pub fn read_request(stream: &TcpStream) -> Option<(RequestHead, Body)> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let head = RequestHead { method, target, headers };
    let is_chunked = head.header("transfer-encoding") == Some("chunked");
    let length = head.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let body: Body = if is_chunked {
        Box::new(Chunks { reader, left: 0, is_over: false })
    } else {
        Box::new(reader.take(length))
    };
    Some((head, body))
}

/// A body in chunks.
struct Chunks<R> {
    reader: R,
    left: usize,
    is_over: bool,
}

impl<R: BufRead> Read for Chunks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !self.is_over {
            let mut line = String::new();
            self.reader.read_line(&mut line)?;
            if line.trim().is_empty() {
                line.clear();
                self.reader.read_line(&mut line)?;
            }
            self.left = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
            self.is_over = self.left == 0;
        }
        let most = self.left.min(buffer.len());
        let amount = self.reader.read(&mut buffer[..most])?;
        self.left -= amount;
        Ok(amount)
    }
}

/// Reads so many bytes of a body, or as many as there are.
pub fn skip(body: &mut Body, bytes: usize) {
    let _read = io::copy(&mut body.take(bytes as u64), &mut io::sink());
}

pub fn read_all(body: &mut Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _read = body.read_to_end(&mut bytes);
    bytes
}

/// Answers in one piece, and waits until the other side has it.
pub fn answer(stream: &TcpStream, status: u16, content_type: &str, headers: &[(&str, &str)], body: &[u8]) {
    send_answer(stream, status, content_type, headers, body);
    close_gently(stream);
}

/// Answers in one piece.
pub fn send_answer(
    mut stream: &TcpStream,
    status: u16,
    content_type: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) {
    let mut text =
        format!("HTTP/1.1 {status} -\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("connection: close\r\n\r\n");
    let _sent = stream.write_all(&[text.as_bytes(), body].concat());
}

/// An answer in chunks, which ends whole or is cut.
pub struct ChunkedAnswer<'a> {
    stream: &'a TcpStream,
    /// How many bytes may go out before it is cut.
    left: Option<usize>,
}

impl<'a> ChunkedAnswer<'a> {
    pub fn begin(mut stream: &'a TcpStream, status: u16, headers: &str, cut: Option<usize>) -> Self {
        let head = format!(
            "HTTP/1.1 {status} -\r\n{headers}transfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        );
        let _sent = stream.write_all(head.as_bytes());
        Self { stream, left: cut }
    }

    /// Sends a piece; false when nothing more is to be sent.
    pub fn send(&mut self, piece: &[u8]) -> bool {
        let most = self.left.unwrap_or(usize::MAX).min(piece.len());
        let chunk = [format!("{most:x}\r\n").as_bytes(), &piece[..most], b"\r\n"].concat();
        if most > 0 && self.stream.write_all(&chunk).is_err() {
            return false;
        }
        if let Some(left) = &mut self.left {
            *left -= most;
            if *left == 0 {
                return false;
            }
        }
        true
    }

    pub fn end(mut self) {
        if self.left.is_none() {
            let _sent = self.stream.write_all(b"0\r\n\r\n");
            close_gently(self.stream);
        }
    }
}

/// Closes so that what was sent arrives, although part of the request may not have been read.
fn close_gently(mut stream: &TcpStream) {
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = stream.set_read_timeout(Some(std::time::Duration::from_secs(2)));
    let mut rest = [0; 4096];
    while matches!(stream.read(&mut rest), Ok(1..)) {}
}
