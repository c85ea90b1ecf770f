//! What the call under way on this thread waits with, and how a wait is given up.
//!
//! ureq runs a call from start to end on one thread but has no place to hand a token to its connector and transport, so
//! the token travels beside it, in a thread-local that is set around the call and around every read of a body.

use super::NetError;
use crate::base::cancel::{CancelReason, CancelToken};
use std::cell::{Cell, RefCell};
use std::net::TcpStream;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// How long to wait, and what ends the wait.
#[derive(Clone)]
pub(super) struct WaitLimits {
    pub cancel: CancelToken,
    /// The longest silence that is borne.
    pub stall: Duration,
}

thread_local! {
    static CURRENT: RefCell<Option<WaitLimits>> = const { RefCell::new(None) };
    static CONNECTED: Cell<bool> = const { Cell::new(false) };
    static RECEIVED: Cell<bool> = const { Cell::new(false) };
    static CUT: Cell<bool> = const { Cell::new(false) };
    static READINESS: Cell<Option<Readiness>> = const { Cell::new(None) };
    static DRAINED: Cell<bool> = const { Cell::new(false) };
    static CONNECTION: RefCell<Option<Arc<TcpStream>>> = const { RefCell::new(None) };
}

/// How a read that does not wait looks for more. Who waits is a property of the reader and not of the connection: a mode of
/// the connection would still be set when it serves the next call on another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    /// Something may have arrived since the last look.
    News,
    /// Nothing has: only what was received before, and lies in a buffer, is read.
    NoNews,
}

/// How reads of this thread look for more, where they do not wait.
pub(super) fn readiness() -> Option<Readiness> {
    READINESS.get()
}

/// Notes whether a read that did not wait took all that had arrived.
pub(super) fn note_drained(drained: bool) {
    DRAINED.set(drained);
}

/// Notes which connection the call reads its answer from.
pub(super) fn note_connection(connection: &Arc<TcpStream>) {
    CONNECTION.with_borrow_mut(|noted| {
        if noted.is_none() {
            *noted = Some(connection.clone());
        }
    });
}

/// What happened on the wire during one call.
#[derive(Debug)]
pub(super) struct Traffic {
    /// A new connection was made, rather than an idle one used again.
    pub connected: bool,
    pub received: bool,
    /// The other side did not take all of the request.
    pub is_cut: bool,
    /// The connection that the answer was read from.
    pub connection: Option<Arc<TcpStream>>,
}

/// Notes that the call made a connection.
pub(super) fn note_connected() {
    CONNECTED.set(true);
}

/// Notes that the other side sent something.
pub(super) fn note_received() {
    RECEIVED.set(true);
}

/// Notes that the other side does not take the rest of the request.
pub(super) fn note_cut() {
    CUT.set(true);
}

/// True once the other side does not take the rest of the request, so that nobody needs to make it.
pub(super) fn is_cut() -> bool {
    CUT.get()
}

/// Restores what was current before, also when the call panics.
struct RestoreOnDrop(Option<WaitLimits>);

impl Drop for RestoreOnDrop {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
        READINESS.set(None);
        // Held any longer, it would keep a connection open that nobody reads.
        CONNECTION.set(None);
    }
}

impl WaitLimits {
    /// Runs `call` with this as what its transport waits with, and returns what was seen on the wire.
    pub(super) fn run<T>(self, call: impl FnOnce() -> T) -> (T, Traffic) {
        CONNECTED.set(false);
        RECEIVED.set(false);
        CUT.set(false);
        CONNECTION.set(None);
        let _restore = RestoreOnDrop(CURRENT.replace(Some(self)));
        let result = call();
        let connection = CONNECTION.take();
        let (connected, received, is_cut) = (CONNECTED.get(), RECEIVED.get(), CUT.get());
        (result, Traffic { connected, received, is_cut, connection })
    }

    /// Runs `call`, whose reads do not wait: one that finds nothing fails with `WouldBlock` and keeps all that was read.
    /// Tells whether it took all that had arrived.
    pub(super) fn run_nonblocking<T>(self, readiness: Readiness, call: impl FnOnce() -> T) -> (T, bool) {
        DRAINED.set(false);
        let _restore = RestoreOnDrop(CURRENT.replace(Some(self)));
        READINESS.set(Some(readiness));
        (call(), DRAINED.get())
    }

    /// What the call under way waits with. Outside a call nothing is waited for.
    pub(super) fn current() -> Result<Self, NetError> {
        CURRENT.with_borrow(Clone::clone).ok_or(NetError::Cancelled)
    }

    /// Why the wait is over already, if it is.
    pub(super) fn end_reason(&self) -> Option<NetError> {
        self.cancel.reason().map(|reason| match reason {
            CancelReason::TimedOut => NetError::TimedOut,
            CancelReason::CallerLeft
            | CancelReason::Shutdown
            | CancelReason::Aborted
            | CancelReason::Failed => NetError::Cancelled,
        })
    }

    /// The moment at which a wait that starts now must end.
    pub(super) fn deadline(&self, most: Duration) -> Instant {
        let time = most.min(self.stall);
        Instant::now() + self.cancel.time_left().map_or(time, |left| left.min(time))
    }

    /// Does what cannot be interrupted (a name lookup, a connect) on a thread of its own, which is left behind when
    /// the token is set or `most` has passed. The system bounds how long such a thread lives on.
    pub(super) fn run_abandonable<T: Send + 'static>(
        &self,
        most: Duration,
        stack_bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NetError> {
        if let Some(error) = self.end_reason() {
            return Err(error);
        }
        let (done, news) = mpsc::channel();
        let stop = done.clone();
        let started =
            std::thread::Builder::new().name("outgoing".into()).stack_size(stack_bytes).spawn(move || {
                // The receiver is gone when the wait was given up: then nobody wants the result.
                let _ = done.send(Some(work()));
            });
        if started.is_err() {
            return Err(NetError::Broken("the service has no thread left for it".into()));
        }
        let _hook = self.cancel.on_cancel(move || {
            let _ = stop.send(None);
        });
        let wait = self.deadline(most).saturating_duration_since(Instant::now());
        match news.recv_timeout(wait) {
            Ok(Some(result)) => Ok(result),
            Ok(None) => Err(self.end_reason().unwrap_or(NetError::Cancelled)),
            Err(_) => Err(self.end_reason().unwrap_or(NetError::TimedOut)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_cannot_be_interrupted_is_left_behind() {
        let waiting = WaitLimits { cancel: CancelToken::new(None), stall: Duration::from_secs(60) };
        let other = waiting.cancel.clone();
        let (_keep, never) = mpsc::channel::<()>();
        let start = Instant::now();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            other.cancel(CancelReason::CallerLeft);
        });
        let result =
            waiting.run_abandonable(Duration::from_secs(30), 64 * 1024, move || never.recv().is_ok());
        assert_eq!(result, Err(NetError::Cancelled));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn the_time_limit_and_the_run_limit_both_end_a_wait() {
        for (limit, most) in [(None, 30), (Some(Duration::from_millis(30)), 60_000)] {
            let waiting = WaitLimits { cancel: CancelToken::new(limit), stall: Duration::from_secs(60) };
            let (_keep, never) = mpsc::channel::<()>();
            let result =
                waiting.run_abandonable(Duration::from_millis(most), 64 * 1024, move || never.recv().is_ok());
            assert_eq!(result, Err(NetError::TimedOut));
        }
    }

    #[test]
    fn the_current_wait_is_restored() {
        assert!(WaitLimits::current().is_err());
        let waiting = WaitLimits { cancel: CancelToken::new(None), stall: Duration::from_secs(1) };
        let (inside, _) = waiting.run(|| WaitLimits::current().is_ok());
        assert!(inside);
        assert!(WaitLimits::current().is_err());
    }
}
