//! The conversations of a flow as a file to read (manual 3.5 r4).

use super::ItemKind;
use super::export::to_values;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::domain::predictions::prediction::ChatType;
use crate::ops::conversations::messages::{self, Budget, MessageFilter, conversations};
use crate::store::tables::FLOWS;
use crate::wire::conversations::messages::MessageView;
use crate::wire::workspace::transcripts::{TranscriptMessage, TranscriptSpeaker, TranscriptView};
use serde_json::Value;

const CONVERSATIONS_MAX: usize = 5_000;
const MESSAGES_MAX: usize = 50_000;
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// One object for each conversation, the one that went on last first.
///
/// # Errors
/// 404, 403, 400 when that is more than one file holds.
pub(crate) fn transcripts(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    filter: &MessageFilter,
) -> Result<Vec<TranscriptView>> {
    let flow =
        app.store.read(|tx| FLOWS.get(tx, &caller.workspace, id))?.ok_or_else(|| Error::no_flow(id))?;
    ItemKind::Flow(flow.kind).check_export(caller)?;
    let found = conversations::all_up_to(app, caller, id, filter, CONVERSATIONS_MAX)?;
    let mut budget = Budget::new(MESSAGES_MAX, BYTES_MAX);
    let told = found.ok_or_else(too_many)?.into_iter().map(|row| {
        let one = MessageFilter { chat: Some(row.chat), ..filter.clone() };
        let said: Vec<MessageView> = messages::newest_within(app, caller, id, &one, true, &mut budget)?;
        if budget.is_truncated() {
            return Err(too_many());
        }
        Ok(TranscriptView {
            id: row.chat,
            source: source(row.chat_type),
            session_id: row.session,
            memory_type: row.memory_type,
            email: row.lead_email,
            messages: to_values(&said)?.iter().map(line).collect(),
        })
    });
    told.collect()
}

/// A list of conversations has no place for a mark that says it is not whole.
fn too_many() -> Error {
    let most = BYTES_MAX / (1024 * 1024);
    Error::Invalid(format!(
        "That is more than one file holds ({CONVERSATIONS_MAX} conversations, {MESSAGES_MAX} messages, {most} MB): \
         send a 'startDate' and an 'endDate' that are closer together."
    ))
}

fn source(chat_type: Option<ChatType>) -> &'static str {
    if chat_type == Some(ChatType::Internal) { "UI" } else { "API/Embed" }
}

fn line(message: &Value) -> TranscriptMessage {
    let text = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
    let part = |name: &str| message.get(name).filter(|value| !value.is_null()).cloned();
    TranscriptMessage {
        content: text("content"),
        role: if message["role"] == "apiMessage" { TranscriptSpeaker::Bot } else { TranscriptSpeaker::User },
        time: text("createdDate"),
        source_documents: part("sourceDocuments"),
        used_tools: part("usedTools"),
        file_uploads: part("fileUploads"),
        feedback: part("feedback"),
        execution_id: part("executionId"),
        action: part("action"),
    }
}
