//! What a message of OpenAI's protocol says.

use serde::Deserialize;

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum Author {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Function,
}

/// A text, or parts of which some are texts.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum MessageContent {
    Text(String),
    Parts(Vec<ContentPart>),
}

/// A part of a message.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "OpenAiContentPart"))]
pub struct ContentPart {
    /// `text` or `image_url`; by the other of both protocols `input_text`, `output_text` or `input_image`.
    r#type: String,
    text: Option<String>,
    image_url: Option<ImageLink>,
    /// What an assistant said instead of an answer.
    refusal: Option<String>,
}

/// Where a picture is: a data URI.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum ImageLink {
    Text(String),
    Object { url: String },
}

/// A part, by what becomes of it.
#[derive(Debug, PartialEq, Eq)]
pub enum PartContent {
    Text(String),
    /// The address of a picture.
    Picture(String),
    /// Nothing that a flow is asked with, by its name.
    Other(String),
}

impl MessageContent {
    pub fn into_parts(self) -> Vec<PartContent> {
        match self {
            Self::Text(text) => vec![PartContent::Text(text)],
            Self::Parts(parts) => parts.into_iter().map(PartContent::from).collect(),
        }
    }
}

impl From<ContentPart> for PartContent {
    fn from(ContentPart { r#type, text, image_url, refusal }: ContentPart) -> Self {
        match (r#type.as_str(), text, image_url, refusal) {
            ("text" | "input_text" | "output_text", Some(text), ..) | ("refusal", _, _, Some(text)) => {
                Self::Text(text)
            }
            ("image_url" | "input_image", _, Some(ImageLink::Text(url) | ImageLink::Object { url }), _) => {
                Self::Picture(url)
            }
            _ => Self::Other(r#type),
        }
    }
}
