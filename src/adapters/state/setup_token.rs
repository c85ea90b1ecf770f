//! The setup token: printed at start to the one who started the service, asked of whoever wants to become its
//! owner over the network (manual 8.1).

use crate::domain::accounts::token::{self, Token};
use std::sync::{Mutex, PoisonError};
use subtle::ConstantTimeEq as _;

/// Holds the token's hash while one is needed.
#[derive(Default)]
pub struct SetupToken(Mutex<Option<[u8; 32]>>);

impl SetupToken {
    /// Asks for a fresh token from now on, and returns it to be printed.
    #[must_use]
    pub fn mint(&self) -> String {
        let made = Token::random();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(token::hash(made.as_str()));
        made.as_str().to_owned()
    }

    /// True when no token is asked for, or `given` is the one. Guesses need no limit: there are 2^256.
    #[must_use]
    pub fn accepts(&self, given: Option<&str>) -> bool {
        let Some(expected) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) else { return true };
        given.is_some_and(|given| token::hash(given).ct_eq(&expected).into())
    }

    /// Asks for no token any more.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_printed_token_admits() {
        let board = SetupToken::default();
        assert!(board.accepts(None));
        let printed = board.mint();
        assert!(board.accepts(Some(&printed)));
        assert!(!board.accepts(None) && !board.accepts(Some("")) && !board.accepts(Some("x")));
        board.forget();
        assert!(board.accepts(None));
    }
}
