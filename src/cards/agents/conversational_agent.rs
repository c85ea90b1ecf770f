//! Conversational Agent: a model that writes its calls as JSON, and chats.

use super::inputs::{CHAT_MODEL, MEMORY, ROUNDS, TOOLS};
use super::text_agent::TextAgent;
use crate::chains::llm_chain::MODERATION;
use crate::kit::{Card, Category, Factory, Input, NextAction, Risk, TextProtocol};
use serde_json::Value;
use std::sync::Arc;

/// Instructions of an agent whose owner gave none.
pub(crate) const DEFAULT_SYSTEM: &str = "You are a helpful assistant in a conversation with a person. Use tools when they \
                                  help, and answer in your own words once you know enough.";

pub(crate) const CARD: Card = Card {
    name: "conversationalAgent",
    label: "Conversational Agent",
    version: 3.0,
    category: Category::Agents,
    description: "A chat model that uses tools by writing JSON; for models that cannot call tools.",
    base_classes: &["AgentExecutor", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        TOOLS,
        CHAT_MODEL,
        MEMORY,
        Input::lines("systemMessage", "System Message").or(DEFAULT_SYSTEM).additional(),
        MODERATION,
        ROUNDS,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let system = inputs.instructions("systemMessage");
        Ok(Arc::new(TextAgent::from_inputs(inputs, &JsonProtocol, system)?.with_images()))
    }),
};

/// A JSON object with an action and its input, wherever it stands in the reply.
struct JsonProtocol;

impl TextProtocol for JsonProtocol {
    fn form(&self) -> &'static str {
        "Write nothing but one JSON object in a code block. To use a tool:\n```json\n{\"action\": \"<name of the \
         tool>\", \"action_input\": <its arguments>}\n```\nTo answer the person:\n```json\n{\"action\": \"Final \
         Answer\", \"action_input\": \"<your answer>\"}\n```"
    }

    fn stops(&self) -> &'static [&'static str] {
        &["<observation", "Observation:"]
    }

    fn parse<'r>(&self, reply: &'r str) -> Option<NextAction<'r>> {
        // Models break lines inside JSON texts, where JSON has none.
        parse_first(reply, reply).or_else(|| parse_first(&with_escaped_breaks(reply), reply))
    }
}

fn parse_first<'r>(text: &str, reply: &'r str) -> Option<NextAction<'r>> {
    text.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let tool = value.get("action")?.as_str()?.trim().to_owned();
        let input = match value.get("action_input") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        if is_final(&tool) {
            return Some(NextAction::Answer(input.trim().to_owned()));
        }
        // The text that was read may be longer than the reply; then all of the reply is meant.
        let said = reply.get(..at + values.byte_offset()).unwrap_or(reply);
        Some(NextAction::Call { said, tool, input })
    })
}

/// True for the action that is the answer, however a model writes it.
pub(crate) fn is_final(action: &str) -> bool {
    let folded: String = action.chars().filter(char::is_ascii_alphabetic).collect();
    folded.eq_ignore_ascii_case("finalanswer")
}

fn with_escaped_breaks(text: &str) -> String {
    let (mut out, mut in_text, mut escaped) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        match c {
            '\n' if in_text => out.push_str("\\n"),
            '\r' if in_text => {}
            '\t' if in_text => out.push_str("\\t"),
            _ => out.push(c),
        }
        in_text ^= c == '"' && !escaped;
        escaped = in_text && c == '\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str) -> Option<(String, String, String)> {
        match JsonProtocol.parse(text)? {
            NextAction::Call { said, tool, input } => Some((said.to_owned(), tool, input)),
            NextAction::Answer(_) => None,
        }
    }

    #[test]
    fn a_call_is_found_wherever_it_stands() {
        for (text, input) in [
            ("```json\n{\"action\": \"calc\", \"action_input\": \"1+1\"}\n```", "1+1"),
            ("Let me {see}.\n{\"action\":\"calc\",\"action_input\":{\"a\":1}} and more", "{\"a\":1}"),
            ("{\"action\": \"calc\", \"action_input\": \"1\n+1\"", "none"),
            ("{\"action\": \"calc\", \"action_input\": \"1\n+ 1\"}", "1\n+ 1"),
            ("{\"action\": \"calc\"}", ""),
        ] {
            let found = call(text).map(|(_, tool, input)| (tool, input));
            let wanted = (input != "none").then(|| ("calc".to_owned(), input.to_owned()));
            assert_eq!(found, wanted, "{text}");
        }
        assert_eq!(
            call("x {\"action\":\"t\"} y").map(|(said, ..)| said).as_deref(),
            Some("x {\"action\":\"t\"}")
        );
    }

    #[test]
    fn an_answer_is_found_and_plain_text_is_not_one() {
        for name in ["Final Answer", "final_answer", "FinalAnswer"] {
            let text = format!("{{\"action\": \"{name}\", \"action_input\": \"It is 2.\"}}");
            assert_eq!(JsonProtocol.parse(&text), Some(NextAction::Answer("It is 2.".into())));
        }
        for text in ["It is 2.", "", "{\"a\": 1}", "{{{{"] {
            assert_eq!(JsonProtocol.parse(text), None, "{text}");
        }
    }
}
