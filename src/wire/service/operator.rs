//! What comes back over the control socket.

use crate::domain::remote::environment::Environment;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::SocketAddr;

/// What came of an operator's command. It holds a key or a password, so it has no `Debug`. What is shown as it came is not read
/// here: a program of another version may say more.
#[derive(Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum CommandReply {
    /// A key was made: its record, whose `apiKey` is the value, shown this once.
    KeyCreated {
        /// The record (manual 8.7).
        key: Value,
    },
    Keys {
        /// Their records, values hidden (manual 8.7).
        keys: Vec<Value>,
    },
    KeyRevoked,
    PasswordReset {
        email: String,
        /// The password, when it was made here.
        password: Option<String>,
    },
    Users {
        /// Their rows, as the API gives them to the owner.
        users: Vec<Value>,
    },
    UserStatusSet {
        email: String,
    },
    /// Of versions or of the whole history.
    History {
        answer: Value,
    },
    /// What was found among rows and files.
    Data {
        answer: Value,
    },
    Exported {
        /// What is in it.
        file: Value,
    },
    Imported {
        answer: Value,
    },
    /// What became of the flows that were to be published.
    Published {
        answer: Value,
    },
    /// A backup that was sent to its end.
    Backup {
        answer: Value,
    },
    /// A check, or what one would be.
    Check {
        answer: Value,
    },
    /// What Dev offers, or what was promoted.
    Promotion {
        answer: Value,
    },
    /// The mail server took a message.
    MailTaken {
        /// Its host and port.
        server: String,
    },
    #[serde(rename_all = "camelCase")]
    Status {
        version: String,
        process_id: u32,
        /// Where it listens; a program of an older version does not say.
        #[serde(default)]
        address: Option<SocketAddr>,
        /// What the owner labelled it as.
        #[serde(default)]
        environment: Option<Environment>,
    },
}
