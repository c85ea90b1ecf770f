//! A model's stream that the body of the response reads: a fragment crosses no thread and no second task. The thread of the
//! run made the call; it hands the open stream over, sleeps, and gets it back when it is over.

use crate::base::cancel::{CancelReason, CancelToken};
use crate::ops::predictions::{Delta, ModelError, ReadProgress, ReplyStream, StreamEnd};
use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep};

/// What the thread of the run learns of its stream.
enum PumpEvent {
    /// The stream is over, as its result says.
    Over(Box<ReplyStream>, Result<(), ModelError>),
    Stop,
}

struct Pump {
    streaming: Box<ReplyStream>,
    events: Sender<PumpEvent>,
    cancel: CancelToken,
    /// When something came last.
    last_activity: Instant,
    /// Fires when the silence, or the run, may have lasted too long. It is moved only then: a timer that is touched for each
    /// fragment costs more than the fragment.
    limit: Option<Pin<Box<Sleep>>>,
}

impl Pump {
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
        CancelReason::CallerLeft | CancelReason::Shutdown | CancelReason::Aborted => ModelError::Cancelled,
    }
}

/// The place for the pump of a response. Whoever ends the stream takes it out: the body when it is over, or the thread of
/// the run when the run has ended.
#[derive(Default)]
pub(in crate::http) struct PumpSlot(Mutex<Option<Pump>>);

impl PumpSlot {
    fn replace(&self, pump: Option<Pump>) -> Option<Pump> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), pump)
    }

    /// Has the body read the stream to its end, and waits for that. `wake` makes the body look here.
    pub(in crate::http) fn follow(&self, mut streaming: ReplyStream, wake: impl FnOnce()) -> StreamEnd {
        let cancel = streaming.cancel().clone();
        let (tell, news) = mpsc::channel();
        let stop = tell.clone();
        let pump = Pump {
            streaming: Box::new(streaming),
            events: tell,
            cancel: cancel.clone(),
            last_activity: Instant::now(),
            limit: None,
        };
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
                return finish(*streaming, result);
            }
            // A body that is not read looks at nothing, so the run takes the stream back. Where it is gone, it is over, and
            // that is the next news.
            if let Some(pump) = self.replace(None) {
                let reason = cancel.reason().unwrap_or(CancelReason::TimedOut);
                return finish(*pump.streaming, Err(stop_error(reason)));
            }
        }
    }

    /// Reads what there is of the stream, if there is one; true when others had their turn and there may be more.
    pub(in crate::http) fn poll(&self, cx: &mut Context<'_>, on: impl FnMut(Delta<'_>)) -> bool {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pump) = place.as_mut() else { return false };
        match pump.poll(cx, on) {
            Poll::Pending => false,
            Poll::Ready(ReadProgress::More) => true,
            Poll::Ready(ReadProgress::Over(result)) => {
                if let Some(Pump { streaming, events: tell, .. }) = place.take() {
                    drop(place);
                    // The run waits for it, or was ended by a panic.
                    let _ = tell.send(PumpEvent::Over(streaming, result));
                }
                false
            }
        }
    }
}

fn finish(mut streaming: ReplyStream, result: Result<(), ModelError>) -> StreamEnd {
    streaming.leave_to_thread();
    streaming.end(result)
}
