//! The rows of the index of answers, and the counts that follow them.
//!
//! A log is made again over a database that may have some of it already, so a count is never taken from the log: it follows the
//! rows that come, change and go, each as often as it really does, as the lists of runs do.

use crate::domain::conversations::feedback::Rating;
use crate::domain::conversations::receipt::Receipt;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId};
use crate::store::keys::{self, KeyRange};
use crate::store::queries::counts::{Damages, write_counts};
use crate::store::queries::timeline::MessagePosition;
use crate::store::tables::{MESSAGES, VERSION_ANSWERS, VERSION_COUNTS, VERSION_FAILURES};
use crate::store::transaction::{Order, Tx as _, WriteTx};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use uuid::Uuid;

/// Widths of the buckets of answers by when they were stored, and by how long they took, as powers of two; each is divided into
/// 1,024 of the next.
pub(super) const ORDER_SHIFTS: [u32; 2] = [20, 10];
pub(super) const MS_SHIFTS: [u32; 3] = [20, 10, 0];
/// Bits by which the buckets of one kind are narrower than those before.
pub(super) const DIVISION: u32 = 10;

/// A count of a version, with the place of its width where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bucket {
    Order(usize),
    Ms(usize),
    Failed,
    Rated(Rating),
}

impl Bucket {
    /// A byte for each, which never changes.
    pub(super) const fn byte(self) -> u8 {
        match self {
            Self::Order(0) => 0,
            Self::Order(_) => 1,
            Self::Ms(0) => 2,
            Self::Ms(1) => 3,
            Self::Ms(_) => 4,
            Self::Failed => 5,
            Self::Rated(Rating::Up) => 6,
            Self::Rated(Rating::Down) => 7,
        }
    }
}

type CountKey = [u8; 41];

/// The key of an answer in the list of its version.
pub(super) fn row_key(list: &[u8; 32], sequence: u64) -> [u8; 40] {
    let mut key = [0; 40];
    key[..32].copy_from_slice(list);
    key[32..].copy_from_slice(&sequence.to_be_bytes());
    key
}

/// What the index keeps of an answer: conversation, time, rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnswerRow {
    pub(super) chat: ChatId,
    pub(super) ms: u32,
    pub(super) rating: Option<Rating>,
}

impl AnswerRow {
    pub(super) fn bytes(self) -> [u8; 21] {
        let mut bytes = [0; 21];
        bytes[..16].copy_from_slice(self.chat.bytes());
        bytes[16..20].copy_from_slice(&self.ms.to_be_bytes());
        bytes[20] = match self.rating {
            None => 0,
            Some(Rating::Up) => 1,
            Some(Rating::Down) => 2,
        };
        bytes
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (chat, rest) = bytes.split_first_chunk()?;
        let (ms, rest) = rest.split_first_chunk()?;
        let rating = match rest {
            [0] => None,
            [1] => Some(Rating::Up),
            [2] => Some(Rating::Down),
            _ => return None,
        };
        Some(Self { chat: ChatId::from_bytes(*chat), ms: u32::from_be_bytes(*ms), rating })
    }
}

/// A receipt in the form in which it goes along with the messages of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum StoredReceipt {
    /// Of the answer right before it.
    Answered { change: Uuid, ms: u32 },
    /// Of a run that has no answer.
    Failed { change: Uuid },
}

const ANSWERED: u8 = 1;
const FAILED: u8 = 2;

impl StoredReceipt {
    pub(in crate::store) const fn of(receipt: &Receipt) -> Self {
        Self::Answered { change: receipt.change, ms: receipt.ms }
    }

    pub(in crate::store) fn bytes(self) -> [u8; 21] {
        let (kind, change, ms) = match self {
            Self::Answered { change, ms } => (ANSWERED, change, ms),
            Self::Failed { change } => (FAILED, change, 0),
        };
        let mut bytes = [kind; 21];
        bytes[1..17].copy_from_slice(change.as_bytes());
        bytes[17..].copy_from_slice(&ms.to_be_bytes());
        bytes
    }

    pub(in crate::store) fn parse(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let (change, ms) = rest.split_first_chunk()?;
        let (change, ms) = (Uuid::from_bytes(*change), u32::from_be_bytes(ms.try_into().ok()?));
        match *kind {
            ANSWERED => Some(Self::Answered { change, ms }),
            FAILED => Some(Self::Failed { change }),
            _ => None,
        }
    }
}

/// See the head of this file.
#[derive(Default)]
pub(in crate::store) struct AnswerWriter {
    /// What becomes of counts, which are written at the end.
    counts: BTreeMap<CountKey, i64>,
    new_answers: Vec<([u8; 40], [u8; 21])>,
    new_failures: Vec<([u8; 40], [u8; 16])>,
    /// Rows may be there already.
    is_replay: bool,
}

impl AnswerWriter {
    /// For the changes of a log.
    pub(in crate::store) fn for_replay() -> Self {
        Self { is_replay: true, ..Self::default() }
    }

    /// Notes the receipt that was stored under this number; [`Self::store`] writes it.
    pub(in crate::store) fn add(
        &mut self,
        flow: &FlowId,
        chat: &ChatId,
        sequence: u64,
        receipt: StoredReceipt,
    ) {
        match receipt {
            StoredReceipt::Answered { change, ms } => {
                let row = AnswerRow { chat: *chat, ms, rating: None };
                let key = keys::version_answer(flow, &change, sequence.saturating_sub(1));
                self.new_answers.push((key, row.bytes()));
            }
            StoredReceipt::Failed { change } => {
                self.new_failures.push((keys::message(flow, chat, sequence), *change.as_bytes()));
            }
        }
    }

    /// Writes what was noted.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn store(&mut self, tx: &WriteTx) -> Result<()> {
        let (mut answers, mut failures) =
            (std::mem::take(&mut self.new_answers), std::mem::take(&mut self.new_failures));
        // Neighbours on a page are stored one after the other.
        answers.sort_unstable();
        failures.sort_unstable();
        if self.is_replay {
            answers.iter().try_for_each(|(key, row)| self.put(tx, key, row))?;
            return failures.iter().try_for_each(|(key, change)| self.put_failure(tx, key, change));
        }
        answers.iter().for_each(|(key, row)| self.count_answer(key, row, 1));
        failures.iter().for_each(|(key, change)| self.count_failure(key, change, 1));
        if !answers.is_empty() {
            tx.put_all(VERSION_ANSWERS, answers)?;
        }
        if !failures.is_empty() {
            tx.put_all(VERSION_FAILURES, failures)?;
        }
        Ok(())
    }

    /// Puts the row of an answer, in place of what may be there.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn put(&mut self, tx: &WriteTx, key: &[u8], row: &[u8]) -> Result<()> {
        if let Some(before) = read_row(tx, key)? {
            self.count_answer(key, &before.bytes(), -1);
        }
        self.count_answer(key, row, 1);
        tx.put(VERSION_ANSWERS, key, row)
    }

    /// Removes the row of an answer, which may be gone.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn remove(&mut self, tx: &WriteTx, key: &[u8]) -> Result<()> {
        if let Some(before) = read_row(tx, key)? {
            self.count_answer(key, &before.bytes(), -1);
        }
        tx.remove(VERSION_ANSWERS, key).map(drop)
    }

    /// Puts the row of a run that failed, which may be there.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn put_failure(&mut self, tx: &WriteTx, key: &[u8], change: &[u8]) -> Result<()> {
        if !tx.has(VERSION_FAILURES, key)? {
            self.count_failure(key, change, 1);
        }
        tx.put(VERSION_FAILURES, key, change)
    }

    /// Removes the row of a run that failed, which may be gone.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn remove_failure(&mut self, tx: &WriteTx, key: &[u8]) -> Result<()> {
        let change = pass_damage(tx.get_with(VERSION_FAILURES, key, |change| Ok(change.to_vec())))?;
        if let Some(change) = change {
            self.count_failure(key, &change, -1);
        }
        tx.remove(VERSION_FAILURES, key).map(drop)
    }

    /// Forgets what was counted in a range of which all counts are removed.
    pub(in crate::store) fn forget(&mut self, range: &KeyRange) {
        self.counts.retain(|key, _| !range.contains(key));
    }

    /// Writes the counts. One that is damaged stays as it is: the answers are there, and whoever looks at them is told.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(in crate::store) fn finish(self, tx: &WriteTx) -> Result<()> {
        write_counts(tx, VERSION_COUNTS, self.counts, Damages::PassOver)
    }

    /// A key or a row of another shape is counted nowhere.
    fn count_answer(&mut self, key: &[u8], row: &[u8], change: i64) {
        let (Some(list), Some(sequence), Some(row)) =
            (key.first_chunk(), keys::sequence(key), AnswerRow::parse(row))
        else {
            return;
        };
        for (level, shift) in ORDER_SHIFTS.into_iter().enumerate() {
            self.count(list, Bucket::Order(level), sequence >> shift, change);
        }
        for (level, shift) in MS_SHIFTS.into_iter().enumerate() {
            self.count(list, Bucket::Ms(level), u64::from(row.ms) >> shift, change);
        }
        if let Some(rating) = row.rating {
            self.count(list, Bucket::Rated(rating), 0, change);
        }
    }

    fn count_failure(&mut self, key: &[u8], failed: &[u8], change: i64) {
        let (Some((flow, ..)), Ok(failed)) = (keys::parse_message(key), Uuid::from_slice(failed)) else {
            return;
        };
        self.count(&keys::version(&flow, &failed), Bucket::Failed, 0, change);
    }

    fn count(&mut self, list: &[u8; 32], of: Bucket, bucket: u64, change: i64) {
        *self.counts.entry(keys::version_count(list, of.byte(), bucket)).or_default() += change;
    }
}

/// A row that is damaged is as good as none: nobody knows what was counted of it.
fn read_row(tx: &WriteTx, key: &[u8]) -> Result<Option<AnswerRow>> {
    let read = tx.get_with(VERSION_ANSWERS, key, |row| Ok(AnswerRow::parse(row)));
    pass_damage(read).map(Option::flatten)
}

fn pass_damage<T>(read: Result<Option<T>>) -> Result<Option<T>> {
    match read {
        Err(Error::Damaged(_)) => Ok(None),
        read => read,
    }
}

/// Of a stored message what the index asks for.
#[derive(Deserialize)]
struct ReceiptOfMessage {
    #[serde(default)]
    receipt: Option<Receipt>,
}

/// The row of the answer that stands at this place; none for a question, an answer of a draft, and one of the test chat.
pub(super) fn find_row(
    tx: &WriteTx,
    flow: &FlowId,
    place: &MessagePosition,
) -> Result<Option<([u8; 40], AnswerRow)>> {
    let message = tx.get_with(MESSAGES, &keys::message(flow, &place.chat, place.sequence), |message| {
        Ok(serde_json::from_slice::<ReceiptOfMessage>(message).ok())
    });
    let change = match message {
        Ok(Some(Some(message))) => message.receipt.map(|receipt| receipt.change),
        Ok(None) => None,
        // It goes away like any other, and what the index has of it must not stay.
        Ok(Some(None)) | Err(Error::Damaged(_)) => find_change(tx, flow, place.sequence)?,
        Err(error) => return Err(error),
    };
    let Some(change) = change else { return Ok(None) };
    let key = keys::version_answer(flow, &change, place.sequence);
    Ok(read_row(tx, &key)?.map(|row| (key, row)))
}

/// The change in whose list a number stands, looked for in the lists of all changes of the flow.
fn find_change(tx: &WriteTx, flow: &FlowId, sequence: u64) -> Result<Option<Uuid>> {
    let whole = KeyRange::prefix(flow.bytes());
    let mut from = flow.bytes().to_vec();
    loop {
        let mut next = None;
        tx.scan_keys(VERSION_ANSWERS, &KeyRange::new(&from, whole.end()), Order::Ascending, |key| {
            next = key.get(16..32).and_then(|change| Uuid::from_slice(change).ok());
            Ok(ControlFlow::Break(()))
        })?;
        let Some(change) = next else { return Ok(None) };
        if tx.has(VERSION_ANSWERS, &keys::version_answer(flow, &change, sequence))? {
            return Ok(Some(change));
        }
        from = keys::version_answer(flow, &change, u64::MAX).to_vec();
        from.push(0);
    }
}
