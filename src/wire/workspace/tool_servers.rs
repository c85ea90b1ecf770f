//! Servers of tools (manual 8.15).

use crate::domain::ids::{ToolServerId, WorkspaceId};
use crate::domain::workspace::credential::MASK;
use crate::domain::workspace::tool_server::{ToolServer, ToolServerChange, ToolServerState};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An MCP server that the workspace keeps.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ToolServer"))]
pub struct ToolServerView {
    id: ToolServerId,
    name: String,
    /// Scheme, host and port; the rest is hidden.
    server_url: String,
    icon_src: Option<String>,
    color: Option<String>,
    auth_type: ToolServerAuth,
    auth_config: ToolServerHeaders,
    tool_count: usize,
    status: ToolServerState,
    created_date: IsoTime,
    updated_date: IsoTime,
    workspace_id: WorkspaceId,
}

/// How a server knows this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(crate) enum ToolServerAuth {
    /// Not at all.
    None,
    /// By the headers that it is asked with.
    CustomHeaders,
}

/// The headers that a server is asked with; their values are hidden.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(crate) struct ToolServerHeaders {
    headers: BTreeMap<String, String>,
}

/// All headers that a server is to be asked with. A hidden value that is sent back stays as it is stored.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(crate) struct ToolServerHeadersEdit {
    headers: Option<BTreeMap<String, String>>,
}

impl From<ToolServer> for ToolServerView {
    fn from(server: ToolServer) -> Self {
        let server_url = server.shown_url();
        let auth_type = match server.header_names.is_empty() {
            true => ToolServerAuth::None,
            false => ToolServerAuth::CustomHeaders,
        };
        let headers = server.header_names.into_iter().map(|name| (name, MASK.to_owned())).collect();
        Self {
            id: server.id,
            name: server.name,
            server_url,
            icon_src: server.icon,
            color: server.color,
            auth_type,
            auth_config: ToolServerHeaders { headers },
            tool_count: server.tools.len(),
            status: server.state,
            created_date: server.created.into(),
            updated_date: server.updated.into(),
            workspace_id: server.workspace,
        }
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ToolServerEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 128)))]
    name: Option<String>,
    /// An `http` or `https` address, or what was shown of it.
    server_url: Option<String>,
    icon_src: Option<String>,
    color: Option<String>,
    /// `NONE` takes all headers away.
    auth_type: Option<ToolServerAuth>,
    auth_config: Option<ToolServerHeadersEdit>,
}

impl From<ToolServerEdit> for ToolServerChange {
    fn from(edit: ToolServerEdit) -> Self {
        let headers = match edit.auth_type {
            Some(ToolServerAuth::None) => Some(BTreeMap::new()),
            _ => edit.auth_config.and_then(|config| config.headers),
        };
        Self { name: edit.name, color: edit.color, icon: edit.icon_src, url: edit.server_url, headers }
    }
}

#[cfg(feature = "test-support")]
impl crate::new::NewRecord for ToolServerEdit {
    const NAME: &'static str = "NewToolServer";
    const ABOUT: &'static str = "A server of tools to store.";
    const REQUIRED: &'static [&'static str] = &["name", "serverUrl"];
}
