//! Flow records (manual 5.1, 5.4).

use super::drafts::FlowStateView;
use crate::domain::change::Change;
use crate::domain::flows::draft::FlowOutline;
use crate::domain::flows::flow::{Flow, FlowKind, FlowWithCanvas, RefusedOrigin};
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::flows::settings::FlowSettings;
use crate::domain::ids::{FlowId, KeyId, WorkspaceId};
use crate::page::ListOrPage;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A flow with its Live canvas.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Flow"))]
pub struct FlowView {
    id: FlowId,
    name: String,
    /// The Live canvas: JSON text of `{nodes, edges, viewport}`.
    flow_data: String,
    #[serde(flatten)]
    rest: FlowFields,
}

/// A flow without its canvas.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowRecord"))]
pub struct FlowRecordView {
    id: FlowId,
    name: String,
    #[serde(flatten)]
    rest: FlowFields,
}

/// What a flow's record holds behind its name and canvas.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
struct FlowFields {
    deployed: Option<bool>,
    is_public: Option<bool>,
    /// The API key that callers of the flow must hold.
    apikeyid: Option<KeyId>,
    /// JSON text.
    chatbot_config: Option<String>,
    /// JSON text.
    api_config: Option<String>,
    /// JSON text.
    analytic: Option<String>,
    /// JSON text.
    speech_to_text: Option<String>,
    /// JSON text.
    text_to_speech: Option<String>,
    /// JSON text.
    follow_up_prompts: Option<String>,
    /// JSON text, without the endpoint's token.
    mcp_server_config: Option<String>,
    category: Option<String>,
    r#type: FlowKind,
    /// Edits go straight to Live.
    publish_instantly: bool,
    webhook_secret_configured: bool,
    workspace_id: WorkspaceId,
    created_date: IsoTime,
    updated_date: IsoTime,
}

impl From<FlowWithCanvas> for FlowView {
    fn from(FlowWithCanvas { flow, canvas, has_webhook_secret }: FlowWithCanvas) -> Self {
        let FlowRecordView { id, name, mut rest } = flow.into();
        rest.webhook_secret_configured = has_webhook_secret;
        Self { id, name, flow_data: canvas, rest }
    }
}

impl From<Flow> for FlowRecordView {
    fn from(flow: Flow) -> Self {
        let Flow { id, workspace, name, kind, category, settings, created, updated, .. } = flow;
        let FlowSettings {
            api_key,
            is_public,
            deployed,
            publish_instantly,
            chatbot_config,
            api_config,
            analytic,
            speech_to_text,
            text_to_speech,
            follow_up_prompts,
            mcp_server_config,
        } = settings;
        let rest = FlowFields {
            deployed,
            is_public,
            apikeyid: api_key,
            chatbot_config: chatbot_config.to_text(),
            api_config: api_config.to_text(),
            analytic: analytic.to_text(),
            speech_to_text: speech_to_text.to_text(),
            text_to_speech: text_to_speech.to_text(),
            follow_up_prompts: follow_up_prompts.to_text(),
            // The token of the flow's MCP endpoint is a credential: it stays here.
            mcp_server_config: mcp_server_config.without_token().to_text(),
            category,
            r#type: kind,
            publish_instantly,
            webhook_secret_configured: false,
            workspace_id: workspace,
            created_date: created.into(),
            updated_date: updated.into(),
        };
        Self { id, name, rest }
    }
}

/// A flow without its canvas, with the state of its draft.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowOutline"))]
pub struct FlowOutlineView {
    id: FlowId,
    name: String,
    category: Option<String>,
    r#type: FlowKind,
    is_public: Option<bool>,
    apikeyid: Option<KeyId>,
    publish_instantly: bool,
    workspace_id: WorkspaceId,
    created_date: IsoTime,
    updated_date: IsoTime,
    state: FlowStateView,
}

impl From<FlowOutline> for FlowOutlineView {
    fn from(FlowOutline { flow, status }: FlowOutline) -> Self {
        Self {
            state: FlowStateView::new(status, flow.card_count > 0),
            id: flow.id,
            name: flow.name,
            category: flow.category,
            r#type: flow.kind,
            is_public: flow.settings.is_public,
            apikeyid: flow.settings.api_key,
            publish_instantly: flow.settings.publish_instantly,
            workspace_id: flow.workspace,
            created_date: flow.created.into(),
            updated_date: flow.updated.into(),
        }
    }
}

/// Flows, or a page of them: as records, as outlines, or with their canvases.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum FlowList {
    Records(ListOrPage<FlowRecordView>),
    Whole(ListOrPage<FlowView>),
    Outlines(ListOrPage<FlowOutlineView>),
}

/// A flow in a few words.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowBrief"))]
pub(crate) struct FlowBriefView {
    id: FlowId,
    name: String,
    r#type: FlowKind,
    updated_date: IsoTime,
}

impl From<Flow> for FlowBriefView {
    fn from(flow: Flow) -> Self {
        let Flow { id, name, kind, updated, .. } = flow;
        Self { id, name, r#type: kind, updated_date: updated.into() }
    }
}

/// What to change; what is left out stays.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct FlowEdit {
    #[cfg_attr(feature = "test-support", schemars(with = "String", length(min = 1, max = 255)))]
    name: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "FlowKind"))]
    r#type: Option<String>,
    /// JSON text of `{nodes, edges, viewport}`.
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    flow_data: Option<String>,
    category: Change<String>,
    deployed: Change<bool>,
    is_public: Change<bool>,
    /// The id of an API key; empty or null for none.
    apikeyid: Change<String>,
    #[cfg_attr(feature = "test-support", schemars(with = "bool"))]
    publish_instantly: Option<bool>,
    chatbot_config: Change<SentSetting>,
    api_config: Change<SentSetting>,
    analytic: Change<SentSetting>,
    speech_to_text: Change<SentSetting>,
    text_to_speech: Change<SentSetting>,
    follow_up_prompts: Change<SentSetting>,
    mcp_server_config: Change<SentSetting>,
}

impl From<FlowEdit> for FlowChange {
    fn from(edit: FlowEdit) -> Self {
        Self {
            name: edit.name,
            kind: edit.r#type,
            canvas: edit.flow_data,
            category: edit.category,
            deployed: edit.deployed,
            is_public: edit.is_public,
            api_key: edit.apikeyid,
            publish_instantly: edit.publish_instantly,
            chatbot_config: edit.chatbot_config.map(SentSetting::into_value),
            api_config: edit.api_config.map(SentSetting::into_value),
            analytic: edit.analytic.map(SentSetting::into_value),
            speech_to_text: edit.speech_to_text.map(SentSetting::into_value),
            text_to_speech: edit.text_to_speech.map(SentSetting::into_value),
            follow_up_prompts: edit.follow_up_prompts.map(SentSetting::into_value),
            mcp_server_config: edit.mcp_server_config.map(SentSetting::into_value),
            imported: None,
        }
    }
}

/// A setting as clients send it: an object, or its JSON text. What else is sent is refused with a sentence that names the
/// setting.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct SentSetting(Value);

impl SentSetting {
    fn into_value(self) -> Value {
        self.0
    }
}

/// Whether a flow was saved since a time.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct HasChanged {
    pub has_changed: bool,
}

/// A site whose pages the flow's Allowed Domains kept out, since the service started and within a month.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "RefusedOrigin"))]
pub struct RefusedOriginView {
    /// `scheme://host[:port]`, or `null` for a page that has no site.
    origin: String,
    /// Refused requests; a page makes several.
    count: u64,
    last_date: IsoTime,
}

impl From<RefusedOrigin> for RefusedOriginView {
    fn from(RefusedOrigin { origin, count, last }: RefusedOrigin) -> Self {
        Self { origin, count, last_date: last.into() }
    }
}

#[cfg(feature = "test-support")]
mod schema {
    use super::{FlowEdit, SentSetting};
    use crate::new::NewRecord;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl NewRecord for FlowEdit {
        const NAME: &'static str = "NewFlow";
        const ABOUT: &'static str = "A flow to make.";
        const REQUIRED: &'static [&'static str] = &["name", "type"];
    }

    impl JsonSchema for SentSetting {
        fn schema_name() -> Cow<'static, str> {
            "SentSetting".into()
        }

        fn inline_schema() -> bool {
            true
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {}}]})
        }
    }
}
