//! Talking to model providers: one file per wire protocol, not per brand.

pub mod embeddings;
mod endpoint;
mod identity;
mod model_list;
mod moderation;
pub(crate) mod protocols;
mod provider_content;
mod provider_tool;
mod reply;
mod rerank;
pub mod sse;
mod streaming;
mod transcription;

use crate::base::cancel::CancelToken;
use crate::domain::error::Error;
use crate::domain::predictions::prediction::{Usage, UsedTool};
pub use crate::llm::endpoint::json_client::RequestBody;
pub use crate::llm::endpoint::multipart::MultipartForm;
pub use crate::llm::identity::aws::AwsIdentity;
pub use crate::llm::identity::service_account::{GoogleIdentity, ServiceAccount};
pub use crate::llm::identity::token_cache::TokenCache;
pub use crate::llm::protocols::anthropic::{ANTHROPIC_BASE, Anthropic};
pub use crate::llm::protocols::bedrock::Bedrock;
pub use crate::llm::protocols::cohere::{COHERE_BASE, Cohere};
pub use crate::llm::protocols::completions::Completions;
pub use crate::llm::protocols::google::{GOOGLE_BASE, Google};
pub use crate::llm::protocols::ollama::{OLLAMA_BASE, Ollama};
pub use crate::llm::protocols::openai::{KeyStyle, OPENAI_BASE, OpenAi};
pub use crate::llm::protocols::replicate::{REPLICATE_BASE, Replicate};
pub use crate::llm::protocols::text_generation::{HUGGING_FACE_MODELS, TextGeneration};
use crate::net::{TlsError, status_may_pass};
pub use endpoint::{Endpoint, ProviderKey};
pub use identity::{ErrorMeaning, ErrorResponse, Identity, OutgoingRequest};
pub use model_list::{ListFormat, ListedModel, ModelPurpose, list_models};
pub use moderation::Moderator;
pub use provider_content::ProviderContent;
pub use provider_tool::ProviderTool;
pub use rerank::{ChunkRank, Reranker};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
pub use streaming::{ReadProgress, ReplyStream, StreamEnd};
pub use transcription::{Recording, Transcriber};

/// A model that answers a list of messages. Built anew for each run; holds its settings and its key.
pub trait ChatModel: Send + Sync {
    /// Asks the model, and waits until it begins to answer. A reply that is read here goes to `on`; one that arrives as a
    /// stream is left to whoever may read it elsewhere.
    ///
    /// # Errors
    /// What the provider refused, what broke on the way, or [`ModelError::Cancelled`] when `cancel` was set or
    /// `on` asked to stop.
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError>;

    /// Asks the model. Fragments go to `on` as they arrive; the whole reply is returned as well.
    ///
    /// # Errors
    /// As [`Self::open`].
    fn chat(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<Completion, ModelError> {
        match self.open(request, cancel, on)? {
            ChatReply::Whole(completion) => Ok(completion),
            ChatReply::Stream(stream) => stream.follow(on).result,
        }
    }

    /// True when messages may carry images.
    fn takes_images(&self) -> bool {
        false
    }

    /// True when the model can call tools.
    fn takes_tools(&self) -> bool {
        true
    }

    /// True when its provider runs this tool for it.
    fn takes_provider_tool(&self, _tool: ProviderTool) -> bool {
        false
    }

    /// Reads a file that a tool of the provider left with it; `path` is of a [`FileContent::Remote`].
    ///
    /// # Errors
    /// What the provider refused, or that it keeps none.
    fn read_file(&self, _path: &str, _cancel: &CancelToken) -> Result<Vec<u8>, ModelError> {
        Err(ModelError::Settings("this provider keeps no files".to_owned()))
    }

    /// False when the owner switched streaming off: the reply then comes in one piece.
    fn streams(&self) -> bool {
        true
    }
}

/// What a model answers with.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each call of a model, and it is taken apart at once"
)]
pub enum ChatReply {
    /// It was read; its fragments are out.
    Whole(Completion),
    /// It is still to be read.
    Stream(Box<ReplyStream>),
}

impl ChatReply {
    fn stream(stream: ReplyStream) -> Self {
        Self::Stream(Box::new(stream))
    }
}

/// Receives fragments of a stream; an error ends it.
pub type OnDelta<'a> = dyn FnMut(Delta<'_>) -> Result<(), StreamClosed> + 'a;

/// Nobody receives what a stream brings any more: who sends it should stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamClosed;

/// One fragment of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    Text(&'a str),
    Thinking(&'a str),
}

/// What is sent to a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChatRequest {
    /// The conversation, oldest first. System messages come first.
    pub messages: Vec<ChatMessage>,
    pub tools: Vec<ToolSpec>,
    /// Words at which the model must stop, beyond the card's own.
    pub stop: Vec<String>,
    /// Tools that the provider runs itself: only such as the model takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub provider_tools: Vec<ProviderTool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ChatMessage {
    System(String),
    /// A message of the person, in parts.
    User(Vec<ContentPart>),
    /// An earlier message of the model, with the tools it asked for.
    Assistant {
        /// Its text; may be empty when it only called tools.
        text: String,
        /// The calls, in order.
        calls: Vec<ToolCall>,
        /// The whole as its provider wrote it, where it wants that back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<ProviderContent>,
    },
    /// The result of one tool call.
    Tool {
        call_id: String,
        name: String,
        text: String,
        /// Only for a model that takes images.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<InlineImage>,
    },
}

/// A picture that is sent along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineImage {
    pub mime: String,
    /// Standard base64.
    pub base64: String,
}

impl ChatMessage {
    /// A user message of one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(vec![ContentPart::Text(text.into())])
    }

    /// An assistant message without calls.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::with_calls(text, Vec::new())
    }

    /// An assistant message that calls tools.
    pub fn with_calls(text: impl Into<String>, calls: Vec<ToolCall>) -> Self {
        Self::Assistant { text: text.into(), calls, content: None }
    }

    /// The result of a call, in words.
    pub fn result(call_id: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Tool { call_id: call_id.into(), name: name.into(), text: text.into(), images: Vec::new() }
    }

    /// The text of the message, parts joined.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::System(text) | Self::Assistant { text, .. } | Self::Tool { text, .. } => text.clone(),
            Self::User(parts) => {
                let texts = parts.iter().filter_map(|part| match part {
                    ContentPart::Text(text) => Some(text.as_str()),
                    ContentPart::Image { .. } | ContentPart::ImageUrl(_) => None,
                });
                texts.collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// One part of a user message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContentPart {
    Text(String),
    Image {
        mime: String,
        /// Standard base64.
        base64: String,
    },
    ImageUrl(String),
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// Name, of letters, digits, `_` and `-`.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// JSON Schema of its arguments: always an object.
    pub schema: Value,
}

/// A model's wish to call a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ties the result to the call; made up by the protocol file where the provider has none.
    pub id: String,
    pub name: String,
    /// The arguments: an object, or the raw text when the model wrote something else.
    pub arguments: Value,
}

/// A whole reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    pub text: String,
    /// The reasoning, when the provider shows it.
    pub thinking: String,
    pub calls: Vec<ToolCall>,
    /// Tokens, when reported.
    pub usage: Option<Usage>,
    /// Pages the answer leans on, where the provider searched the web.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
    /// Calls of tools that the provider ran itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provider_calls: Vec<UsedTool>,
    /// What the provider says of the reply, under the names by which clients know it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// How long it thought before it said anything, in seconds, where that took some.
    #[serde(skip)]
    pub thinking_seconds: Option<u64>,
    /// The whole as the provider wrote it, where it wants that back with the results of the calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ProviderContent>,
    /// The provider stopped in the midst of it, and goes on when it gets it back.
    #[serde(skip)]
    pub is_paused: bool,
    /// Files that tools of the provider made.
    #[serde(skip)]
    pub files: Vec<MadeFile>,
    /// Not to be kept for a later run: it was cut short, says nothing, or only this run can go on from it.
    #[serde(skip)]
    pub once: bool,
}

impl Completion {
    /// The reply as a message of the conversation that goes on.
    #[must_use]
    pub fn into_message(self) -> ChatMessage {
        ChatMessage::Assistant { text: self.text, calls: self.calls, content: self.content }
    }
}

/// A file that a tool of the provider made for a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFile {
    /// What the provider calls it: a label, never a path.
    pub name: String,
    /// Its media type; empty where its name alone tells.
    pub mime: String,
    pub content: FileContent,
}

/// Where the bytes of such a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// Standard base64.
    Base64(String),
    /// With the provider: what follows the base of its address.
    Remote(String),
}

/// A page that a reply leans on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    pub url: String,
    /// Its title; may be empty.
    pub title: String,
    /// What of it was read; may be empty.
    pub text: String,
}

/// Why a model call failed. Its `Display` is shown to callers: it never holds a key or an address path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// 429, after a few tries (manual 2.10).
    #[error("the provider is limiting requests; try again in {retry_after_seconds} seconds")]
    Throttled {
        /// The provider's wait, or the default of 30.
        retry_after_seconds: u64,
    },
    /// The account has no credit left.
    #[error("the provider says the account is out of credit; check its billing")]
    OutOfCredit,
    /// The key is wrong, missing or not allowed.
    #[error("the provider refused the API key; check the card's credential")]
    KeyRefused,
    /// The model name is unknown to the provider.
    #[error("the provider does not know the model '{0}'; check the card's model name")]
    UnknownModel(String),
    #[error("no connection to {0}; check the card's address and that the provider is up")]
    Unreachable(String),
    /// The provider is not trusted, or speaks no TLS that is spoken here.
    #[error("no trusted TLS connection to the provider: {0}")]
    Untrusted(TlsError),
    /// The operator's proxy does not let the call through; says why.
    #[error("the proxy of this server's network does not help: {0}")]
    Proxy(String),
    /// Refused by this service's own outbound rules.
    #[error(
        "the address was refused by policy; add its host and port to SERVICE_HTTP_ALLOW if it may be called"
    )]
    RefusedByPolicy,
    #[error("the provider took too long to answer")]
    TimedOut,
    #[error("the run was stopped")]
    Cancelled,
    /// Any other answer of the provider, shortened to one clean sentence.
    #[error("the provider answered {status}: {message}")]
    Provider { status: u16, message: String },
    /// The reply reached the limit of its length before the model said anything.
    #[error("the model used up its Max Tokens before it answered; give it more")]
    OutOfTokens,
    /// The reply was not in the expected form, or broke off.
    #[error("the provider's reply could not be read: {0}")]
    Garbled(String),
    /// The card's own settings make the call impossible.
    #[error("{0}")]
    Settings(String),
}

impl ModelError {
    /// The kind of failure in one word, for counts.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Throttled { .. } => "throttled",
            Self::OutOfCredit => "out_of_credit",
            Self::KeyRefused => "key_refused",
            Self::UnknownModel(_) => "unknown_model",
            Self::Unreachable(_) => "unreachable",
            Self::Untrusted(_) => "untrusted",
            Self::Proxy(_) => "proxy",
            Self::RefusedByPolicy => "refused_by_policy",
            Self::TimedOut => "timeout",
            Self::Cancelled => "cancelled",
            Self::Provider { .. } => "provider",
            Self::OutOfTokens => "out_of_tokens",
            Self::Garbled(_) => "garbled",
            Self::Settings(_) => "settings",
        }
    }
}

impl ModelError {
    /// True for what the same call may not meet again, where the provider did not say when to try.
    const fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::TimedOut => true,
            Self::Provider { status, .. } => status_may_pass(*status),
            _ => false,
        }
    }

    /// The operation's error, naming the card that failed.
    #[must_use]
    pub fn at(self, card: &str) -> Error {
        match self {
            Self::Throttled { retry_after_seconds } => Error::ProviderThrottled { retry_after_seconds },
            Self::Cancelled => Error::Cancelled,
            passing if passing.may_pass() => Error::transient(format!("{card}: {passing}")),
            other => Error::RunFailed(format!("{card}: {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_may_pass_says_so_and_others_do_not() {
        let busy = |status| ModelError::Provider { status, message: "no".into() };
        for passing in
            [busy(503), busy(409), busy(408), ModelError::TimedOut, ModelError::Unreachable("a:1".into())]
        {
            assert!(passing.clone().at("Model").may_pass(), "{passing:?}");
        }
        for lasting in [busy(400), ModelError::KeyRefused, ModelError::OutOfCredit, ModelError::Cancelled] {
            assert!(!lasting.clone().at("Model").may_pass(), "{lasting:?}");
        }
        let throttled = ModelError::Throttled { retry_after_seconds: 7 }.at("Model");
        assert_eq!((throttled.may_pass(), throttled.retry_after_seconds()), (true, Some(7)));
    }
}
