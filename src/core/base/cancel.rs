//! The token that ends a run: set by whoever wants no more of it, read by every slow step.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why a run must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReason {
    CallerLeft,
    Shutdown,
    /// The run took longer than a run may take.
    TimedOut,
    /// Who asked, or a person who may see the conversation, wants no more of the answer.
    Aborted,
    /// Another part of the run failed, so this one is of no use any more.
    Failed,
}

type Hook = Box<dyn Fn() + Send + Sync>;

struct CancelState {
    state: AtomicU8,
    hooks: Mutex<Vec<(u64, Hook)>>,
    next_hook: AtomicU64,
    deadline: Option<Instant>,
}

/// A shared flag with hooks. Whatever blocks on something that can be closed from outside (a socket)
/// registers a hook for as long as it blocks, so that cancelling takes effect at once and nothing polls.
#[derive(Clone)]
pub struct CancelToken(Arc<CancelState>);

impl CancelToken {
    /// A token nobody has set. `limit` is how long the run may take at all.
    #[must_use]
    pub fn new(limit: Option<Duration>) -> Self {
        let deadline = limit.map(|limit| Instant::now() + limit);
        Self(Arc::new(CancelState {
            state: AtomicU8::new(0),
            hooks: Mutex::default(),
            next_hook: AtomicU64::new(0),
            deadline,
        }))
    }

    /// Ends the run. The first reason stays; later calls change nothing.
    pub fn cancel(&self, reason: CancelReason) {
        let code = match reason {
            CancelReason::CallerLeft => 1,
            CancelReason::Shutdown => 2,
            CancelReason::TimedOut => 3,
            CancelReason::Aborted => 4,
            CancelReason::Failed => 5,
        };
        if self.0.state.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            for (_, hook) in self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                hook();
            }
        }
    }

    /// Why the run must end, or `None` while it may go on.
    #[must_use]
    pub fn reason(&self) -> Option<CancelReason> {
        match self.0.state.load(Ordering::SeqCst) {
            1 => Some(CancelReason::CallerLeft),
            2 => Some(CancelReason::Shutdown),
            3 => Some(CancelReason::TimedOut),
            4 => Some(CancelReason::Aborted),
            5 => Some(CancelReason::Failed),
            _ if self.0.deadline.is_some_and(|end| Instant::now() >= end) => Some(CancelReason::TimedOut),
            _ => None,
        }
    }

    /// Time left of the run's limit; `None` when it has no limit.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.0.deadline.map(|end| end.saturating_duration_since(Instant::now()))
    }

    /// A token for a part of the run: it is set when this one is, and can be set alone.
    #[must_use]
    pub fn child(&self) -> ChildToken {
        self.limited_child(self.time_left())
    }

    /// As [`Self::child`], of a part that may take no longer than this.
    #[must_use]
    pub fn child_within(&self, limit: Duration) -> ChildToken {
        self.limited_child(Some(self.time_left().map_or(limit, |left| left.min(limit))))
    }

    fn limited_child(&self, limit: Option<Duration>) -> ChildToken {
        let token = Self::new(limit);
        let (parent, child) = (self.clone(), token.clone());
        let guard = self.on_cancel(move || {
            if let Some(reason) = parent.reason() {
                child.cancel(reason);
            }
        });
        ChildToken { token, _guard: guard }
    }

    /// Registers `hook` until the guard is dropped. If the token is set already the hook runs at once. A hook must not drop
    /// its own guard: whoever drops one waits until the hooks that run are done.
    #[must_use]
    pub fn on_cancel(&self, hook: impl Fn() + Send + Sync + 'static) -> HookGuard {
        let id = self.0.next_hook.fetch_add(1, Ordering::Relaxed);
        let mut hooks = self.0.hooks.lock().unwrap_or_else(PoisonError::into_inner);
        // Checked under the lock: `cancel` sets the state first and takes the lock after, so one of the two sees the other.
        if self.0.state.load(Ordering::SeqCst) != 0 {
            hook();
        }
        hooks.push((id, Box::new(hook)));
        HookGuard { cancel: self.clone(), id }
    }

    /// Sleeps for `time`, or until the token is set. True when the whole time passed.
    #[must_use]
    pub fn sleep(&self, time: Duration) -> bool {
        let thread = std::thread::current();
        let _guard = self.on_cancel(move || thread.unpark());
        let end = Instant::now() + time;
        loop {
            if self.reason().is_some() {
                return false;
            }
            let now = Instant::now();
            if now >= end {
                return true;
            }
            let wait = self.time_left().map_or(end - now, |left| left.min(end - now));
            std::thread::park_timeout(wait);
        }
    }
}

/// A token that follows another for as long as this lives.
pub struct ChildToken {
    pub token: CancelToken,
    _guard: HookGuard,
}

/// Removes its hook when dropped.
pub struct HookGuard {
    cancel: CancelToken,
    id: u64,
}

impl Drop for HookGuard {
    fn drop(&mut self) {
        self.cancel.0.hooks.lock().unwrap_or_else(PoisonError::into_inner).retain(|(id, _)| *id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_ends_when_the_token_is_set() {
        let cancel = CancelToken::new(None);
        let other = cancel.clone();
        let setter = std::thread::spawn(move || other.cancel(CancelReason::CallerLeft));
        assert!(!cancel.sleep(Duration::from_secs(60)));
        setter.join().unwrap();
        assert_eq!(cancel.reason(), Some(CancelReason::CallerLeft));
    }

    #[test]
    fn a_child_follows_its_parent_and_can_be_set_alone() {
        let parent = CancelToken::new(None);
        let (first, second) = (parent.child(), parent.child());
        first.token.cancel(CancelReason::Failed);
        assert_eq!(parent.reason(), None);
        parent.cancel(CancelReason::CallerLeft);
        assert_eq!(first.token.reason(), Some(CancelReason::Failed));
        assert_eq!(second.token.reason(), Some(CancelReason::CallerLeft));
        assert_eq!(parent.child().token.reason(), Some(CancelReason::CallerLeft));
    }

    #[test]
    fn a_child_with_a_limit_outlives_neither_that_nor_its_parent() {
        let (short, long) = (Duration::from_secs(1), Duration::from_secs(60));
        let left = |parent: Option<Duration>, limit| {
            CancelToken::new(parent).child_within(limit).token.time_left().unwrap()
        };
        assert!(left(None, short) <= short && left(Some(short), long) <= short);
        assert!(left(Some(long), short) <= short && left(None, long) > short);
    }

    #[test]
    fn a_hook_registered_after_the_fact_runs_at_once() {
        let cancel = CancelToken::new(None);
        cancel.cancel(CancelReason::Shutdown);
        let ran = Arc::new(AtomicU8::new(0));
        let seen = ran.clone();
        let _guard = cancel.on_cancel(move || seen.store(1, Ordering::SeqCst));
        assert_eq!(ran.load(Ordering::SeqCst), 1);
    }
}
