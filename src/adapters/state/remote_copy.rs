//! Where the copy at a git host stands, and whose turn it is to copy. Nothing here is held while a host or the disk is waited
//! for, so a version that is recorded meanwhile waits for nobody.

use crate::base::cancel::{CancelReason, CancelToken, ChildToken};
use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::environment::{Environment, Role};
use jiff::Timestamp;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// How often somebody who waits for the turn looks whether they are still waited for.
const TURN_LOOK: Duration = Duration::from_millis(50);

type Listener = Box<dyn Fn() + Send + Sync>;

/// Where the copy stands.
#[derive(Default)]
pub struct RemoteCopy {
    standing: Mutex<Standing>,
    /// Who copies, reads, connects or disconnects; the token ends what they do.
    turn: Mutex<Option<CancelToken>>,
    turn_ended: Condvar,
    /// Held while connection or label change.
    changes: Mutex<()>,
    listener: OnceLock<Listener>,
}

struct Standing {
    state: CopyState,
    environment: Option<Environment>,
    checked: Option<Timestamp>,
}

impl Default for Standing {
    fn default() -> Self {
        Self { state: CopyState::NotConnected, environment: None, checked: None }
    }
}

/// The turn to copy, until this is dropped.
pub struct CopyTurn<'a> {
    copy: &'a RemoteCopy,
    cancel: ChildToken,
}

impl CopyTurn<'_> {
    /// Ends what is done in this turn.
    #[must_use]
    pub const fn cancel(&self) -> &CancelToken {
        &self.cancel.token
    }
}

impl Drop for CopyTurn<'_> {
    fn drop(&mut self) {
        *self.copy.lock_turn() = None;
        self.copy.turn_ended.notify_all();
    }
}

impl RemoteCopy {
    #[must_use]
    pub fn state(&self) -> CopyState {
        self.lock_standing().state.clone()
    }

    /// The label of this server, as far as it is known.
    #[must_use]
    pub fn environment(&self) -> Option<Environment> {
        self.lock_standing().environment
    }

    /// When the host's versions were read last, since the service started.
    #[must_use]
    pub fn checked(&self) -> Option<Timestamp> {
        self.lock_standing().checked
    }

    pub fn set_environment(&self, environment: Option<Environment>) {
        self.lock_standing().environment = environment;
    }

    pub fn set_checked(&self, checked: Option<Timestamp>) {
        self.lock_standing().checked = checked;
    }

    /// Moves the machine, and tells the listener.
    pub fn update<T>(&self, change: impl FnOnce(&mut CopyState) -> T) -> T {
        let changed = change(&mut self.lock_standing().state);
        self.notify();
        changed
    }

    /// A version was recorded. A server that reads copies none.
    pub fn note_version(&self, now: Timestamp) {
        {
            let mut standing = self.lock_standing();
            if Role::of(standing.environment) == Role::Read {
                return;
            }
            standing.state.note_version(now);
        }
        self.notify();
    }

    /// Calls this after each move. Only the first listener is called: a service has one task that copies.
    pub fn listen(&self, listener: impl Fn() + Send + Sync + 'static) {
        let _ = self.listener.set(Box::new(listener));
    }

    /// Waits for the turn; `None` when `cancel` is set before.
    #[must_use]
    pub fn take_turn(&self, cancel: &CancelToken) -> Option<CopyTurn<'_>> {
        self.wait_for_turn(cancel, |_| {})
    }

    /// As [`Self::take_turn`], and whoever has it meanwhile is told to end.
    #[must_use]
    pub fn take_over(&self, cancel: &CancelToken) -> Option<CopyTurn<'_>> {
        self.wait_for_turn(cancel, |running| running.cancel(CancelReason::Aborted))
    }

    fn wait_for_turn(&self, cancel: &CancelToken, tell: impl Fn(&CancelToken)) -> Option<CopyTurn<'_>> {
        let mut turn = self.lock_turn();
        while let Some(running) = turn.clone() {
            if cancel.reason().is_some() {
                return None;
            }
            // Its hooks may end what takes this lock.
            drop(turn);
            tell(&running);
            turn = self.lock_turn();
            if turn.is_none() {
                break;
            }
            turn = self.turn_ended.wait_timeout(turn, TURN_LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let cancel = cancel.child();
        *turn = Some(cancel.token.clone());
        drop(turn);
        Some(CopyTurn { copy: self, cancel })
    }

    /// Ends what is copied or read at present.
    pub fn interrupt(&self) {
        let running = self.lock_turn().clone();
        if let Some(running) = running {
            running.cancel(CancelReason::Aborted);
        }
    }

    /// Held while connection or label are changed, so that two changes do not meet.
    pub fn lock_changes(&self) -> MutexGuard<'_, ()> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_turn(&self) -> MutexGuard<'_, Option<CancelToken>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self) {
        if let Some(listener) = self.listener.get() {
            listener();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn one_copies_at_a_time_and_can_be_ended_by_the_next() {
        let (copy, copying) = (RemoteCopy::default(), AtomicUsize::new(0));
        let token = CancelToken::new(None);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    let turn = copy.take_over(&token).unwrap();
                    assert_eq!(copying.fetch_add(1, Ordering::SeqCst), 0);
                    // Until the next one comes, or for a moment.
                    let _ = turn.cancel().sleep(Duration::from_millis(30));
                    copying.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!(token.reason().is_none(), "only the turn ends");
    }

    #[test]
    fn whoever_is_waited_for_no_more_waits_for_no_turn() {
        let copy = RemoteCopy::default();
        let turn = copy.take_turn(&CancelToken::new(None));
        assert!(copy.take_turn(&CancelToken::new(Some(Duration::from_millis(60)))).is_none());
        drop(turn);
        assert!(copy.take_turn(&CancelToken::new(None)).is_some());
    }

    #[test]
    fn a_server_that_reads_does_not_wait_for_its_own_versions() {
        let copy = RemoteCopy::default();
        let waits = || {
            copy.update(|state| *state = CopyState::UpToDate { next_look: None });
            copy.note_version(Timestamp::UNIX_EPOCH);
            matches!(copy.state(), CopyState::Waiting { .. })
        };
        assert!(waits());
        copy.set_environment(Some(Environment::Prod));
        assert!(!waits());
    }
}
