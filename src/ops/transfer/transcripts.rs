//! The conversations of a flow as a file to read (reference 1.2 `/export-import/chatflow-messages`).

use super::super::messages::{self, MessageFilter, Telling, conversations};
use super::Kind;
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId};
use crate::store::Order;
use crate::store::tables::FLOWS;
use serde_json::{Value, json};

/// One object for each conversation, the one that went on last first.
///
/// # Errors
/// 404, 403.
pub fn transcripts(app: &App, caller: &Caller, id: &FlowId, filter: &MessageFilter) -> Result<Vec<Value>> {
    let flow =
        app.store.read(|tx| FLOWS.get(tx, &caller.workspace, id))?.ok_or_else(|| Error::no_flow(id))?;
    if !Kind::Flow(flow.kind).may_export(caller) {
        let own = Kind::Flow(flow.kind).export_permission();
        return Err(Error::Forbidden(format!("This needs the permission {own}.")));
    }
    // Whoever may let a flow out may read what was said in it.
    let reader = super::with(caller, flow.kind, "view");
    let (rows, _) = conversations::list(app, &reader, id, filter, (1, conversations::PAGE_MAX))?;
    let told = rows.iter().map(|row| {
        let chat = row["chatId"].as_str().and_then(ChatId::parse);
        let one = MessageFilter { chat, ..filter.clone() };
        let telling = Telling { order: Order::Ascending, page: None, feedback: true };
        let said = messages::list(app, &reader, id, &one, telling)?;
        let lines: Vec<Value> = said.iter().map(line).collect();
        Ok(json!({
            "id": row["chatId"], "source": source(&row["chatType"]), "sessionId": row["sessionId"],
            "memoryType": row["memoryType"], "email": row["leadEmail"], "messages": lines,
        }))
    });
    told.collect()
}

fn source(chat_type: &Value) -> &'static str {
    if chat_type == "INTERNAL" { "UI" } else { "API/Embed" }
}

fn line(message: &Value) -> Value {
    let who = if message["role"] == "apiMessage" { "bot" } else { "user" };
    let mut line = json!({"content": message["content"], "role": who, "time": message["createdDate"]});
    for name in ["sourceDocuments", "usedTools", "fileUploads", "feedback"] {
        if message.get(name).is_some_and(|value| !value.is_null()) {
            line[name] = message[name].clone();
        }
    }
    line
}
