//! Replies of models that flows keep for later questions. Each flow has its own and loses them when its Live
//! changes or it is deleted; the memory all of them can take is fixed. No package for caches gives each owner a share of its
//! own and forgets whole owners first, so this is written here.

use crate::domain::flows::flow::CanvasDigest;
use crate::domain::ids::{FlowId, WorkspaceId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Model replies kept for one flow by a cache card; the one not used for longest goes first (manual 14.7).
const REPLIES_PER_FLOW_MAX: usize = 1_000;
/// Bytes of model replies kept for one flow (manual 14.7).
const REPLIES_PER_FLOW_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of model replies kept for all flows together; the flow not asked for longest goes first (manual 14.7).
const REPLIES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Room an entry takes beside its bytes, roughly.
const ENTRY_BYTES: usize = 128;
const FLOWS_MAX: usize = 1_000;

/// A hash of what a reply answers.
pub(crate) type ReplyHash = [u8; 32];

/// Whose replies, of which Live. The digest is part of it because a run that began before a change may end after
/// it: what it keeps then must not answer for the new Live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowScope {
    /// The workspace, because the id of a deleted flow may come back in another one.
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    pub live: CanvasDigest,
}

/// The replies of all flows.
#[derive(Default)]
pub struct ReplyCache(Mutex<ReplyEntries>);

#[derive(Default)]
struct ReplyEntries {
    flows: HashMap<(WorkspaceId, FlowId), FlowReplies>,
    bytes: usize,
    uses: u64,
}

#[derive(Default)]
struct FlowReplies {
    replies: HashMap<(CanvasDigest, ReplyHash), CachedReply>,
    bytes: usize,
    used: u64,
}

struct CachedReply {
    bytes: Arc<[u8]>,
    used: u64,
}

impl CachedReply {
    fn size(&self) -> usize {
        self.bytes.len() + ENTRY_BYTES
    }
}

impl FlowReplies {
    /// Makes room for one more reply of `size`; gives the bytes that became free.
    fn evict_for(&mut self, size: usize) -> usize {
        let before = self.bytes;
        while self.replies.len() >= REPLIES_PER_FLOW_MAX || self.bytes + size > REPLIES_PER_FLOW_BYTES {
            let oldest = self.replies.iter().min_by_key(|(_, reply)| reply.used).map(|(key, _)| *key);
            let Some(gone) = oldest.and_then(|key| self.replies.remove(&key)) else { break };
            self.bytes -= gone.size();
        }
        before - self.bytes
    }
}

impl ReplyCache {
    fn lock(&self) -> MutexGuard<'_, ReplyEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply kept under this key.
    #[must_use]
    pub fn find(&self, of: &FlowScope, key: &ReplyHash) -> Option<Arc<[u8]>> {
        let mut kept = self.lock();
        kept.uses += 1;
        let now = kept.uses;
        let flow = kept.flows.get_mut(&(of.workspace, of.flow))?;
        let reply = flow.replies.get_mut(&(of.live, *key))?;
        (flow.used, reply.used) = (now, now);
        Some(reply.bytes.clone())
    }

    /// Keeps a reply in place of an earlier one. One that would fill a quarter of its flow's room is not kept.
    pub fn insert(&self, of: &FlowScope, key: &ReplyHash, bytes: Vec<u8>) {
        let mut kept = self.lock();
        kept.uses += 1;
        let reply = CachedReply { bytes: bytes.into(), used: kept.uses };
        if reply.size() > REPLIES_PER_FLOW_BYTES / 4 {
            return;
        }
        kept.evict_for((of.workspace, of.flow), reply.size());
        let ReplyEntries { flows, bytes: total, uses } = &mut *kept;
        let flow = flows.entry((of.workspace, of.flow)).or_default();
        flow.used = *uses;
        if let Some(gone) = flow.replies.remove(&(of.live, *key)) {
            flow.bytes -= gone.size();
            *total -= gone.size();
        }
        *total -= flow.evict_for(reply.size());
        flow.bytes += reply.size();
        *total += reply.size();
        flow.replies.insert((of.live, *key), reply);
    }

    /// Memory that all replies take together, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Drops all replies of a flow: its Live changed, or it is gone.
    pub fn evict(&self, workspace: &WorkspaceId, flow: &FlowId) {
        self.lock().evict_flow((*workspace, *flow));
    }
}

impl ReplyEntries {
    /// Drops whole flows, the one not asked for longest first, until `size` more bytes fit for `own`.
    fn evict_for(&mut self, own: (WorkspaceId, FlowId), size: usize) {
        while self.bytes + size > REPLIES_BYTES_MAX
            || (self.flows.len() >= FLOWS_MAX && !self.flows.contains_key(&own))
        {
            let idle = self.flows.iter().min_by_key(|(_, flow)| flow.used).map(|(flow, _)| *flow);
            let Some(idle) = idle else { return };
            self.evict_flow(idle);
        }
    }

    fn evict_flow(&mut self, flow: (WorkspaceId, FlowId)) {
        if let Some(gone) = self.flows.remove(&flow) {
            self.bytes -= gone.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow::FlowKind;

    fn of_some_flow() -> FlowScope {
        FlowScope { workspace: WorkspaceId::random(), flow: FlowId::random(), live: live("now") }
    }

    fn live(canvas: &str) -> CanvasDigest {
        CanvasDigest::compute(FlowKind::Chatflow, canvas)
    }

    fn key(number: usize) -> ReplyHash {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&(number as u64).to_le_bytes());
        key
    }

    #[test]
    fn a_reply_is_found_by_its_own_workspace_flow_live_and_key_only() {
        let (replies, of) = (ReplyCache::default(), of_some_flow());
        replies.insert(&of, &key(1), b"one".to_vec());
        assert_eq!(replies.find(&of, &key(1)).as_deref(), Some(&b"one"[..]));
        assert!(replies.find(&of, &key(2)).is_none());
        for other in [
            FlowScope { workspace: WorkspaceId::random(), ..of },
            FlowScope { flow: FlowId::random(), ..of },
            FlowScope { live: live("then"), ..of },
        ] {
            assert!(replies.find(&other, &key(1)).is_none(), "{other:?}");
        }
    }

    #[test]
    fn a_forgotten_flow_leaves_nothing_and_the_others_alone() {
        let (replies, of, other) = (ReplyCache::default(), of_some_flow(), of_some_flow());
        for of in [&of, &other] {
            replies.insert(of, &key(1), b"one".to_vec());
        }
        replies.evict(&of.workspace, &of.flow);
        assert!(replies.find(&of, &key(1)).is_none() && replies.find(&other, &key(1)).is_some());
        replies.evict(&other.workspace, &other.flow);
        assert_eq!(replies.bytes(), 0);
    }

    #[test]
    fn a_flow_keeps_so_many_replies_and_the_ones_in_use_stay() {
        let (replies, of) = (ReplyCache::default(), of_some_flow());
        for number in 0..REPLIES_PER_FLOW_MAX + 50 {
            replies.insert(&of, &key(number), vec![0; 10]);
            assert!(replies.find(&of, &key(0)).is_some());
        }
        assert!(replies.find(&of, &key(1)).is_none());
        assert_eq!(replies.lock().flows.values().next().unwrap().replies.len(), REPLIES_PER_FLOW_MAX);
    }

    #[test]
    fn the_bytes_of_one_flow_and_of_all_flows_are_bounded() {
        let replies = ReplyCache::default();
        let flows: Vec<FlowScope> = (0..20).map(|_| of_some_flow()).collect();
        for of in &flows {
            for number in 0..40 {
                replies.insert(of, &key(number), vec![0; REPLIES_PER_FLOW_BYTES / 16]);
                replies.insert(of, &key(number), vec![0; REPLIES_PER_FLOW_BYTES / 16]);
            }
            replies.insert(of, &key(99), vec![0; REPLIES_PER_FLOW_BYTES / 2]);
            assert!(replies.find(of, &key(99)).is_none());
        }
        let kept = replies.lock();
        assert!(kept.flows.values().all(|flow| flow.bytes <= REPLIES_PER_FLOW_BYTES));
        assert!(kept.bytes <= REPLIES_BYTES_MAX);
        assert_eq!(kept.bytes, kept.flows.values().map(|flow| flow.bytes).sum::<usize>());
        let sizes = |flow: &FlowReplies| flow.replies.values().map(CachedReply::size).sum::<usize>();
        assert!(kept.flows.values().all(|flow| flow.bytes == sizes(flow)));
    }
}
