//! Where a person is signed in (manual 8.2 r2).

use crate::domain::accounts::session::SessionEntry;
use crate::domain::ids::{SessionId, WorkspaceId};
use crate::time::IsoTime;
use serde::Serialize;
use std::net::IpAddr;

/// Where a person is signed in.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Session"))]
pub struct SessionView {
    id: SessionId,
    created_date: IsoTime,
    last_seen_date: IsoTime,
    #[cfg_attr(feature = "test-support", schemars(with = "Option<String>"))]
    address: Option<IpAddr>,
    /// Browser and system.
    user_agent: Option<String>,
    /// It is the one that asks.
    current: bool,
    workspace_id: WorkspaceId,
    workspace: Option<String>,
}

impl From<SessionEntry> for SessionView {
    fn from(SessionEntry { session, is_current, workspace }: SessionEntry) -> Self {
        Self {
            id: session.id,
            created_date: session.created.into(),
            last_seen_date: session.last_seen.into(),
            address: session.address,
            user_agent: session.agent,
            current: is_current,
            workspace_id: session.workspace,
            workspace,
        }
    }
}
