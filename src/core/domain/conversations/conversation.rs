//! A conversation's stored messages and the proof that a caller owns it (manual 3.1, 3.2).

use super::feedback::ConversationFeedback;
use super::receipt::Receipt;
use crate::base::hmac::hmac_sha256;
use crate::domain::ids::{ChatId, ExecutionId, FlowId, MessageId, PauseId};
use crate::domain::predictions::execution::ExecutionDetails;
use crate::domain::predictions::prediction::{ChatType, Document, MessageRole, Usage, UsedTool};
use crate::domain::predictions::reasoning::AgentReasoning;
use crate::domain::predictions::team::TeamOutput;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

/// A conversation of a flow. The server makes the ids of conversations, so no two flows have one in common by chance; a
/// flow that is asked by another one goes on under the id of the conversation it is asked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    pub flow: FlowId,
    pub chat: ChatId,
}

/// What Flowise calls a file that is stored.
const STORED_FILE: &str = "stored-file";
/// What it calls a file that holds the text of a document.
const STORED_TEXT: &str = "stored-file:full";

/// A file or a link that went with a question, without its data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MessageFile {
    /// What it is, in Flowise's words.
    #[serde(rename = "type")]
    pub kind: String,
    /// What its sender calls it.
    pub name: String,
    pub mime: String,
    /// The name under which it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// The address of a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// A document that was read for its question. A file that a vector store took in looks the same otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_read: bool,
}

/// Pictures that models read.
const PICTURE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

impl MessageFile {
    /// True for a link to a picture.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.kind == "url"
    }

    /// True for what a model can be shown.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        self.is_link() || self.kind == STORED_FILE && PICTURE_TYPES.contains(&self.mime.as_str())
    }

    /// True for a file that holds the text of a document, and not the document.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.kind == STORED_TEXT
    }

    /// True for what a model was told as text before the question.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.is_text() || self.is_read
    }

    /// A file of a conversation.
    #[must_use]
    pub fn stored(name: &str, mime: &str, file_name: &str) -> Self {
        Self {
            kind: STORED_FILE.to_owned(),
            name: name.to_owned(),
            mime: mime.to_owned(),
            file_name: Some(file_name.to_owned()),
            ..Self::default()
        }
    }

    /// A file of a conversation that holds the text of a document.
    #[must_use]
    pub fn stored_text(name: &str, mime: &str, file_name: &str) -> Self {
        Self { kind: STORED_TEXT.to_owned(), ..Self::stored(name, mime, file_name) }
    }
}

/// A message, and how it was rated where that was asked for.
#[derive(Debug, Clone)]
pub struct RatedMessage {
    pub message: Message,
    pub rating: MessageRating,
    /// The record of the run that it belongs to, where whoever reads may see that.
    pub run: Option<Arc<ExecutionDetails>>,
}

/// What is known of the rating of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageRating {
    /// Nobody asked for it, or the message is no answer.
    Unknown,
    Unrated,
    Rated(ConversationFeedback),
}

/// A conversation at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationSummary {
    pub chat: ChatId,
    pub chat_type: Option<ChatType>,
    pub session: Option<String>,
    pub memory_type: Option<String>,
    pub lead_email: Option<String>,
    /// What the visitor who left a lead in it is called.
    pub lead_name: Option<String>,
    /// The beginning of its first question.
    pub first_question: Option<String>,
    pub messages: usize,
    /// Runs that failed and answered nothing.
    pub failed_runs: usize,
    pub positive_feedback: usize,
    pub negative_feedback: usize,
    /// When its first message was stored.
    pub created: Option<Timestamp>,
    /// When its last message was stored.
    pub updated: Option<Timestamp>,
}

/// A conversation among those of all flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowConversation {
    pub flow: FlowId,
    pub flow_name: String,
    pub summary: ConversationSummary,
}

/// A page of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundConversations {
    pub rows: Vec<FlowConversation>,
    /// Where the next page begins; `None` behind the last one.
    pub next: Option<u64>,
    /// The page is shorter than it was asked to be because more would have taken too long.
    pub stopped_early: bool,
}

/// How many conversations a search means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationCount {
    pub conversations: usize,
    /// All of their messages.
    pub messages: usize,
}

/// How much a flow is asked and how its answers are rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowStats {
    pub messages: usize,
    pub conversations: usize,
    pub feedback: usize,
    pub positive_feedback: usize,
}

/// One stored message (manual 3.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Message id; an answer's is the `chatMessageId` its caller got.
    pub id: MessageId,
    pub role: MessageRole,
    pub flow: FlowId,
    pub chat: ChatId,
    pub content: String,
    /// Where it came from.
    pub chat_type: ChatType,
    /// The memory session, when the flow has a memory card.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// What its caller called the conversation, where that is neither the memory session nor its id. No memory is read by it:
    /// the names of one key are unknown to every other.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_type: Option<String>,
    /// When: a question at request start, an answer when it was whole.
    pub created: Timestamp,
    /// The asker's e-mail, when the chat collected one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lead_email: Option<String>,
    /// Files of a question, without their data.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub file_uploads: Vec<MessageFile>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub used_tools: Vec<UsedTool>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub source_documents: Vec<Document>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<Usage>,
    /// What the person might ask next, after an answer.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub follow_up_prompts: Vec<String>,
    /// True for an answer that its caller or a shutdown cut short (manual 2.9).
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub stopped: bool,
    /// The record of the run that gave the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub execution: Option<ExecutionId>,
    /// Which version of Live gave the answer; none for a draft's, and where that is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub receipt: Option<Receipt>,
    /// What the person was asked to decide, as long as nobody did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub action: Option<Map<String, Value>>,
    /// The turns that led to an answer of a Multi-Agent or Sequential Agent flow.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub agent_reasoning: Vec<AgentReasoning>,
    /// What such a flow remembers of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turns: Option<Value>,
    /// What the specialists did, where a team answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub team: Option<Box<TeamOutput>>,
}

impl Message {
    /// The session as the answer named it: a name, the memory session, or the conversation itself.
    #[must_use]
    pub fn told_session(&self) -> String {
        let known = self.session_name.as_ref().or(self.session.as_ref());
        known.map_or_else(|| self.chat.to_string(), String::clone)
    }

    /// The pause that it asks a person about.
    #[must_use]
    pub fn pause(&self) -> Option<(ExecutionId, PauseId)> {
        let id = self.action.as_ref()?.get("id")?.as_str()?;
        self.execution.zip(PauseId::parse(id))
    }
}

/// Who said what: of a stored [`Message`] what a memory reads. A question reads hundreds of them, so nothing else is parsed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Utterance {
    pub role: MessageRole,
    pub content: String,
    /// Files that went with it.
    #[serde(rename = "fileUploads", default)]
    pub files: Vec<MessageFile>,
}

impl From<Message> for Utterance {
    fn from(message: Message) -> Self {
        Self { role: message.role, content: message.content, files: message.file_uploads }
    }
}

/// Mints and proves session tokens: base64url(HMAC-SHA256(secret, flow ‖ chat)), no stored state.
#[derive(Clone)]
pub struct OwnershipTokens {
    secret: [u8; 32],
}

impl OwnershipTokens {
    /// Tokens under this server secret.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    fn mac(&self, flow: &FlowId, chat: &ChatId) -> [u8; 32] {
        hmac_sha256(&self.secret, &[flow.bytes(), chat.bytes()])
    }

    /// The token that proves ownership of `chat` in `flow`.
    #[must_use]
    pub fn mint(&self, flow: &FlowId, chat: &ChatId) -> String {
        URL_SAFE_NO_PAD.encode(self.mac(flow, chat))
    }

    /// True when `token` proves exactly this conversation; compared in constant time.
    #[must_use]
    pub fn verify(&self, flow: &FlowId, chat: &ChatId, token: &str) -> bool {
        let Ok(given) = URL_SAFE_NO_PAD.decode(token) else { return false };
        given.ct_eq(&self.mac(flow, chat)).into()
    }

    /// The value of the `service_session` cookie (manual 3.1).
    #[must_use]
    pub fn cookie(&self, flow: &FlowId, chat: &ChatId) -> String {
        format!("{chat}.{}", self.mint(flow, chat))
    }

    /// Reads a cookie value: the conversation it names, when it proves it.
    #[must_use]
    pub fn verify_cookie(&self, flow: &FlowId, value: &str) -> Option<ChatId> {
        let (chat, token) = value.split_once('.')?;
        let chat = ChatId::parse(chat)?;
        self.verify(flow, &chat, token).then_some(chat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_utterance_is_a_message_without_the_rest() {
        let message = Message {
            id: MessageId::random(),
            role: MessageRole::Api,
            flow: FlowId::random(),
            chat: ChatId::random(),
            content: "It \"rains\".".to_owned(),
            chat_type: ChatType::External,
            session: None,
            session_name: None,
            memory_type: None,
            created: Timestamp::UNIX_EPOCH,
            lead_email: None,
            file_uploads: vec![MessageFile::default()],
            used_tools: Vec::new(),
            source_documents: Vec::new(),
            usage: None,
            follow_up_prompts: vec!["And then?".to_owned()],
            stopped: true,
            execution: None,
            receipt: None,
            action: None,
            agent_reasoning: Vec::new(),
            turns: None,
            team: None,
        };
        let stored = serde_json::to_vec(&message).unwrap();
        let read: Utterance = serde_json::from_slice(&stored).unwrap();
        assert_eq!(read, Utterance::from(message));
    }

    #[test]
    fn what_was_read_for_its_question_is_a_document_and_what_a_store_took_in_is_none() {
        let file = MessageFile::stored("a.txt", "text/plain", "1.txt");
        assert!(!file.is_document());
        assert!(MessageFile { is_read: true, ..file.clone() }.is_document());
        assert!(MessageFile::stored_text("a.txt", "text/plain", "1.txt").is_document());
        let kept = serde_json::to_value(MessageFile { is_read: true, ..file.clone() }).unwrap();
        assert_eq!(kept["isRead"], true);
        assert_eq!(serde_json::to_value(&file).unwrap().get("isRead"), None);
    }

    #[test]
    fn a_token_fits_one_flow_and_one_conversation() {
        let tokens = OwnershipTokens::new([7; 32]);
        let (flow, chat) = (FlowId::random(), ChatId::random());
        let token = tokens.mint(&flow, &chat);
        assert!(tokens.verify(&flow, &chat, &token));
        assert!(!tokens.verify(&FlowId::random(), &chat, &token));
        assert!(!tokens.verify(&flow, &ChatId::random(), &token));
        assert!(!tokens.verify(&flow, &chat, ""));
        assert!(!tokens.verify(&flow, &chat, &format!("{token}x")));
        assert!(!OwnershipTokens::new([8; 32]).verify(&flow, &chat, &token));
    }

    #[test]
    fn the_cookie_names_its_conversation() {
        let tokens = OwnershipTokens::new([7; 32]);
        let (flow, chat) = (FlowId::random(), ChatId::random());
        assert_eq!(tokens.verify_cookie(&flow, &tokens.cookie(&flow, &chat)), Some(chat));
        assert_eq!(tokens.verify_cookie(&flow, "nonsense"), None);
        let other = ChatId::random();
        assert_eq!(tokens.verify_cookie(&flow, &format!("{other}.{}", tokens.mint(&flow, &chat))), None);
    }
}
