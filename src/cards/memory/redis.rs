//! Redis-Backed Chat Memory: a conversation kept on a Redis server, in the form in which other programs like Flowise keep it
//! there. A list for each session, newest message first.

use super::buffer_window::SESSION_INPUTS;
use super::stored_messages;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;
use crate::kit::stores::redis::{CREDENTIAL, session};
use crate::kit::stores::redis_commands::{CommandError, RedisCommand, RedisCommands};
use crate::kit::{
    Capability, Card, Category, Conversations, Factory, Grant, Host, Input, Inputs, Memory, Need, Risk,
    RunContext,
};
use crate::redis::{RedisError, RedisReply};
use std::sync::Arc;

/// Seconds after which nobody asks any more: about three centuries.
const SECONDS_MAX: f64 = 1e10;

/// How long a session is remembered.
pub(crate) const SESSION_TTL: Input = Input::whole("sessionTTL", "Session Timeouts", 0.0, SECONDS_MAX)
    .additional()
    .help("Seconds after the last message, after which a conversation is forgotten. Empty: it stays.");

pub(crate) const CARD: Card = Card {
    name: "RedisBackedChatMemory",
    label: "Redis-Backed Chat Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Keeps the conversation on a Redis server, where Flowise and programs like it can go on with it.",
    base_classes: &["RedisBackedChatMemory", "BaseChatMemory", "BaseMemory"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Conversations)],
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
    make: Factory::Memory(|inputs| {
        Ok(Arc::new(RedisMemory {
            label: inputs.label.to_owned(),
            session: inputs.optional_text("sessionId"),
            seconds: seconds(inputs)?,
            newest: stored_messages::window(inputs.whole("windowSize")?),
            conversations: inputs.need()?,
            commands: Box::new(session(inputs)?),
        }))
    }),
};

/// The seconds after which a session is forgotten, where its owner wants that.
pub(super) fn seconds(inputs: &Inputs<'_>) -> Result<Option<u64>> {
    Ok(inputs.whole(SESSION_TTL.name)?.filter(|seconds| *seconds > 0))
}

/// A memory over a Redis server, or what stands before one.
pub(super) struct RedisMemory {
    pub(super) label: String,
    /// A fixed session the owner chose; `None` is the conversation of the request.
    pub(super) session: Option<String>,
    pub(super) seconds: Option<u64>,
    pub(super) newest: usize,
    pub(super) conversations: Grant<dyn Conversations>,
    pub(super) commands: Box<dyn RedisCommands>,
}

impl RedisMemory {
    fn key(&self, host: &dyn Host) -> Result<String> {
        self.conversations.of(host)?.memory_session(self.session.as_deref())
    }

    fn card_result<T>(&self, done: std::result::Result<T, CommandError>) -> Result<T> {
        done.map_err(|fault| fault.into_card_error(&self.label))
    }
}

impl Memory for RedisMemory {
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>> {
        let (key, last) = (self.key(turn.host)?, (self.newest - 1).to_string());
        let command: &RedisCommand<'_> = &[b"LRANGE", key.as_bytes(), b"0", last.as_bytes()];
        let kept = match self.card_result(self.commands.run(command, turn.host.cancel()))? {
            RedisReply::List(entries) => parse_entries(&entries),
            _ => Err(RedisError::Garbled),
        };
        Ok(stored_messages::messages_to_send(
            turn,
            self.card_result(kept.map_err(CommandError::from))?,
            self.newest,
        ))
    }

    fn append(&self, question: &str, answer: &str, host: &dyn Host) -> Result<()> {
        let (key, [human, ai]) = (self.key(host)?, stored_messages::pair(question, answer));
        let (key, seconds) = (key.as_bytes(), self.seconds.map(|seconds| seconds.to_string()));
        // One command for both: a question without its answer would mislead whoever goes on.
        let mut commands: Vec<Vec<&[u8]>> = vec![vec![b"LPUSH", key, human.as_bytes(), ai.as_bytes()]];
        commands.extend(seconds.iter().map(|seconds| vec![&b"EXPIRE"[..], key, seconds.as_bytes()]));
        let commands: Vec<&RedisCommand<'_>> = commands.iter().map(Vec::as_slice).collect();
        self.card_result(self.commands.run_all(&commands, host.cancel())).map(drop)
    }

    fn forget(&self, session: &str, host: &dyn Host) -> Result<()> {
        if self.session.is_some() {
            return Ok(());
        }
        self.card_result(self.commands.run(&[b"DEL", session.as_bytes()], host.cancel())).map(drop)
    }
}

/// The messages of a list that holds the newest first.
fn parse_entries(entries: &[RedisReply]) -> std::result::Result<Vec<HistoryMessage>, RedisError> {
    let bytes: Option<Vec<&[u8]>> = entries
        .iter()
        .rev()
        .map(|reply| if let RedisReply::Bytes(bytes) = reply { Some(bytes.as_slice()) } else { None })
        .collect();
    stored_messages::messages(bytes.ok_or(RedisError::Garbled)?).ok_or(RedisError::ForeignKey("conversation"))
}
