//! What a text of a chatflow can refer to.

use super::BracedName;

/// What a text can refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The result of another card, or a part of it.
    Node {
        id: String,
        /// Keys into a structured result; empty for the whole.
        path: Vec<String>,
    },
    Question,
    /// The messages of the conversation so far, as lines.
    ChatHistory,
    /// Text of files sent with the question.
    FileAttachment,
    Variable(String),
    /// A fact of the run: `chatId`, `sessionId` and the like.
    Flow(String),
    /// What a run of a pipeline was started with.
    Param(String),
}

impl BracedName for Reference {
    /// Names match exactly; spaces may stand around that of a param alone.
    fn parse(inner: &str) -> Option<Self> {
        match inner {
            "question" => return Some(Self::Question),
            "chat_history" => return Some(Self::ChatHistory),
            "file_attachment" => return Some(Self::FileAttachment),
            _ => {}
        }
        if let Some(name) = inner.strip_prefix("$vars.") {
            return (!name.is_empty()).then(|| Self::Variable(name.to_owned()));
        }
        if let Some(name) = inner.strip_prefix("$flow.") {
            return (!name.is_empty()).then(|| Self::Flow(name.to_owned()));
        }
        if let Some(name) = inner.trim().strip_prefix("params.") {
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            return is_name.then(|| Self::Param(name.to_owned()));
        }
        let (id, tail) = inner.split_once(".data.instance")?;
        let path = match tail.strip_prefix('.') {
            Some(path) => path.split('.').map(str::to_owned).collect(),
            None if tail.is_empty() => Vec::new(),
            None => return None,
        };
        (!id.is_empty()).then(|| Self::Node { id: id.to_owned(), path })
    }

    fn node_id(&self) -> Option<&str> {
        match self {
            Self::Node { id, .. } => Some(id),
            _ => None,
        }
    }
}
