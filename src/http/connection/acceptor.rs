//! Accepting connections, also when the system has no descriptor left for one.
//!
//! A descriptor is kept in reserve. When the last other one is taken, it is given up for a moment, in which the next caller
//! can be accepted and told to come back later; otherwise callers would wait until their own patience ends.

use crate::domain::error::UnavailableReason;
use crate::http::reply::error::Rejection;
use crate::limits::OPEN_FILES_WISH_COUNT;
use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWrite as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

/// Open connections; further ones wait in the listen queue (manual 14.1).
const CONNECTIONS_MAX: usize = 16_000;

/// Pause after a failed accept: what is missing will be there again soon.
const RETRY_DELAY: Duration = Duration::from_millis(100);
/// The longest a caller that is turned away may take to read why.
const FAREWELL_TIMEOUT: Duration = Duration::from_millis(200);
/// The same trouble is logged again after this time.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// A listener that never runs out of descriptors.
pub(in crate::http) struct Acceptor {
    listener: TcpListener,
    permits: Arc<Semaphore>,
    spare_file: Option<File>,
    last_warning: Option<Instant>,
    strict_transport: Option<Arc<str>>,
}

/// A connection and its place among all.
pub(in crate::http) struct AcceptedConnection {
    pub(in crate::http) socket: TcpStream,
    pub(in crate::http) address: SocketAddr,
    pub(in crate::http) permit: OwnedSemaphorePermit,
}

impl Acceptor {
    pub(in crate::http) fn new(listener: TcpListener, strict_transport: Option<Arc<str>>) -> Self {
        let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        Self { listener, permits: room, spare_file: open_spare_file(), last_warning: None, strict_transport }
    }

    /// The next connection; `None` when none could be accepted just now.
    pub(in crate::http) async fn accept(&mut self) -> Option<AcceptedConnection> {
        let place = self.permits.clone().acquire_owned().await.ok()?;
        match self.listener.accept().await {
            Ok((socket, address)) => {
                // It may have been needed by others when it was last given up.
                self.spare_file = self.spare_file.take().or_else(open_spare_file);
                Some(AcceptedConnection { socket, address, permit: place })
            }
            Err(error) => {
                self.recover(&error).await;
                None
            }
        }
    }

    async fn recover(&mut self, error: &io::Error) {
        let Some(limit) = limit_reached(error) else {
            if self.claim_warning() {
                tracing::warn!(%error, "a connection could not be accepted");
            }
            return tokio::time::sleep(RETRY_DELAY).await;
        };
        drop(self.spare_file.take());
        if self.claim_warning() {
            let open = count_open_files();
            tracing::warn!(
                open,
                "{limit} is reached, so callers are turned away with 503 until files are closed; \
                 start the service with more: LimitNOFILE={OPEN_FILES_WISH_COUNT} in its unit, or ulimit -n {OPEN_FILES_WISH_COUNT}"
            );
        }
        // Somebody else may have taken what was just given up; then the caller waits for the next turn.
        match timeout(RETRY_DELAY, self.listener.accept()).await {
            Ok(Ok((socket, _))) => self.turn_away(socket).await,
            Ok(Err(_)) => tokio::time::sleep(RETRY_DELAY).await,
            Err(_) => {}
        }
        self.spare_file = open_spare_file();
    }

    /// Answers whatever the caller asks, and waits a moment for it to read that.
    async fn turn_away(&self, mut socket: TcpStream) {
        let answer =
            Rejection::Unavailable(UnavailableReason::Busy).to_http_bytes(self.strict_transport.as_deref());
        let farewell = async {
            socket.writable().await?;
            socket.try_write(&answer)?;
            poll_fn(|cx| Pin::new(&mut socket).poll_shutdown(cx)).await?;
            let mut space = [0_u8; 4096];
            loop {
                socket.readable().await?;
                match socket.try_read(&mut space) {
                    Ok(0) => return Ok(()),
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                    Ok(_) | Err(_) => {}
                }
            }
        };
        // A caller that is gone need not be told.
        let _: Result<io::Result<()>, _> = timeout(FAREWELL_TIMEOUT, farewell).await;
    }

    /// True when trouble was not logged for a while.
    fn claim_warning(&mut self) -> bool {
        let news = self.last_warning.is_none_or(|told| told.elapsed() >= WARNING_INTERVAL);
        if news {
            self.last_warning = Some(Instant::now());
        }
        news
    }
}

/// A descriptor that holds nothing.
fn open_spare_file() -> Option<File> {
    if cfg!(unix) { File::open("/dev/null").ok() } else { None }
}

/// The limit that an error speaks of, in words; `None` for any other error.
#[cfg(unix)]
fn limit_reached(error: &io::Error) -> Option<String> {
    use rustix::io::Errno;
    use rustix::process::{Resource, getrlimit};
    match Errno::from_io_error(error)? {
        Errno::MFILE => {
            let limit = getrlimit(Resource::Nofile).current;
            Some(limit.map_or_else(
                || "the limit of open files".to_owned(),
                |limit| format!("the limit of {limit} open files"),
            ))
        }
        Errno::NFILE => Some("the system's limit of open files".to_owned()),
        _ => None,
    }
}

#[cfg(not(unix))]
fn limit_reached(_: &io::Error) -> Option<String> {
    None
}

/// How many files this process has open, where the system tells it.
fn count_open_files() -> Option<usize> {
    let list = ["/proc/self/fd", "/dev/fd"].iter().find_map(|folder| std::fs::read_dir(folder).ok())?;
    // One of them is the list itself, which takes the place of the reserve.
    Some(list.count())
}
