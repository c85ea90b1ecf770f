//! Redis-Backed Chat Memory: a conversation kept on a Redis server, in the form in which other programs of the family keep it
//! there. A list for each session, newest message first.

use super::buffer_window::SESSION_INPUTS;
use super::stored;
use crate::cards::kit::redis::{CREDENTIAL, session};
use crate::cards::kit::{Card, Category, Host, Input, Make, Memory, Risk, Turn};
use crate::domain::error::Result;
use crate::domain::prediction::PastMessage;
use crate::redis::{Connection, RedisError, Reply, Session};
use std::sync::Arc;

/// Seconds after which nobody asks any more: about three centuries.
const SECONDS_MAX: f64 = 1e10;

/// How long a session is remembered.
pub const SESSION_TTL: Input = Input::whole("sessionTTL", "Session Timeouts", 0.0, SECONDS_MAX)
    .additional()
    .help("Seconds after the last message, after which a conversation is forgotten. Empty: it stays.");

/// The card.
pub const CARD: Card = Card {
    name: "RedisBackedChatMemory",
    label: "Redis-Backed Chat Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Keeps the conversation on a Redis server, where other programs of the family can go on with it.",
    base_classes: &["RedisBackedChatMemory", "BaseChatMemory", "BaseMemory"],
    risk: Risk::Risky,
    inputs: &[
        CREDENTIAL,
        SESSION_INPUTS[0],
        SESSION_TTL,
        SESSION_INPUTS[1],
        Input::whole("windowSize", "Window Size", 0.0, 10_000.0)
            .additional()
            .help("How many of the newest messages are sent. Empty: all."),
    ],
    outputs: &[],
    make: Make::Memory(|inputs| {
        Ok(Arc::new(RedisBacked {
            label: inputs.label.to_owned(),
            session: inputs.maybe_text("sessionId"),
            seconds: inputs.whole(SESSION_TTL.name)?.filter(|seconds| *seconds > 0),
            newest: stored::window(inputs.whole("windowSize")?),
            server: session(inputs)?,
        }))
    }),
};

struct RedisBacked {
    label: String,
    /// A fixed session the owner chose; `None` is the conversation of the request.
    session: Option<String>,
    seconds: Option<u64>,
    newest: usize,
    server: Session,
}

impl RedisBacked {
    /// Does something under the key of the session.
    fn with<T>(
        &self,
        host: &dyn Host,
        work: impl FnOnce(&mut Connection, &[u8]) -> Result<T, RedisError>,
    ) -> Result<T> {
        let key = host.memory_session(self.session.as_deref())?;
        self.call(host, |connection| work(connection, key.as_bytes()))
    }

    fn call<T>(
        &self,
        host: &dyn Host,
        work: impl FnOnce(&mut Connection) -> Result<T, RedisError>,
    ) -> Result<T> {
        self.server.with(host.cancel(), work).map_err(|error| error.at(&self.label))
    }
}

impl Memory for RedisBacked {
    fn messages(&self, turn: &Turn<'_>) -> Result<Vec<PastMessage>> {
        let last = (self.newest - 1).to_string();
        let kept = self.with(turn.host, |connection, key| {
            match connection.run(&[b"LRANGE", key, b"0", last.as_bytes()], turn.host.cancel())? {
                Reply::List(entries) => of_entries(&entries),
                _ => Err(RedisError::Garbled),
            }
        })?;
        Ok(stored::sent(turn, kept, self.newest))
    }

    fn keep(&self, question: &str, answer: &str, host: &dyn Host) -> Result<()> {
        let [human, ai] = stored::pair(question, answer);
        let seconds = self.seconds.map(|seconds| seconds.to_string());
        self.with(host, |connection, key| {
            // One command for both: a question without its answer would mislead whoever goes on.
            let mut commands: Vec<Vec<&[u8]>> = vec![vec![b"LPUSH", key, human.as_bytes(), ai.as_bytes()]];
            commands.extend(seconds.iter().map(|seconds| vec![&b"EXPIRE"[..], key, seconds.as_bytes()]));
            let commands: Vec<&[&[u8]]> = commands.iter().map(Vec::as_slice).collect();
            connection.run_all(&commands, host.cancel()).map(drop)
        })
    }

    fn forget(&self, session: &str, host: &dyn Host) -> Result<()> {
        if self.session.is_some() {
            return Ok(());
        }
        self.call(host, |connection| connection.run(&[b"DEL", session.as_bytes()], host.cancel()).map(drop))
    }
}

/// The messages of a list that holds the newest first.
fn of_entries(entries: &[Reply]) -> Result<Vec<PastMessage>, RedisError> {
    let bytes: Option<Vec<&[u8]>> = entries
        .iter()
        .rev()
        .map(|reply| if let Reply::Bytes(bytes) = reply { Some(bytes.as_slice()) } else { None })
        .collect();
    stored::messages(bytes.ok_or(RedisError::Garbled)?).ok_or(RedisError::OfOthers("conversation"))
}
