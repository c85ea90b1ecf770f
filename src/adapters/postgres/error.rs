//! Why a PostgreSQL server gave nothing.

use crate::domain::error::Error;
use crate::net::{NetError, server_message};
use std::io;

/// Why a PostgreSQL server gave nothing. Its `Display` is shown to callers, whoever asks the flow: it holds no word of the
/// server and no address. What was said there goes into the log ([`Self::at`]), without the password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PgError {
    /// No connection, or it ended.
    #[error("{}", net_message(.0))]
    Net(NetError),
    /// A name of a table or column is none.
    #[error(
        "this must be a name of letters, digits and underscores, with a schema and a dot before it where it \
         needs one"
    )]
    Name,
    /// The server wants to be told the password where others could read along.
    #[error("the server asks for the password in clear text; switch on SSL")]
    InsecurePassword,
    #[error("the server has no SSL; switch SSL off, or on there")]
    NoTls,
    /// The server wants a way of signing in that is not spoken here.
    #[error("the server wants a way of signing in other than by a password")]
    NoSignIn,
    /// The server did not prove that it knows the password.
    #[error("the server did not prove that it knows the password")]
    NotTheServer,
    /// What comes back is more than may.
    #[error("the result is too large")]
    TooLarge,
    /// What came back is not what a PostgreSQL server says.
    #[error("what answers there does not speak PostgreSQL")]
    Garbled,
    /// Vectors cannot be kept there; holds what to do.
    #[error("the database has no pgvector: {0}")]
    NoVectors(&'static str),
    #[error("{}", refusal(code))]
    Server {
        /// The five characters of its kind.
        code: String,
        /// Its words, for the log alone: they name users, databases and addresses.
        message: String,
    },
}

impl PgError {
    /// What the server says, with its words as one line of bounded length.
    pub(super) fn from_server(code: &str, message: &str, password: &str) -> Self {
        let code = code.chars().filter(char::is_ascii_alphanumeric).take(5).collect();
        Self::Server { code, message: server_message(message, &[password]) }
    }

    /// True when the server says this kind of thing.
    #[must_use]
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self, Self::Server { code, .. } if code == wanted)
    }

    /// True when the connection can be used again.
    #[must_use]
    pub const fn is_connection_usable(&self) -> bool {
        matches!(self, Self::Server { .. })
    }

    /// The operation's error, naming the card that failed. What callers are not told is logged.
    #[must_use]
    pub fn at(self, card: &str) -> Error {
        if let Some(words) = self.log_detail() {
            tracing::warn!(
                target: "flowkeep::postgres::error",
                card, words,
                "a PostgreSQL server gave nothing"
            );
        }
        match self {
            Self::Net(NetError::Cancelled) => Error::Cancelled,
            other => Error::RunFailed(format!("{card}: {other}")),
        }
    }

    /// What only the log is told.
    fn log_detail(&self) -> Option<String> {
        match self {
            Self::Server { code, message } => Some(format!("{message} ({code})")),
            Self::Net(error) => error.log_detail(),
            _ => None,
        }
    }
}

/// What to do about a kind of thing that a server says, in words of ours.
fn advice(code: &str) -> Option<&'static str> {
    Some(match code {
        "22000" => {
            "a value does not fit the table; its vectors must have the length that the table was made for, by the same \
             embedding model"
        }
        "25006" => "the database there can only be read",
        "28000" => "the server refused the user, or calls without SSL; check the card's credential and SSL",
        "28P01" => "the server refused the user or the password; check the card's credential",
        "3D000" => "the server has no such database; check the card's database",
        "3F000" => "the database has no such schema; check the card's table and schema",
        "42501" => "the user may not do this; let the owner of the database or table allow it",
        "42703" => "the table has other columns; check the card's table and column names",
        "42P01" => "there is no such table; fill the store first",
        "42P10" => "the table has no unique column to tell its rows apart; add one or name another table",
        "53100" => "the server's disk is full",
        "53300" => "the server has no connection left; try again later",
        "57014" => "the database took too long",
        "57P01" | "57P02" | "57P03" => "the server is starting or stopping; try again later",
        _ => return None,
    })
}

fn net_message(error: &NetError) -> String {
    match error {
        NetError::Untrusted { .. } => {
            format!("{}; or give the card the server's own authority", error.public_message("PostgreSQL", ""))
        }
        NetError::TimedOut => "the database took too long".to_owned(),
        _ => error.public_message("PostgreSQL", "the card's host and port"),
    }
}

fn refusal(code: &str) -> String {
    match advice(code) {
        Some(sentence) => format!("{sentence}; see the log"),
        None => format!("the server refused to do this ({code}); see the log"),
    }
}

impl From<NetError> for PgError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

impl From<io::Error> for PgError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // The protocol's reader reports what it cannot read as these.
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Self::Garbled,
            _ => Self::Net(error.into()),
        }
    }
}
