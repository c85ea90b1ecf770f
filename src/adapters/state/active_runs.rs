//! Conversations that are being answered, so that somebody else's request can end the run (manual 2.9 r2). As many as
//! there are requests under way.

use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::ids::{ChatId, FlowId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

type ConversationKey = (FlowId, ChatId);

/// The runs under way, by conversation.
#[derive(Default)]
pub struct ActiveRuns(Arc<Mutex<RunsByConversation>>);

#[derive(Default)]
struct RunsByConversation {
    next: u64,
    runs: HashMap<ConversationKey, Vec<(u64, CancelToken)>>,
}

/// A registered run, until this is dropped.
pub struct RunGuard {
    active: Arc<Mutex<RunsByConversation>>,
    conversation: ConversationKey,
    number: u64,
}

impl ActiveRuns {
    /// Registers a run for as long as the answer lives.
    #[must_use]
    pub fn register(&self, flow: FlowId, chat: ChatId, cancel: &CancelToken) -> RunGuard {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = listed.next;
        listed.next += 1;
        listed.runs.entry((flow, chat)).or_default().push((number, cancel.clone()));
        RunGuard { active: self.0.clone(), conversation: (flow, chat), number }
    }

    /// How many runs are under way.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).runs.values().map(Vec::len).sum()
    }

    /// Ends what runs in a conversation; the number of runs.
    pub fn abort(&self, flow: FlowId, chat: ChatId) -> usize {
        let listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<CancelToken> =
            listed.runs.get(&(flow, chat)).into_iter().flatten().map(clone_token).collect();
        // A hook may end a run, which takes it out of the list.
        drop(listed);
        found.iter().for_each(|cancel| cancel.cancel(CancelReason::Aborted));
        found.len()
    }

    /// Ends what runs of a flow, in any conversation; the number of runs.
    pub fn abort_flow(&self, flow: FlowId) -> usize {
        let listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_flow = listed.runs.iter().filter(|((of, _), _)| *of == flow);
        let found: Vec<CancelToken> = of_flow.flat_map(|(_, runs)| runs).map(clone_token).collect();
        drop(listed);
        found.iter().for_each(|cancel| cancel.cancel(CancelReason::Aborted));
        found.len()
    }
}

fn clone_token((_, cancel): &(u64, CancelToken)) -> CancelToken {
    cancel.clone()
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        let mut listed = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runs) = listed.runs.get_mut(&self.conversation) {
            runs.retain(|(number, _)| *number != self.number);
            if runs.is_empty() {
                listed.runs.remove(&self.conversation);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_ends_with_all_its_conversations_and_no_others() {
        let board = ActiveRuns::default();
        let (flow, other) = (FlowId::random(), FlowId::random());
        let cancels: Vec<CancelToken> = (0..3).map(|_| CancelToken::new(None)).collect();
        let _first = board.register(flow, ChatId::random(), &cancels[0]);
        let _second = board.register(flow, ChatId::random(), &cancels[1]);
        let _third = board.register(other, ChatId::random(), &cancels[2]);
        assert_eq!(board.abort_flow(flow), 2);
        let reasons: Vec<_> = cancels.iter().map(CancelToken::reason).collect();
        assert_eq!(reasons, [Some(CancelReason::Aborted), Some(CancelReason::Aborted), None]);
        assert_eq!(board.abort_flow(FlowId::random()), 0);
    }

    #[test]
    fn what_ended_is_forgotten_and_what_runs_is_stopped() {
        let board = ActiveRuns::default();
        let (flow, chat) = (FlowId::random(), ChatId::random());
        let (first, second) = (CancelToken::new(None), CancelToken::new(None));
        let left = board.register(flow, chat, &first);
        let stays = board.register(flow, chat, &second);
        drop(left);
        assert_eq!(board.abort(flow, ChatId::random()), 0);
        assert_eq!(board.abort(flow, chat), 1);
        assert_eq!((first.reason(), second.reason()), (None, Some(CancelReason::Aborted)));
        drop(stays);
        assert!(board.0.lock().unwrap().runs.is_empty());
    }
}
