//! Tokens that providers sell for a while, kept until shortly before they expire.

use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const TOKENS_MAX: usize = 1_000;
/// A token this near its end is not used any more: a request takes its time.
const MARGIN_SECONDS: i64 = 120;

/// What a token was bought for: a hash of the key and of all that it was asked with.
pub(in crate::llm) type TokenKey = [u8; 32];

/// The tokens of one service. A clone holds the same ones.
#[derive(Clone, Default)]
pub struct TokenCache(Arc<Mutex<HashMap<TokenKey, CachedToken>>>);

#[derive(Clone)]
struct CachedToken {
    text: String,
    expires_at: Timestamp,
}

impl fmt::Debug for TokenCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(hidden)")
    }
}

impl TokenCache {
    /// A token that is good for a while yet.
    pub(in crate::llm) fn find(&self, wanted: &TokenKey, now: Timestamp) -> Option<String> {
        let margin = SignedDuration::from_secs(MARGIN_SECONDS);
        self.lock()
            .get(wanted)
            .filter(|token| token.expires_at - margin > now)
            .map(|token| token.text.clone())
    }

    /// The token that is kept, whether or not it is good.
    pub(in crate::llm) fn find_any(&self, wanted: &TokenKey) -> Option<String> {
        self.lock().get(wanted).map(|token| token.text.clone())
    }

    /// Keeps a token that is good until then.
    pub(in crate::llm) fn insert(&self, wanted: TokenKey, text: String, until: Timestamp, now: Timestamp) {
        let mut all = self.lock();
        if all.len() >= TOKENS_MAX {
            all.retain(|_, token| token.expires_at > now);
        }
        if all.len() >= TOKENS_MAX {
            all.clear();
        }
        all.insert(wanted, CachedToken { text, expires_at: until });
    }

    /// Forgets a token, unless another one has taken its place.
    pub(in crate::llm) fn remove(&self, wanted: &TokenKey, text: &str) {
        let mut all = self.lock();
        if all.get(wanted).is_some_and(|token| token.text == text) {
            all.remove(wanted);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenKey, CachedToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_used_until_shortly_before_its_end() {
        let (tokens, wanted, now) = (TokenCache::default(), [1; 32], Timestamp::UNIX_EPOCH);
        let later = |seconds: i64| now + SignedDuration::from_secs(seconds);
        tokens.insert(wanted, "t1".into(), later(3_600), now);
        assert_eq!(tokens.clone().find(&wanted, later(3_479)).as_deref(), Some("t1"));
        assert_eq!(tokens.find(&wanted, later(3_480)), None);
        assert_eq!(tokens.find(&[2; 32], now), None);
        tokens.remove(&wanted, "t0");
        assert!(tokens.find_any(&wanted).is_some());
        tokens.remove(&wanted, "t1");
        assert_eq!(tokens.find_any(&wanted), None);
        assert_eq!(format!("{tokens:?}"), "Tokens(hidden)");
    }

    #[test]
    fn no_more_than_so_many_are_kept() {
        let (tokens, now) = (TokenCache::default(), Timestamp::UNIX_EPOCH);
        for at in 0..=TOKENS_MAX {
            let mut wanted = [0; 32];
            wanted[..8].copy_from_slice(&at.to_be_bytes());
            tokens.insert(wanted, "t".into(), now + SignedDuration::from_hours(1), now);
        }
        assert!(tokens.lock().len() <= TOKENS_MAX);
    }
}
