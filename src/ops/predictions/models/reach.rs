//! Whether the holder of a key may ask a flow.

use crate::app::App;
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::flows::flow::Flow;
use crate::engine::FlowPlan;
use crate::engine::agentflow::StartKind;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::predictions;

/// True for a flow of the caller's workspace that serves, and that is bound to the caller's key, or to none and of a kind
/// whose flows the caller may see. Pipelines answer nobody.
pub(in crate::ops) fn may_ask(caller: &Caller, flow: &Flow) -> bool {
    let Principal::Key { id } = &caller.principal else { return false };
    let is_open_to = match flow.settings.api_key {
        Some(bound) => bound == *id,
        None => access::check_permission(caller, flow.kind, FlowAction::View).is_ok(),
    };
    let serves = flow.card_count > 0 && flow.kind.require_answers().is_ok();
    flow.workspace == caller.workspace && is_open_to && serves
}

/// True for a flow that begins with a question. One whose canvas cannot run says so when it is asked.
pub(super) fn takes_question(app: &App, flow: &Flow) -> bool {
    match predictions::plan(app, flow).as_deref() {
        Ok(FlowPlan::Agent(plan)) => plan.start.kind == StartKind::Question,
        _ => true,
    }
}
