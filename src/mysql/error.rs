//! Why a MySQL or MariaDB server gave nothing.

use crate::net::NetError;
use std::{fmt, io};

/// The longest reason of a server that is kept.
const REASON_CHARS_MAX: usize = 300;

/// Why a MySQL or MariaDB server gave nothing. What it shows holds no word of the server and no address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MySqlError {
    /// No connection, or it ended.
    Net(NetError),
    /// The server has no TLS.
    NoTls,
    /// The server wants to be told the password where others could read along.
    NoSecrecy,
    /// The server wants a way of signing in that is not spoken here.
    NoSignIn,
    /// What comes back is more than may.
    TooLarge,
    /// The server wants to be sent a file.
    WantsFile,
    /// Values and the places for them in the statement are not as many; holds how many places there are.
    Places(u16),
    /// What came back is not what a MySQL server says.
    Garbled,
    /// What the server itself says.
    Told {
        /// The number of its kind.
        number: u16,
        /// The five characters of its kind in the standard's words.
        state: String,
        /// Its words, without the password; they may name users, databases and addresses.
        message: String,
    },
}

impl MySqlError {
    /// What the server says, with its words as one line of bounded length.
    pub(super) fn told(number: u16, state: &str, message: &str, password: &str) -> Self {
        let mut message = message.to_owned();
        if !password.is_empty() {
            // No server says it, and one that is none could.
            message = message.replace(password, "[secret hidden]");
        }
        let words =
            message.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = words.collect::<Vec<_>>().join(" ");
        let state = state.chars().filter(char::is_ascii_alphanumeric).take(5).collect();
        Self::Told { number, state, message: line.chars().take(REASON_CHARS_MAX).collect() }
    }

    /// True when the connection can be used again.
    #[must_use]
    pub const fn leaves_connection(&self) -> bool {
        matches!(self, Self::Told { .. } | Self::Places(_))
    }
}

impl fmt::Display for MySqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Net(error) => write!(f, "{error}"),
            Self::NoTls => f.write_str("the server has no SSL; switch SSL off, or on there"),
            Self::NoSecrecy => {
                f.write_str("the server asks for the password itself, which goes over SSL only; switch on SSL")
            }
            Self::NoSignIn => f.write_str(
                "the server wants a way of signing in other than mysql_native_password and caching_sha2_password",
            ),
            Self::TooLarge => f.write_str("the result is too large"),
            Self::WantsFile => f.write_str("the statement wants a file of this side, and there is none"),
            Self::Places(places) => write!(f, "the statement has {places} places for values"),
            Self::Garbled => f.write_str("what answers there does not speak MySQL"),
            Self::Told { number, .. } => write!(f, "the server refused to do this ({number})"),
        }
    }
}

impl std::error::Error for MySqlError {}

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
