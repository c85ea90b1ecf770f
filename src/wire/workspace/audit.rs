//! The list of sign-ins and of what people changed (manual 8.11).

use crate::domain::ids::WorkspaceId;
use crate::domain::workspace::audit::{
    AuditAction, AuditActor, AuditEntry, AuditPage, AuditRow, AuditTarget, AuditTargetKind,
};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::IpAddr;

/// What was done, the newest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AuditPage"))]
pub struct AuditPageView {
    data: Vec<AuditEntryView>,
    /// Rows on all pages.
    total: usize,
}

impl From<AuditPage> for AuditPageView {
    fn from(AuditPage { rows, total }: AuditPage) -> Self {
        Self { data: rows.into_iter().map(AuditEntryView::from).collect(), total }
    }
}

/// Something a person or a key did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AuditEntry"))]
struct AuditEntryView {
    id: String,
    date: IsoTime,
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    action: AuditAction,
    outcome: AuditOutcome,
    /// Why it was refused.
    reason: Option<String>,
    actor: AuditActorView,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<String>"))]
    address: Option<IpAddr>,
    workspace_id: Option<WorkspaceId>,
    target: Option<AuditTargetView>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum AuditOutcome {
    Ok,
    Refused,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct AuditActorView {
    kind: AuditActorKind,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<crate::domain::ids::UserId>"))]
    id: Option<String>,
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum AuditActorKind {
    User,
    Key,
    Operator,
    Nobody,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct AuditTargetView {
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    kind: AuditTargetKind,
    id: Option<String>,
    name: Option<String>,
}

impl From<AuditRow> for AuditEntryView {
    fn from(AuditRow { number, entry }: AuditRow) -> Self {
        let AuditEntry { date, action, refused, actor, address, workspace, target } = entry;
        let outcome = if refused.is_some() { AuditOutcome::Refused } else { AuditOutcome::Ok };
        let target = target.map(|AuditTarget { kind, id, name }| AuditTargetView { kind, id, name });
        Self {
            id: number.to_string(),
            date: date.into(),
            action,
            outcome,
            reason: refused,
            actor: actor.into(),
            address,
            workspace_id: workspace,
            target,
        }
    }
}

impl From<AuditActor> for AuditActorView {
    fn from(actor: AuditActor) -> Self {
        match actor {
            AuditActor::User { id, name } => {
                Self { kind: AuditActorKind::User, id: Some(id.to_string()), name: Some(name) }
            }
            AuditActor::Key { id, name } => {
                Self { kind: AuditActorKind::Key, id: Some(id.to_string()), name }
            }
            AuditActor::Operator => Self { kind: AuditActorKind::Operator, id: None, name: None },
            AuditActor::Nobody => Self { kind: AuditActorKind::Nobody, id: None, name: None },
        }
    }
}

/// Which sign-ins.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct LoginFilter {
    #[serde(default)]
    pub actions: Vec<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<crate::domain::ids::UserId>"))]
    pub user_id: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<IsoTime>"))]
    pub since: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<IsoTime>"))]
    pub until: Option<String>,
    // Clients send numbers, or the text of them.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<usize>", range(min = 1)))]
    pub page: Option<Value>,
    /// At most 200.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<usize>", range(min = 1)))]
    pub limit: Option<Value>,
}
