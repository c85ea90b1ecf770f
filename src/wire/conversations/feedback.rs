//! Ratings of answers (manual 3.7).

use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::feedback::{ConversationFeedback, Feedback, FeedbackChange, Rating};
use crate::domain::ids::{ChatId, FeedbackId, FlowId, MessageId};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};

/// How an answer was rated.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Feedback"))]
pub struct FeedbackView {
    id: FeedbackId,
    chatflowid: FlowId,
    chat_id: ChatId,
    message_id: MessageId,
    rating: Rating,
    /// A comment.
    content: String,
    created_date: IsoTime,
}

impl From<ConversationFeedback> for FeedbackView {
    fn from(ConversationFeedback { conversation, feedback }: ConversationFeedback) -> Self {
        let Conversation { flow, chat } = conversation;
        let Feedback { id, message, rating, content, created } = feedback;
        Self {
            id,
            chatflowid: flow,
            chat_id: chat,
            message_id: message,
            rating,
            content,
            created_date: created.into(),
        }
    }
}

/// Rates an answer.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct NewFeedback {
    /// The flow, where the address does not name it.
    pub chatflowid: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(required))]
    pub chat_id: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(required))]
    pub message_id: Option<String>,
    #[cfg_attr(feature = "test-support", schemars(required))]
    pub rating: Option<Rating>,
    pub content: Option<String>,
    /// Proof of the conversation.
    pub session_token: Option<String>,
}

/// Changes a rating or its comment.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct FeedbackEdit {
    rating: Option<Rating>,
    content: Option<String>,
}

impl From<FeedbackEdit> for FeedbackChange {
    fn from(FeedbackEdit { rating, content }: FeedbackEdit) -> Self {
        Self { rating, content }
    }
}

/// The rating was changed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FeedbackChanged"))]
pub struct FeedbackChangeView {
    status: ChangeStatus,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum ChangeStatus {
    Ok,
}

impl FeedbackChangeView {
    pub const OK: Self = Self { status: ChangeStatus::Ok };
}
