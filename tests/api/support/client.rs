//! A small blocking HTTP/1.1 client that sends exactly what it is told and can leave in the middle.

use super::form::Form;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than any answer of these tests may take; the slowest waits for a provider's three tries.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request in the making.
#[derive(Clone)]
pub struct Call {
    address: SocketAddr,
    head: String,
    body: Option<Vec<u8>>,
}

impl Call {
    pub fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
        Self { address, head, body: None }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    /// Adds `Authorization: Bearer <value>`.
    pub fn bearer(self, value: &str) -> Self {
        self.header("Authorization", &format!("Bearer {value}"))
    }

    /// Sets a JSON body.
    pub fn json(self, body: &Value) -> Self {
        self.bytes("application/json", body.to_string())
    }

    /// Sets a body of this type.
    pub fn bytes(self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let mut call = self.header("Content-Type", content_type);
        call.body = Some(body.into());
        call
    }

    /// Sets a form as the body.
    pub fn form(self, form: &Form) -> Self {
        self.bytes(Form::CONTENT_TYPE, form.bytes())
    }

    /// The same call with another text in its head and its body.
    pub fn edit(mut self, edit: impl Fn(&str) -> String) -> Self {
        self.head = edit(&self.head);
        self.body = self.body.map(|body| edit(&String::from_utf8(body).unwrap()).into_bytes());
        self
    }

    /// True when head or body say something of this form.
    pub fn matches(&self, form: &regex::Regex) -> bool {
        let body = self.body.as_deref().unwrap_or_default();
        form.is_match(&self.head) || form.is_match(&String::from_utf8_lossy(body))
    }

    /// Sends it and reads the whole answer.
    pub fn send(&self) -> Answer {
        self.open().finish()
    }

    /// Sends it and waits for nothing.
    pub fn connect(&self) -> TcpStream {
        let mut socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_nodelay(true).unwrap();
        let mut bytes = self.head.clone();
        if let Some(body) = &self.body {
            bytes.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        bytes.push_str("\r\n");
        // A service that refuses early may close before it has read a large body: its answer still counts.
        let _ = socket
            .write_all(&[bytes.as_bytes(), self.body.as_deref().unwrap_or_default()].concat())
            .map_err(|error| assert_ne!(error.kind(), ErrorKind::TimedOut));
        socket
    }

    /// Sends it and reads the head of the answer; the body comes piece by piece.
    pub fn open(&self) -> Stream {
        open(self.connect())
    }
}

/// Reads the whole answer that comes on a connection.
pub fn read(socket: TcpStream) -> Answer {
    open(socket).finish()
}

fn open(socket: TcpStream) -> Stream {
    let mut reader = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let length = reader.read_line(&mut head).unwrap_or_else(|error| panic!("{error} after {head:?}"));
        assert!(length > 0, "the connection ended in the head: {head:?}");
    }
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let answer = Answer { status, head, body: Vec::new() };
    let chunked = answer.header("transfer-encoding") == Some("chunked");
    Stream { reader, answer, chunked, ended: false }
}

/// An answer whose body is still on its way. Dropping it closes the connection.
pub struct Stream {
    reader: BufReader<TcpStream>,
    /// Head, and what has arrived of the body.
    pub answer: Answer,
    chunked: bool,
    ended: bool,
}

impl Stream {
    /// Reads the next piece of the body; false at its end.
    pub fn next_piece(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let size = if self.chunked {
            let mut line = String::new();
            self.reader.read_line(&mut line).unwrap();
            usize::from_str_radix(line.trim(), 16).unwrap_or_else(|_| panic!("no chunk size: {line:?}"))
        } else {
            self.answer.header("content-length").map_or(0, |length| length.parse().unwrap())
        };
        let has_body = !matches!(self.answer.status, 204 | 304);
        let mut piece = vec![0; if has_body { size } else { 0 }];
        self.reader.read_exact(&mut piece).unwrap();
        self.answer.body.extend_from_slice(&piece);
        if self.chunked {
            self.reader.read_line(&mut String::new()).unwrap();
        }
        self.ended = !self.chunked || size == 0;
        !self.ended
    }

    /// Reads until the body holds `text`.
    #[track_caller]
    pub fn read_until(&mut self, text: &str) {
        while !self.answer.text().contains(text) {
            assert!(self.next_piece(), "the answer ended without {text:?}: {:?}", self.answer);
        }
    }

    /// Reads to the end.
    pub fn finish(mut self) -> Answer {
        while self.next_piece() {}
        self.answer
    }
}

/// A whole answer.
#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown: String = self.text().chars().take(2_000).collect();
        write!(f, "{}{shown}", self.head)
    }
}

impl Answer {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// Checks the status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Checks the shape of errors (manual 1.4 r1); gives the message.
    #[track_caller]
    pub fn is_error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        let body = self.json();
        assert_eq!(
            (&body["statusCode"], &body["success"], &body["stack"]),
            (&json!(status), &json!(false), &json!({})),
            "{self:?}"
        );
        let message = body["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty(), "{self:?}");
        for leaked in ["/src/", "/tmp/", ".rs:", "panicked", "serde", "redb", "struct "] {
            assert!(!message.contains(leaked), "{message}");
        }
        message.to_owned()
    }

    /// The events of a stream, which must consist of nothing else.
    #[track_caller]
    pub fn events(&self) -> Vec<(String, Value)> {
        assert_eq!(self.status, 200, "{self:?}");
        let text = self.text().replace(":heartbeat\n", "");
        let frames = text.split_terminator("\n\n").map(|frame| {
            let json = frame.strip_prefix("message:\ndata:").unwrap_or_else(|| panic!("no frame: {frame:?}"));
            assert!(!json.contains('\n'), "{frame:?}");
            let event: Value = serde_json::from_str(json).unwrap_or_else(|_| panic!("no JSON: {frame:?}"));
            (event["event"].as_str().unwrap().to_owned(), event["data"].clone())
        });
        frames.collect()
    }

    /// The names of the events, repeated tokens as one.
    #[track_caller]
    pub fn event_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.events().into_iter().map(|(name, _)| name).collect();
        names.dedup();
        names
    }

    /// The tokens of a stream, joined.
    #[track_caller]
    pub fn streamed_text(&self) -> String {
        let events = self.events();
        let tokens = events.iter().filter(|(name, _)| name == "token");
        tokens.map(|(_, data)| data.as_str().unwrap()).collect()
    }

    /// The data of the only event of this name.
    #[track_caller]
    pub fn event(&self, name: &str) -> Value {
        let mut found = self.events().into_iter().filter(|(known, _)| known == name).map(|(_, data)| data);
        let first = found.next().unwrap_or_else(|| panic!("no {name}: {self:?}"));
        assert!(found.next().is_none(), "{name} twice: {self:?}");
        first
    }
}
