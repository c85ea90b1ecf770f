//! What an error of a database says to people: the credential by its name and what to do. What the server itself says
//! goes to the log, and to code where it is about the statement that code wrote.

use crate::mysql::MySqlError;
use crate::net::NetError;
use crate::postgres::PgError;
use crate::script::DatabaseError;

/// Why a connection gave nothing.
#[derive(Debug)]
pub(super) struct QueryError {
    sentence: String,
    code: Option<String>,
    number: Option<u16>,
    /// The server's words, for the log.
    words: Option<String>,
    /// Whether they are about the statement, and so for code too.
    is_of_statement: bool,
    /// The connection can be used again.
    pub(super) leaves_connection: bool,
    /// The server may still be at work.
    pub(super) is_under_way: bool,
}

impl QueryError {
    fn new(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            code: None,
            number: None,
            words: None,
            is_of_statement: false,
            leaves_connection: false,
            is_under_way: false,
        }
    }

    pub(super) fn not_sent(sentence: impl Into<String>) -> Self {
        Self { leaves_connection: true, ..Self::new(sentence) }
    }

    /// As code gets it. The rest is logged.
    pub(super) fn for_code(&self, credential: &str, card: &str) -> DatabaseError {
        if let Some(words) = &self.words {
            tracing::warn!(
                target: "flowkeep::cards::kit::stores::databases::failure",
                card, credential, words,
                "a database gave nothing to code"
            );
        }
        DatabaseError {
            message: format!("database '{credential}': {}", self.sentence),
            code: self.code.clone(),
            number: self.number,
            words: self.words.clone().filter(|_| self.is_of_statement),
        }
    }

    /// A result over the limits: the server still has rows to send.
    fn too_large() -> Self {
        let sentence = format!(
            "the result is over {} rows or {} MiB: ask for less, with LIMIT and fewer columns",
            crate::limits::CODE_ROWS_MAX,
            crate::limits::CODE_ROWS_BYTES_MAX >> 20
        );
        Self { is_under_way: true, ..Self::new(sentence) }
    }

    fn from_net(error: NetError, family: &str) -> Self {
        let (words, sentence) = match error {
            NetError::RefusedByPolicy => (
                None,
                "the address was refused by policy; add its host and port to SERVICE_HTTP_ALLOW if it may be called"
                    .to_owned(),
            ),
            NetError::Unreachable(place) => (
                Some(format!("no connection to {place}")),
                "no connection to the server; check Host and Port of the credential and that the server is up".to_owned(),
            ),
            NetError::Untrusted { place, fault } => (
                Some(format!("no trusted TLS connection to {place}: {fault}")),
                format!("no trusted TLS connection to the server: {fault}; or give the credential the server's own authority"),
            ),
            NetError::Broken(why) => (
                Some(why),
                format!("the connection broke, or nothing there speaks {family}"),
            ),
            NetError::TimedOut => {
                return Self { is_under_way: true, ..Self::new("the database took too long") };
            }
            NetError::Cancelled => return Self { is_under_way: true, ..Self::new("the run was stopped") },
            other => (None, other.to_string()),
        };
        Self { words, ..Self::new(sentence) }
    }

    fn from_server(sentence: Option<&str>, code: &str, number: Option<u16>, message: String) -> Self {
        let shown = number.map_or_else(|| code.to_owned(), |number| number.to_string());
        let sentence = match sentence {
            Some(sentence) => format!("{sentence} ({shown})"),
            None => format!("the server refused to do this ({shown}); see the log"),
        };
        Self {
            code: Some(code.to_owned()),
            number,
            words: Some(message),
            // Data, constraints, syntax and names: what the statement says, and not who asks from where.
            is_of_statement: ["22", "23", "42"].iter().any(|class| code.starts_with(class))
                && !["42000", "42501"].contains(&code),
            ..Self::not_sent(sentence)
        }
    }
}

/// What to do about a kind of thing that servers say, by its code in the standard's words.
fn sentence(code: &str) -> Option<&'static str> {
    Some(match code {
        "08P01" => "the values are not as many as the places of the statement",
        "22P02" | "22007" | "22003" | "22018" => "a value does not fit the type of its place",
        "23505" => "a row with this value is there already",
        "25006" => {
            "the statement would write, and code may only read there; switch on Code may write if it may"
        }
        "25P02" => "an earlier statement of the transaction failed; roll it back",
        "28000" => "the server refused the user, or calls without SSL; check the credential",
        "28P01" => "the server refused the user or the password; check the credential",
        "3D000" => "the server has no such database; check Database of the credential",
        "40001" | "40P01" => "another transaction stood in the way; try again",
        "42501" => "the user may not do this; let the owner of the database allow it",
        "42601" => "the statement cannot be read, or there are several: one is sent at a time",
        "42703" => "there is no such column",
        "42883" => "there is no such function for values of these types",
        "42P01" => "there is no such table",
        "53300" => "the server has no connection left; try again later",
        "57014" => "the database took too long",
        "57P01" | "57P02" | "57P03" => "the server is starting or stopping; try again later",
        _ => return None,
    })
}

impl From<PgError> for QueryError {
    fn from(error: PgError) -> Self {
        match error {
            PgError::Net(error) => Self::from_net(error, "PostgreSQL"),
            PgError::TooLarge => Self::too_large(),
            PgError::Server { code, message } => Self::from_server(sentence(&code), &code, None, message),
            other => Self::new(other.to_string()),
        }
    }
}

impl From<MySqlError> for QueryError {
    fn from(error: MySqlError) -> Self {
        match error {
            MySqlError::Net(error) => Self::from_net(error, "MySQL"),
            MySqlError::TooLarge => Self::too_large(),
            MySqlError::ParameterCount(places) => Self::not_sent(format!(
                "the values are not as many as the places of the statement, of which there are {places}"
            )),
            MySqlError::Server { number, state, message } => Self {
                is_of_statement: matches!(
                    number,
                    1048 | 1052
                        | 1054
                        | 1062
                        | 1064
                        | 1136
                        | 1146
                        | 1264
                        | 1292
                        | 1305
                        | 1364
                        | 1366
                        | 1406
                        | 1451
                        | 1452
                ),
                ..Self::from_server(MySqlError::advice(number), &state, Some(number), message)
            },
            other => Self::new(other.to_string()),
        }
    }
}
