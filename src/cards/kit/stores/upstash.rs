//! Redis as Upstash gives it: commands go as JSON over HTTP, each with the token of the database.

use super::redis_commands::{CommandError, RedisCommand, RedisCommands};
use super::remote::endpoint;
use crate::base::cancel::CancelToken;
use crate::kit::build::inputs::Inputs;
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use crate::redis::{RedisError, RedisReply};
use serde_json::Value;

/// A database of Upstash.
pub(crate) struct Upstash(Endpoint);

impl Upstash {
    /// The database at this address.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, base: &str, token: &str) -> Self {
        Self(endpoint(inputs, base, &[("authorization", format!("Bearer {token}"))]))
    }

    fn post(&self, path: &str, body: &Value, cancel: &CancelToken) -> Result<Value, CommandError> {
        self.0.send_json(&Method::POST, path, Some(body), cancel).map_err(server_error)
    }

    /// What became of one command.
    fn result(&self, answer: &Value) -> Result<RedisReply, CommandError> {
        if !answer["error"].is_null() {
            return Err(server_error(self.0.error_from_body(400, answer)));
        }
        answer.get("result").and_then(reply).ok_or_else(malformed_answer)
    }
}

/// A refusal holds the words of the server behind it.
fn server_error(error: ModelError) -> CommandError {
    match error {
        ModelError::Provider { status: 400, message } => RedisError::from_server(&message, &[]).into(),
        other => CommandError::Service(other),
    }
}

impl RedisCommands for Upstash {
    fn run_all(
        &self,
        commands: &[&RedisCommand<'_>],
        cancel: &CancelToken,
    ) -> Result<Vec<RedisReply>, CommandError> {
        let written = |command: &&RedisCommand<'_>| -> Value {
            command.iter().map(|part| Value::from(String::from_utf8_lossy(part))).collect()
        };
        match commands {
            [] => Ok(Vec::new()),
            [one] => Ok(vec![self.result(&self.post("/", &written(one), cancel)?)?]),
            // As one: nobody reads what only the first of them has changed.
            several => {
                let body: Value = several.iter().map(written).collect();
                let answer = self.post("/multi-exec", &body, cancel)?;
                let results = answer.as_array().filter(|results| results.len() == several.len());
                results.ok_or_else(malformed_answer)?.iter().map(|answer| self.result(answer)).collect()
            }
        }
    }
}

fn malformed_answer() -> CommandError {
    CommandError::Service(ModelError::Garbled("it is no reply of Redis".into()))
}

/// `None` for what no command replies.
fn reply(value: &Value) -> Option<RedisReply> {
    Some(match value {
        Value::Null => RedisReply::Nothing,
        Value::String(text) => RedisReply::Bytes(text.clone().into_bytes()),
        Value::Number(number) => RedisReply::Number(number.as_i64()?),
        Value::Array(list) => RedisReply::List(list.iter().map(reply).collect::<Option<_>>()?),
        Value::Bool(_) | Value::Object(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Outgoing;
    use serde_json::json;

    #[test]
    fn every_reply_of_redis_is_read_and_nothing_else() {
        let upstash = Upstash(Endpoint::new(Outgoing::new(Vec::new(), true), "http://h", None));
        let bytes = |text: &str| RedisReply::Bytes(text.as_bytes().to_vec());
        for (answer, expected) in [
            (json!({"result": "OK"}), bytes("OK")),
            (json!({"result": null}), RedisReply::Nothing),
            (json!({"result": 3}), RedisReply::Number(3)),
            (json!({"result": ["a", null]}), RedisReply::List(vec![bytes("a"), RedisReply::Nothing])),
        ] {
            assert_eq!(upstash.result(&answer).unwrap(), expected, "{answer}");
        }
        for answer in [json!({}), json!([]), json!("x"), json!({"result": {"a": 1}}), json!({"result": 1.5})]
        {
            assert!(matches!(upstash.result(&answer), Err(CommandError::Service(_))), "{answer}");
        }
        let refused = json!({"error": "WRONGTYPE Operation against a key holding the wrong kind of value"});
        assert!(upstash.result(&refused).unwrap_err().to_string().contains("another program"));
    }
}
