//! What a chat page may know of a flow (manual 2.13 r3, 4.1).

use super::records::FlowView;
use crate::domain::flows::chat_page::{ChatPage, SharedFlow, UploadOffer, UploadRule};
use crate::domain::flows::flow::{ChatState, FlowKind};
use crate::domain::ids::FlowId;
use serde::Serialize;
use serde_json::{Map, Value};

/// A flow for whoever opens its chat: the whole record for those who may see it, else what a chat page needs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum PublicFlow {
    Whole(Box<FlowView>),
    Shared(SharedFlowView),
}

/// A shared flow as a chat page needs it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "SharedFlow"))]
pub struct SharedFlowView {
    id: FlowId,
    name: String,
    r#type: FlowKind,
    is_public: bool,
    /// `bound` when the flow asks for a key.
    apikeyid: Option<&'static str>,
    /// JSON text.
    chatbot_config: String,
    /// JSON text of the Start card, if there is one.
    flow_data: String,
}

impl From<SharedFlow> for SharedFlowView {
    fn from(SharedFlow { id, name, kind, asks_for_key, settings, start_card }: SharedFlow) -> Self {
        Self {
            id,
            name,
            r#type: kind,
            is_public: true,
            apikeyid: asks_for_key.then_some("bound"),
            chatbot_config: Value::Object(settings).to_string(),
            flow_data: start_card,
        }
    }
}

/// What a chat page needs to know of a flow; how it looks is told in further fields.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ChatbotConfig"))]
pub struct ChatPageView {
    #[serde(flatten)]
    #[cfg_attr(feature = "test-support", schemars(with = "schema::PublicSettings"))]
    settings: Map<String, Value>,
    uploads: UploadOfferView,
    /// Of the canvas, the Start card's form: JSON text.
    flow_data: String,
    #[serde(rename = "isTTSEnabled")]
    is_tts_enabled: bool,
    /// Whether questions are answered.
    state: ChatState,
}

impl From<ChatPage> for ChatPageView {
    fn from(ChatPage { settings, uploads, start_card, state }: ChatPage) -> Self {
        Self { settings, uploads: uploads.into(), flow_data: start_card, is_tts_enabled: false, state }
    }
}

/// What a flow's chat may upload.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "UploadOffer"))]
pub struct UploadOfferView {
    is_speech_to_text_enabled: bool,
    is_image_upload_allowed: bool,
    #[serde(rename = "isRAGFileUploadAllowed")]
    is_rag_file_upload_allowed: bool,
    img_upload_size_and_types: Vec<UploadRuleView>,
    file_upload_size_and_types: Vec<UploadRuleView>,
}

/// Files that may be sent along.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "UploadRule"))]
struct UploadRuleView {
    file_types: Vec<String>,
    /// In MiB.
    max_upload_size: usize,
}

impl From<UploadOffer> for UploadOfferView {
    fn from(UploadOffer { speech, images, documents }: UploadOffer) -> Self {
        let view = |UploadRule { file_types, mebibytes_max }| UploadRuleView {
            file_types,
            max_upload_size: mebibytes_max,
        };
        Self {
            is_speech_to_text_enabled: speech,
            is_image_upload_allowed: images.is_some(),
            is_rag_file_upload_allowed: documents.is_some(),
            img_upload_size_and_types: images.into_iter().map(view).collect(),
            file_upload_size_and_types: documents.into_iter().map(view).collect(),
        }
    }
}

/// Whether a flow answers token by token.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Streaming"))]
pub struct StreamingView {
    pub is_streaming: bool,
}

#[cfg(feature = "test-support")]
mod schema {
    use crate::domain::flows::settings::PUBLIC_KEYS;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde_json::{Map, Value, json};
    use std::borrow::Cow;

    /// The settings that a chat page draws itself with: each is what its owner made it.
    pub(super) struct PublicSettings;

    impl JsonSchema for PublicSettings {
        fn schema_name() -> Cow<'static, str> {
            "PublicChatSettings".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let fields: Map<String, Value> =
                PUBLIC_KEYS.iter().map(|key| ((*key).to_owned(), json!({}))).collect();
            json_schema!({"type": "object", "properties": fields})
        }
    }
}
