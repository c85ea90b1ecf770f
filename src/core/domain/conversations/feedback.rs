//! How somebody rated an answer (manual 3.7).

use super::conversation::Conversation;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FeedbackId, MessageId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest comment to an answer.
const CONTENT_CHARS_MAX: usize = 4_000;

/// Up or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum Rating {
    #[serde(rename = "THUMBS_UP")]
    Up,
    /// It did not.
    #[serde(rename = "THUMBS_DOWN")]
    Down,
}

/// The one rating of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// What clients keep to add a comment later.
    pub id: FeedbackId,
    pub message: MessageId,
    pub rating: Rating,
    /// A comment; may be empty.
    pub content: String,
    /// When it was given first.
    pub created: Timestamp,
}

/// A rating and the conversation whose answer it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationFeedback {
    pub conversation: Conversation,
    pub feedback: Feedback,
}

/// How somebody rates an answer.
#[derive(Debug, Clone)]
pub struct AnswerRating {
    pub chat: ChatId,
    /// The answer in it.
    pub message: MessageId,
    pub rating: Rating,
    pub content: Option<String>,
}

/// What of a rating a caller changes; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct FeedbackChange {
    pub rating: Option<Rating>,
    pub content: Option<String>,
}

/// A comment that is not too long.
///
/// # Errors
/// 400.
pub fn check_content(text: &str) -> Result<String> {
    if text.chars().count() > CONTENT_CHARS_MAX {
        return Err(Error::Invalid(format!("'content' may have {CONTENT_CHARS_MAX} characters.")));
    }
    Ok(text.to_owned())
}
