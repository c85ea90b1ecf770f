//! Why a PostgreSQL server gave nothing.

use crate::domain::error::Error;
use crate::net::NetError;
use std::{fmt, io};

/// The longest reason of a server that is shown.
const REASON_CHARS_MAX: usize = 300;

/// Why a PostgreSQL server gave nothing. Its `Display` is shown to callers: it never holds the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PgError {
    /// No connection, or it ended.
    Net(NetError),
    /// A name of a table or column is none.
    Name,
    /// The server wants to be told the password where others could read along.
    NoSecrecy,
    /// The server has no TLS.
    NoTls,
    /// The server wants a way of signing in that is not spoken here.
    NoSignIn,
    /// The server did not prove that it knows the password.
    NotTheServer,
    /// What comes back is more than may.
    TooLarge,
    /// What came back is not what a PostgreSQL server says.
    Garbled,
    /// Vectors cannot be kept there; holds what to do.
    NoVectors(&'static str),
    /// What the server itself says.
    Told {
        /// The five characters of its kind.
        code: String,
        /// Its words.
        message: String,
    },
}

impl PgError {
    /// What the server says, with its words as one line of bounded length.
    pub(super) fn told(code: &str, message: &str, password: &str) -> Self {
        let mut message = message.to_owned();
        if !password.is_empty() {
            // No server says it, and one that is none could.
            message = message.replace(password, "[secret hidden]");
        }
        let words =
            message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = words.collect::<Vec<_>>().join(" ");
        let code = code.chars().filter(char::is_ascii_alphanumeric).take(5).collect();
        Self::Told { code, message: line.chars().take(REASON_CHARS_MAX).collect() }
    }

    /// True when the server says this kind of thing.
    #[must_use]
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self, Self::Told { code, .. } if code == wanted)
    }

    /// True when the connection can be used again.
    pub(super) const fn leaves_connection(&self) -> bool {
        matches!(self, Self::Told { .. })
    }

    /// The operation's error, naming the card that failed.
    #[must_use]
    pub fn at(self, card: &str) -> Error {
        match self {
            Self::Net(NetError::Cancelled) => Error::Cancelled,
            other => Error::Failed(format!("{card}: {other}")),
        }
    }
}

impl fmt::Display for PgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, message) = match self {
            Self::Net(NetError::RefusedByPolicy) => {
                return f.write_str(
                    "the address was refused by policy; add its host and port to SERVICE_HTTP_ALLOW if it may be \
                     called",
                );
            }
            Self::Net(NetError::Unreachable(label)) => {
                return write!(
                    f,
                    "no connection to {label}; check the card's host and port and that the server is up"
                );
            }
            Self::Net(NetError::TimedOut) => return f.write_str("the database took too long"),
            Self::Net(NetError::Broken(_)) => {
                return f
                    .write_str("the connection to the database broke, or nothing there speaks PostgreSQL");
            }
            Self::Net(other) => return write!(f, "{other}"),
            Self::Name => {
                return f.write_str(
                    "this must be a name of letters, digits and underscores, with a schema and a dot before it where \
                     it needs one",
                );
            }
            Self::NoSecrecy => {
                return f.write_str("the server asks for the password in clear text; switch on SSL");
            }
            Self::NoTls => return f.write_str("the server has no SSL; switch SSL off, or on there"),
            Self::NoSignIn => {
                return f.write_str("the server wants a way of signing in other than by a password");
            }
            Self::NotTheServer => return f.write_str("the server did not prove that it knows the password"),
            Self::TooLarge => return f.write_str("the result is too large"),
            Self::Garbled => return f.write_str("what answers there does not speak PostgreSQL"),
            Self::NoVectors(what) => return write!(f, "the database has no pgvector: {what}"),
            Self::Told { code, message } => (code.as_str(), message),
        };
        match code {
            "28P01" => {
                f.write_str("the server refused the user or the password; check the card's credential")
            }
            "28000" => write!(f, "the server refused the user, or calls without SSL: {message}"),
            "3D000" => write!(f, "the server has no such database: {message}"),
            "42P01" => write!(f, "there is no such table; fill the store first: {message}"),
            "42703" => write!(f, "the table has other columns: {message}"),
            "42P10" => write!(f, "the table has no unique column to tell its rows apart: {message}"),
            "42501" => write!(f, "the user may not do this: {message}"),
            "53300" => f.write_str("the server has no connection left; try again later"),
            "57014" => f.write_str("the database took too long"),
            _ => write!(f, "the database says: {message} ({code})"),
        }
    }
}

impl std::error::Error for PgError {}

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
