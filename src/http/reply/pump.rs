//! A model's stream that the body of the response reads: a fragment crosses no thread and no second task. The thread of the
//! run made the call and hands the open stream over. Where the run has more to do in its midst, as an agent has, the thread
//! sleeps and gets the stream back when it is over. Where the stream is the answer, the thread is given back, and another
//! one does the little that is left: ten thousand open answers are as many connections and no threads.

use super::sse::{Pipe, RestOfRun};
use crate::base::cancel::{CancelReason, CancelToken, HookGuard};
use crate::ops::predictions::{Delta, ModelError, ReadProgress, ReplyStream, StreamEnd};
use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep};

/// Who goes on when a stream is over.
enum Successor {
    /// The thread of the run, which sleeps until then.
    Thread(Sender<PumpEvent>),
    /// Any thread.
    Rest(RestOfRun),
}

/// What the thread of the run learns of its stream.
enum PumpEvent {
    /// The stream is over, as its result says.
    Over(Box<ReplyStream>, Result<(), ModelError>),
    Stop,
}

struct Pump {
    streaming: Box<ReplyStream>,
    successor: Successor,
    cancel: CancelToken,
    /// Ends the stream when the run is to end, where no thread waits for it.
    hook: Option<HookGuard>,
    /// When something came last.
    last_activity: Instant,
    /// Fires when the silence, or the run, may have lasted too long. It is moved only then: a timer that is touched for each
    /// fragment costs more than the fragment.
    limit: Option<Pin<Box<Sleep>>>,
}

impl Pump {
    fn new(mut streaming: Box<ReplyStream>, successor: Successor) -> Self {
        let cancel = streaming.cancel().clone();
        Self { streaming, successor, cancel, hook: None, last_activity: Instant::now(), limit: None }
    }

    /// Lets the run go on; called by the task of the connection, which must not wait.
    fn finish(self, result: Result<(), ModelError>) {
        let Self { streaming, successor, .. } = self;
        match successor {
            // The run waits for it, or was ended by a panic.
            Successor::Thread(tell) => drop(tell.send(PumpEvent::Over(streaming, result))),
            Successor::Rest(rest) => {
                let Some((_, threads)) = rest.means() else { return };
                // Without a thread the rest is dropped, and ends the stream with an error. What it holds of the pipe goes with it.
                let _ = threads.spawn(move || rest.resume(end_stream(*streaming, result)));
            }
        }
    }

    /// Reads what there is; the fragments go to `on`.
    fn poll(&mut self, cx: &mut Context<'_>, mut on: impl FnMut(Delta<'_>)) -> Poll<ReadProgress> {
        if let Some(reason) = self.cancel.reason() {
            return Poll::Ready(ReadProgress::Over(Err(stop_error(reason))));
        }
        let progress = self.streaming.poll(cx, &mut |delta: Delta<'_>| {
            on(delta);
            Ok(())
        });
        if self.streaming.take_progress() {
            self.last_activity = Instant::now();
        }
        if progress.is_ready() { progress } else { self.poll_limit(cx) }
    }

    /// Ready when nothing came for too long, or the time of the run is up.
    fn poll_limit(&mut self, cx: &mut Context<'_>) -> Poll<ReadProgress> {
        loop {
            let silence = self.last_activity + self.streaming.stall();
            let due = self.cancel.time_left().map_or(silence, |left| silence.min(Instant::now() + left));
            let limit = self.limit.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
            if limit.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            if Instant::now() >= due {
                return Poll::Ready(ReadProgress::Over(Err(ModelError::TimedOut)));
            }
            limit.as_mut().reset(due);
        }
    }
}

const fn stop_error(reason: CancelReason) -> ModelError {
    match reason {
        CancelReason::TimedOut => ModelError::TimedOut,
        CancelReason::CallerLeft | CancelReason::Shutdown | CancelReason::Aborted | CancelReason::Failed => {
            ModelError::Cancelled
        }
    }
}

/// The place for the pump of a response. Whoever ends the stream takes it out: the body when it is over, or the thread of
/// the run when the run has ended.
#[derive(Default)]
pub(in crate::http) struct PumpSlot(Mutex<Option<Pump>>);

impl PumpSlot {
    fn lock(&self) -> MutexGuard<'_, Option<Pump>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace(&self, pump: Option<Pump>) -> Option<Pump> {
        std::mem::replace(&mut *self.lock(), pump)
    }

    /// Has the body read the stream to its end, and waits for that. `wake` makes the body look here.
    pub(in crate::http) fn follow(&self, streaming: ReplyStream, wake: impl FnOnce()) -> StreamEnd {
        let (tell, news) = mpsc::channel();
        let stop = tell.clone();
        let pump = Pump::new(Box::new(streaming), Successor::Thread(tell));
        let cancel = pump.cancel.clone();
        drop(self.replace(Some(pump)));
        wake();
        let _hook = cancel.on_cancel(move || {
            // Nobody listens when the stream is over.
            let _ = stop.send(PumpEvent::Stop);
        });
        loop {
            let heard = match cancel.time_left() {
                Some(left) => news.recv_timeout(left),
                None => news.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            if let Ok(PumpEvent::Over(streaming, result)) = heard {
                return end_stream(*streaming, result);
            }
            // A body that is not read looks at nothing, so the run takes the stream back. Where it is gone, it is over, and
            // that is the next news.
            if let Some(pump) = self.replace(None) {
                let reason = cancel.reason().unwrap_or(CancelReason::TimedOut);
                return end_stream(*pump.streaming, Err(stop_error(reason)));
            }
        }
    }

    /// Ends a stream that no thread waits for, because its run is to end; goes on with the run on this thread. A body that is
    /// not read would not do it.
    fn stop(&self) {
        let Some(Pump { streaming, successor, cancel, hook, .. }) = self.replace(None) else { return };
        drop(hook);
        if let Successor::Rest(rest) = successor {
            let reason = cancel.reason().unwrap_or(CancelReason::TimedOut);
            rest.resume(end_stream(*streaming, Err(stop_error(reason))));
        }
    }

    /// Lets the run go on whose stream nobody will read any more. The pump keeps the run, the run its sink, and that the pipe
    /// which the pump lies in, so a pump that stayed here would keep all of them for ever. The thread that was asked for when
    /// the run was cancelled may have taken it already, or there was none.
    pub(super) fn abandon(&self) {
        if let Some(pump) = self.replace(None) {
            let reason = pump.cancel.reason().unwrap_or(CancelReason::CallerLeft);
            pump.finish(Err(stop_error(reason)));
        }
    }

    /// Reads what there is of the stream, if there is one; true when others had their turn and there may be more.
    pub(in crate::http) fn poll(&self, cx: &mut Context<'_>, on: impl FnMut(Delta<'_>)) -> bool {
        let mut place = self.lock();
        let Some(pump) = place.as_mut() else { return false };
        match pump.poll(cx, on) {
            Poll::Pending => false,
            Poll::Ready(ReadProgress::More) => true,
            Poll::Ready(ReadProgress::Over(result)) => {
                let pump = place.take();
                drop(place);
                if let Some(pump) = pump {
                    pump.finish(result);
                }
                false
            }
        }
    }
}

/// Has the body of `pipe` read the stream, after which `rest` goes on with the run.
pub(super) fn hand_over(pipe: &Arc<Pipe>, streaming: Box<ReplyStream>, rest: RestOfRun) {
    let Some((cancel, threads)) = rest.means() else { return };
    drop(pipe.pump.replace(Some(Pump::new(streaming, Successor::Rest(rest)))));
    pipe.wake_reader();
    let stopped = Arc::downgrade(pipe);
    // The hook gives the work away: whoever ends the run holds the lock of its hooks, and must not wait for anything.
    let hook = cancel.on_cancel(move || {
        if let Some(pipe) = stopped.upgrade() {
            let pump_owner = pipe.clone();
            // Without a thread the body ends it, when it is read or goes.
            let _ = threads.spawn(move || pump_owner.pump.stop());
            pipe.wake_reader();
        }
    });
    let unused = match &mut *pipe.pump.lock() {
        Some(pump) => pump.hook.replace(hook),
        // The stream is over already.
        None => Some(hook),
    };
    drop(unused);
    if cancel.reason().is_some() || pipe.is_abandoned() {
        // The body may have gone before the stream was there, and nobody else looks for it then.
        pipe.pump.stop();
    }
}

fn end_stream(mut streaming: ReplyStream, result: Result<(), ModelError>) -> StreamEnd {
    streaming.leave_to_thread();
    streaming.end(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::connection::thread_pool::ThreadPool;
    use crate::http::reply::sse::channel;
    use crate::http::reply::stream_format::ServiceEvents;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    /// Without a thread for the end of an answer nobody takes the pump away when the run is cancelled, so whoever comes last
    /// has to: the body that goes, or who hands the stream over to a body that is gone.
    #[test]
    fn without_a_thread_for_its_end_an_answer_whose_caller_left_is_freed() {
        for leaves_before in [false, true] {
            let cancel = CancelToken::new(None);
            let (sink, body, pipe) = channel(
                Arc::new(ServiceEvents::default()),
                cancel.clone(),
                Duration::from_secs(60),
                ThreadPool::without_threads(),
                Arc::new(()),
            );
            let (kept, is_ended) = (Arc::downgrade(&pipe), Arc::new(AtomicBool::new(false)));
            let ended = is_ended.clone();
            let rest = RestOfRun::new(sink, move |_, _| ended.store(true, Ordering::SeqCst));
            let body = Some(body).filter(|_| !leaves_before);
            hand_over(&pipe, Box::new(ReplyStream::unread(&cancel)), rest);
            drop(pipe);
            assert_eq!(kept.upgrade().is_some(), !leaves_before, "the body has it");
            drop(body);
            assert!(kept.upgrade().is_none());
            // Whoever hands it over has a thread, which can go on with the run.
            assert_eq!(is_ended.load(Ordering::SeqCst), leaves_before);
        }
    }
}
