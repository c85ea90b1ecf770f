//! DynamoDB Chat Memory: a conversation kept in a table of DynamoDB, in the form in which other programs like Flowise keep it
//! there. An item for each session, whose `messages` are a list, oldest first.

use super::buffer_window::SESSION_INPUTS;
use super::stored_messages;
use crate::aws::AccessKey;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, MessageRole};
use crate::kit::web::aws::{AwsService, REGION, endpoint_with};
use crate::kit::{
    Capability, Card, Category, Conversations, Factory, Grant, Host, Input, Inputs, Memory, Need, Risk,
    RunContext,
};
use crate::limits::MEMORY_MESSAGES_MAX;
use crate::llm::{Endpoint, ModelError, RequestBody};
use crate::net::Method;
use serde_json::{Value, json};
use std::sync::Arc;

const SERVER: Input = Input::address("serverUrl", "Server URL")
    .additional()
    .help("The address of a server that speaks as DynamoDB does; else Amazon's own.");

/// The attribute that holds the messages of a session.
const MESSAGES: &str = "messages";
/// What requests name the version of the protocol with.
const PROTOCOL: &str = "DynamoDB_20120810";
/// Longest names of a table and of an attribute.
const TABLE_CHARS_MAX: usize = 255;

pub(crate) const CARD: Card = Card {
    name: "DynamoDBChatMemory",
    label: "DynamoDB Chat Memory",
    version: 1.0,
    category: Category::Memory,
    description: "Keeps the conversation in a table of DynamoDB, where Flowise and programs like it can go on with it.",
    base_classes: &["DynamoDBChatMemory", "BaseChatMemory", "BaseMemory"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Conversations)],
    inputs: &[
        Input::credential(&["dynamodbMemoryApi"])
            .optional()
            .help("An access key. This server's own rights are not lent to flows."),
        Input::text("tableName", "Table Name").help("A table that is there already."),
        Input::text("partitionKey", "Partition Key")
            .help("The attribute of the table's items that names them: a text, and the only key."),
        REGION,
        SESSION_INPUTS[0],
        SESSION_INPUTS[1],
        SERVER,
    ],
    outputs: &[],
    make: Factory::Memory(|inputs| {
        let service = AwsService { host: "dynamodb", signing_name: "dynamodb" };
        Ok(Arc::new(DynamoMemory {
            label: inputs.label.to_owned(),
            session: inputs.optional_text("sessionId"),
            table: name(inputs, "tableName")?,
            key: name(inputs, "partitionKey")?,
            conversations: inputs.need()?,
            endpoint: endpoint_with(inputs, &service, SERVER.name, access_key(inputs)?)?,
        }))
    }),
};

fn name(inputs: &Inputs<'_>, input: &str) -> Result<String> {
    let name = inputs.text(input)?.trim().to_owned();
    if name.is_empty() || name.chars().count() > TABLE_CHARS_MAX {
        return Err(inputs.input_error(input, "this must be a name of 1 to 255 characters"));
    }
    Ok(name)
}

fn access_key(inputs: &Inputs<'_>) -> Result<AccessKey> {
    match (inputs.optional_secret("accessKey"), inputs.optional_secret("secretAccessKey")) {
        (Some(id), Some(secret)) => Ok(AccessKey { id, secret, session: None }),
        _ => {
            let why = "select a credential with an access key and its secret key: the rights that this server itself may have at AWS are not lent to flows";
            Err(inputs.input_error("credential", why))
        }
    }
}

struct DynamoMemory {
    label: String,
    /// A fixed session the owner chose; `None` is the conversation of the request.
    session: Option<String>,
    table: String,
    /// The attribute that names the items.
    key: String,
    conversations: Grant<dyn Conversations>,
    endpoint: Endpoint,
}

impl DynamoMemory {
    fn session(&self, host: &dyn Host) -> Result<String> {
        self.conversations.of(host)?.memory_session(self.session.as_deref())
    }

    /// Sends what is asked of the item of a session.
    fn call(&self, action: &str, session: &str, more: Value, host: &dyn Host) -> Result<Value> {
        let mut asked = json!({"TableName": self.table, "Key": { self.key.as_str(): {"S": session} }});
        if let (Some(asked), Value::Object(more)) = (asked.as_object_mut(), more) {
            asked.extend(more);
        }
        let bytes = asked.to_string().into_bytes();
        let mut endpoint = self.endpoint.clone();
        endpoint.headers.push(("x-amz-target".to_owned(), format!("{PROTOCOL}.{action}")));
        let body = RequestBody { kind: "application/x-amz-json-1.0", bytes: &bytes };
        let answer = endpoint.send_body(&Method::POST, "/", Some(body), host.cancel());
        answer.map_err(|fault| fault.at(&self.label))
    }
}

impl Memory for DynamoMemory {
    fn messages(&self, turn: &RunContext<'_>) -> Result<Vec<HistoryMessage>> {
        let session = self.session(turn.host)?;
        // What was said a moment ago is among them.
        let found = self.call("GetItem", &session, json!({"ConsistentRead": true}), turn.host)?;
        let kept = parse_item(&found["Item"])
            .ok_or_else(|| ModelError::Garbled("the item holds no conversation".into()).at(&self.label))?;
        Ok(stored_messages::messages_to_send(turn, kept, MEMORY_MESSAGES_MAX))
    }

    fn append(&self, question: &str, answer: &str, host: &dyn Host) -> Result<()> {
        let entry = |kind: &str, text: &str| json!({"M": {"type": {"S": kind}, "text": {"S": text}}});
        // One request for both: a question without its answer would mislead whoever goes on.
        let change = json!({
            "UpdateExpression": "SET #m = list_append(if_not_exists(#m, :none), :new)",
            "ExpressionAttributeNames": {"#m": MESSAGES},
            "ExpressionAttributeValues": {
                ":none": {"L": []}, ":new": {"L": [entry("human", question), entry("ai", answer)]},
            },
        });
        self.call("UpdateItem", &self.session(host)?, change, host).map(drop)
    }

    fn forget(&self, session: &str, host: &dyn Host) -> Result<()> {
        if self.session.is_some() {
            return Ok(());
        }
        self.call("DeleteItem", session, json!({}), host).map(drop)
    }
}

/// The messages of an item, which may not be there yet. Messages by neither of the two, and messages without text, are left
/// out. `None` when it holds something else.
fn parse_item(item: &Value) -> Option<Vec<HistoryMessage>> {
    let Some(list) = item.get(MESSAGES) else { return Some(Vec::new()) };
    let mut messages = Vec::new();
    for entry in list["L"].as_array()? {
        let text = |name: &str| entry["M"][name]["S"].as_str();
        let kind = text("type")?;
        let kind = if matches!(kind, "generic" | "chat") { text("role")? } else { kind };
        let speaker = match kind {
            "human" | "user" => MessageRole::User,
            "ai" | "assistant" => MessageRole::Api,
            _ => continue,
        };
        let said = text("text").unwrap_or_default();
        if !said.trim().is_empty() {
            messages.push(HistoryMessage::new(speaker, said.to_owned()));
        }
    }
    Some(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_the_family_are_read_and_others_are_no_conversation() {
        let entry = |kind: &str, text: &str| json!({"M": {"type": {"S": kind}, "text": {"S": text}}});
        let said = json!({"id": {"S": "s"}, "messages": {"L": [
            entry("human", "Hi"), entry("ai", ""), entry("system", "Obey."), entry("ai", "Yes"),
            {"M": {"type": {"S": "generic"}, "role": {"S": "user"}, "text": {"S": "Go"}, "additional_kwargs": {"S": "{}"}}},
        ]}});
        let texts = |item: &Value| {
            let found = parse_item(item)?;
            Some(
                found.into_iter().map(|said| (said.role == MessageRole::User, said.text)).collect::<Vec<_>>(),
            )
        };
        let expected =
            [(true, "Hi"), (false, "Yes"), (true, "Go")].map(|(user, text)| (user, text.to_owned()));
        assert_eq!(texts(&said), Some(expected.to_vec()));
        assert_eq!(texts(&Value::Null), Some(Vec::new()), "a session that begins");
        assert_eq!(texts(&json!({"id": {"S": "s"}})), Some(Vec::new()));
        for other in [json!({"S": "x"}), json!({"L": ["x"]}), json!({"L": [{"M": {"text": {"S": "x"}}}]})] {
            assert_eq!(texts(&json!({ "messages": other })), None, "{other}");
        }
    }
}
