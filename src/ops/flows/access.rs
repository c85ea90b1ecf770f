//! The fine gate: the flow is in the caller's workspace, and the permission is for its own kind (manual 1.7 r2).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::FlowId;
use crate::store::Tx;
use crate::store::tables::FLOWS;

/// What a caller wants to do with a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FlowAction {
    /// See its draft and its versions.
    View,
    /// See its record and its conversations: whoever may change or delete a flow may.
    Read,
    Create,
    /// Write its record, for which Flowise's key sets have `create` or `update` (manual 1.7 r2).
    Save,
    /// Change its draft, publish, roll back, restore.
    Update,
    /// Change how it is reached from outside.
    Configure,
    Delete,
}

impl FlowAction {
    const fn as_str(self) -> &'static str {
        match self {
            Self::View | Self::Read => "view",
            Self::Create => "create",
            Self::Save | Self::Update => "update",
            Self::Configure => "config",
            Self::Delete => "delete",
        }
    }
}

/// Checks the permission for flows of this kind.
///
/// # Errors
/// 403 naming the missing permission.
pub(crate) fn check_permission(caller: &Caller, kind: FlowKind, action: FlowAction) -> Result<()> {
    let resource = kind.resource();
    let enough: &[FlowAction] = match action {
        FlowAction::Read => &[FlowAction::View, FlowAction::Update, FlowAction::Delete],
        FlowAction::Create | FlowAction::Save => &[FlowAction::Create, FlowAction::Update],
        FlowAction::View => &[FlowAction::View],
        FlowAction::Update => &[FlowAction::Update],
        FlowAction::Configure => &[FlowAction::Configure, FlowAction::Update],
        FlowAction::Delete => &[FlowAction::Delete],
    };
    if enough.iter().any(|action| caller.permissions.has(&format!("{resource}:{}", action.as_str()))) {
        return Ok(());
    }
    Err(Error::Forbidden(format!("This needs the permission {resource}:{}.", action.as_str())))
}

/// The flow, if it is in the caller's workspace and the caller may do this to flows of its kind.
///
/// # Errors
/// 404 when the workspace has no such flow; 403 without the permission for its kind.
pub(crate) fn flow(tx: &impl Tx, caller: &Caller, id: &FlowId, action: FlowAction) -> Result<Flow> {
    let flow = FLOWS.get(tx, &caller.workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
    check_permission(caller, flow.kind, action)?;
    Ok(flow)
}

/// As [`flow()`], for who needs to know no more than that.
///
/// # Errors
/// As [`flow()`].
pub(crate) fn require_flow(app: &App, caller: &Caller, id: &FlowId, action: FlowAction) -> Result<()> {
    app.store.read(|tx| flow(tx, caller, id, action).map(drop))
}
