//! What is under way: how many requests there are and how many of them hold a blocking thread, how many streams a client
//! address holds open, and how they are told that the service stops.

use crate::base::address_block::AddressBlock;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::error::{Error, UnavailableReason};
use crate::http::reply::error::Rejection;
use crate::http::reply::sse::Pipe;
use crate::limits::REQUESTS_MAX;
use crate::ops::service::metrics::OpenStream;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};

/// Requests that run at the same time, each on a thread of its own (manual 14.1).
const RUNS_MAX: usize = 2_000;

/// How far the service has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::http) enum DrainPhase {
    Open,
    /// New requests are refused, answers and streams may finish.
    Draining,
    Aborting,
}

/// Every request under way.
pub(in crate::http) struct InFlight {
    runs: Mutex<InFlightRuns>,
    idle: Notify,
    phase: watch::Sender<DrainPhase>,
}

#[derive(Default)]
struct InFlightRuns {
    next: u64,
    /// What is under way was told to end.
    is_aborting: bool,
    open: HashMap<u64, InFlightRun>,
    /// How many of them hold a thread.
    on_thread: usize,
    /// Open streams by client address. Only addresses with a stream are listed, so it is never longer than `open`.
    streams: HashMap<AddressBlock, u64>,
}

struct InFlightRun {
    cancel: CancelToken,
    holds_thread: bool,
    pipe: Option<Arc<Pipe>>,
    stream_address: Option<AddressBlock>,
    /// Held while it counts among all streams.
    open_stream: Option<OpenStream>,
}

/// A place among the requests under way, given back when dropped.
pub(in crate::http) struct RunPermit {
    in_flight: Arc<InFlight>,
    number: u64,
}

impl InFlight {
    pub(in crate::http) fn new() -> Arc<Self> {
        Arc::new(Self {
            runs: Mutex::default(),
            idle: Notify::new(),
            phase: watch::Sender::new(DrainPhase::Open),
        })
    }

    fn lock(&self) -> MutexGuard<'_, InFlightRuns> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a run that `cancel` ends.
    pub(in crate::http) fn enter(
        self: &Arc<Self>,
        cancel: &CancelToken,
    ) -> Result<RunPermit, UnavailableReason> {
        let mut runs = self.lock();
        // Read under the lock: `drain` sets the phase first and looks at the runs after.
        if *self.phase.borrow() != DrainPhase::Open {
            return Err(UnavailableReason::Restarting);
        }
        if runs.on_thread >= RUNS_MAX || runs.open.len() >= REQUESTS_MAX {
            return Err(UnavailableReason::Busy);
        }
        runs.next += 1;
        runs.on_thread += 1;
        let number = runs.next;
        runs.open.insert(
            number,
            InFlightRun {
                cancel: cancel.clone(),
                holds_thread: true,
                pipe: None,
                stream_address: None,
                open_stream: None,
            },
        );
        Ok(RunPermit { in_flight: self.clone(), number })
    }

    /// True once new requests are refused.
    pub(in crate::http) fn is_stopping(&self) -> bool {
        *self.phase.borrow() != DrainPhase::Open
    }

    /// Waits until the service has stopped this far.
    pub(in crate::http) async fn wait_for_phase(&self, phase: DrainPhase) {
        let mut watched = self.phase.subscribe();
        // An error means the sender is gone, which this very reference rules out.
        let _ = watched.wait_for(|now| *now >= phase).await;
    }

    /// Refuses new requests; what is under way may end by itself (manual 13.6).
    pub(in crate::http) fn drain(&self) {
        self.phase.send_replace(DrainPhase::Draining);
    }

    /// Ends what is still under way; streams say why.
    pub(in crate::http) fn abort(&self) {
        let mut runs = self.lock();
        runs.is_aborting = true;
        let open: Vec<_> = runs.open.values().map(|run| (run.cancel.clone(), run.pipe.clone())).collect();
        drop(runs);
        for (cancel, pipe) in open {
            match pipe {
                Some(pipe) => end_stream(&cancel, &pipe),
                None => cancel.cancel(CancelReason::Shutdown),
            }
        }
        // Told last: whoever waits for an answer gives up now, and must not be the first to say why the run ended.
        self.phase.send_replace(DrainPhase::Aborting);
    }

    /// Waits until nothing is under way.
    pub(in crate::http) async fn wait_until_idle(&self) {
        loop {
            let notified = self.idle.notified();
            if self.lock().open.is_empty() {
                return;
            }
            notified.await;
        }
    }
}

fn end_stream(cancel: &CancelToken, pipe: &Pipe) {
    pipe.abort(&Error::Unavailable(UnavailableReason::Restarting));
    cancel.cancel(CancelReason::Shutdown);
}

impl InFlightRuns {
    /// Gives a stream's place back; an address without streams is forgotten.
    fn release_stream(&mut self, address: AddressBlock) {
        let Some(open) = self.streams.get_mut(&address) else { return };
        *open -= 1;
        if *open == 0 {
            self.streams.remove(&address);
        }
    }
}

impl RunPermit {
    /// Takes one of the `most` streams that `address` may hold open. It is given back with the permit, which is
    /// when the run is over and the last byte is out or given up.
    pub(in crate::http) fn reserve_stream(&self, address: IpAddr, most: u64) -> Result<(), Rejection> {
        let address = AddressBlock::from_address(address);
        let mut runs = self.in_flight.lock();
        let open = runs.streams.get(&address).copied().unwrap_or(0);
        if open >= most {
            return Err(Rejection::StreamsFull);
        }
        let Some(run) = runs.open.get_mut(&self.number) else { return Ok(()) };
        run.stream_address = Some(address);
        runs.streams.insert(address, open + 1);
        Ok(())
    }

    /// Gives the place among the threads back. The request stays under way: its answer waits for a model or a file.
    pub(in crate::http) fn leave_thread(&self) {
        let mut runs = self.in_flight.lock();
        if let Some(run) = runs.open.get_mut(&self.number)
            && std::mem::take(&mut run.holds_thread)
        {
            runs.on_thread -= 1;
        }
    }

    /// Holds the count of an open stream as long as the permit lives.
    pub(in crate::http) fn count_stream(&self, open: OpenStream) {
        if let Some(run) = self.in_flight.lock().open.get_mut(&self.number) {
            run.open_stream = Some(open);
        }
    }

    /// Tells that the run became a stream, which hears of its end through this pipe.
    pub(in crate::http) fn attach_stream(&self, pipe: &Arc<Pipe>) {
        let mut runs = self.in_flight.lock();
        let Some(run) = runs.open.get_mut(&self.number) else { return };
        run.pipe = Some(pipe.clone());
        let (cancel, late) = (run.cancel.clone(), runs.is_aborting);
        drop(runs);
        if late {
            end_stream(&cancel, pipe);
        }
    }
}

impl Drop for RunPermit {
    fn drop(&mut self) {
        let mut runs = self.in_flight.lock();
        let run = runs.open.remove(&self.number);
        if run.as_ref().is_some_and(|run| run.holds_thread) {
            runs.on_thread -= 1;
        }
        if let Some(address) = run.as_ref().and_then(|run| run.stream_address) {
            runs.release_stream(address);
        }
        let empty = runs.open.is_empty();
        drop(runs);
        drop(run);
        if empty {
            self.in_flight.idle.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_counted_by_address_and_forgotten_when_they_end() {
        let running = InFlight::new();
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let enter = |address| {
            let ticket = running.enter(&CancelToken::new(None)).ok().unwrap();
            ticket.reserve_stream(address, 2).map(|()| ticket)
        };
        let mut held = vec![enter(one).ok().unwrap(), enter(one).ok().unwrap()];
        assert_eq!(enter(one).err(), Some(Rejection::StreamsFull));
        held.push(enter(other).ok().unwrap());
        held.remove(0);
        held.push(enter(one).ok().unwrap());
        drop(held);
        assert!(running.lock().streams.is_empty());
    }

    #[test]
    fn runs_are_bounded_and_places_come_back() {
        let running = InFlight::new();
        let cancel = CancelToken::new(None);
        let mut tickets: Vec<RunPermit> =
            (0..RUNS_MAX).map(|_| running.enter(&cancel).ok().unwrap()).collect();
        assert_eq!(running.enter(&cancel).err(), Some(UnavailableReason::Busy));
        tickets.pop();
        assert!(running.enter(&cancel).is_ok());
        // A request whose answer waits for its model leaves room for one that runs, until there are too many in all.
        while running.lock().open.len() < REQUESTS_MAX {
            let last = tickets.last().unwrap();
            last.leave_thread();
            last.leave_thread();
            tickets.push(running.enter(&cancel).ok().unwrap());
        }
        tickets.last().unwrap().leave_thread();
        assert_eq!(running.enter(&cancel).err(), Some(UnavailableReason::Busy));
        assert_eq!(running.lock().on_thread, RUNS_MAX - 2);
        running.drain();
        assert_eq!(running.enter(&cancel).err(), Some(UnavailableReason::Restarting));
        assert_eq!(cancel.reason(), None);
        running.abort();
        assert_eq!(cancel.reason(), Some(CancelReason::Shutdown));
    }
}
