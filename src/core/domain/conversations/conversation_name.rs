//! Conversations that callers with a flow's key name themselves, so that a person's memory goes on under the name that an
//! integration gives it (manual 3.3).

use super::conversation::Conversation;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ConversationNameId, FlowId, KeyId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Longest name, in characters.
const CHARACTERS_MAX: usize = 200;

/// What a caller calls a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationName(String);

impl ConversationName {
    /// Reads a name.
    ///
    /// # Errors
    /// 400 for what is no text of 1 to 200 characters without control characters.
    pub fn parse(sent: &Value) -> Result<Self> {
        let fits = |text: &&str| {
            let length = text.chars().count();
            (1..=CHARACTERS_MAX).contains(&length) && !text.chars().any(char::is_control)
        };
        let wrong = || {
            Error::Invalid(format!(
                "'sessionId' must be a text of 1 to {CHARACTERS_MAX} characters without control characters."
            ))
        };
        sent.as_str().filter(fits).map(|text| Self(text.to_owned())).ok_or_else(wrong)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Where the conversation of this name is noted: names of one flow and key are unknown to every other.
    #[must_use]
    pub fn id(&self, flow: &FlowId, key: &KeyId) -> ConversationNameId {
        let mut hash = Sha256::new();
        hash.update(flow.bytes());
        hash.update(key.bytes());
        hash.update(&self.0);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        ConversationNameId::from_bytes(bytes)
    }
}

/// The conversation a name stands for. The name itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedConversation {
    pub conversation: Conversation,
    /// The key whose holders know the name.
    pub key: KeyId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_is_a_short_text_of_one_line() {
        for good in ["a", "Ada Lovelace", "user:1/2", &"ü".repeat(200)] {
            assert_eq!(ConversationName::parse(&json!(good)).unwrap().as_str(), good);
        }
        for bad in [
            json!(""),
            json!("a\nb"),
            json!("\u{0}"),
            json!("x".repeat(201)),
            json!(7),
            json!({}),
            json!(true),
        ] {
            assert!(matches!(ConversationName::parse(&bad), Err(Error::Invalid(_))), "{bad}");
        }
    }

    #[test]
    fn a_name_belongs_to_one_flow_and_one_key() {
        let (flow, key) = (FlowId::random(), KeyId::random());
        let name = ConversationName::parse(&json!("ada")).unwrap();
        assert_eq!(name.id(&flow, &key), name.id(&flow, &key));
        let other = ConversationName::parse(&json!("Ada")).unwrap();
        let places =
            [other.id(&flow, &key), name.id(&FlowId::random(), &key), name.id(&flow, &KeyId::random())];
        assert!(places.iter().all(|place| *place != name.id(&flow, &key)));
    }
}
