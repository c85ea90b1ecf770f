//! A model's stream that the body of the response reads: a fragment crosses no thread and no second task. The thread of the
//! run made the call; it hands the open stream over, sleeps, and gets it back when it is over.

use crate::domain::cancel::{Cancel, Reason};
use crate::ops::predict::{Delta, Followed, ModelError, Progress, Streaming};
use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep};

/// What the thread of the run is told.
enum News {
    /// The stream is over, as its result says.
    Over(Box<Streaming>, Result<(), ModelError>),
    /// The run has ended.
    Stop,
}

struct Pump {
    streaming: Box<Streaming>,
    tell: Sender<News>,
    cancel: Cancel,
    /// When something came last.
    heard: Instant,
    /// Fires when the silence, or the run, may have lasted too long. It is moved only then: a timer that is touched for each
    /// fragment costs more than the fragment.
    limit: Option<Pin<Box<Sleep>>>,
}

impl Pump {
    /// Reads what there is; the fragments go to `on`.
    fn poll(&mut self, cx: &mut Context<'_>, mut on: impl FnMut(Delta<'_>)) -> Poll<Progress> {
        if let Some(reason) = self.cancel.reason() {
            return Poll::Ready(Progress::Over(Err(ended(reason))));
        }
        let progress = self.streaming.poll(cx, &mut |delta: Delta<'_>| {
            on(delta);
            Ok(())
        });
        if self.streaming.take_news() {
            self.heard = Instant::now();
        }
        if progress.is_ready() { progress } else { self.poll_limit(cx) }
    }

    /// Ready when nothing came for too long, or the time of the run is up.
    fn poll_limit(&mut self, cx: &mut Context<'_>) -> Poll<Progress> {
        loop {
            let silence = self.heard + self.streaming.stall();
            let due = self.cancel.time_left().map_or(silence, |left| silence.min(Instant::now() + left));
            let limit = self.limit.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
            if limit.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            if Instant::now() >= due {
                return Poll::Ready(Progress::Over(Err(ModelError::TimedOut)));
            }
            limit.as_mut().reset(due);
        }
    }
}

const fn ended(reason: Reason) -> ModelError {
    match reason {
        Reason::OutOfTime => ModelError::TimedOut,
        Reason::CallerLeft | Reason::Shutdown | Reason::Aborted => ModelError::Cancelled,
    }
}

/// The place for the pump of a response. Whoever ends the stream takes it out: the body when it is over, or the thread of
/// the run when the run has ended.
#[derive(Default)]
pub(super) struct Place(Mutex<Option<Pump>>);

impl Place {
    fn put(&self, pump: Option<Pump>) -> Option<Pump> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), pump)
    }

    /// Has the body read the stream to its end, and waits for that. `wake` makes the body look here.
    pub(super) fn follow(&self, mut streaming: Streaming, wake: impl FnOnce()) -> Followed {
        let cancel = streaming.cancel().clone();
        let (tell, news) = mpsc::channel();
        let stop = tell.clone();
        let pump = Pump {
            streaming: Box::new(streaming),
            tell,
            cancel: cancel.clone(),
            heard: Instant::now(),
            limit: None,
        };
        drop(self.put(Some(pump)));
        wake();
        let _hook = cancel.on_cancel(move || {
            // Nobody listens when the stream is over.
            let _ = stop.send(News::Stop);
        });
        loop {
            let heard = match cancel.time_left() {
                Some(left) => news.recv_timeout(left),
                None => news.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            if let Ok(News::Over(streaming, result)) = heard {
                return end(*streaming, result);
            }
            // A body that is not read looks at nothing, so the run takes the stream back. Where it is gone, it is over, and
            // that is the next news.
            if let Some(pump) = self.put(None) {
                let reason = cancel.reason().unwrap_or(Reason::OutOfTime);
                return end(*pump.streaming, Err(ended(reason)));
            }
        }
    }

    /// Reads what there is of the stream, if there is one; true when others had their turn and there may be more.
    pub(super) fn poll(&self, cx: &mut Context<'_>, on: impl FnMut(Delta<'_>)) -> bool {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pump) = place.as_mut() else { return false };
        match pump.poll(cx, on) {
            Poll::Pending => false,
            Poll::Ready(Progress::More) => true,
            Poll::Ready(Progress::Over(result)) => {
                if let Some(Pump { streaming, tell, .. }) = place.take() {
                    drop(place);
                    // The run waits for it, or was ended by a panic.
                    let _ = tell.send(News::Over(streaming, result));
                }
                false
            }
        }
    }
}

fn end(mut streaming: Streaming, result: Result<(), ModelError>) -> Followed {
    streaming.leave_to_thread();
    streaming.end(result)
}
