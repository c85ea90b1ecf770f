//! From format 3 to 4: sign-ins move out of the list of what was done into a ring of their own, under the numbers they had.

use crate::domain::error::{Error, Result};
use crate::store::keys::KeyRange;
use crate::store::tables::{AUDIT, AUDIT_SIGN_INS};
use crate::store::transaction::{Order, Tx as _, WriteTx};
use serde::Deserialize;
use std::ops::ControlFlow;

/// The actions that move, as format 3 named them.
const MOVED: [&str; 6] =
    ["sign-in", "sign-in-refused", "sign-out", "session-ended", "sessions-ended", "password-reset-requested"];

#[derive(Deserialize)]
struct ActionName {
    action: String,
}

pub(in crate::store) fn run(tx: &WriteTx) -> Result<()> {
    let mut moved = Vec::new();
    tx.scan(AUDIT, &KeyRange::all(), Order::Ascending, |key, value| {
        let entry: ActionName = serde_json::from_slice(value).map_err(Error::internal)?;
        if MOVED.contains(&entry.action.as_str()) {
            moved.push((key.to_vec(), value.to_vec()));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    for (key, _) in &moved {
        tx.remove(AUDIT, key)?;
    }
    tx.put_all(AUDIT_SIGN_INS, moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditRing};
    use crate::store::Store;
    use crate::store::migrations::v7_checksums::tests::downgrade;
    use crate::store::queries::audit;
    use jiff::Timestamp;

    #[test]
    fn sign_ins_of_the_older_format_are_in_their_own_ring_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.redb");
        let entry = |action| AuditEntry::by_nobody(None, action, Timestamp::from_second(9).unwrap());
        let old = [
            AuditAction::OwnerRegistered,
            AuditAction::SignInRefused,
            AuditAction::FlowDeleted,
            AuditAction::SignIn,
        ];
        let store = Store::open(&path).unwrap();
        let write = |tx: &WriteTx| {
            let row = |(place, action): (usize, &AuditAction)| {
                ((place as u64 + 1).to_be_bytes(), serde_json::to_vec(&entry(*action)).unwrap())
            };
            tx.put_all(AUDIT, old.iter().enumerate().map(row))
        };
        store.write(write).unwrap();
        drop(store);
        downgrade(&path, 3);
        for _ in 0..2 {
            let store = Store::open(&path).unwrap();
            let listed = |rings: &[AuditRing]| {
                let mut found = Vec::new();
                let note = |number, entry: AuditEntry| {
                    found.push((number, entry.action));
                    Ok(())
                };
                store.read(|tx| audit::walk(tx, rings, note)).unwrap();
                found
            };
            assert_eq!(listed(&[AuditRing::Actions]), [(3, old[2]), (1, old[0])]);
            assert_eq!(listed(&[AuditRing::SignIns]), [(4, old[3]), (2, old[1])]);
            assert_eq!(listed(&AuditRing::ALL), [(4, old[3]), (3, old[2]), (2, old[1]), (1, old[0])]);
        }
    }
}
