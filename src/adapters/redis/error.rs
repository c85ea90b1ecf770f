//! Why a Redis server gave nothing.

use crate::domain::error::Error;
use crate::net::{NetError, server_message};
use std::io;

/// Why a Redis server gave nothing. Its `Display` is shown to callers, whoever asks the flow: it holds no word of the server
/// and no address. What was said there goes into the log ([`Self::at`]), without the password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedisError {
    /// No connection, or it ended.
    #[error("{}", .0.public_message("Redis", "host, port and SSL in the card's credential"))]
    Net(NetError),
    /// A reply is more than may come back.
    #[error("the server's reply is too large")]
    TooLarge,
    /// What came back is not what a Redis server says.
    #[error("what answers there does not speak Redis; check host, port and SSL in the card's credential")]
    Garbled,
    /// What lies under a key was put there by another program; says what was looked for.
    #[error(
        "what another program keeps under this key is no {0}; choose another Session Id, or another database in \
         the card's credential"
    )]
    ForeignKey(&'static str),
    #[error("{}; see the log", advice(code, message).unwrap_or("the server refused to do this"))]
    Server {
        /// The word with which it begins: its kind.
        code: String,
        /// Its words, for the log alone: they name users, commands and addresses.
        message: String,
    },
}

impl RedisError {
    /// What the server says, with its words as one line of bounded length.
    #[must_use]
    pub fn from_server(said: &str, secrets: &[&str]) -> Self {
        const CODE_CHARS_MAX: usize = 16;
        let message = server_message(said, secrets);
        let word = message.split(' ').next().unwrap_or_default();
        let is_code = !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase());
        let code = if is_code { word.chars().take(CODE_CHARS_MAX).collect() } else { String::new() };
        Self::Server { code, message }
    }

    /// The operation's error, naming the card that failed. What callers are not told is logged.
    #[must_use]
    pub fn at(self, card: &str) -> Error {
        self.log(card);
        match self {
            Self::Net(NetError::Cancelled) => Error::Cancelled,
            other => Error::RunFailed(format!("{card}: {other}")),
        }
    }

    /// Logs what callers are not told, for a card that goes on without the server.
    pub fn log(&self, card: &str) {
        let words = match self {
            Self::Server { message, .. } => Some(message.clone()),
            Self::Net(error) => error.log_detail(),
            _ => None,
        };
        if let Some(words) = words {
            tracing::warn!(
                target: "flowkeep::redis::error",
                card, words,
                "a Redis server gave nothing"
            );
        }
    }
}

/// What to do about what a server says, in words of ours.
fn advice(code: &str, message: &str) -> Option<&'static str> {
    let holds = |words: &str| message.to_ascii_lowercase().contains(words);
    Some(match code {
        "WRONGPASS" => "the server refused the user or the password; check the card's credential",
        "NOAUTH" => "the server wants a password; enter it in the card's credential",
        "NOPERM" => "the user may not do this; let the owner of the server allow it",
        "DENIED" => {
            "the server takes callers of its own machine only; give it a password, and the card's credential too"
        }
        "WRONGTYPE" => {
            "another program keeps something else under this key; choose another Session Id or database"
        }
        "OOM" => "the server is full; give it more memory, or let it forget old keys",
        "MISCONF" => "the server cannot save to its disk and takes nothing new",
        "READONLY" => "the server can only be read; name the one that it copies in the card's credential",
        "LOADING" | "BUSY" | "MASTERDOWN" | "TRYAGAIN" => "the server is busy or starting; try again later",
        "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" => {
            "the server is one of a cluster, which is not spoken to here; name a server of its own in the card's credential"
        }
        "ERR"
            if holds("invalid password")
                || holds("without any password configured")
                || holds("no password is set") =>
        {
            "the server refused the user or the password; check the card's credential"
        }
        "ERR" if holds("db index is out of range") || holds("select is not allowed") => {
            "the server has no such database; check the card's credential"
        }
        "ERR" if holds("max number of clients") => "the server has no connection left; try again later",
        "ERR" if holds("unknown command") => {
            "the server does not know a command that is needed; it may be no Redis server"
        }
        _ => return None,
    })
}

impl From<NetError> for RedisError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

impl From<io::Error> for RedisError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                Self::Net(NetError::Broken("the other side closed the connection".into()))
            }
            _ => Self::Net(error.into()),
        }
    }
}
