//! The permissions that open routes; a session or a key needs one of a list.

pub(super) const VIEW: &[&str] = &[
    "chatflows:view",
    "chatflows:update",
    "chatflows:delete",
    "agentflows:view",
    "agentflows:update",
    "agentflows:delete",
    "assistants:view",
    "assistants:update",
    "assistants:delete",
];
pub(super) const WRITE: &[&str] = &[
    "chatflows:create",
    "chatflows:update",
    "agentflows:create",
    "agentflows:update",
    "assistants:create",
    "assistants:update",
];
/// Whoever may save code may try it.
pub(super) const CODE_RUN: &[&str] = &[
    "chatflows:create",
    "chatflows:update",
    "agentflows:create",
    "agentflows:update",
    "assistants:create",
    "assistants:update",
    "tools:create",
    "tools:update",
];
/// An upsert writes what the flow answers from.
pub(super) const UPSERT_PERMISSIONS: &[&str] =
    &["chatflows:update", "agentflows:update", "assistants:update"];
/// What chooses, upserts and removes the vectors of document stores.
pub(super) const STORE_VECTORS: &[&str] = &["documentStores:upsert-config"];
/// Drafts belong to chatflows and agentflows (manual 5.5).
pub(super) const DRAFT_VIEW: &[&str] = &["chatflows:view", "agentflows:view"];
pub(super) const DRAFT_EDIT: &[&str] = &["chatflows:update", "agentflows:update"];
/// Harnesses are governed as chatflows are.
pub(super) const HARNESS_VIEW: &[&str] = &["chatflows:view"];
/// Schedules belong to the flows that have drafts.
pub(super) const SCHEDULE_VIEW: &[&str] =
    &["chatflows:view", "chatflows:update", "agentflows:view", "agentflows:update"];
pub(super) const SCHEDULE_EDIT: &[&str] = &["agentflows:update", "chatflows:update"];
/// Pipelines are governed as chatflows.
pub(super) const PIPELINE_VIEW: &[&str] = &["chatflows:view"];
pub(super) const PIPELINE_RUN: &[&str] = &["chatflows:update"];
/// The secret of a flow's webhook.
pub(super) const WEBHOOK_EDIT: &[&str] = &["chatflows:update", "agentflows:update"];
/// A flow as a tool (manual 2.15).
pub(super) const MCP_EDIT: &[&str] =
    &["chatflows:config", "chatflows:update", "agentflows:config", "agentflows:update", "assistants:update"];
/// Versions belong to every kind of flow (manual 6.4).
pub(super) const HISTORY_VIEW: &[&str] = &["chatflows:view", "agentflows:view", "assistants:view"];
pub(super) const HISTORY_EDIT: &[&str] = &["chatflows:update", "agentflows:update", "assistants:update"];
/// Whoever works with cards: in flows or in document stores (manual 9.8).
pub(super) const LOAD: &[&str] = &[
    "chatflows:view",
    "chatflows:create",
    "chatflows:update",
    "chatflows:delete",
    "agentflows:view",
    "agentflows:create",
    "agentflows:update",
    "agentflows:delete",
    "documentStores:view",
    "documentStores:create",
    "documentStores:update",
    "documentStores:delete",
    "documentStores:add-loader",
    "documentStores:delete-loader",
    "documentStores:preview-process",
    "documentStores:upsert-config",
];
/// What invites people. An API key can never hold any of these.
pub(super) const INVITE: &[&str] = &["workspace:add-user", "users:manage"];
pub(super) const MEMBERS_VIEW: &[&str] =
    &["workspace:view", "workspace:add-user", "workspace:unlink-user", "users:manage"];
/// Whoever gives roles sees them.
pub(super) const ROLES_VIEW: &[&str] =
    &["roles:manage", "users:manage", "workspace:view", "workspace:add-user"];
pub(super) const ROLES_EDIT: &[&str] = &["roles:manage"];
/// Whoever sees a kind of things sees which flows use them.
pub(super) const USES: &[&str] =
    &["credentials:view", "tools:view", "documentStores:view", "variables:view", "apikeys:view"];
/// Whoever may save a credential may sign in to it, and renew that.
pub(super) const CREDENTIAL_SAVED: &[&str] = &["credentials:create", "credentials:update"];
/// Whoever may see a thing that is no flow, or may change it: with these an answer shows it.
pub(super) const ASSISTANT_SEEN: &[&str] = &["assistants:view", "assistants:update", "assistants:delete"];
pub(super) const CREDENTIAL_SEEN: &[&str] = &["credentials:view", "credentials:update"];
pub(super) const EXECUTION_SEEN: &[&str] = &["executions:view", "executions:update"];
pub(super) const KEYS_SEEN: &[&str] = &["apikeys:view", "apikeys:update"];
pub(super) const STORE_SEEN: &[&str] = &["documentStores:view", "documentStores:update"];
pub(super) const TOOL_SEEN: &[&str] = &["tools:view", "tools:update"];
pub(super) const VARIABLE_SEEN: &[&str] = &["variables:view", "variables:update"];
pub(super) const DELETE: &[&str] = &["chatflows:delete", "agentflows:delete", "assistants:delete"];
