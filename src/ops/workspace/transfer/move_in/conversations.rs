//! What was said to flows, how it was rated, who left their name, and what runs did. What is here is known by its id; what belongs to a
//! flow that did not come in stays outside.

use super::report::{MoveReport, Outcome};
use super::{Homes, Move, messages as rows};
use crate::clock::iso;
use crate::domain::conversations::conversation::Message;
use crate::domain::conversations::feedback::{Feedback, Rating};
use crate::domain::conversations::lead::Lead;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, FeedbackId, FlowId, LeadId, MessageId};
use crate::flowise::{Row, Table};
use crate::ops::conversations::{feedback as ratings, leads as contacts};
use crate::ops::workspace::transfer::runs;
use crate::store::queries::messages::MessageBatch;
use crate::store::queries::timeline;
use crate::store::tables::FLOWS;
use jiff::Timestamp;
use serde::Deserialize as _;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Messages that are stored in one commit.
const MESSAGES_AT_ONCE: usize = 200;
/// Bytes of such messages, about.
const BYTES_AT_ONCE: usize = 1024 * 1024;
/// Records of runs that are read at once.
const RUNS_AT_ONCE: usize = 100;
const OUTSIDE: &str = "What is here already, and what belongs to flows that did not come in or is not written as Flowise writes it, stays \
                       outside.";

/// Records of runs.
///
/// # Errors
/// When a database cannot be read or written.
pub(super) fn executions(moving: &Move<'_>, homes: &Homes, report: &mut MoveReport) -> Result<()> {
    let (mut some, mut seen, mut stored) = (Vec::new(), 0, 0);
    let take = |some: &mut Vec<Value>| -> Result<usize> {
        let stored = runs::take_in(moving.app, moving.caller, some, &homes.flows, moving.is_real)?;
        some.clear();
        Ok(stored)
    };
    moving.folder.rows(Table::Execution, |mut row| {
        moving.go_on()?;
        seen += 1;
        some.push(execution(&mut row));
        if some.len() == RUNS_AT_ONCE {
            stored += take(&mut some)?;
        }
        Ok::<_, Error>(())
    })?;
    stored += take(&mut some)?;
    report.extend(runs::tell(stored, seen - stored));
    Ok(())
}

/// A record as a file has it.
fn execution(row: &mut Row) -> Value {
    let date = |column: &str| row.date(column).map(iso);
    let mut record = json!({
        "id": row.text("id"), "state": row.text("state"), "agentflowId": row.text("agentflowId"),
        "sessionId": row.text("sessionId"), "createdDate": date("createdDate"),
        "updatedDate": date("updatedDate"), "stoppedDate": date("stoppedDate"),
    });
    record["executionData"] = row.take_text("executionData").into();
    record
}

/// Messages on their way in, and what is known of the conversations that they are of.
struct Arrivals<'a> {
    moving: &'a Move<'a>,
    batch: Vec<Message>,
    bytes: usize,
    /// Of each conversation that was looked at, the messages that it has by now.
    known: HashMap<(FlowId, ChatId), HashSet<MessageId>>,
    taken: usize,
}

/// Messages, in the order in which they were said.
///
/// # Errors
/// When a database cannot be read or written.
pub(super) fn messages(moving: &Move<'_>, homes: &Homes, report: &mut MoveReport) -> Result<()> {
    let now = moving.app.clock.now();
    let mut arrivals = Arrivals { moving, batch: Vec::new(), bytes: 0, known: HashMap::new(), taken: 0 };
    let mut seen = 0;
    moving.folder.rows(Table::Message, |row| {
        moving.go_on()?;
        seen += 1;
        let home = rows::flow_of(&row).and_then(|flow| homes.flows.get(&flow));
        match home.and_then(|home| rows::read(&row, *home, now)) {
            Some(message) => arrivals.take(&row, message),
            None => Ok(()),
        }
    })?;
    arrivals.store()?;
    report.count("ChatMessage", arrivals.taken, seen - arrivals.taken, OUTSIDE);
    Ok(())
}

impl Arrivals<'_> {
    fn take(&mut self, row: &Row, mut message: Message) -> Result<()> {
        if !self.note(&message)? {
            return Ok(());
        }
        self.taken += 1;
        if !self.moving.is_real {
            return Ok(());
        }
        rows::take_files(self.moving, row, &mut message)?;
        self.bytes += message.content.len();
        self.batch.push(message);
        if self.batch.len() == MESSAGES_AT_ONCE || self.bytes > BYTES_AT_ONCE { self.store() } else { Ok(()) }
    }

    /// Notes a message; false when it is here already.
    fn note(&mut self, message: &Message) -> Result<bool> {
        let key = (message.flow, message.chat);
        if !self.known.contains_key(&key) {
            let found = self.stored_ids(&message.flow, &message.chat)?;
            self.known.insert(key, found);
        }
        Ok(self.known.get_mut(&key).is_some_and(|known| known.insert(message.id)))
    }

    fn stored_ids(&self, flow: &FlowId, chat: &ChatId) -> Result<HashSet<MessageId>> {
        let workspace = &self.moving.caller.workspace;
        self.moving.app.store.read_messages(|tx| {
            let mut found = HashSet::new();
            for place in timeline::of_chat(tx, workspace, flow, chat)? {
                found.extend(timeline::message_at(tx, workspace, flow, &place)?.map(|message| message.id));
            }
            Ok(found)
        })
    }

    fn store(&mut self) -> Result<()> {
        self.bytes = 0;
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = MessageBatch::new(&self.moving.caller.workspace, &self.batch)?;
        self.batch.clear();
        self.moving.app.store.append(batch)
    }
}

/// A flow of the folder as it is here; `None` where it is not, as before a move.
fn flow_here(moving: &Move<'_>, home: &FlowId) -> Result<Option<Flow>> {
    moving.app.store.read(|tx| FLOWS.get(tx, &moving.caller.workspace, home))
}

/// How answers were rated.
///
/// # Errors
/// When a database cannot be read or written.
pub(super) fn feedback(moving: &Move<'_>, homes: &Homes, report: &mut MoveReport) -> Result<()> {
    take_each(moving, homes, report, (Table::Feedback, "ChatMessageFeedback"), |flow, row, now| {
        let id = row.id_or_derived("messageId");
        let given = Feedback {
            id: FeedbackId::from_bytes(*row.id_or_derived("id").as_bytes()),
            message: MessageId::from_bytes(*id.as_bytes()),
            rating: Rating::deserialize(&Value::from(row.text("rating").unwrap_or_default()))
                .map_err(|_| Error::invalid("It is no rating."))?,
            content: row.text("content").unwrap_or_default().to_owned(),
            created: row.date("createdDate").unwrap_or(now).min(now),
        };
        let (_, chat) = rows::ids(row);
        if moving.is_real {
            return ratings::adopt(moving.app, flow, chat, &given);
        }
        // Of a message that would only come in there is nothing here yet.
        match ratings::is_unrated(moving.app, flow, chat, &given) {
            Err(Error::NotFound(_)) => Ok(true),
            known => known,
        }
    })
}

/// Who left their name.
///
/// # Errors
/// When a database cannot be read or written.
pub(super) fn leads(moving: &Move<'_>, homes: &Homes, report: &mut MoveReport) -> Result<()> {
    take_each(moving, homes, report, (Table::Lead, "Lead"), |flow, row, now| {
        let created = row.date("createdDate").unwrap_or(now).min(now);
        let text = |column: &str| row.filled(column).map(str::to_owned);
        let (_, chat) = rows::ids(row);
        let lead = Lead {
            id: LeadId::of_foreign(created.as_millisecond(), row.id_or_derived("id")),
            chat,
            name: text("name"),
            email: text("email"),
            phone: text("phone"),
            created,
        };
        if moving.is_real {
            contacts::adopt(moving.app, flow, &lead)
        } else {
            contacts::is_known(moving.app, flow, &lead.id).map(|known| !known)
        }
    })
}

/// Takes the rows of a table for which `take` says so; before a move, those of flows that would come in count as new.
fn take_each(
    moving: &Move<'_>,
    homes: &Homes,
    report: &mut MoveReport,
    (table, kind): (Table, &'static str),
    take: impl Fn(&Flow, &Row, Timestamp) -> Result<bool>,
) -> Result<()> {
    let now = moving.app.clock.now();
    let (mut seen, mut taken) = (0, 0);
    moving.folder.rows(table, |row| {
        moving.go_on()?;
        seen += 1;
        let Some(home) = rows::flow_of(&row).and_then(|flow| homes.flows.get(&flow)) else { return Ok(()) };
        let is_new = match flow_here(moving, home)? {
            Some(flow) => {
                let done = take(&flow, &row, now);
                let done = done.map(|is_new| if is_new { Outcome::MADE } else { Outcome::Here });
                matches!(Outcome::judge(done)?, Outcome::Made { .. })
            }
            None => !moving.is_real,
        };
        taken += usize::from(is_new);
        Ok::<_, Error>(())
    })?;
    report.count(kind, taken, seen - taken, OUTSIDE);
    Ok(())
}
