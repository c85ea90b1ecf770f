//! Versions that are promised and not recorded yet.

use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::store::keys::KeyRange;
use crate::store::tables::INTENTS_TABLE;
use crate::store::transaction::{Order, Tx};
use serde::Deserialize;
use std::ops::ControlFlow;

/// The flow that a version is of. The snapshot of it, which may be megabytes, is passed over.
#[derive(Deserialize)]
struct PromisedVersion {
    content: PromisedContent,
}

#[derive(Deserialize)]
enum PromisedContent {
    Flow { id: FlowId },
    Deleted { id: FlowId },
}

/// True while a change of this flow is not recorded.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn has_unrecorded(tx: &impl Tx, flow: &FlowId) -> Result<bool> {
    let mut is_there = false;
    tx.scan(INTENTS_TABLE, &KeyRange::all(), Order::Ascending, |_, value| {
        let version: PromisedVersion = serde_json::from_slice(value)
            .map_err(|_| Error::internal("a promised version cannot be read"))?;
        let (PromisedContent::Flow { id } | PromisedContent::Deleted { id }) = version.content;
        is_there = id == *flow;
        Ok(if is_there { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::version::{Author, NewVersion, VersionContent, VersionKind};
    use crate::store::Store;
    use crate::store::tables::INTENTS;
    use jiff::Timestamp;
    use uuid::Uuid;

    #[test]
    fn a_flow_is_known_by_the_changes_of_it_that_are_not_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("flowkeep.redb")).unwrap();
        let (deleted, other) = (FlowId::random(), FlowId::random());
        let change = NewVersion {
            content: VersionContent::Deleted { id: deleted, name: "Orders".to_owned() },
            kind: VersionKind::Delete,
            author: Author { name: "Ada".to_owned(), id: None },
            date: Timestamp::UNIX_EPOCH,
            title: String::new(),
            details: Vec::new(),
            promoted_from: None,
            hidden_secrets: 0,
            intent: Uuid::from_u128(7),
        };
        store.write(|tx| INTENTS.put(tx, change.intent.as_bytes(), &change)).unwrap();
        let is_known = |flow| store.read(|tx| has_unrecorded(tx, flow)).unwrap();
        assert_eq!((is_known(&deleted), is_known(&other)), (true, false));
    }
}
