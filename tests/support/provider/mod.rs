//! A stand-in model provider: speaks the wire formats over plain HTTP/1.1 and does what it is told.
//!
//! Without a script it answers `You said: <last user text>`. A script is a queue of [`Behaviour`]s, one per request, or
//! a closure that looks at the request. One thread with a small stack serves each connection, so that a thousand
//! streams at once cost little.

#![allow(dead_code, reason = "each test binary uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

pub mod aws;
pub mod blocks;
pub mod converse;
mod formats;
pub mod google;
mod http;
pub mod knowledge;
pub mod responses;

use serde_json::Value;
use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Requests that are remembered; later ones are only counted.
const REQUESTS_MAX: usize = 10_000;
const STACK_BYTES: usize = 256 * 1024;

/// What to do with one request.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Say what the user said.
    Echo,
    /// Answer this.
    Reply(Reply),
    /// Answer with a status and a body instead.
    Status { status: u16, body: String, headers: Vec<(String, String)> },
    /// Answer with bytes of any type, in pieces of this length.
    Bytes { kind: &'static str, body: Vec<u8>, piece: usize },
    /// Accept the request and stay silent until the client leaves.
    Hang,
    /// Close the connection without a word.
    Close,
}

impl Behaviour {
    /// A text, split into tokens at spaces.
    pub fn text(text: &str) -> Self {
        Self::Reply(Reply::text(text))
    }

    /// One tool call. Script the answer to its result as the next behaviour.
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::Reply(Reply { calls: vec![(name.into(), arguments)], ..Reply::text("") })
    }

    /// An error in JSON.
    pub fn status(status: u16, body: &str) -> Self {
        Self::Status { status, body: body.into(), headers: Vec::new() }
    }

    /// A 429, with the wait it asks for.
    pub fn rate_limited(retry_after: Option<&str>) -> Self {
        let headers =
            retry_after.map(|wait| ("retry-after".to_owned(), wait.to_owned())).into_iter().collect();
        let body = r#"{"error":{"message":"Rate limit reached","type":"rate_limit_error","code":"rate_limit_exceeded"}}"#;
        Self::Status { status: 429, body: body.into(), headers }
    }

    /// A 429 that no waiting helps.
    pub fn out_of_credit() -> Self {
        Self::status(
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        )
    }
}

/// An answer and the way it is sent.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Fragments of the text, each sent by itself when streaming.
    pub tokens: Vec<String>,
    /// Fragments of reasoning, sent before the text.
    pub thinking: Vec<String>,
    /// Tools to call: name and arguments.
    pub calls: Vec<(String, Value)>,
    /// Silence before the first byte.
    pub first_byte: Duration,
    /// Silence before each token.
    pub token_delay: Duration,
    /// Close the connection after this many fragments.
    pub cut_after: Option<usize>,
    /// Write every byte by itself.
    pub bytewise: bool,
    /// Tokens read; those written are counted. `None` counts words.
    pub input_tokens: Option<u64>,
}

impl Reply {
    /// A text, split into tokens at spaces.
    pub fn text(text: &str) -> Self {
        Self {
            tokens: text.split_inclusive(' ').map(str::to_owned).collect(),
            thinking: Vec::new(),
            calls: Vec::new(),
            first_byte: Duration::ZERO,
            token_delay: Duration::ZERO,
            cut_after: None,
            bytewise: false,
            input_tokens: None,
        }
    }
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, `Null` when it is not JSON.
    pub body: Value,
    /// The body when it is not JSON.
    pub bytes: Vec<u8>,
    /// The body as it came, whatever it is.
    pub raw: Vec<u8>,
}

impl RecordedRequest {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

type Decide = Arc<dyn Fn(&RecordedRequest) -> Behaviour + Send + Sync>;

#[derive(Default)]
struct Script {
    queue: VecDeque<Behaviour>,
    decide: Option<Decide>,
}

#[derive(Default)]
struct State {
    script: Mutex<Script>,
    requests: Mutex<Vec<RecordedRequest>>,
    served: AtomicUsize,
    connections: AtomicUsize,
    open: AtomicUsize,
    disconnects: AtomicUsize,
    stopped: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The provider. Dropping it closes its port.
pub struct Provider {
    address: SocketAddr,
    state: Arc<State>,
    /// Owns the port, so a provider that was dropped refuses connections only once this thread has ended.
    accepting: Option<JoinHandle<()>>,
}

impl Provider {
    /// Starts one on a free port of 127.0.0.1.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound port");
        let state = Arc::new(State::default());
        let shared = state.clone();
        let accepting = std::thread::spawn(move || accept(&listener, &shared));
        Self { address, state, accepting: Some(accepting) }
    }

    /// `http://127.0.0.1:<port>`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Appends what to do with the next request that has nothing scripted yet.
    pub fn push_behaviour(&self, behaviour: Behaviour) {
        lock(&self.state.script).queue.push_back(behaviour);
    }

    /// Decides by looking at the request, whenever the queue is empty.
    pub fn set_decision(&self, decide: impl Fn(&RecordedRequest) -> Behaviour + Send + Sync + 'static) {
        lock(&self.state.script).decide = Some(Arc::new(decide));
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.state.requests).clone()
    }

    /// The last request.
    pub fn last_request(&self) -> RecordedRequest {
        lock(&self.state.requests).last().cloned().expect("a request was made")
    }

    /// How many requests were answered or are being answered.
    pub fn served_count(&self) -> usize {
        self.state.served.load(Ordering::SeqCst)
    }

    /// How many connections were ever made.
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// How many connections are open.
    pub fn open_connections(&self) -> usize {
        self.state.open.load(Ordering::SeqCst)
    }

    /// How many clients left while they were being answered.
    pub fn disconnects(&self) -> usize {
        self.state.disconnects.load(Ordering::SeqCst)
    }

    /// Waits until `holds`; false after `most`.
    pub fn wait_until(&self, most: Duration, holds: impl Fn(&Self) -> bool) -> bool {
        let end = Instant::now() + most;
        while !holds(self) {
            if Instant::now() >= end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        true
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(accepting) = self.accepting.take().filter(|_| woken) {
            let _ = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, state: &Arc<State>) {
    for stream in listener.incoming() {
        if state.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        state.connections.fetch_add(1, Ordering::SeqCst);
        state.open.fetch_add(1, Ordering::SeqCst);
        let shared = state.clone();
        let serve = move || {
            let _ = stream.set_nodelay(true);
            serve(stream, &shared);
            shared.open.fetch_sub(1, Ordering::SeqCst);
        };
        if std::thread::Builder::new().stack_size(STACK_BYTES).spawn(serve).is_err() {
            state.open.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn serve(stream: TcpStream, state: &State) {
    let mut connection = http::Connection::new(stream);
    while let Some(request) = connection.next_request() {
        state.served.fetch_add(1, Ordering::SeqCst);
        let behaviour = behaviour_for(state, &request);
        let kept = match behaviour {
            Behaviour::Echo => {
                let said = formats::last_user_text(&request);
                formats::answer(&mut connection, &request, &Reply::text(&format!("You said: {said}")))
            }
            Behaviour::Reply(reply) => formats::answer(&mut connection, &request, &reply),
            Behaviour::Status { status, body, headers } => {
                connection.whole(status, &headers, body.as_bytes())
            }
            Behaviour::Bytes { kind, body, piece } => connection
                .begin(kind)
                .and_then(|()| body.chunks(piece).try_for_each(|piece| connection.chunk(piece)))
                .and_then(|()| connection.end()),
            Behaviour::Hang => connection.wait(Duration::from_secs(600)).and(Err(http::ConnectionEnd::ByUs)),
            Behaviour::Close => Err(http::ConnectionEnd::ByUs),
        };
        match kept {
            Ok(()) => {}
            Err(http::ConnectionEnd::ByClient) => {
                state.disconnects.fetch_add(1, Ordering::SeqCst);
                return;
            }
            Err(http::ConnectionEnd::ByUs) => return,
        }
    }
}

fn behaviour_for(state: &State, request: &RecordedRequest) -> Behaviour {
    {
        let mut requests = lock(&state.requests);
        if requests.len() < REQUESTS_MAX {
            requests.push(request.clone());
        }
    }
    let decide = {
        let mut script = lock(&state.script);
        match script.queue.pop_front() {
            Some(behaviour) => return behaviour,
            None => script.decide.clone(),
        }
    };
    decide.map_or(Behaviour::Echo, |decide| decide(request))
}
