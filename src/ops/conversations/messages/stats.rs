//! How much a flow is asked and how its answers are rated (manual 3.5).

use super::filter::{MessageFilter, walk};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::conversations::conversation::FlowStats;
use crate::domain::conversations::feedback::Rating;
use crate::domain::error::Result;
use crate::domain::ids::FlowId;
use crate::ops::flows::access::{self, FlowAction};
use crate::store::Order;
use crate::store::queries::feedback;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Counts the messages that fit, their conversations and their ratings. Messages are read only where the filter needs
/// it, one at a time.
///
/// # Errors
/// 404 or 403.
pub(crate) fn of_flow(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    filter: &MessageFilter,
) -> Result<FlowStats> {
    app.store.read_messages(|tx| {
        access::flow(tx, caller, flow, FlowAction::Read)?;
        let workspace = &caller.workspace;
        let mut rated = HashMap::new();
        feedback::scan_flow(tx, workspace, flow, filter.chat.as_ref(), |place, one| {
            rated.insert(place, one.rating);
            Ok(())
        })?;
        let (mut messages, mut chats) = (0_usize, HashSet::new());
        let (mut all, mut positive) = (0_usize, 0_usize);
        walk(tx, workspace, flow, filter, (0, Order::Ascending), |place, _| {
            messages += 1;
            chats.insert(place.chat);
            if let Some(rating) = rated.get(&place) {
                all += 1;
                positive += usize::from(*rating == Rating::Up);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(FlowStats { messages, conversations: chats.len(), feedback: all, positive_feedback: positive })
    })
}
