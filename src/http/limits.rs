//! The numbers of the HTTP layer (security rules 2).

use std::time::Duration;

/// Longest request line: method, path, query and version; longer gives 414.
pub const REQUEST_LINE_BYTES_MAX: usize = 8 * 1024;
/// Longest head, request line included; longer gives 431. The number of fields is hyper's own 100.
pub const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Buffer hyper may grow to per connection: a whole head and a little.
pub const CONNECTION_BUFFER_BYTES: usize = HEAD_BYTES_MAX + 8 * 1024;
/// Largest JSON body of an ordinary route.
pub const BODY_BYTES: usize = 10 * 1024 * 1024;
/// Largest JSON body of routes that carry a canvas or a question.
pub const BODY_CANVAS_BYTES: usize = 32 * 1024 * 1024;
/// Largest multipart body, where a route takes one.
pub const BODY_MULTIPART_BYTES: usize = 30 * 1024 * 1024;
/// All bodies above [`BODY_UNCOUNTED_BYTES`] held at the same time.
pub const BODIES_BYTES_MAX: usize = 512 * 1024 * 1024;
/// Bodies up to here are not counted against [`BODIES_BYTES_MAX`].
pub const BODY_UNCOUNTED_BYTES: usize = 64 * 1024;
/// Deepest nesting of lists and objects in a JSON body: the parser's own guard stops at the 128th level.
pub const JSON_DEPTH_MAX: usize = 127;
/// Requests on blocking threads at the same time. The runtime needs at least as many blocking threads.
pub const RUNS_MAX: usize = 2_000;
/// Open connections; further ones wait in the listen queue.
pub const CONNECTIONS_MAX: usize = 10_000;
/// Bytes of a stream that wait for a slow reader before its run has to wait.
pub const STREAM_BUFFER_BYTES: usize = 16 * 1024;
/// Wait named in a 503 while the service stops (spec 7: "retry in a minute").
pub const RESTART_RETRY_SECONDS: u64 = 60;
/// Wait named in a 503 while the service is full.
pub const BUSY_RETRY_SECONDS: u64 = 5;

/// How long the door waits for what. Tests make these short; the service runs with [`Pace::default`].
#[derive(Debug, Clone)]
pub struct Pace {
    /// From the first byte of a request (on a new connection: from its start) to the end of its headers.
    pub headers: Duration,
    /// An idle connection between two requests.
    pub idle: Duration,
    /// A request body, before what its size adds.
    pub body: Duration,
    /// What each further 100 KiB of a body adds.
    pub body_per_100_kib: Duration,
    /// A response that the client does not read.
    pub write_stall: Duration,
    /// A whole answer, where the route does not say otherwise.
    pub run: Duration,
    /// How long a run that is out of time may take to say so itself.
    pub run_end: Duration,
    /// Silence of a stream before a keep-alive comment.
    pub heartbeat: Duration,
    /// Whole answers under way when the service is told to stop.
    pub drain: Duration,
    /// Runs that were cancelled by the stop.
    pub drain_cancelled: Duration,
    /// Connections after the last answer.
    pub close: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            headers: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            body: Duration::from_secs(30),
            body_per_100_kib: Duration::from_secs(1),
            write_stall: Duration::from_secs(30),
            run: Duration::from_secs(600),
            run_end: Duration::from_secs(5),
            heartbeat: Duration::from_secs(15),
            drain: Duration::from_secs(8),
            drain_cancelled: Duration::from_secs(5),
            close: Duration::from_secs(2),
        }
    }
}
