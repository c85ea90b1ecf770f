//! Commands of Redis, whoever runs them: a server over its own protocol, or a service over HTTP.

use crate::base::cancel::CancelToken;
use crate::domain::error::Error;
use crate::llm::ModelError;
use crate::redis::{RedisClient, RedisError, RedisReply};
use std::fmt;

/// A command: its name, and what it is given.
pub(crate) type RedisCommand<'c> = [&'c [u8]];

/// What runs commands.
pub(crate) trait RedisCommands: Send + Sync {
    /// Runs several, one after the other; a reply for each.
    ///
    /// # Errors
    /// Why nothing came back, or the first refusal.
    fn run_all(
        &self,
        commands: &[&RedisCommand<'_>],
        cancel: &CancelToken,
    ) -> Result<Vec<RedisReply>, CommandError>;

    /// Runs one.
    ///
    /// # Errors
    /// As [`Self::run_all`].
    fn run(&self, command: &RedisCommand<'_>, cancel: &CancelToken) -> Result<RedisReply, CommandError> {
        Ok(self.run_all(&[command], cancel)?.pop().unwrap_or(RedisReply::Nothing))
    }
}

impl RedisCommands for RedisClient {
    fn run_all(
        &self,
        commands: &[&RedisCommand<'_>],
        cancel: &CancelToken,
    ) -> Result<Vec<RedisReply>, CommandError> {
        Ok(self.with_connection(cancel, |connection| connection.run_all(commands, cancel))?)
    }
}

/// Why commands gave nothing.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// What a server said, or that it said nothing.
    Server(RedisError),
    /// What stands before it over HTTP.
    Service(ModelError),
}

impl CommandError {
    /// The operation's error, naming the card that failed. What callers are not told is logged.
    pub(crate) fn into_card_error(self, card: &str) -> Error {
        match self {
            Self::Server(error) => error.at(card),
            Self::Service(error) => error.at(card),
        }
    }

    /// Logs what callers are not told, for a card that goes on without the server.
    pub(crate) fn log(&self, card: &str) {
        if let Self::Server(error) = self {
            error.log(card);
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => error.fmt(f),
            Self::Service(error) => error.fmt(f),
        }
    }
}

impl From<RedisError> for CommandError {
    fn from(error: RedisError) -> Self {
        Self::Server(error)
    }
}
