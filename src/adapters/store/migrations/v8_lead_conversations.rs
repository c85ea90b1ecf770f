//! From format 7 to 8: leads are found by their conversation.

use crate::domain::conversations::lead::Lead;
use crate::domain::error::{Error, Result};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{LEAD_CONVERSATIONS, LEADS};
use crate::store::transaction::{Order, Tx as _, WriteTx};
use std::ops::ControlFlow;

pub(in crate::store) fn run(tx: &WriteTx) -> Result<()> {
    let (mut leads, mut rows) = (Vec::new(), Vec::new());
    tx.scan_keys(LEADS, &KeyRange::all(), Order::Ascending, |key| {
        leads.extend(keys::parse_lead(key));
        Ok(ControlFlow::Continue(()))
    })?;
    for (flow, id) in leads {
        let read = |value: &[u8]| Ok(serde_json::from_slice::<Lead>(value).ok());
        match tx.get_with(LEADS, &keys::lead(&flow, &id), read) {
            Ok(Some(Some(lead))) => rows.push((keys::lead_of_conversation(&flow, &lead.chat, &id), [])),
            // One that is damaged keeps nobody from starting, and is of no conversation.
            Ok(_) | Err(Error::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
    }
    rows.sort_unstable();
    tx.put_all(LEAD_CONVERSATIONS, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{ChatId, FlowId, LeadId, WorkspaceId};
    use crate::store::Store;
    use crate::store::migrations::v7_checksums::tests::downgrade;
    use crate::store::queries::leads;
    use crate::store::tables::FLOW_WORKSPACE;
    use jiff::Timestamp;

    #[test]
    fn leads_of_the_older_format_are_found_by_their_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.redb");
        let (flow, workspace, chat) = (FlowId::random(), WorkspaceId::random(), ChatId::random());
        let lead = |chat, name: &str| Lead {
            id: LeadId::next(),
            chat,
            name: Some(name.to_owned()),
            email: None,
            phone: None,
            created: Timestamp::UNIX_EPOCH,
        };
        let old = [lead(chat, "first"), lead(ChatId::random(), "other"), lead(chat, "second")];
        let store = Store::open(&path).unwrap();
        let write = |tx: &WriteTx| {
            FLOW_WORKSPACE.put(tx, &flow, &workspace)?;
            let row = |lead: &Lead| (keys::lead(&flow, &lead.id), serde_json::to_vec(lead).unwrap());
            tx.put_all(LEADS, old.iter().map(row))
        };
        store.write(write).unwrap();
        drop(store);
        downgrade(&path, 6);
        for _ in 0..2 {
            let store = Store::open(&path).unwrap();
            let found = |chat| store.read(|tx| leads::of_conversation(tx, &workspace, &flow, chat)).unwrap();
            let names: Vec<_> = found(&chat).into_iter().filter_map(Lead::into_shown_name).collect();
            assert_eq!(names, ["second", "first"]);
            assert_eq!(found(&ChatId::random()), []);
        }
    }
}
