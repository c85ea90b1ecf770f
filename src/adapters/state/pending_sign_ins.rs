//! Sign-ins at OAuth 2 providers that are under way: what a person left for and has to come back with. Each is known by a
//! `state` that nobody can guess, ends after some minutes, and counts once. A restart forgets them, and the person signs in
//! again.

use crate::domain::accounts::caller::Caller;
use crate::domain::accounts::token::{self, Token};
use crate::domain::ids::CredentialId;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How long a person may take.
pub(crate) const SIGN_IN_MINUTES: i64 = 10;
/// Sign-ins of one workspace at the same time; the oldest gives way.
const OF_WORKSPACE_MAX: usize = 50;
/// Sign-ins at the same time; the oldest gives way.
const ALL_MAX: usize = 2_000;

/// A sign-in that was begun.
#[derive(Clone)]
pub struct PendingSignIn {
    /// Who began it, in the workspace of the credential.
    pub caller: Caller,
    pub credential: CredentialId,
    /// The address that the provider sends the person back to.
    pub redirect: String,
    /// Only who knows it can turn the code into tokens: a secret.
    pub verifier: String,
}

/// The sign-ins under way, by the hash of their `state` and with their ends.
#[derive(Default)]
pub struct PendingSignIns(Mutex<HashMap<[u8; 32], (Timestamp, PendingSignIn)>>);

impl PendingSignIns {
    /// Notes a sign-in under this `state`.
    pub fn insert(&self, state: &Token, begun: PendingSignIn, now: Timestamp) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, (end, _)| *end > now);
        let workspace = begun.caller.workspace;
        let is_near = |other: &PendingSignIn| other.caller.workspace == workspace;
        while all.values().filter(|(_, other)| is_near(other)).count() >= OF_WORKSPACE_MAX {
            drop_oldest(&mut all, is_near);
        }
        while all.len() >= ALL_MAX {
            drop_oldest(&mut all, |_| true);
        }
        let end = now.checked_add(SignedDuration::from_mins(SIGN_IN_MINUTES)).unwrap_or(now);
        all.insert(token::hash(state.as_str()), (end, begun));
    }

    /// Takes the sign-in of this `state` away; `None` when there is none, or no more.
    pub fn take(&self, state: &str, now: Timestamp) -> Option<PendingSignIn> {
        if !token::is_well_formed(state) {
            return None;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (end, begun) = all.remove(&token::hash(state))?;
        (end > now).then_some(begun)
    }
}

fn drop_oldest(
    all: &mut HashMap<[u8; 32], (Timestamp, PendingSignIn)>,
    may: impl Fn(&PendingSignIn) -> bool,
) {
    let some = all.iter().filter(|(_, (_, begun))| may(begun));
    if let Some(oldest) = some.min_by_key(|(_, (end, _))| *end).map(|(word, _)| *word) {
        all.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::accounts::caller::{PermissionSet, Principal};
    use crate::domain::ids::{OrganizationId, WorkspaceId};

    fn begun() -> PendingSignIn {
        let caller = Caller {
            principal: Principal::Operator,
            organization: OrganizationId::from_bytes([1; 16]),
            workspace: WorkspaceId::from_bytes([2; 16]),
            permissions: PermissionSet::All,
            address: None,
        };
        let (redirect, verifier) = ("https://here/back".to_owned(), "v".to_owned());
        PendingSignIn { caller, credential: CredentialId::random(), redirect, verifier }
    }

    #[test]
    fn a_sign_in_counts_once_and_not_for_ever() {
        let (signs, now) = (PendingSignIns::default(), Timestamp::UNIX_EPOCH);
        let later = |minutes| now + SignedDuration::from_mins(minutes);
        let [one, two] = [Token::random(), Token::random()];
        signs.insert(&one, begun(), now);
        signs.insert(&two, begun(), now);
        assert!(signs.take(Token::random().as_str(), now).is_none());
        assert!(signs.take("short", now).is_none());
        assert!(signs.take(one.as_str(), later(SIGN_IN_MINUTES - 1)).is_some());
        assert!(signs.take(one.as_str(), later(SIGN_IN_MINUTES - 1)).is_none(), "twice");
        assert!(signs.take(two.as_str(), later(SIGN_IN_MINUTES)).is_none(), "too late");
    }

    #[test]
    fn the_oldest_gives_way() {
        let (signs, now) = (PendingSignIns::default(), Timestamp::UNIX_EPOCH);
        let words: Vec<Token> = (0..=OF_WORKSPACE_MAX).map(|_| Token::random()).collect();
        for (at, word) in words.iter().enumerate() {
            signs.insert(word, begun(), now + SignedDuration::from_secs(i64::try_from(at).unwrap()));
        }
        assert!(signs.take(words[0].as_str(), now).is_none());
        assert!(words[1..].iter().all(|word| signs.take(word.as_str(), now).is_some()));
    }
}
