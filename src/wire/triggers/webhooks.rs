//! Calls of webhooks, and what is answered to them (manual 17).

use crate::domain::ids::{ChatId, WebhookListenerId};
use crate::domain::predictions::human_input::HumanInput;
use crate::predictions::answer::AnswerView;
use crate::predictions::human_input::HumanInputBody;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the body of a call says of its conversation.
#[derive(Debug, Default)]
pub struct ConversationFields {
    pub chat_id: Option<String>,
    pub session_token: Option<String>,
    pub human_input: Option<HumanInput>,
}

impl ConversationFields {
    /// Reads them. The token is taken out: it is a proof, and the rest of the body is shown to the flow. Where others use
    /// these names for something else it is theirs.
    ///
    /// # Errors
    /// For a `humanInput` that is no answer to a run.
    pub fn take(body: &mut Value) -> Result<Self, serde_json::Error> {
        let Some(fields) = body.as_object_mut() else { return Ok(Self::default()) };
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let session_token = fields.shift_remove("sessionToken").as_ref().and_then(text);
        let human_input = fields.get("humanInput").filter(|sent| !sent.is_null());
        let human_input = human_input.map(HumanInputBody::deserialize).transpose()?;
        Ok(Self {
            chat_id: fields.get("chatId").and_then(text),
            session_token,
            human_input: human_input.map(HumanInput::from),
        })
    }
}

/// A form of which one field holds the whole body as JSON.
pub const PAYLOAD_FIELD: &str = "payload";

/// The run is under way, and its answer is sent later.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "WebhookAccepted"))]
pub struct AcceptedView {
    pub chat_id: ChatId,
    pub status: AcceptedStatus,
    /// Proof of this conversation, to go on with it.
    pub session_token: String,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum AcceptedStatus {
    Processing,
}

/// How a run ended whose answer is sent to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CallbackStatus {
    Success,
    /// It waits for a person.
    Stopped,
    Error,
}

/// An answer that is sent to an address.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallbackBody<'a> {
    pub status: CallbackStatus,
    pub chat_id: ChatId,
    pub session_token: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<&'a AnswerView>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}

/// The secret that signs calls of a webhook. It is shown once.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "WebhookSecret"))]
pub struct WebhookSecretView {
    pub webhook_secret: String,
}

/// Somebody who is going to watch the runs that a webhook starts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "WebhookListener"))]
pub struct ListenerView {
    pub listener_id: WebhookListenerId,
}

/// There is one process.
pub const REPLICA: &str = "main";

/// The first event of whoever watches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListenerReadyView {
    pub listener_id: WebhookListenerId,
    pub replica_id: &'static str,
}

/// A run that was watched is over.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionEndView {
    pub chat_id: ChatId,
}

/// Somebody watches no more.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "WebhookListenerGone"))]
pub struct ListenerGoneView {
    pub ok: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_proof_of_a_conversation_is_taken_out_of_the_body() {
        let mut body = json!({"chatId": "c", "sessionToken": "t", "n": 1});
        let fields = ConversationFields::take(&mut body).unwrap();
        assert_eq!((fields.chat_id.as_deref(), fields.session_token.as_deref()), (Some("c"), Some("t")));
        assert_eq!(body, json!({"chatId": "c", "n": 1}));
    }

    #[test]
    fn names_that_mean_something_else_to_others_are_theirs() {
        let mut body = json!({"chatId": 42, "humanInput": null});
        let fields = ConversationFields::take(&mut body).unwrap();
        assert!(fields.chat_id.is_none() && fields.human_input.is_none());
        assert!(ConversationFields::take(&mut json!([1])).unwrap().chat_id.is_none());
        assert!(ConversationFields::take(&mut json!({"humanInput": "yes"})).is_err());
    }
}
