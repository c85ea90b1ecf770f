//! How long the server waits for what (manual 12.2 r4).

use crate::limits::RUN_SECONDS;
use std::time::Duration;

/// How long the server waits for what. Tests make these short; the service runs with [`Timeouts::default`].
#[derive(Debug, Clone)]
pub struct Timeouts {
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
    /// Answers and streams under way when the service is told to stop.
    pub drain: Duration,
    /// Runs that were cancelled by the stop.
    pub drain_cancelled: Duration,
    /// Connections after the last answer.
    pub close: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            headers: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            body: Duration::from_secs(30),
            body_per_100_kib: Duration::from_secs(1),
            write_stall: Duration::from_secs(30),
            run: Duration::from_secs(RUN_SECONDS),
            run_end: Duration::from_secs(5),
            heartbeat: Duration::from_secs(15),
            drain: Duration::from_secs(25),
            drain_cancelled: Duration::from_secs(5),
            close: Duration::from_secs(2),
        }
    }
}
