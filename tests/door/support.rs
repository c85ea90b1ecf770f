//! A real server on a free port with routes made for these tests, and clients that write raw bytes.

use crate::service;
use flowkeep::app::App;
use flowkeep::base::cancel::CancelReason;
use flowkeep::domain::error::{Error, RateLimitExceeded, Result};
use flowkeep::domain::flows::rate_limit::WindowState;
use flowkeep::http::connection::server::serve_table;
use flowkeep::http::connection::timeouts::Timeouts;
use flowkeep::http::openapi::spec::{ParamKind, ParamSpec, TEXT, query};
use flowkeep::http::{
    Accepts, Cors, OWNER, PUBLIC, Reply, Request, RouteTable, SESSION, SIGNED_IN, any_of, delete, get, post,
};
use serde_json::json;
use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// What handlers saw, by the name their request gave.
pub static SEEN: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

fn note(request: &Request, what: &str) {
    SEEN.lock().unwrap().insert(request.query("probe").unwrap_or_default().to_owned(), what.to_owned());
}

/// Waits until a handler noted something under this name.
pub fn wait_for_note(probe: &str, within: Duration) -> Option<String> {
    let end = Instant::now() + within;
    while Instant::now() < end {
        if let Some(what) = SEEN.lock().unwrap().remove(probe) {
            return Some(what);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

fn ok<A>(_: &App, _: A, _: &Request) -> Result<Reply> {
    Reply::json(&json!({"ok": true}))
}

fn echo(_: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&request.value()?)
}

fn length(_: &App, (): (), request: &Request) -> Result<Reply> {
    Reply::json(&json!({"bytes": request.body().len(), "address": request.address().to_string()}))
}

fn panics(_: &App, (): (), _: &Request) -> Result<Reply> {
    panic!("a secret text")
}

fn fails(_: &App, (): (), request: &Request) -> Result<Reply> {
    request.set_streaming(request.query("streaming").is_some());
    Err(match request.query("with") {
        Some("rate") => Error::RateLimited(RateLimitExceeded {
            message: "slow down".to_owned(),
            window: WindowState { limit: 3, remaining: 0, reset_seconds: 9 },
        }),
        Some("origin") => Error::OriginRefused("Not from here".to_owned()),
        _ => Error::internal("the disk at /secret/path is full"),
    })
}

/// Works until it is cancelled, or for as long as `ms` says.
fn block(_: &App, (): (), request: &Request) -> Result<Reply> {
    let time = request.query("ms").map_or(60_000, |ms| ms.parse().unwrap());
    note(request, "started");
    if request.cancel().sleep(Duration::from_millis(time)) {
        return Reply::json(&json!({"done": true}));
    }
    note(request, &format!("{:?}", request.cancel().reason()));
    Err(Error::Cancelled)
}

fn ignore_cancellation(_: &App, (): (), _: &Request) -> Result<Reply> {
    std::thread::sleep(Duration::from_secs(3));
    Reply::json(&json!({}))
}

/// Streams `tokens` tokens of `size` bytes, `ms` apart; then notes how it went.
fn stream(_: &App, (): (), request: &Request) -> Result<Reply> {
    let number = |name: &str, or: usize| request.query(name).map_or(or, |text| text.parse().unwrap());
    let (tokens, size, pause) = (number("tokens", 3), number("size", 2), number("ms", 0) as u64);
    let (cancel, panic_after) = (request.cancel().clone(), number("panic", usize::MAX));
    let probe = request.query("probe").unwrap_or_default().to_owned();
    Ok(Reply::stream(move |sink| {
        let text = "t".repeat(size);
        let mut result = sink.send("start", &json!(""));
        for at in 0..tokens {
            assert!(at < panic_after, "a secret text");
            if result.is_err() || !cancel.sleep(Duration::from_millis(pause)) {
                break;
            }
            result = sink.token(&text);
        }
        if result.is_ok() && cancel.reason().is_none() {
            result = sink.close();
        }
        SEEN.lock().unwrap().insert(probe, format!("{result:?} {:?}", cancel.reason()));
    })
    .with_header("x-service-session-token", "token"))
}

/// One value of the first name, any number of the second.
const QUERY: &[ParamSpec] = &[query("one", TEXT, "One."), query("several", ParamKind::List(&TEXT), "Some.")];

fn table() -> &'static RouteTable {
    static TABLE: LazyLock<RouteTable> = LazyLock::new(|| {
        RouteTable::new(vec![
            get("/ok", PUBLIC, ok),
            get("/query", PUBLIC, ok).query(QUERY),
            get("/listed", PUBLIC, ok).cors(Cors::Listed),
            get("/flow/:flow", PUBLIC, ok).cors(Cors::Flow),
            post("/in-body", PUBLIC, ok).cors(Cors::Flow),
            post("/echo", PUBLIC, echo),
            post("/small", PUBLIC, length).limit(1000),
            post("/large", PUBLIC, length).limit(8 << 20).accepts(Accepts::JsonOrMultipart),
            get("/panic", PUBLIC, panics),
            get("/fail", PUBLIC, fails).cors(Cors::Flow),
            get("/block", PUBLIC, block),
            get("/short", PUBLIC, block).run_limit(Duration::from_millis(200)),
            get("/stubborn", PUBLIC, ignore_cancellation).run_limit(Duration::from_millis(200)),
            get("/stream", PUBLIC, stream),
            get("/signed-in", SIGNED_IN, ok),
            get("/session", SESSION, ok),
            get("/owner", OWNER, ok),
            delete("/change", SIGNED_IN, ok),
            post("/guarded", any_of(&["chatflows:create"]), ok).limit(1000),
            get("/viewer", any_of(&["chatflows:view", "agentflows:view"]), ok),
            get("/health", PUBLIC, ok).at_root(),
        ])
    });
    &TABLE
}

/// A running server; dropping it stops it.
pub struct Server {
    pub address: SocketAddr,
    /// Holds the data until the tests are done with it.
    _folder: TempDir,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<Duration>>,
}

impl Server {
    pub fn start() -> Self {
        Self::with(Timeouts::default(), None, &[])
    }

    pub fn start_with_timeouts(pace: Timeouts) -> Self {
        Self::with(pace, None, &[])
    }

    pub fn with(pace: Timeouts, base_url: Option<&str>, cors: &[&str]) -> Self {
        let (folder, app) = service::open(base_url, cors);
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(2).max_blocking_threads(2_100).enable_all().build().unwrap();
            let took = runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let begun = std::sync::Arc::new(Mutex::new(Instant::now()));
                let at = begun.clone();
                let stop = async move {
                    let _ = stopped.await;
                    *at.lock().unwrap() = Instant::now();
                };
                serve_table(app, table(), pace, listener, stop).await.unwrap();
                begun.lock().unwrap().elapsed()
            });
            runtime.shutdown_timeout(Duration::from_millis(100));
            took
        });
        Self { address: told.recv().unwrap(), _folder: folder, stop: Some(stop), thread: Some(thread) }
    }

    /// Tells the server to stop and does not wait.
    pub fn tell_to_stop(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }

    /// Waits for the end; how long the stop took.
    pub fn wait_for_end(mut self) -> Duration {
        self.thread.take().unwrap().join().unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.set_nodelay(true).unwrap();
        socket
    }

    /// Sends bytes on a new connection and reads one answer.
    pub fn send_raw(&self, bytes: impl AsRef<[u8]>) -> Answer {
        let mut socket = self.connect();
        socket.write_all(bytes.as_ref()).unwrap();
        read_answer(&mut socket).expect("an answer")
    }

    pub fn get(&self, path: &str, headers: &[&str]) -> Answer {
        self.ask("GET", path, headers, "")
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        self.send_raw(request(method, path, headers, body))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

pub fn request(method: &str, path: &str, headers: &[&str], body: &str) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: here.example\r\n");
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    if !body.is_empty() {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        if !headers.iter().any(|header| header.starts_with("Content-Type")) {
            head.push_str("Content-Type: application/json\r\n");
        }
    }
    format!("{head}\r\n{body}")
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// Checks the shape of errors (manual 1.4 r1) and the headers of every answer.
    #[track_caller]
    pub fn is_error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        let json = self.json();
        assert_eq!(json["statusCode"], status, "{self:?}");
        assert_eq!((&json["success"], &json["stack"]), (&json!(false), &json!({})), "{self:?}");
        assert_eq!(self.header("x-content-type-options"), Some("nosniff"), "{self:?}");
        assert_eq!(self.header("referrer-policy"), Some("same-origin"), "{self:?}");
        assert_eq!(self.header("cache-control"), Some("no-store"), "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json; charset=utf-8"), "{self:?}");
        assert!(
            self.header("content-security-policy").is_some() && self.header("server").is_none(),
            "{self:?}"
        );
        let message = json["message"].as_str().unwrap().to_owned();
        assert!(!message.is_empty() && !message.contains("secret"), "{message}");
        message
    }
}

/// Reads up to the end of the head; gives the head and what was read after it.
pub fn read_head(socket: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Some((String::from_utf8(bytes).unwrap(), rest));
        }
        let mut space = [0; 4096];
        match socket.read(&mut space) {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&space[..count]),
        }
    }
}

/// Reads one answer; `None` when the connection ends without one.
pub fn read_answer(socket: &mut TcpStream) -> Option<Answer> {
    let (head, mut bytes) = read_head(socket)?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut answer = Answer { status, head, body: String::new() };
    let length = answer.header("content-length").map(|length| length.parse::<usize>().unwrap());
    let chunked = answer.header("transfer-encoding") == Some("chunked");
    let whole = |bytes: &[u8]| match length {
        Some(length) => bytes.len() >= length,
        None if chunked => bytes.ends_with(b"0\r\n\r\n"),
        None => status == 204,
    };
    while !whole(&bytes) {
        let mut space = [0; 65536];
        match socket.read(&mut space) {
            Ok(0) | Err(_) => break,
            Ok(count) => bytes.extend_from_slice(&space[..count]),
        }
    }
    answer.body = if chunked { decode_chunks(&bytes) } else { String::from_utf8(bytes).unwrap() };
    Some(answer)
}

/// The content of complete chunks.
fn decode_chunks(mut bytes: &[u8]) -> String {
    let mut content = Vec::new();
    while let Some(line) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..line]).unwrap(), 16).unwrap();
        let Some(chunk) = bytes.get(line + 2..line + 2 + size) else { break };
        content.extend_from_slice(chunk);
        bytes = bytes.get(line + 2 + size + 2..).unwrap_or_default();
    }
    String::from_utf8(content).unwrap()
}

/// The reasons as handlers note them.
pub fn reason(reason: CancelReason) -> String {
    format!("{:?}", Some(reason))
}
