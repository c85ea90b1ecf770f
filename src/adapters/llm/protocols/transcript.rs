//! A conversation as one text, for models that complete a text and know no messages.

use crate::llm::ChatMessage;

/// A conversation written down.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::llm) struct Transcript {
    pub text: String,
    /// Where the model would go on to speak for the person; `None` where no names are written.
    pub stop: Option<String>,
}

/// Writes messages down. Names stand before the messages once the model has had a turn: a lone prompt stays as it is.
pub(in crate::llm) fn from_messages(messages: &[ChatMessage]) -> Transcript {
    let answered = messages
        .iter()
        .any(|message| matches!(message, ChatMessage::Assistant { .. } | ChatMessage::Tool { .. }));
    if !answered {
        let texts: Vec<String> = messages.iter().map(ChatMessage::text).collect();
        return Transcript { text: texts.join("\n\n"), stop: None };
    }
    let mut text = String::new();
    for message in messages {
        match message {
            ChatMessage::System(_) => {}
            ChatMessage::User(_) => text.push_str("Human: "),
            ChatMessage::Assistant { .. } => text.push_str("AI: "),
            ChatMessage::Tool { name, .. } => {
                text.push_str("Result of ");
                text.push_str(name);
                text.push_str(": ");
            }
        }
        text.push_str(&message.text());
        text.push_str("\n\n");
    }
    text.push_str("AI:");
    Transcript { text, stop: Some("\nHuman:".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_stays_as_it_is_and_a_conversation_gets_names() {
        let prompt = from_messages(&[ChatMessage::user("Say hi")]);
        assert_eq!(prompt, Transcript { text: "Say hi".into(), stop: None });
        let told = from_messages(&[ChatMessage::System("Be kind.".into()), ChatMessage::user("Say hi")]);
        assert_eq!(told.text, "Be kind.\n\nSay hi");
        let talk = from_messages(&[
            ChatMessage::System("Be kind.".into()),
            ChatMessage::user("Hi"),
            ChatMessage::assistant("Hello"),
            ChatMessage::user("Bye"),
        ]);
        assert_eq!(talk.text, "Be kind.\n\nHuman: Hi\n\nAI: Hello\n\nHuman: Bye\n\nAI:");
        assert_eq!(talk.stop.as_deref(), Some("\nHuman:"));
    }
}
