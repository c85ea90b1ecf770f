//! Whose tokens are being renewed: one renewal at a time for each credential, because a refresh token may count once only.

use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CredentialId;
use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How long a wait lasts at most before it looks again.
const RECHECK_EVERY: Duration = Duration::from_secs(1);

/// The credentials whose tokens are being renewed.
#[derive(Default)]
pub struct TokenRenewals(Arc<ActiveRenewals>);

#[derive(Default)]
struct ActiveRenewals {
    credentials: Mutex<HashSet<CredentialId>>,
    changed: Condvar,
}

/// The right to renew the tokens of a credential, which ends with it.
pub struct RenewalGuard {
    active: Arc<ActiveRenewals>,
    credential: CredentialId,
}

impl TokenRenewals {
    /// Waits until nobody else renews the tokens of this credential.
    ///
    /// # Errors
    /// [`Error::Cancelled`] for one who waits and whose run ends.
    pub fn acquire(&self, credential: CredentialId, cancel: &CancelToken) -> Result<RenewalGuard> {
        let room = self.0.clone();
        let _wake = cancel.on_cancel(move || room.changed.notify_all());
        let mut under_way = self.0.credentials.lock().unwrap_or_else(PoisonError::into_inner);
        while !under_way.insert(credential) {
            Error::check_cancelled(cancel)?;
            under_way = self
                .0
                .changed
                .wait_timeout(under_way, RECHECK_EVERY)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        Ok(RenewalGuard { active: self.0.clone(), credential })
    }
}

impl Drop for RenewalGuard {
    fn drop(&mut self) {
        self.active.credentials.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.credential);
        self.active.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cancel::CancelReason;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn one_renews_and_others_wait_or_leave() {
        let (renewals, credential, inside) =
            (TokenRenewals::default(), CredentialId::random(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _turn = renewals.acquire(credential, &CancelToken::new(None)).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    std::thread::sleep(Duration::from_millis(2));
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        let held = renewals.acquire(credential, &CancelToken::new(None)).unwrap();
        let cancel = CancelToken::new(None);
        cancel.cancel(CancelReason::Shutdown);
        assert!(matches!(renewals.acquire(credential, &cancel), Err(Error::Cancelled)));
        assert!(renewals.acquire(CredentialId::random(), &cancel).is_ok(), "another one is free");
        drop(held);
        assert!(renewals.acquire(credential, &cancel).is_ok());
    }
}
