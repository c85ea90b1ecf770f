//! Just enough HTTP/1.1: keep-alive, bodies by length, chunked answers.

use super::RecordedRequest;
use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A shorter silence is slept through; in a longer one the client is watched.
const WATCHED: Duration = Duration::from_millis(20);

/// Why a connection cannot carry another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEnd {
    /// The client left before its answer was complete.
    ByClient,
    /// The script says so.
    ByUs,
}

/// One client connection.
pub struct Connection {
    reader: BufReader<TcpStream>,
    /// Holds one write, so that a token is one system call.
    out: Vec<u8>,
    /// Write every byte by itself.
    pub bytewise: bool,
}

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self { reader: BufReader::with_capacity(4096, stream), out: Vec::with_capacity(512), bytewise: false }
    }

    /// The next request, or `None` when the client is done.
    pub fn next_request(&mut self) -> Option<RecordedRequest> {
        self.reader.get_ref().set_read_timeout(None).ok()?;
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let mut words = line.split_whitespace();
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = Vec::new();
        let mut length = 0;
        loop {
            line.clear();
            self.reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
            if name == "content-length" {
                length = value.parse().ok()?;
            }
            headers.push((name, value));
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).ok()?;
        let raw = body.clone();
        let (body, bytes) = match serde_json::from_slice(&body) {
            Ok(json) => (json, Vec::new()),
            Err(_) => (Value::Null, body),
        };
        Some(RecordedRequest { method, path, headers, body, bytes, raw })
    }

    /// Stays silent for `time`, unless the client leaves.
    pub fn wait(&mut self, time: Duration) -> Result<(), ConnectionEnd> {
        if time < WATCHED {
            std::thread::sleep(time);
            return Ok(());
        }
        let stream = self.reader.get_ref();
        let _ = stream.set_read_timeout(Some(time));
        match stream.peek(&mut [0]) {
            Ok(0) => Err(ConnectionEnd::ByClient),
            Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err(ConnectionEnd::ByClient)
            }
            _ => Ok(()),
        }
    }

    /// Answers in one piece.
    pub fn whole(
        &mut self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<(), ConnectionEnd> {
        self.out.clear();
        let _ = write!(self.out, "HTTP/1.1 {status} -\r\n");
        if !headers.iter().any(|(name, _)| name == "content-type") {
            let _ = write!(self.out, "content-type: application/json\r\n");
        }
        for (name, value) in headers {
            let _ = write!(self.out, "{name}: {value}\r\n");
        }
        let _ = write!(self.out, "content-length: {}\r\n\r\n", body.len());
        self.out.extend_from_slice(body);
        self.send()
    }

    /// Begins an answer of unknown length.
    pub fn begin(&mut self, content_type: &str) -> Result<(), ConnectionEnd> {
        self.out.clear();
        let _ = write!(
            self.out,
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        self.send()
    }

    /// Sends one chunk.
    pub fn chunk(&mut self, content: impl AsRef<[u8]>) -> Result<(), ConnectionEnd> {
        let content = content.as_ref();
        self.out.clear();
        let _ = write!(self.out, "{:x}\r\n", content.len());
        self.out.extend_from_slice(content);
        self.out.extend_from_slice(b"\r\n");
        self.send()
    }

    /// Ends an answer of unknown length.
    pub fn end(&mut self) -> Result<(), ConnectionEnd> {
        self.out.clear();
        self.out.extend_from_slice(b"0\r\n\r\n");
        self.send()
    }

    fn send(&mut self) -> Result<(), ConnectionEnd> {
        let mut stream = self.reader.get_ref();
        let size = if self.bytewise { 1 } else { self.out.len() };
        for piece in self.out.chunks(size.max(1)) {
            stream.write_all(piece).map_err(|_| ConnectionEnd::ByClient)?;
        }
        Ok(())
    }
}
