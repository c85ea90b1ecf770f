//! Just enough of an HTTP/1.1 client to see what is on the wire: kept connections, whole answers, streams by chunk.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use serde_json::Value;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Nothing a test waits for takes longer.
const SILENCE: Duration = Duration::from_secs(60);

/// The bytes of a request whose body, if any, is JSON.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut out = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n").into_bytes();
    for (name, value) in headers {
        out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    if !body.is_empty() {
        out.extend_from_slice(b"content-type: application/json\r\n");
    }
    out.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
    out.extend_from_slice(body);
    out
}

/// How the end of a body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Bytes(usize),
    Chunked,
    UntilClose,
}

/// Status line and headers.
#[derive(Debug)]
pub struct Head {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    length: Length,
}

impl Head {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub head: Head,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn status(&self) -> u16 {
        self.head.status
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; `Null` when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// One connection, used for one request after the other.
pub struct Wire {
    reader: BufReader<TcpStream>,
}

impl Wire {
    pub fn to(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, SILENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        Ok(Self { reader: BufReader::with_capacity(16 * 1024, stream) })
    }

    pub fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.reader.get_mut().write_all(request)
    }

    /// True when the service said something within this time.
    pub fn is_readable_within(&mut self, time: Duration) -> bool {
        let stream = self.reader.get_ref();
        let timed = stream.set_read_timeout(Some(time)).and_then(|()| stream.peek(&mut [0]));
        let restored = stream.set_read_timeout(Some(SILENCE));
        timed.is_ok_and(|bytes| bytes > 0) && restored.is_ok()
    }

    /// Sends and waits for the whole answer.
    pub fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.send(request)?;
        self.answer()
    }

    /// Waits for the whole answer to what was sent.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let head = self.head()?;
        let mut body = Vec::new();
        match head.length {
            Length::Bytes(length) => {
                body.resize(length, 0);
                self.reader.read_exact(&mut body)?;
            }
            Length::Chunked => while self.chunk_into(&mut body)? {},
            Length::UntilClose => {
                self.reader.read_to_end(&mut body)?;
            }
        }
        Ok(Answer { head, body })
    }

    /// Waits for the whole answer without keeping it; how many bytes its body has.
    pub fn drain(&mut self) -> io::Result<usize> {
        let head = self.head()?;
        let mut total = 0;
        match head.length {
            Length::Bytes(length) => {
                total = io::copy(&mut self.reader.by_ref().take(length as u64), &mut io::sink())? as usize;
            }
            Length::Chunked => {
                let mut chunk = Vec::new();
                while self.chunk_into(&mut chunk)? {
                    total += chunk.len();
                    chunk.clear();
                }
            }
            Length::UntilClose => total = io::copy(&mut self.reader, &mut io::sink())? as usize,
        }
        Ok(total)
    }

    /// Reads the head of an answer.
    pub fn head(&mut self) -> io::Result<Head> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, line.clone()))?;
        let (mut headers, mut length) = (Vec::new(), Length::UntilClose);
        loop {
            line.clear();
            self.reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
            match name.as_str() {
                "content-length" => length = value.parse().map_or(length, Length::Bytes),
                "transfer-encoding" => length = Length::Chunked,
                _ => {}
            }
            headers.push((name, value));
        }
        if status == 204 {
            length = Length::Bytes(0);
        }
        Ok(Head { status, headers, length })
    }

    /// Appends the next chunk of a chunked body; false at its end.
    pub fn chunk_into(&mut self, body: &mut Vec<u8>) -> io::Result<bool> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let size = usize::from_str_radix(line.trim_end(), 16)
            .map_err(|_| io::Error::new(ErrorKind::InvalidData, "no chunk size"))?;
        let start = body.len();
        body.resize(start + size, 0);
        self.reader.read_exact(&mut body[start..])?;
        line.clear();
        self.reader.read_line(&mut line)?;
        Ok(size > 0)
    }
}

/// The events of a stream's bytes: name and data.
pub fn events(body: &[u8]) -> Vec<(String, Value)> {
    let text = String::from_utf8_lossy(body);
    let payloads = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let event = |payload: &str| {
        let value: Value = serde_json::from_str(payload).ok()?;
        Some((value["event"].as_str()?.to_owned(), value["data"].clone()))
    };
    payloads.filter_map(event).collect()
}
