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
pub(crate) fn use_signature(
    tx: &WriteTx,
    flow: &FlowId,
    digest: &[u8; 32],
    until: Timestamp,
) -> Result<bool> {
    let key = keys::webhook_hash(flow, digest);
    if tx.has(WEBHOOK_SIGNATURES, &key)? {
        return Ok(false);
    }
    tx.put(WEBHOOK_SIGNATURES, &key, &until.as_second().to_be_bytes())?;
    Ok(true)
}

/// Forgets signatures that are refused for their time.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read or written.
pub(crate) fn remove_old_signatures(tx: &WriteTx, now: Timestamp) -> Result<()> {
    let mut outdated = Vec::new();
    tx.scan(WEBHOOK_SIGNATURES, &KeyRange::all(), Order::Ascending, |key, value| {
        let until = value.try_into().map_or(0, i64::from_be_bytes);
        if until < now.as_second() {
            outdated.push(key.to_vec());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    outdated.iter().try_for_each(|key| tx.remove(WEBHOOK_SIGNATURES, key).map(drop))
}

/// The first answer to a call with this key.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn answer(tx: &impl Tx, flow: &FlowId, hash: &[u8; 32]) -> Result<Option<KeptAnswer>> {
    tx.get_with(WEBHOOK_ANSWERS, &keys::webhook_hash(flow, hash), |value| {
        serde_json::from_slice(value).map_err(|_| Error::internal("a kept answer cannot be read"))
    })
}

/// Keeps the answer to a call with this key in the place of an older one, and removes what is too old or too much.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn keep_answer(tx: &WriteTx, flow: &FlowId, hash: &[u8; 32], answer: &KeptAnswer) -> Result<()> {
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
pub(crate) fn remove_old_answers(tx: &WriteTx, flow: &FlowId, now: Timestamp) -> Result<()> {
    while let Some((date, hash)) = oldest(tx, flow)? {
        let totals = WEBHOOK_ANSWER_TOTALS.get(tx, flow)?.unwrap_or_default();
        let is_old = i64::try_from(date)
            .ok()
            .and_then(|date| Timestamp::from_millisecond(date).ok())
            .is_none_or(|date| is_outdated(date, now));
        if !is_old && !totals.is_over() {
            break;
        }
        remove_answer(tx, flow, date, &hash)?;
    }
    Ok(())
}

/// The flows of whose webhooks answers are kept.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn flows_with_answers(tx: &impl Tx) -> Result<Vec<FlowId>> {
    let mut flows: Vec<FlowId> = Vec::new();
    tx.scan_keys(WEBHOOK_ANSWER_ORDER, &KeyRange::all(), Order::Ascending, |key| {
        let flow = key.get(..16).and_then(|id| id.try_into().ok()).map(FlowId::from_bytes);
        flows.extend(flow.filter(|flow| flows.last() != Some(flow)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(flows)
}

/// Removes all of a flow that goes away.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn remove_flow(tx: &WriteTx, flow: &FlowId) -> Result<()> {
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
    WEBHOOK_ANSWER_TOTALS.put(tx, flow, &totals)
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
                assert_eq!(flows_with_answers(tx)?.len(), 2);
                remove_old_answers(tx, &other, at(30))?;
                remove_flow(tx, &flow)?;
                assert!(flows_with_answers(tx)?.is_empty());
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
                assert_eq!(WEBHOOK_ANSWER_TOTALS.get(tx, &flow)?.unwrap(), Default::default());
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
                remove_old_signatures(tx, at(1))?;
                assert!(!use_signature(tx, &flow, &[1; 32], at(1))?);
                remove_old_signatures(tx, at(2))?;
                assert!(use_signature(tx, &flow, &[1; 32], at(3))?);
                Ok(())
            })
            .unwrap();
    }
}
