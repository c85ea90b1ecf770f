//! Files that people send in a conversation and a vector store takes in (manual 10.8): they answer questions of
//! that conversation and of no other.

use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::uploads::ChunkUsage;
use crate::domain::error::{Error, FullQuota, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::input::Input;
use crate::limits::CHAT_CHUNKS_MAX;
use serde_json::Value;

/// The switch of the stores that take such files.
pub const FILE_UPLOAD: Input = Input::switch("fileUpload", "File Upload").additional().help(
    "People may send files in the chat, of the types that the connected loaders read. What is in them is found in \
     their conversation alone.",
);

/// The entry of a chunk's metadata that names its conversation, as databases of Flowise have it.
pub(crate) const CHAT_KEY: &str = "flowise_chatId";

/// True when the card takes files of its chat.
#[must_use]
pub(crate) fn is_on(inputs: &Inputs<'_>) -> bool {
    inputs.declares(FILE_UPLOAD.name) && inputs.switch(FILE_UPLOAD.name)
}

/// Tags chunks of files as those of their conversation, whatever their own metadata say.
///
/// # Errors
/// 413 when they are more than a conversation may have.
pub(crate) fn tag_with_conversation(
    mut chunks: Vec<Document>,
    conversation: &Conversation,
) -> Result<Vec<Document>> {
    if chunks.len() > CHAT_CHUNKS_MAX {
        return Err(Error::QuotaExceeded(FullQuota::Conversation));
    }
    for chunk in &mut chunks {
        chunk.metadata.insert(CHAT_KEY.to_owned(), conversation.chat.to_string().into());
    }
    Ok(chunks)
}

/// About the space that chunks take in a database on another server: only it knows exactly.
#[must_use]
pub(crate) fn chunk_usage<'p>(chunks: impl Iterator<Item = &'p Document>) -> ChunkUsage {
    chunks.fold(ChunkUsage::default(), |sum, chunk| {
        let metadata = serde_json::to_string(&chunk.metadata).map_or(0, |text| text.len());
        sum.plus(ChunkUsage { chunks: 1, bytes: chunk.page_content.len() + metadata })
    })
}

/// The tags of conversations in all that a database holds of a chunk, at whatever place. Cards let their owner name the
/// places of texts and metadata, and nothing that a name does may hide whose a chunk is.
#[must_use]
pub(crate) fn conversation_tags(held: &Value) -> Vec<Value> {
    match held {
        Value::Object(map) => {
            let own = map.get(CHAT_KEY).cloned();
            own.into_iter().chain(map.values().flat_map(conversation_tags)).collect()
        }
        Value::Array(list) => list.iter().flat_map(conversation_tags).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// True for a chunk that is there for everybody, or for this conversation; `named` are its tags of conversations.
#[must_use]
pub(crate) fn visible_to(named: &[Value], conversation: Option<&Conversation>) -> bool {
    named.iter().all(|chat| {
        let is_everybodys = chat.is_null() || chat == "";
        is_everybodys || conversation.is_some_and(|own| *chat == own.chat.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{ChatId, FlowId};
    use serde_json::{Map, json};

    fn chunk(chat: Option<Value>) -> Document {
        let metadata = chat.map(|chat| (CHAT_KEY.to_owned(), chat)).into_iter().collect();
        Document { page_content: "x".to_owned(), metadata }
    }

    #[test]
    fn a_chunk_is_for_its_conversation_or_for_everybody() {
        let one = Conversation { flow: FlowId::random(), chat: ChatId::random() };
        let other = Conversation { chat: ChatId::random(), ..one };
        let is_for =
            |chunk: &Document, of| visible_to(&conversation_tags(&json!({"some": chunk.metadata})), of);
        for everybodys in [None, Some(Value::Null), Some(json!(""))] {
            assert!(is_for(&chunk(everybodys.clone()), None) && is_for(&chunk(everybodys), Some(&one)));
        }
        // A file cannot say that it is another conversation's, or everybody's.
        for said in [None, Some(json!("")), Some(json!(other.chat.to_string()))] {
            let marked = &tag_with_conversation(vec![chunk(said)], &one).unwrap()[0];
            assert!(is_for(marked, Some(&one)));
            assert!(!is_for(marked, Some(&other)) && !is_for(marked, None));
        }
        assert!(!is_for(&chunk(Some(json!(7))), Some(&one)));
        let both = json!({CHAT_KEY: one.chat, "deep": [{CHAT_KEY: other.chat}]});
        assert!(
            !super::visible_to(&conversation_tags(&both), Some(&one)),
            "everything that is said of it must fit"
        );
    }

    #[test]
    fn a_conversation_has_room_for_so_much() {
        let conversation = Conversation { flow: FlowId::random(), chat: ChatId::random() };
        let many = vec![Document { page_content: "x".to_owned(), metadata: Map::new() }; CHAT_CHUNKS_MAX + 1];
        assert!(matches!(
            tag_with_conversation(many, &conversation),
            Err(Error::QuotaExceeded(FullQuota::Conversation))
        ));
    }
}
