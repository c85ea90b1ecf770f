//! What calls of webhooks leave behind: signatures that were used, and first answers.

use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::domain::triggers::webhook_answer::{KeptAnswer, is_outdated};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{
    WEBHOOK_ANSWER_ORDER, WEBHOOK_ANSWER_TOTALS, WEBHOOK_ANSWERS, WEBHOOK_SIGNATURES,
};
use crate::store::transaction::{Order, Tx, WriteTx};
use jiff::Timestamp;
use std::ops::ControlFlow;

/// Notes that a signature was used; false when it was before.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn use_signature(tx: &WriteTx, flow: &FlowId, digest: &[u8; 32], until: Timestamp) -> Result<bool> {
    let key = keys::webhook_hash(flow, digest);
    if tx.has(WEBHOOK_SIGNATURES, &key)? {
        return Ok(false);
    }
    tx.put(WEBHOOK_SIGNATURES, &key, &until.as_second().to_be_bytes())?;
    Ok(true)
}

/// The keys of signatures that are refused for their time.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn old_signatures(tx: &impl Tx, now: Timestamp) -> Result<Vec<Vec<u8>>> {
    let mut outdated = Vec::new();
    tx.scan(WEBHOOK_SIGNATURES, &KeyRange::all(), Order::Ascending, |key, value| {
        let until = value.try_into().map_or(0, i64::from_be_bytes);
        if until < now.as_second() {
            outdated.push(key.to_vec());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(outdated)
}

/// Forgets these signatures. None of them is used anew meanwhile: its time is over.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_signatures(tx: &WriteTx, keys: &[Vec<u8>]) -> Result<()> {
    keys.iter().try_for_each(|key| tx.remove(WEBHOOK_SIGNATURES, key).map(drop))
}

/// The first answer to a call with this key.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn answer(tx: &impl Tx, flow: &FlowId, hash: &[u8; 32]) -> Result<Option<KeptAnswer>> {
    tx.get_with(WEBHOOK_ANSWERS, &keys::webhook_hash(flow, hash), |value| {
        serde_json::from_slice(value).map_err(|_| Error::internal("a kept answer cannot be read"))
    })
}

/// Keeps the answer to a call with this key in the place of an older one, and removes what is too old or too much.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn keep_answer(tx: &WriteTx, flow: &FlowId, hash: &[u8; 32], answer: &KeptAnswer) -> Result<()> {
    if let Some(before) = self::answer(tx, flow, hash)? {
        remove_answer(tx, flow, milliseconds(before.date), hash)?;
    }
    let row = serde_json::to_vec(answer).map_err(Error::internal)?;
    let bytes = row.len() as u64;
    tx.put(WEBHOOK_ANSWERS, &keys::webhook_hash(flow, hash), &row)?;
    let place = keys::webhook_answer(flow, milliseconds(answer.date), hash);
    tx.put(WEBHOOK_ANSWER_ORDER, &place, &bytes.to_be_bytes())?;
    let mut totals = WEBHOOK_ANSWER_TOTALS.get(tx, flow)?.unwrap_or_default();
    totals.answers += 1;
    totals.bytes += bytes;
    WEBHOOK_ANSWER_TOTALS.put(tx, flow, &totals)?;
    remove_old_answers(tx, flow, answer.date)
}

/// Removes the answers of a flow that are too old or too much.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub fn remove_old_answers(tx: &WriteTx, flow: &FlowId, now: Timestamp) -> Result<()> {
    while let Some((date, hash)) = next_to_go(tx, flow, now)? {
        remove_answer(tx, flow, date, &hash)?;
    }
    // A count of nothing, as older versions left it.
    if oldest(tx, flow)?.is_none() {
        WEBHOOK_ANSWER_TOTALS.remove(tx, flow)?;
    }
    Ok(())
}

/// The oldest answer of a flow, where it is too old, or where there are too many.
fn next_to_go(tx: &impl Tx, flow: &FlowId, now: Timestamp) -> Result<Option<(u64, [u8; 32])>> {
    let Some((date, hash)) = oldest(tx, flow)? else { return Ok(None) };
    let made = i64::try_from(date).ok().and_then(|date| Timestamp::from_millisecond(date).ok());
    let is_due = made.is_none_or(|made| is_outdated(made, now))
        || WEBHOOK_ANSWER_TOTALS.get(tx, flow)?.unwrap_or_default().is_over();
    Ok(is_due.then_some((date, hash)))
}

/// The flows that have answers to be removed, or a count of none. Of each only its oldest answer is looked at.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn flows_with_old_answers(tx: &impl Tx, now: Timestamp) -> Result<Vec<FlowId>> {
    let mut due = Vec::new();
    for key in WEBHOOK_ANSWER_TOTALS.keys(tx)? {
        let flow = key.try_into().map_err(|_| Error::internal("the key of a count has another length"))?;
        let flow = FlowId::from_bytes(flow);
        if next_to_go(tx, &flow, now)?.is_some() || oldest(tx, &flow)?.is_none() {
            due.push(flow);
        }
    }
    Ok(due)
}

/// Removes all of a flow that goes away.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_flow(tx: &WriteTx, flow: &FlowId) -> Result<()> {
    let range = KeyRange::prefix(flow.bytes());
    for table in [WEBHOOK_SIGNATURES, WEBHOOK_ANSWERS, WEBHOOK_ANSWER_ORDER] {
        tx.remove_range(table, &range)?;
    }
    WEBHOOK_ANSWER_TOTALS.remove(tx, flow).map(drop)
}

fn oldest(tx: &impl Tx, flow: &FlowId) -> Result<Option<(u64, [u8; 32])>> {
    let mut first = None;
    tx.scan_keys(WEBHOOK_ANSWER_ORDER, &KeyRange::prefix(flow.bytes()), Order::Ascending, |key| {
        first = keys::parse_webhook_answer(key);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(first)
}

fn remove_answer(tx: &WriteTx, flow: &FlowId, date: u64, hash: &[u8; 32]) -> Result<()> {
    let place = keys::webhook_answer(flow, date, hash);
    let bytes = tx
        .get_with(WEBHOOK_ANSWER_ORDER, &place, |value| Ok(value.try_into().map_or(0, u64::from_be_bytes)))?;
    tx.remove(WEBHOOK_ANSWER_ORDER, &place)?;
    tx.remove(WEBHOOK_ANSWERS, &keys::webhook_hash(flow, hash))?;
    let mut totals = WEBHOOK_ANSWER_TOTALS.get(tx, flow)?.unwrap_or_default();
    totals.answers = totals.answers.saturating_sub(1);
    totals.bytes = totals.bytes.saturating_sub(bytes.unwrap_or(0));
    match totals.answers {
        0 => WEBHOOK_ANSWER_TOTALS.remove(tx, flow).map(drop),
        _ => WEBHOOK_ANSWER_TOTALS.put(tx, flow, &totals),
    }
}

fn milliseconds(date: Timestamp) -> u64 {
    u64::try_from(date.as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::workspace::credential::Ciphertext;
    use crate::store::Store;

    fn opened() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("flowkeep.redb")).unwrap();
        (folder, store)
    }

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + hour * 3600).unwrap()
    }

    fn kept(hour: i64, bytes: usize) -> KeptAnswer {
        KeptAnswer { date: at(hour), body: [0; 32], sealed: Ciphertext(vec![7; bytes]) }
    }

    #[test]
    fn answers_go_after_a_day_and_those_of_other_flows_stay() {
        let (_folder, store) = opened();
        let (flow, other) = (FlowId::random(), FlowId::random());
        store
            .write(|tx| {
                keep_answer(tx, &other, &[1; 32], &kept(0, 9))?;
                keep_answer(tx, &flow, &[1; 32], &kept(0, 9))?;
                keep_answer(tx, &flow, &[2; 32], &kept(23, 9))?;
                assert!(answer(tx, &flow, &[1; 32])?.is_some());
                keep_answer(tx, &flow, &[3; 32], &kept(24, 9))?;
                assert!(answer(tx, &flow, &[1; 32])?.is_none());
                assert!(answer(tx, &flow, &[2; 32])?.is_some());
                assert!(answer(tx, &other, &[1; 32])?.is_some());
                assert_eq!(WEBHOOK_ANSWER_TOTALS.get(tx, &flow)?.unwrap().answers, 2);
                assert_eq!(WEBHOOK_ANSWER_TOTALS.keys(tx)?.len(), 2);
                remove_old_answers(tx, &other, at(30))?;
                remove_flow(tx, &flow)?;
                assert!(WEBHOOK_ANSWER_TOTALS.keys(tx)?.is_empty());
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn an_answer_in_the_place_of_another_is_counted_once() {
        let (_folder, store) = opened();
        let flow = FlowId::random();
        store
            .write(|tx| {
                keep_answer(tx, &flow, &[1; 32], &kept(0, 9))?;
                keep_answer(tx, &flow, &[1; 32], &kept(1, 9))?;
                let totals = WEBHOOK_ANSWER_TOTALS.get(tx, &flow)?.unwrap();
                assert_eq!(totals.answers, 1);
                remove_old_answers(tx, &flow, at(30))?;
                assert_eq!(WEBHOOK_ANSWER_TOTALS.get(tx, &flow)?, None);
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn only_flows_with_something_to_remove_are_swept() {
        let (_folder, store) = opened();
        let (old, young, empty) = (FlowId::random(), FlowId::random(), FlowId::random());
        store
            .write(|tx| {
                keep_answer(tx, &old, &[1; 32], &kept(0, 9))?;
                keep_answer(tx, &young, &[1; 32], &kept(23, 9))?;
                WEBHOOK_ANSWER_TOTALS.put(tx, &empty, &Default::default())?;
                let mut swept = flows_with_old_answers(tx, at(24))?;
                swept.sort_unstable();
                let mut expected = [old, empty];
                expected.sort_unstable();
                assert_eq!(swept, expected);
                swept.iter().try_for_each(|flow| remove_old_answers(tx, flow, at(24)))?;
                assert!(flows_with_old_answers(tx, at(24))?.is_empty());
                assert_eq!(WEBHOOK_ANSWER_TOTALS.keys(tx)?, [young.bytes().to_vec()]);
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn a_signature_is_used_once_and_forgotten_when_its_time_is_over() {
        let (_folder, store) = opened();
        let flow = FlowId::random();
        store
            .write(|tx| {
                assert!(use_signature(tx, &flow, &[1; 32], at(1))?);
                assert!(!use_signature(tx, &flow, &[1; 32], at(1))?);
                assert!(use_signature(tx, &FlowId::random(), &[1; 32], at(1))?);
                assert!(old_signatures(tx, at(1))?.is_empty());
                assert!(!use_signature(tx, &flow, &[1; 32], at(1))?);
                remove_signatures(tx, &old_signatures(tx, at(2))?)?;
                assert!(use_signature(tx, &flow, &[1; 32], at(3))?);
                Ok(())
            })
            .unwrap();
    }
}
