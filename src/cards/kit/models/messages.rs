//! Messages of people as models read them.

use super::model::Model;
use crate::domain::predictions::prediction::{HistoryMessage, ImageSource, ImageUpload, MessageRole};
use crate::kit::build::component::RunContext;
use crate::llm::{ChatMessage, ContentPart};

/// A message of a conversation as the model reads it.
#[must_use]
pub(crate) fn past_message(message: HistoryMessage) -> ChatMessage {
    match message.role {
        MessageRole::User => ChatMessage::user(message.told()),
        MessageRole::Api => ChatMessage::assistant(message.told()),
    }
}

/// Messages of a conversation as a model reads them that sees no pictures.
#[must_use]
pub(crate) fn past_messages(messages: Vec<HistoryMessage>) -> Vec<ChatMessage> {
    messages.into_iter().map(past_message).collect()
}

/// Adds the images of the question to its last user message, when the model takes images.
pub(crate) fn attach_images(messages: &mut [ChatMessage], turn: &RunContext<'_>, model: &Model) {
    if !model.takes_images() {
        return;
    }
    let Some(ChatMessage::User(parts)) =
        messages.iter_mut().rev().find(|message| matches!(message, ChatMessage::User(_)))
    else {
        return;
    };
    parts.extend(image_parts(turn));
}

/// The images of the question.
pub(crate) fn image_parts(turn: &RunContext<'_>) -> Vec<ContentPart> {
    let part = |upload: &ImageUpload| match &upload.content {
        ImageSource::Image { base64 } => {
            ContentPart::Image { mime: upload.mime.clone(), base64: base64.clone() }
        }
        ImageSource::Url(url) => ContentPart::ImageUrl(url.clone()),
    };
    turn.uploads.iter().map(part).collect()
}
