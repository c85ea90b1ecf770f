//! What a run came to, in a form that is the same in every run and holds nothing that others wrote: their texts stand as
//! digests, so that it shows which text stood where.

use super::stage::Reading;
use crate::support::client::Answer;
use crate::support::golden;
use crate::support::provider::RecordedRequest;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use regex::Regex;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How every secret of these tests begins; the name of its field follows.
pub const SECRET: &str = "secret-of-";

/// Fewer characters, or fewer words, say nothing that is anybody's own.
const FOREIGN_MIN_CHARS: usize = 12;
const FOREIGN_MIN_WORDS: usize = 3;

/// A request of the service to somebody else: where it went, whose secret it showed, and what it said.
pub fn sent(request: &RecordedRequest) -> Value {
    let host = request.header("host").unwrap_or_default();
    let shown = |text: &str| {
        let at = text.find(SECRET).map(|at| at + SECRET.len()).or_else(|| text.find("hush-access"))?;
        Some(text[at..].split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next()?.to_owned())
    };
    let secret = request.headers.iter().find_map(|(_, value)| shown(value)).or_else(|| shown(&request.path));
    let mut body = request.body.clone();
    if let Some(raw) = body.get_mut("raw") {
        let mail = URL_SAFE_NO_PAD.decode(raw.as_str().unwrap()).unwrap();
        *raw = String::from_utf8(mail).unwrap().split("\r\n").map(str::to_owned).collect();
    }
    json!({"to": format!("{} {host}{}", request.method, request.path), "secret": secret, "body": body})
}

/// What the caller was told. The steps it was told of are those of the record.
pub fn told(answer: &Answer, reading: Reading, record: &Value) -> Value {
    let kept = &record["executionData"];
    if reading == Reading::Streamed {
        let events = answer.events();
        let steps = events.iter().rfind(|(name, _)| name == "agentFlowExecutedData");
        assert_eq!(&steps.expect("steps are told").1, kept, "the last of the events is what is kept");
        return json!({ "events": listed(events) });
    }
    let mut told = answer.json();
    if answer.status == 200 {
        let steps = told.as_object_mut().unwrap().remove("agentFlowExecutedData").expect("steps are told");
        assert_eq!(&steps, kept, "what is told is what is kept");
    }
    json!({"status": answer.status, "answer": told})
}

/// Events in their order: tokens that follow one another as one text, steps by label and state. When a step begins depends
/// on how many run at once, so it is only looked at that it does so before it ends.
fn listed(events: Vec<(String, Value)>) -> Value {
    let mut list: Vec<Value> = Vec::new();
    let mut begun: Vec<Value> = Vec::new();
    for (name, data) in events {
        if name == "nextAgentFlow" && data["status"] == "INPROGRESS" {
            begun.push(data["nodeId"].clone());
            continue;
        }
        match (name.as_str(), list.last_mut().and_then(|last| last.get_mut("token"))) {
            ("nextAgentFlow", _) => {
                let at = begun.iter().position(|node| *node == data["nodeId"]);
                begun.remove(at.unwrap_or_else(|| panic!("it ended and had not begun: {data}")));
                list.push(json!({ name: data }));
            }
            ("token", Some(Value::String(text))) => text.push_str(data.as_str().unwrap()),
            ("agentFlowExecutedData", _) => list.push(json!({ name: steps(&data) })),
            _ => list.push(json!({ name: data })),
        }
    }
    assert!(begun.is_empty(), "they began and did not end: {begun:?}");
    list.into()
}

fn steps(entries: &Value) -> String {
    let step = |entry: &Value| {
        format!("{} {}", entry["nodeLabel"].as_str().unwrap(), entry["status"].as_str().unwrap())
    };
    entries.as_array().unwrap().iter().map(step).collect::<Vec<_>>().join(", ")
}

/// What is kept of a run, without what says only which run it is.
pub fn record(record: &Value) -> Value {
    let names = ["state", "error", "action", "pauses", "executionData"];
    let kept = names.iter().filter_map(|name| Some(((*name).to_owned(), record.get(name)?.clone())));
    Value::Object(kept.collect())
}

/// Without times, ids and ports.
pub fn normalise(value: Value) -> Value {
    static PORT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"127\.0\.0\.1:\d+").unwrap());
    match value {
        Value::String(text) => PORT.replace_all(&golden::normalize(&text), "<stand-in>").into(),
        Value::Array(list) => list.into_iter().map(normalise).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                let value = match name.as_str() {
                    "timeMetadata" => json!("<time>"),
                    "sessionToken" => json!("<token>"),
                    // It depends on when the flow was made.
                    "flowVersion" => json!("<version>"),
                    _ => normalise(value),
                };
                (name, value)
            };
            Value::Object(fields.into_iter().map(field).collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// The same conversation as a caller sees it who takes answers whole: nothing but the way of asking for a stream is left
/// out.
pub fn beside_streaming(turns: &Value) -> Value {
    let mut turns = turns.clone();
    for turn in turns.as_array_mut().unwrap() {
        let turn = turn.as_object_mut().unwrap();
        for name in ["events", "status", "answer"] {
            turn.remove(name);
        }
        for request in turn["sent"].as_array_mut().unwrap() {
            let to = request["to"].as_str().unwrap();
            request["to"] = to.replace(":streamGenerateContent?alt=sse", ":generateContent").into();
            if let Some(body) = request["body"].as_object_mut() {
                body.remove("stream");
                body.remove("stream_options");
            }
        }
    }
    turns
}

/// The texts of a template that are its author's.
pub struct ForeignTexts(Vec<String>);

impl ForeignTexts {
    pub fn of(template: &Value) -> Self {
        static BETWEEN: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r#"<[^>]*>|\{\{[^}]*\}\}|[\n\t"\\&]|\\n"#).unwrap());
        Self::between(&BETWEEN, template)
    }

    /// As [`Self::of`], where single braces in prompts name variables, whose values stand in their places.
    pub fn of_prompts(template: &Value) -> Self {
        static BETWEEN: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r#"<[^>]*>|\{\{[^}]*\}\}|\{[^{}]*\}|[\n\t"\\&]|\\n"#).unwrap());
        Self::between(&BETWEEN, template)
    }

    fn between(marks: &Regex, template: &Value) -> Self {
        let mut found = BTreeSet::new();
        for node in template["nodes"].as_array().unwrap() {
            let mut inputs = node["data"]["inputs"].clone();
            // The name of a step, which shows elsewhere too.
            inputs.as_object_mut().unwrap().remove("loopBackToNode");
            collect(&inputs, marks, &mut found);
        }
        let mut texts: Vec<String> = found.into_iter().collect();
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Self(texts)
    }

    /// With a digest in the place of each of them.
    pub fn shorten(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self
                .0
                .iter()
                .fold(text, |text, foreign| {
                    if text.contains(foreign.as_str()) {
                        text.replace(foreign.as_str(), &digest(foreign))
                    } else {
                        text
                    }
                })
                .into(),
            Value::Array(list) => list.into_iter().map(|value| self.shorten(value)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.shorten(value))).collect()
            }
            other => other,
        }
    }
}

fn digest(text: &str) -> String {
    let sum = Sha256::digest(text);
    format!("‹{:02x}{:02x}{:02x}{:02x}›", sum[0], sum[1], sum[2], sum[3])
}

/// Texts between tags, references, quotes and ends of lines: what stays as it is on every way through a run.
fn collect(value: &Value, marks: &Regex, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let pieces = marks.split(text).map(str::trim);
            let own = pieces.filter(|piece| {
                piece.len() >= FOREIGN_MIN_CHARS && piece.split_whitespace().count() >= FOREIGN_MIN_WORDS
            });
            found.extend(own.map(str::to_owned));
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, marks, found)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, marks, found)),
        _ => {}
    }
}

/// The text of an answer, however it came.
pub fn text_told(turn: &Value) -> String {
    match turn["answer"].get("text") {
        Some(text) => text.as_str().unwrap().to_owned(),
        None => {
            let events = turn["events"].as_array().into_iter().flatten();
            events.filter_map(|event| event["token"].as_str()).collect()
        }
    }
}
