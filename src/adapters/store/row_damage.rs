//! Rows in the operator's words: what a row is, and whose. Never what is in it.

use super::tables::Table;
use crate::base::hex::to_hex;
use crate::domain::damage::Damage;
use redb::TableHandle as _;
use std::fmt::Write as _;
use uuid::Uuid;

#[derive(Debug, Clone, Copy)]
enum KeyPart {
    Workspace,
    Id(&'static str),
    Number,
    /// The rest of a key, which is a hash.
    Hash,
    /// The rest of a key, which is a text.
    Text,
    /// The rest of a key, which only this program understands.
    Bytes,
}

use KeyPart::{Bytes, Hash, Id, Number, Text, Workspace};

/// Table, what a row of it is, and what its key is made of.
#[rustfmt::skip]
const KEY_LAYOUTS: &[(&str, &str, &[KeyPart])] = &[
    ("meta", "fact about the database", &[Text]),
    ("counters", "counter", &[Text]),
    ("messages", "message", &[Id("flow"), Id("conversation"), Number]),
    ("flow_timeline", "place of a message", &[Id("flow"), Number]),
    ("flows", "flow", &[Workspace, Id("flow")]),
    ("canvases", "canvas of a flow", &[Workspace, Id("flow")]),
    ("flow_home", "note of the workspace of a flow", &[Id("flow")]),
    ("api_keys", "API key", &[Workspace, Id("API key")]),
    ("key_by_hash", "hash of an API key", &[Hash]),
    ("credentials", "credential", &[Workspace, Id("credential")]),
    ("variables", "variable", &[Workspace, Id("variable")]),
    ("drafts", "draft of a flow", &[Workspace, Id("flow")]),
    ("draft_canvases", "canvas of a draft", &[Workspace, Id("flow")]),
    ("intents", "version that waits to be recorded", &[Id("change")]),
    ("version_index", "row of the index of versions", &[Bytes]),
    ("tools", "tool", &[Workspace, Id("tool")]),
    ("tool_servers", "server of tools", &[Workspace, Id("server of tools")]),
    ("document_stores", "document store", &[Workspace, Id("document store")]),
    ("chunks", "list of chunks", &[Workspace, Id("document store")]),
    ("passages", "chunk", &[Id("document store"), Id("loader"), Id("chunk")]),
    ("fillings", "list of how a flow was filled", &[Workspace, Id("flow")]),
    ("collections", "collection of vectors", &[Workspace, Id("collection")]),
    ("collection_blocks", "block of a collection of vectors", &[Workspace, Id("collection"), Number]),
    ("passage_records", "record of a record manager", &[Workspace, Id("namespace"), Id("chunk")]),
    ("store_vectors", "vector settings of a document store", &[Workspace, Id("document store")]),
    ("feedback", "rating", &[Id("flow"), Id("conversation"), Number]),
    ("feedback_home", "place of a rating", &[Id("rating")]),
    ("leads", "lead", &[Id("flow"), Id("lead")]),
    ("lead_conversations", "note of the conversation of a lead", &[Id("flow"), Id("conversation"), Id("lead")]),
    ("templates", "template", &[Workspace, Id("template")]),
    ("shared_templates", "note of a template that is shared", &[Workspace, Id("template")]),
    ("organization", "organization", &[Text]),
    ("workspaces", "workspace", &[Id("workspace")]),
    ("users", "person", &[Id("person")]),
    ("user_by_email", "e-mail address of a person", &[Text]),
    ("sessions", "session of a person", &[Hash]),
    ("roles", "role", &[Id("role")]),
    ("invitations", "invitation", &[Hash]),
    ("password_resets", "link for a new password", &[Hash]),
    ("audit", "entry of the list of what was done", &[Number]),
    ("audit_sign_ins", "entry of the list of sign-ins", &[Number]),
    ("flow_last_home", "note of the workspace of a deleted flow", &[Id("flow")]),
    ("collection_leftovers", "list of blocks to remove", &[Workspace, Id("collection")]),
    ("chat_knowledge", "record of what a conversation sent", &[Workspace, Bytes]),
    ("named_sessions", "name of a conversation", &[Workspace, Hash]),
    ("name_of_conversation", "note of the name of a conversation", &[Workspace, Hash]),
    ("history_mark", "note of the newest version", &[Text]),
    ("executions", "record of a run", &[Workspace, Id("run")]),
    ("execution_home", "note of the workspace of a run", &[Id("run")]),
    ("execution_index", "row of the index of runs", &[Workspace, Bytes]),
    ("execution_counts", "count of runs", &[Workspace, Bytes]),
    ("execution_entries", "step of a run", &[Id("run"), Number]),
    ("execution_steps", "note of a step that is under way", &[Id("run"), Number]),
    ("execution_order", "place of a step of a run", &[Id("run"), Number]),
    ("paused_canvases", "canvas of a run that waits", &[Id("flow"), Hash]),
    ("paused_runs", "note of a run that waits", &[Id("flow"), Bytes]),
    ("execution_leftovers", "note of runs to remove", &[Id("flow")]),
    ("execution_requests", "note of what a run was asked with", &[Id("run")]),
    ("schedules", "schedule of a flow", &[Workspace, Id("flow")]),
    ("trigger_log", "row of the log of a schedule", &[Id("flow"), Number]),
    ("webhook_secrets", "secret of a webhook", &[Workspace, Id("flow")]),
    ("webhook_callbacks", "answer of a webhook that is still to be sent", &[Id("callback")]),
    ("webhook_signatures", "signature of a call that was taken", &[Id("flow"), Hash]),
    ("webhook_answers", "first answer to a call", &[Id("flow"), Hash]),
    ("webhook_answer_order", "place of a first answer", &[Id("flow"), Bytes]),
    ("webhook_answer_totals", "count of first answers", &[Id("flow")]),
    ("check_questions", "list of questions for checks", &[Workspace, Id("flow")]),
    ("remote_connection", "note of the connected repository", &[Text]),
    ("server_label", "label of the server", &[Text]),
    ("version_answers", "row of the index of answers", &[Id("flow"), Id("change"), Number]),
    ("version_failures", "note of a run that failed", &[Id("flow"), Id("conversation"), Number]),
    ("version_counts", "count of answers", &[Id("flow"), Id("change"), Bytes]),
    ("version_names", "note of the version of a change", &[Id("flow"), Bytes]),
    ("mcp_servers", "flow as a tool", &[Workspace, Id("flow")]),
    ("hosted_assistants", "assistant at its provider", &[Workspace, Id("assistant")]),
    ("etl_runs", "run of a pipeline", &[Id("flow"), Number]),
    ("etl_under_way", "note of a run that goes on", &[Workspace, Id("flow")]),
    ("etl_files", "list of the files of a pipeline", &[Workspace, Id("flow")]),
    ("etl_digests", "digest of a document of a pipeline", &[Id("flow"), Bytes]),
    ("consumption", "count of questions and tokens", &[Workspace, Bytes]),
    ("mail_outbox", "message that waits to be sent", &[Id("message")]),
    ("mail_record", "note of what became of mail", &[Text]),
    ("mail_alerts", "note of what the owner was told", &[Text]),
    ("secret_prints", "fingerprint of a secret of the server", &[Text]),
];

/// The most that is shown of a part that is no id.
const PART_CHARS_MAX: usize = 80;

fn describe_table(table: Table) -> (&'static str, &'static [KeyPart]) {
    let found = KEY_LAYOUTS.iter().find(|(name, ..)| *name == table.name());
    found.map_or(("row", &[Bytes]), |(_, what, parts)| (what, parts))
}

pub(super) fn row_damage(table: Table, key: &[u8]) -> Damage {
    let (what, parts) = describe_table(table);
    let mut place = what.to_owned();
    let mut last_id = None;
    for (part, bytes) in split_key(parts, key) {
        let text = format_part(part, bytes);
        // Writing to a text cannot fail.
        let _ = match part {
            Workspace => write!(place, ", workspace {text}"),
            Id(of) => write!(place, ", {of} {text}"),
            Number => write!(place, ", number {text}"),
            Hash | Text | Bytes => write!(place, " {text}"),
        };
        if matches!(part, Id(_)) {
            last_id = Some(text);
        }
    }
    let what = last_id.map_or_else(|| what.to_owned(), |id| format!("{what} ({id})"));
    Damage::new(what, place)
}

/// A table of which not every row can be reached.
pub(super) fn table_damage(table: Table) -> Damage {
    let (what, _) = describe_table(table);
    Damage::new(what.to_owned(), format!("table {}, which holds each {what}", table.name()))
}

/// The parts of a key; what does not fit is the last one.
fn split_key<'a>(parts: &[KeyPart], mut key: &'a [u8]) -> Vec<(KeyPart, &'a [u8])> {
    let mut found = Vec::new();
    for part in parts {
        let length = match part {
            Workspace | Id(_) => 16,
            Number => 8,
            Hash | Text | Bytes => key.len(),
        };
        let Some((of_part, rest)) = key.split_at_checked(length) else { break };
        found.push((*part, of_part));
        key = rest;
    }
    if !key.is_empty() {
        found.push((Bytes, key));
    }
    found
}

fn format_part(part: KeyPart, bytes: &[u8]) -> String {
    match part {
        Workspace | Id(_) => Uuid::from_slice(bytes).map_or_else(|_| to_hex(bytes), |id| id.to_string()),
        Number => bytes.try_into().map(u64::from_be_bytes).unwrap_or_default().to_string(),
        Hash => format!("{}…", to_hex(&bytes[..bytes.len().min(4)])),
        Text => {
            String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_control()).take(PART_CHARS_MAX).collect()
        }
        Bytes => to_hex(&bytes[..bytes.len().min(PART_CHARS_MAX / 2)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{ChatId, FlowId};
    use crate::store::keys;
    use crate::store::tables::{ALL, MESSAGES, SESSIONS_TABLE, USER_BY_EMAIL_TABLE};

    #[test]
    fn every_table_has_words() {
        for table in ALL {
            assert_eq!(
                KEY_LAYOUTS.iter().filter(|(name, ..)| *name == table.name()).count(),
                1,
                "{}",
                table.name()
            );
        }
        assert_eq!(KEY_LAYOUTS.len(), ALL.len());
    }

    #[test]
    fn a_row_is_named_by_its_ids() {
        let (flow, chat) = (FlowId::random(), ChatId::random());
        let damage = row_damage(MESSAGES.table(), &keys::message(&flow, &chat, 7));
        assert_eq!(damage.place(), format!("message, flow {flow}, conversation {chat}, number 7"));
        assert_eq!(damage.what(), format!("message ({chat})"));
        assert_eq!(row_damage(MESSAGES.table(), b"ab").place(), "message 6162", "a key of another shape");
        assert_eq!(row_damage(SESSIONS_TABLE, &[0xab; 32]).place(), "session of a person abababab…");
        let email = row_damage(USER_BY_EMAIL_TABLE, b"ada@example.org");
        assert_eq!(email.what(), "e-mail address of a person", "a caller reads nobody's address");
        assert!(email.place().ends_with("ada@example.org"));
    }
}
