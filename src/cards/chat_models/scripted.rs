//! Scripted Chat Model: answers from an ordered list of rules (manual 9.11). For demos, tests and canned replies.

use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Usage;
use crate::kit::knowledge::chunk_markup;
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::{
    ChatMessage, ChatModel, ChatReply, ChatRequest, Completion, Delta, ModelError, OnDelta, ToolCall,
};
use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;

pub(crate) const CARD: Card = Card {
    name: "chatScripted",
    label: "Scripted Chat Model",
    version: 1.0,
    category: Category::ChatModels,
    description: "Answers from a list of rules instead of asking a provider. Good for demos, tests and fixed replies.",
    base_classes: &["ChatScripted", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::json("rules", "Rules").optional().lists().help(
            "A list, first match wins: {\"match\": regex on the last message, \"after\": \"user\" or \"tool\" (which kind of \
             message; both when absent), \"reply\": text with {question}, {context}, {history}, {0} and other captures, \
             \"toolCalls\": [{\"name\", \"arguments\"}], \"delayMs\": pause per word, \"fail\": {\"status\", \"retryAfter\", \"message\"}}",
        ),
        Input::lines("fallback", "Fallback Reply").or("You said: {question}").optional(),
        Input::whole("delayMs", "Delay per Word (ms)", 0.0, 10_000.0).additional(),
        Input::switch("allowImageUploads", "Allow Image Uploads").additional(),
        Input::switch("streaming", "Streaming").or("true").additional(),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(Scripted::read(inputs)?))),
};

/// A pattern larger than this is refused when it is compiled: a script cannot use up the memory.
const PATTERN_BYTES_MAX: usize = 256 * 1024;
const RULES_MAX: usize = 500;

struct Scripted {
    rules: Vec<ScriptRule>,
    fallback: String,
    delay: Duration,
    images: bool,
    streaming: bool,
}

struct ScriptRule {
    pattern: Option<Regex>,
    after: Option<AnsweredRole>,
    reply: String,
    tool_calls: Vec<ScriptedCall>,
    delay: Option<Duration>,
    fail: Option<Fail>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RuleConfig {
    #[serde(rename = "match", default)]
    pattern: Option<String>,
    #[serde(default)]
    after: Option<AnsweredRole>,
    #[serde(default)]
    reply: String,
    #[serde(default)]
    tool_calls: Vec<ScriptedCall>,
    #[serde(default)]
    delay_ms: Option<u64>,
    #[serde(default)]
    fail: Option<Fail>,
}

/// The kind of message a rule answers.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum AnsweredRole {
    User,
    Tool,
}

#[derive(Deserialize)]
struct ScriptedCall {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

#[derive(Deserialize, Clone)]
#[serde(rename_all = "camelCase")]
struct Fail {
    status: u16,
    #[serde(default)]
    retry_after: Option<u64>,
    #[serde(default)]
    message: Option<String>,
}

impl Scripted {
    fn read(inputs: &Inputs<'_>) -> Result<Self> {
        let written: Vec<RuleConfig> = match inputs.json("rules")? {
            None => Vec::new(),
            Some(rules) => serde_json::from_value(rules)
                .map_err(|fault| inputs.input_error("rules", &fault.to_string()))?,
        };
        if written.len() > RULES_MAX {
            return Err(inputs.input_error("rules", &format!("there can be at most {RULES_MAX} rules")));
        }
        let compile = |(index, rule): (usize, RuleConfig)| {
            ScriptRule::compile(rule)
                .map_err(|fault| inputs.input_error("rules", &format!("rule {}: {fault}", index + 1)))
        };
        Ok(Self {
            rules: written.into_iter().enumerate().map(compile).collect::<Result<_>>()?,
            fallback: inputs.optional_text("fallback").unwrap_or_default(),
            delay: Duration::from_millis(inputs.whole("delayMs")?.unwrap_or(0)),
            images: inputs.switch("allowImageUploads"),
            streaming: inputs.switch("streaming"),
        })
    }
}

impl ScriptRule {
    fn compile(written: RuleConfig) -> Result<Self, String> {
        let pattern =
            written.pattern.map(|text| RegexBuilder::new(&text).size_limit(PATTERN_BYTES_MAX).build());
        Ok(Self {
            pattern: pattern
                .transpose()
                .map_err(|_| "'match' is not a valid regular expression".to_owned())?,
            after: written.after,
            reply: written.reply,
            tool_calls: written.tool_calls,
            delay: written.delay_ms.map(Duration::from_millis),
            fail: written.fail,
        })
    }

    /// The captures when this rule answers `message`; `Some(None)` when it has no pattern.
    fn matches<'t>(&self, message: &ChatMessage, text: &'t str) -> Option<Option<Captures<'t>>> {
        let is_tool = matches!(message, ChatMessage::Tool { .. });
        if self.after.is_some_and(|after| (after == AnsweredRole::Tool) != is_tool) {
            return None;
        }
        match &self.pattern {
            None => Some(None),
            Some(pattern) => pattern.captures(text).map(Some),
        }
    }
}

impl ChatModel for Scripted {
    fn open(
        &self,
        request: &ChatRequest,
        cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let last = request.messages.last().cloned().unwrap_or_else(|| ChatMessage::user(""));
        let text = last.text();
        let found =
            self.rules.iter().find_map(|rule| rule.matches(&last, &text).map(|captures| (rule, captures)));
        let (rule, captures) = match found {
            Some((rule, captures)) => (Some(rule), captures),
            None => (None, None),
        };
        if let Some(fail) = rule.and_then(|rule| rule.fail.clone()) {
            return Err(fail.error());
        }
        let template = rule.map_or(self.fallback.as_str(), |rule| rule.reply.as_str());
        let reply = fill(template, captures.as_ref(), &request.messages);
        let delay = rule.and_then(|rule| rule.delay).unwrap_or(self.delay);
        for word in reply.split_inclusive(' ') {
            if !delay.is_zero() && !cancel.sleep(delay) || cancel.reason().is_some() {
                return Err(ModelError::Cancelled);
            }
            on(Delta::Text(word)).map_err(|_| ModelError::Cancelled)?;
        }
        let calls = rule.map(|rule| calls(&rule.tool_calls, captures.as_ref(), request)).unwrap_or_default();
        Ok(ChatReply::Whole(Completion {
            usage: Some(usage(request, &reply)),
            text: reply,
            calls,
            ..Completion::default()
        }))
    }

    fn takes_images(&self) -> bool {
        self.images
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

impl Fail {
    fn error(self) -> ModelError {
        match self.status {
            429 => ModelError::Throttled { retry_after_seconds: self.retry_after.unwrap_or(30) },
            402 => ModelError::OutOfCredit,
            401 | 403 => ModelError::KeyRefused,
            status => ModelError::Provider {
                status,
                message: self.message.unwrap_or_else(|| "scripted failure".to_owned()),
            },
        }
    }
}

fn calls(written: &[ScriptedCall], captures: Option<&Captures<'_>>, request: &ChatRequest) -> Vec<ToolCall> {
    let call = |(index, call): (usize, &ScriptedCall)| {
        let arguments = call.arguments.iter().map(|(name, value)| {
            let value = match value {
                Value::String(text) => Value::String(fill(text, captures, &request.messages)),
                other => other.clone(),
            };
            (name.clone(), value)
        });
        ToolCall {
            id: format!("call_{}_{index}", request.messages.len()),
            name: call.name.clone(),
            arguments: arguments.collect(),
        }
    };
    written.iter().enumerate().map(call).collect()
}

/// Replaces `{question}`, `{context}`, `{history}`, `{0}` and named captures; other braces stay.
fn fill(template: &str, captures: Option<&Captures<'_>>, messages: &[ChatMessage]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match placeholder(name, captures, messages) {
            Some(value) => {
                out.push_str(&value);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn placeholder(name: &str, captures: Option<&Captures<'_>>, messages: &[ChatMessage]) -> Option<String> {
    match name {
        "question" => return Some(last_question(messages)),
        "context" => {
            let texts: Vec<String> = messages.iter().map(ChatMessage::text).collect();
            let found = texts.iter().flat_map(|text| chunk_markup::parse(text)).map(|chunk| chunk.text);
            return Some(found.collect::<Vec<_>>().join("\n"));
        }
        "history" => return Some(history(messages)),
        _ => {}
    }
    let captures = captures?;
    let found = match name.parse::<usize>() {
        Ok(index) => captures.get(index),
        Err(_) => captures.name(name),
    };
    found.map(|text| text.as_str().to_owned())
}

fn last_question(messages: &[ChatMessage]) -> String {
    let last = messages.iter().rev().find(|message| matches!(message, ChatMessage::User(_)));
    last.map(ChatMessage::text).unwrap_or_default()
}

fn history(messages: &[ChatMessage]) -> String {
    let line = |message: &ChatMessage| match message {
        ChatMessage::User(_) => Some(format!("Human: {}", message.text())),
        ChatMessage::Assistant { text, .. } if !text.is_empty() => Some(format!("Assistant: {text}")),
        _ => None,
    };
    let earlier = messages.split_last().map_or(&[][..], |(_, earlier)| earlier);
    earlier.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

fn usage(request: &ChatRequest, reply: &str) -> Usage {
    let read: usize = request.messages.iter().map(|message| message.text().split_whitespace().count()).sum();
    Usage {
        input_tokens: read as u64,
        output_tokens: reply.split_whitespace().count() as u64,
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn model(rules: Value) -> Scripted {
        let written: Vec<RuleConfig> = serde_json::from_value(rules).unwrap();
        Scripted {
            rules: written.into_iter().map(|rule| ScriptRule::compile(rule).unwrap()).collect(),
            fallback: "You said: {question}".to_owned(),
            delay: Duration::ZERO,
            images: false,
            streaming: true,
        }
    }

    fn ask(model: &Scripted, messages: Vec<ChatMessage>) -> Result<Completion, ModelError> {
        let mut streamed = String::new();
        let completion = model.chat(
            &ChatRequest { messages, ..ChatRequest::default() },
            &CancelToken::new(None),
            &mut |delta: Delta<'_>| {
                if let Delta::Text(text) = delta {
                    streamed.push_str(text);
                }
                Ok(())
            },
        )?;
        assert_eq!(streamed, completion.text);
        Ok(completion)
    }

    #[test]
    fn the_first_matching_rule_answers_with_its_captures() {
        let model = model(json!([
            {"match": "(?i)my name is (?<name>\\w+)", "reply": "Hello {name}, {0}! {unknown}"},
            {"match": "name", "reply": "second"},
        ]));
        assert_eq!(
            ask(&model, vec![ChatMessage::user("My name is Ada")]).unwrap().text,
            "Hello Ada, My name is Ada! {unknown}"
        );
        assert_eq!(ask(&model, vec![ChatMessage::user("hi")]).unwrap().text, "You said: hi");
    }

    #[test]
    fn a_rule_can_call_a_tool_and_answer_its_result() {
        let model = model(json!([
            {"after": "tool", "match": "(.+)", "reply": "It is {1}."},
            {"match": "what is (.+)\\?", "toolCalls": [{"name": "calculator", "arguments": {"input": "{1}"}}]},
        ]));
        let asked = ask(&model, vec![ChatMessage::user("what is 1+1?")]).unwrap();
        assert_eq!(asked.calls[0].arguments, json!({"input": "1+1"}));
        let tool = ChatMessage::result("x", "calculator", "2");
        assert_eq!(ask(&model, vec![ChatMessage::user("what is 1+1?"), tool]).unwrap().text, "It is 2.");
    }

    #[test]
    fn a_rule_can_fail_like_a_provider() {
        let model = model(json!([{"fail": {"status": 429, "retryAfter": 7}}]));
        assert_eq!(ask(&model, vec![]).unwrap_err(), ModelError::Throttled { retry_after_seconds: 7 });
    }
}
