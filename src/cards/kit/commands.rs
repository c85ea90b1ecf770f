//! Commands of Redis, whoever runs them: a server over its own protocol, or a service over HTTP.

use crate::domain::cancel::Cancel;
use crate::domain::error::Error;
use crate::llm::ModelError;
use crate::redis::{RedisError, Reply, Session};
use std::fmt;

/// A command: its name, and what it is given.
pub(in crate::cards) type Command<'c> = [&'c [u8]];

/// What runs commands.
pub(in crate::cards) trait Commands: Send + Sync {
    /// Runs several, one after the other; a reply for each.
    ///
    /// # Errors
    /// Why nothing came back, or the first refusal.
    fn run_all(&self, commands: &[&Command<'_>], cancel: &Cancel) -> Result<Vec<Reply>, Fault>;

    /// Runs one.
    ///
    /// # Errors
    /// As [`Self::run_all`].
    fn run(&self, command: &Command<'_>, cancel: &Cancel) -> Result<Reply, Fault> {
        Ok(self.run_all(&[command], cancel)?.pop().unwrap_or(Reply::Nothing))
    }
}

impl Commands for Session {
    fn run_all(&self, commands: &[&Command<'_>], cancel: &Cancel) -> Result<Vec<Reply>, Fault> {
        Ok(self.with(cancel, |connection| connection.run_all(commands, cancel))?)
    }
}

/// Why commands gave nothing.
#[derive(Debug)]
pub(in crate::cards) enum Fault {
    /// What a server said, or that it said nothing.
    Server(RedisError),
    /// What stands before it over HTTP.
    Service(ModelError),
}

impl Fault {
    /// The operation's error, naming the card that failed. What callers are not told is logged.
    pub(in crate::cards) fn at(self, card: &str) -> Error {
        match self {
            Self::Server(error) => error.at(card),
            Self::Service(error) => error.at(card),
        }
    }

    /// Logs what callers are not told, for a card that goes on without the server.
    pub(in crate::cards) fn log(&self, card: &str) {
        if let Self::Server(error) = self {
            error.log(card);
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => error.fmt(f),
            Self::Service(error) => error.fmt(f),
        }
    }
}

impl From<RedisError> for Fault {
    fn from(error: RedisError) -> Self {
        Self::Server(error)
    }
}
