//! API keys (manual 8.7). What holds the value of one has no `Debug`.

use crate::domain::accounts::api_key::{ApiKeyEntry, BoundFlow};
use crate::domain::accounts::caller::Permission;
use crate::domain::change::Change;
use crate::domain::ids::{KeyId, WorkspaceId};
use crate::predictions::consumption::{BudgetView, DayUseView};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An API key, without its value but when it was just made.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ApiKey"))]
pub struct ApiKeyView {
    id: KeyId,
    key_name: String,
    /// The value when it was just made; later only its last characters.
    api_key: String,
    permissions: Vec<Permission>,
    /// Requests made with it.
    usage: u64,
    created_date: IsoTime,
    updated_date: IsoTime,
    workspace_id: WorkspaceId,
    chat_flows: Vec<BoundFlowView>,
    /// What may be used with it in a day; `null` without a bound.
    budget: Option<BudgetView>,
    used_today: DayUseView,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct BoundFlowView {
    flow_name: String,
    category: Option<String>,
    updated_date: IsoTime,
}

impl From<ApiKeyEntry> for ApiKeyView {
    fn from(ApiKeyEntry { key, usage, flows, used_today }: ApiKeyEntry) -> Self {
        Self {
            api_key: key.masked_value(),
            id: key.id,
            key_name: key.name,
            permissions: key.permissions.into_iter().collect(),
            usage,
            created_date: key.created.into(),
            updated_date: key.updated.into(),
            workspace_id: key.workspace,
            chat_flows: flows.into_iter().map(Into::into).collect(),
            budget: key.budget.map(Into::into),
            used_today: used_today.into(),
        }
    }
}

impl ApiKeyView {
    /// A key that was just made, with its value.
    #[must_use]
    pub fn of_new(key: ApiKeyEntry, value: String) -> Self {
        Self { api_key: value, ..key.into() }
    }
}

impl From<BoundFlow> for BoundFlowView {
    fn from(BoundFlow { name, category, updated }: BoundFlow) -> Self {
        Self { flow_name: name, category, updated_date: updated.into() }
    }
}

/// An API key to make or change.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ApiKeyEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 100)))]
    pub key_name: String,
    /// At least one.
    #[serde(default)]
    pub permissions: Vec<String>,
    /// What may be used with it in a day: `null` removes the bound, and without this field it stays.
    #[serde(default)]
    #[cfg_attr(feature = "test-support", schemars(with = "Option<BudgetView>"))]
    pub budget: Change<Value>,
}

/// That a value is an API key.
#[derive(Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ApiKeyCheck {
    Ok,
}
