//! What code asks of databases: `$db`, and the modules that are called like the clients people know.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Asks databases for one run of code.
pub trait DatabaseHandler {
    /// Does what code asks for, in at most this time.
    ///
    /// # Errors
    /// As [`DatabaseError`].
    fn execute(&self, ask: &DatabaseRequest, time: Duration) -> Result<DatabaseAnswer, DatabaseError>;
}

/// What code asks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DatabaseRequest {
    /// Which connection of the run: code numbers them.
    pub line: u32,
    /// True for a connection that all of the code shares: it is made again when it ended, and nothing may begin on it
    /// that lasts longer than a statement.
    #[serde(default)]
    pub shared: bool,
    /// The database, for a connection that is not there yet.
    #[serde(default)]
    pub place: DatabaseTarget,
    pub work: DatabaseOperation,
}

/// Which saved credential is meant: by its name, or by what code says of the place. A password is never said.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct DatabaseTarget {
    /// Name or id of the credential.
    #[serde(default)]
    pub credential: Option<String>,
    #[serde(default)]
    pub family: Option<DatabaseKind>,
    /// The host, which has to be the credential's.
    #[serde(default)]
    pub host: Option<String>,
    /// The database, which has to be the credential's.
    #[serde(default)]
    pub database: Option<String>,
    /// How code came to ask, as its author would write it: a refusal says what to write instead.
    #[serde(default)]
    pub call: String,
}

/// The kind of server, by its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    Postgres,
    Mysql,
}

/// What is wanted of a database.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseOperation {
    Connect,
    Query { sql: String, values: Vec<DatabaseValue> },
    Close,
}

/// A value for a place in a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseValue {
    /// No value.
    Null,
    Text(String),
    /// Bytes, as base64.
    Bytes(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
}

/// What came back.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct DatabaseAnswer {
    pub family: Option<DatabaseKind>,
    /// The columns; none for what gives no rows.
    pub columns: Vec<DatabaseColumn>,
    /// The rows: texts, null, or bytes as base64, as the kinds of the columns say.
    pub rows: Vec<Vec<Value>>,
    /// The verb of what was done, where the server tells.
    pub verb: String,
    /// Rows that were found or changed.
    pub count: u64,
    /// The number that a new row was given, where the server tells.
    pub inserted: u64,
}

/// A column of a result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DatabaseColumn {
    pub name: String,
    /// What code makes of its values: `text`, `number`, `long`, `boolean`, `json`, `time` or `bytes`; with `[]` after it
    /// for lists of them.
    pub kind: String,
    /// The server's own number of its type.
    pub number: u32,
}

/// Why nothing came back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseError {
    /// A sentence that may be shown to whoever asks the flow.
    pub message: String,
    /// The kind of fault in the server's words, as its clients name them.
    pub code: Option<String>,
    pub number: Option<u16>,
    /// What the server said of the statement, for code alone: it may name tables and hold values.
    pub words: Option<String>,
}
