//! A row of a conversation as the message that it is here.

use super::Move;
use crate::domain::conversations::conversation::{Message, MessageFile};
use crate::domain::ids::{ChatId, ExecutionId, FlowId, MessageId};
use crate::domain::predictions::prediction::{ChatType, Document, MessageRole, UsedTool};
use crate::domain::predictions::reasoning::AgentReasoning;
use crate::flowise::Row;
use crate::ops::workspace::quota;
use jiff::Timestamp;
use serde::Deserialize as _;
use serde_json::Value;

/// The ids of a message: its own, and its conversation's.
pub(super) fn ids(row: &Row) -> (MessageId, ChatId) {
    let (id, chat) = (row.id_or_derived("id"), row.id_or_derived("chatId"));
    (MessageId::from_bytes(*id.as_bytes()), ChatId::from_bytes(*chat.as_bytes()))
}

/// The flow that a row of a conversation is of, as the folder calls it.
pub(super) fn flow_of(row: &Row) -> Option<FlowId> {
    row.id("chatflowid").map(|id| FlowId::from_bytes(*id.as_bytes()))
}

/// The message, without its files; `None` for a row that is none. Nobody is asked any more what its run waited for.
pub(super) fn read(row: &Row, flow: FlowId, now: Timestamp) -> Option<Message> {
    let (id, chat) = ids(row);
    let text = |column: &str| row.filled(column).map(str::to_owned);
    let kind = ChatType::deserialize(&Value::from(row.text("chatType").unwrap_or_default()));
    Some(Message {
        id,
        role: MessageRole::deserialize(&Value::from(row.text("role")?)).ok()?,
        flow,
        chat,
        content: row.text("content")?.to_owned(),
        chat_type: kind.unwrap_or(ChatType::External),
        session: text("sessionId"),
        session_name: None,
        memory_type: text("memoryType"),
        // A time that is still to come would hold back the dates of all that is stored after it.
        created: row.date("createdDate")?.min(now),
        lead_email: text("leadEmail"),
        file_uploads: Vec::new(),
        used_tools: list(row, "usedTools").iter().filter_map(used_tool).collect(),
        source_documents: list(row, "sourceDocuments").iter().filter_map(document).collect(),
        usage: None,
        follow_up_prompts: follow_up_prompts(row),
        stopped: false,
        execution: row.id("executionId").map(|id| ExecutionId::from_bytes(*id.as_bytes())),
        receipt: None,
        action: None,
        agent_reasoning: list(row, "agentReasoning").iter().filter_map(reasoning).collect(),
        turns: None,
        team: None,
    })
}

/// The files of a question, stored with its conversation; what is not there any more stays as what it was called.
pub(super) fn take_files(
    moving: &Move<'_>,
    row: &Row,
    message: &mut Message,
) -> crate::domain::error::Result<()> {
    for sent in list(row, "fileUploads") {
        let text = |name: &str| sent[name].as_str().unwrap_or_default().to_owned();
        let (kind, name, mime) = (text("type"), text("name"), text("mime"));
        let found = stored_file(moving, row, &name);
        let file = match found {
            Some(bytes) => {
                let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
                let workspace = &moving.caller.workspace;
                let _room = quota::admit_file(moving.app, workspace, bytes.len() as u64)?;
                let stored = moving.app.chat_files.store(
                    workspace,
                    &message.flow,
                    &message.chat,
                    extension,
                    &bytes,
                )?;
                MessageFile::stored(&name, &mime, stored.as_str())
            }
            None => {
                let link = (kind == "url").then(|| text("data"));
                MessageFile { kind, name, mime, data: link, ..MessageFile::default() }
            }
        };
        message.file_uploads.push(file);
    }
    Ok(())
}

fn stored_file(moving: &Move<'_>, row: &Row, name: &str) -> Option<Vec<u8>> {
    let (flow, chat) = (row.text("chatflowid")?, row.text("chatId")?);
    moving.folder.chat_file(flow, chat, name, crate::limits::DOCUMENT_BYTES_MAX as u64)
}

/// The list in a column; none for what is no list.
fn list(row: &Row, column: &str) -> Vec<Value> {
    match row.json(column) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

fn used_tool(value: &Value) -> Option<UsedTool> {
    let output = &value["toolOutput"];
    Some(UsedTool {
        tool: value["tool"].as_str()?.to_owned(),
        tool_input: value["toolInput"].clone(),
        tool_output: output.as_str().map_or_else(|| output.to_string(), str::to_owned),
        error: value["error"].as_str().map(str::to_owned),
    })
}

fn document(value: &Value) -> Option<Document> {
    Some(Document {
        page_content: value["pageContent"].as_str()?.to_owned(),
        metadata: value["metadata"].as_object().cloned().unwrap_or_default(),
    })
}

fn reasoning(value: &Value) -> Option<AgentReasoning> {
    AgentReasoning::deserialize(value).ok()
}

fn follow_up_prompts(row: &Row) -> Vec<String> {
    let found = row.json("followUpPrompts");
    let listed = found.as_ref().and_then(|found| found.as_array().or_else(|| found["questions"].as_array()));
    listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
