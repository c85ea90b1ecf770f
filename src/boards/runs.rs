//! Conversations that are being answered, so that somebody else's request can end the run (manual 2.9 r2). As many as
//! there are requests under way.

use crate::domain::cancel::{Cancel, Reason};
use crate::domain::ids::{ChatId, FlowId};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

type Conversation = (FlowId, ChatId);

/// The runs under way, by conversation.
#[derive(Default)]
pub struct Runs(Mutex<Listed>);

#[derive(Default)]
struct Listed {
    next: u64,
    runs: HashMap<Conversation, Vec<(u64, Cancel)>>,
}

/// A run on the board; dropped when it ends.
pub struct Running<'a> {
    board: &'a Runs,
    of: Conversation,
    number: u64,
}

impl Runs {
    /// Puts a run on the board for as long as the answer lives.
    #[must_use]
    pub fn enter(&self, flow: FlowId, chat: ChatId, cancel: &Cancel) -> Running<'_> {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = listed.next;
        listed.next += 1;
        listed.runs.entry((flow, chat)).or_default().push((number, cancel.clone()));
        Running { board: self, of: (flow, chat), number }
    }

    /// Ends what runs in a conversation; the number of runs.
    pub fn abort(&self, flow: FlowId, chat: ChatId) -> usize {
        let listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<Cancel> = listed.runs.get(&(flow, chat)).into_iter().flatten().map(of).collect();
        // A hook may end a run, which leaves the board.
        drop(listed);
        found.iter().for_each(|cancel| cancel.cancel(Reason::Aborted));
        found.len()
    }

    /// Ends what runs of a flow, in any conversation; the number of runs.
    pub fn abort_flow(&self, flow: FlowId) -> usize {
        let listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_flow = listed.runs.iter().filter(|((of, _), _)| *of == flow);
        let found: Vec<Cancel> = of_flow.flat_map(|(_, runs)| runs).map(of).collect();
        drop(listed);
        found.iter().for_each(|cancel| cancel.cancel(Reason::Aborted));
        found.len()
    }
}

fn of((_, cancel): &(u64, Cancel)) -> Cancel {
    cancel.clone()
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut listed = self.board.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runs) = listed.runs.get_mut(&self.of) {
            runs.retain(|(number, _)| *number != self.number);
            if runs.is_empty() {
                listed.runs.remove(&self.of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_ends_with_all_its_conversations_and_no_others() {
        let board = Runs::default();
        let (flow, other) = (FlowId::random(), FlowId::random());
        let cancels: Vec<Cancel> = (0..3).map(|_| Cancel::new(None)).collect();
        let _first = board.enter(flow, ChatId::random(), &cancels[0]);
        let _second = board.enter(flow, ChatId::random(), &cancels[1]);
        let _third = board.enter(other, ChatId::random(), &cancels[2]);
        assert_eq!(board.abort_flow(flow), 2);
        let reasons: Vec<_> = cancels.iter().map(Cancel::reason).collect();
        assert_eq!(reasons, [Some(Reason::Aborted), Some(Reason::Aborted), None]);
        assert_eq!(board.abort_flow(FlowId::random()), 0);
    }

    #[test]
    fn what_ended_is_forgotten_and_what_runs_is_stopped() {
        let board = Runs::default();
        let (flow, chat) = (FlowId::random(), ChatId::random());
        let (first, second) = (Cancel::new(None), Cancel::new(None));
        let left = board.enter(flow, chat, &first);
        let stays = board.enter(flow, chat, &second);
        drop(left);
        assert_eq!(board.abort(flow, ChatId::random()), 0);
        assert_eq!(board.abort(flow, chat), 1);
        assert_eq!((first.reason(), second.reason()), (None, Some(Reason::Aborted)));
        drop(stays);
        assert!(board.0.lock().unwrap().runs.is_empty());
    }
}
