//! Redis as Upstash gives it: commands go as JSON over HTTP, each with the token of the database.

use super::commands::{Command, Commands, Fault};
use super::inputs::Inputs;
use super::remote::endpoint;
use crate::domain::cancel::Cancel;
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use crate::redis::{RedisError, Reply};
use serde_json::Value;

/// A database of Upstash.
pub(in crate::cards) struct Upstash(Endpoint);

impl Upstash {
    /// The database at this address.
    pub(in crate::cards) fn of(inputs: &Inputs<'_>, base: &str, token: &str) -> Self {
        Self(endpoint(inputs, base, &[("authorization", format!("Bearer {token}"))]))
    }

    fn post(&self, path: &str, body: &Value, cancel: &Cancel) -> Result<Value, Fault> {
        self.0.exchange(&Method::POST, path, Some(body), cancel).map_err(of_server)
    }

    /// What became of one command.
    fn result(&self, answer: &Value) -> Result<Reply, Fault> {
        if !answer["error"].is_null() {
            return Err(of_server(self.0.told(400, answer)));
        }
        answer.get("result").and_then(reply).ok_or_else(garbled)
    }
}

/// A refusal holds the words of the server behind it.
fn of_server(error: ModelError) -> Fault {
    match error {
        ModelError::Provider { status: 400, message } => RedisError::told(&message, &[]).into(),
        other => Fault::Service(other),
    }
}

impl Commands for Upstash {
    fn run_all(&self, commands: &[&Command<'_>], cancel: &Cancel) -> Result<Vec<Reply>, Fault> {
        let written = |command: &&Command<'_>| -> Value {
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
                results.ok_or_else(garbled)?.iter().map(|answer| self.result(answer)).collect()
            }
        }
    }
}

fn garbled() -> Fault {
    Fault::Service(ModelError::Garbled("it is no reply of Redis".into()))
}

/// `None` for what no command replies.
fn reply(value: &Value) -> Option<Reply> {
    Some(match value {
        Value::Null => Reply::Nothing,
        Value::String(text) => Reply::Bytes(text.clone().into_bytes()),
        Value::Number(number) => Reply::Number(number.as_i64()?),
        Value::Array(list) => Reply::List(list.iter().map(reply).collect::<Option<_>>()?),
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
        let bytes = |text: &str| Reply::Bytes(text.as_bytes().to_vec());
        for (answer, expected) in [
            (json!({"result": "OK"}), bytes("OK")),
            (json!({"result": null}), Reply::Nothing),
            (json!({"result": 3}), Reply::Number(3)),
            (json!({"result": ["a", null]}), Reply::List(vec![bytes("a"), Reply::Nothing])),
        ] {
            assert_eq!(upstash.result(&answer).unwrap(), expected, "{answer}");
        }
        for answer in [json!({}), json!([]), json!("x"), json!({"result": {"a": 1}}), json!({"result": 1.5})]
        {
            assert!(matches!(upstash.result(&answer), Err(Fault::Service(_))), "{answer}");
        }
        let refused = json!({"error": "WRONGTYPE Operation against a key holding the wrong kind of value"});
        assert!(upstash.result(&refused).unwrap_err().to_string().contains("another program"));
    }
}
