//! How many conversations flows have: counted once, and from then on by what was added since. A list says it with every page, and
//! a flow may have very many.

use crate::domain::error::Result;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::store::queries::timeline;
use crate::store::{MessageReader, Order};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Conversations that are told apart to count them: about 8 MB at most. A flow with more is said to have this many.
pub(super) const COUNTED_MAX: usize = 200_000;
/// Flows whose count is kept; one more, and all are forgotten.
const FLOWS_MAX: usize = 10_000;

/// The counts that are known.
#[derive(Default)]
pub(crate) struct ConversationCounts(Mutex<KnownCounts>);

#[derive(Default)]
struct KnownCounts {
    flows: HashMap<FlowId, KnownCount>,
    /// Grows with each removal: what was counted around one is not kept.
    removals: u64,
}

#[derive(Clone, Copy)]
struct KnownCount {
    conversations: usize,
    /// The messages before this number are counted.
    below: u64,
}

/// What was known when a reading transaction was about to begin.
pub(super) struct CountsBefore {
    known: Option<KnownCount>,
    removals: u64,
}

impl ConversationCounts {
    /// Forgets the count of a flow, whose messages were just removed.
    pub(crate) fn forget(&self, flow: &FlowId) {
        let mut counts = self.lock();
        counts.removals += 1;
        counts.flows.remove(flow);
    }

    /// To be called before the transaction begins that [`Self::count`] reads in.
    pub(super) fn before(&self, flow: &FlowId) -> CountsBefore {
        let counts = self.lock();
        CountsBefore { known: counts.flows.get(flow).copied(), removals: counts.removals }
    }

    /// How many conversations the flow has, up to [`COUNTED_MAX`].
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn count(
        &self,
        tx: &impl MessageReader,
        workspace: &WorkspaceId,
        flow: &FlowId,
        before: &CountsBefore,
    ) -> Result<usize> {
        let count = match before.known {
            Some(known) => count_since(tx, workspace, flow, known)?,
            None => count_all(tx, workspace, flow)?,
        };
        let mut counts = self.lock();
        if counts.removals == before.removals {
            if counts.flows.len() >= FLOWS_MAX {
                counts.flows.clear();
            }
            counts.flows.insert(*flow, count);
        }
        Ok(count.conversations.min(COUNTED_MAX))
    }

    fn lock(&self) -> MutexGuard<'_, KnownCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count_all(tx: &impl MessageReader, workspace: &WorkspaceId, flow: &FlowId) -> Result<KnownCount> {
    let (mut seen, mut below) = (HashSet::new(), 0);
    timeline::scan_timeline(tx, workspace, flow, 0, Order::Ascending, |place| {
        seen.insert(place.chat);
        below = place.sequence + 1;
        Ok(if seen.len() < COUNTED_MAX { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(KnownCount { conversations: seen.len(), below })
}

/// A conversation is new where its first message is.
fn count_since(
    tx: &impl MessageReader,
    workspace: &WorkspaceId,
    flow: &FlowId,
    known: KnownCount,
) -> Result<KnownCount> {
    let KnownCount { mut conversations, mut below } = known;
    if conversations >= COUNTED_MAX {
        return Ok(known);
    }
    timeline::scan_timeline(tx, workspace, flow, below, Order::Ascending, |place| {
        if timeline::begin_of_chat(tx, workspace, flow, &place.chat)? == Some(place.sequence) {
            conversations += 1;
        }
        below = place.sequence + 1;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(KnownCount { conversations, below })
}
