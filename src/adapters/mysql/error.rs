//! Why a MySQL or MariaDB server gave nothing.

use crate::domain::error::Error;
use crate::net::NetError;
use std::io;

/// The longest reason of a server that is kept.
const REASON_CHARS_MAX: usize = 300;

/// Why a MySQL or MariaDB server gave nothing. What it shows holds no word of the server and no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MySqlError {
    /// No connection, or it ended.
    #[error("{0}")]
    Net(NetError),
    #[error("the server has no SSL; switch SSL off, or on there")]
    NoTls,
    /// The server wants to be told the password where others could read along.
    #[error("the server asks for the password itself, which goes over SSL only; switch on SSL")]
    InsecurePassword,
    /// The server wants a way of signing in that is not spoken here.
    #[error(
        "the server wants a way of signing in other than mysql_native_password and caching_sha2_password"
    )]
    NoSignIn,
    /// What comes back is more than may.
    #[error("the result is too large")]
    TooLarge,
    /// The server wants to be sent a file.
    #[error("the statement wants a file of this side, and there is none")]
    WantsFile,
    /// Values and the places for them in the statement are not as many; holds how many places there are.
    #[error("the statement has {0} places for values")]
    ParameterCount(u16),
    /// What came back is not what a MySQL server says.
    #[error("what answers there does not speak MySQL")]
    Garbled,
    #[error("{}", Self::refusal(*number))]
    Server {
        number: u16,
        /// The five characters of its kind in the standard's words.
        state: String,
        /// Its words, without the password; they may name users, databases and addresses.
        message: String,
    },
}

impl MySqlError {
    /// What the server says, with its words as one line of bounded length.
    pub(super) fn from_server(number: u16, state: &str, message: &str, password: &str) -> Self {
        let mut message = message.to_owned();
        if !password.is_empty() {
            // No server says it, and one that is none could.
            message = message.replace(password, "[secret hidden]");
        }
        let words =
            message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = words.collect::<Vec<_>>().join(" ");
        let state = state.chars().filter(char::is_ascii_alphanumeric).take(5).collect();
        Self::Server { number, state, message: line.chars().take(REASON_CHARS_MAX).collect() }
    }

    /// True when the connection can be used again.
    #[must_use]
    pub const fn is_connection_usable(&self) -> bool {
        matches!(self, Self::Server { .. } | Self::ParameterCount(_))
    }

    /// The operation's error, naming the card that failed. What callers are not told is logged.
    #[must_use]
    pub fn at(self, card: &str) -> Error {
        let words = match &self {
            Self::Server { number, message, .. } => Some(format!("{message} ({number})")),
            Self::Net(error) => error.log_detail(),
            _ => None,
        };
        if let Some(words) = words {
            tracing::warn!(
                target: "flowkeep::mysql::error",
                card, words,
                "a MySQL server gave nothing"
            );
        }
        match self {
            Self::Net(NetError::Cancelled) => Error::Cancelled,
            Self::Net(error) => Error::RunFailed(format!(
                "{card}: {}",
                error.public_message("MySQL", "the card's host and port")
            )),
            other => Error::RunFailed(format!("{card}: {other}")),
        }
    }

    fn refusal(number: u16) -> String {
        match Self::advice(number) {
            Some(sentence) => format!("{sentence} ({number})"),
            None => format!("the server refused to do this ({number}); see the log"),
        }
    }

    /// What to do about a kind of thing that a server says, by the numbers of MySQL and MariaDB.
    #[must_use]
    pub const fn advice(number: u16) -> Option<&'static str> {
        Some(match number {
            1040 | 1203 | 1226 => "the server has no connection left; try again later",
            1044 => "the user may not use this database; check the credential",
            1045 | 1698 => "the server refused the user or the password; check the credential",
            1049 => "the server has no such database; check the database that is named",
            1054 => "there is no such column",
            1062 => "a row with this value is there already",
            1064 => "the statement cannot be read, or there are several: one is sent at a time",
            1142 | 1143 | 1227 | 1370 => "the user may not do this; let the owner of the database allow it",
            1146 => "there is no such table",
            1205 | 1213 => "another transaction stood in the way; try again",
            1264 | 1292 | 1366 | 1406 => "a value does not fit the type of its place",
            1317 | 1969 | 3024 => "the database took too long",
            1792 => {
                "the statement would write, and code may only read there; switch on Code may write if it may"
            }
            _ => return None,
        })
    }
}

impl From<NetError> for MySqlError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

impl From<io::Error> for MySqlError {
    fn from(error: io::Error) -> Self {
        Self::Net(error.into())
    }
}
