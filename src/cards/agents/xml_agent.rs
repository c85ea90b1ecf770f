//! XML Agent: a model that writes its calls in tags.

use super::conversational_agent::DEFAULT_SYSTEM;
use super::inputs::{CHAT_MODEL, MEMORY, ROUNDS, TOOLS};
use super::text_agent::TextAgent;
use crate::chains::conversation_chain::conversation;
use crate::chains::llm_chain::MODERATION;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, RunOutput};
use crate::kit::build::prompt::BraceText;
use crate::kit::knowledge::untrusted_text;
use crate::kit::models::text_loop::list;
use crate::kit::{
    Card, Category, Chain, Factory, Input, NextAction, Risk, RunContext, TextProtocol, TokenSink,
};
use crate::llm::ChatMessage;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "xmlAgent",
    label: "XML Agent",
    version: 2.0,
    category: Category::Agents,
    description: "A chat model that uses tools by writing tags; for models that are good at XML.",
    base_classes: &["XMLAgent", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        TOOLS,
        MEMORY,
        CHAT_MODEL,
        Input::lines("systemMessage", "System Message").or(DEFAULT_SYSTEM).additional().help(
            "With {tools}, {chat_history}, {input} and {agent_scratchpad} in it, it is the whole prompt.",
        ),
        MODERATION,
        ROUNDS,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let prompt = inputs.optional_brace_text("systemMessage").unwrap_or_default();
        let agent = TextAgent::from_inputs(inputs, &XmlProtocol, prompt.fill(&[]))?;
        Ok(Arc::new(XmlAgent { agent, whole: prompt.has("input").then_some(prompt) }))
    }),
};

struct XmlAgent {
    agent: TextAgent,
    /// A text of the owner that holds `{input}`: it is the whole prompt, and then no system text, for people write into it.
    whole: Option<BraceText>,
}

impl Chain for XmlAgent {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        self.agent.answer(turn, sink, |past| self.messages(past, turn.question))
    }
}

impl XmlAgent {
    fn messages(&self, past: &[HistoryMessage], question: &str) -> Result<Vec<ChatMessage>> {
        let told = HistoryMessage::told_lines(past);
        if let Some(prompt) = &self.whole {
            let tools = list(&self.agent.tools);
            let values = [
                ("tools", tools.as_str()),
                ("chat_history", &told),
                ("input", question),
                ("agent_scratchpad", ""),
            ];
            return Ok(vec![ChatMessage::user(prompt.fill(&values))]);
        }
        let asked = if told.is_empty() {
            question.to_owned()
        } else {
            format!(
                "{}\n\n{question}",
                untrusted_text::mark_untrusted("chat_history", "what we said before", &told)
            )
        };
        conversation("", None, &self.agent.instructions(), Vec::new(), &asked)
    }
}

const TOOL: &str = "tool";
const TOOL_INPUT: &str = "tool_input";
const FINAL: &str = "final_answer";

struct XmlProtocol;

impl TextProtocol for XmlProtocol {
    fn form(&self) -> &'static str {
        "To use a tool, write its name and its arguments in these tags and stop:\n<tool>name of the \
         tool</tool><tool_input>its arguments as a JSON object, or the text of the only one</tool_input>\nYou are then \
         given what the tool returned. When you know enough, write your answer in this \
         tag:\n<final_answer>your answer</final_answer>"
    }

    fn stops(&self) -> &'static [&'static str] {
        &["</tool_input>", "</final_answer>"]
    }

    fn parse<'r>(&self, reply: &'r str) -> Option<NextAction<'r>> {
        let call = inside(reply, TOOL, 0);
        if let Some((text, at, _)) = inside(reply, FINAL, 0)
            && call.is_none_or(|(_, first, _)| at < first)
        {
            return Some(NextAction::Answer(text.trim().to_owned()));
        }
        let (tool, _, end) = call?;
        let (input, end) = inside(reply, TOOL_INPUT, end).map_or(("", end), |(input, _, end)| (input, end));
        Some(NextAction::Call {
            said: &reply[..end],
            tool: tool.trim().to_owned(),
            input: input.trim().to_owned(),
        })
    }
}

/// What stands in the first tag of this name after `from`, where the tag begins, and where it ends. A stop word takes
/// the closing tag away, so a tag may end with the reply.
fn inside<'r>(reply: &'r str, tag: &str, from: usize) -> Option<(&'r str, usize, usize)> {
    let open = format!("<{tag}>");
    let close = format!("</{tag}>");
    let start = from + reply[from..].find(&open)?;
    let rest = &reply[start + open.len()..];
    Some(match rest.find(&close) {
        Some(length) => (&rest[..length], start, start + open.len() + length + close.len()),
        None => (rest, start, reply.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_answers_are_read_with_and_without_their_closing_tag() {
        for end in ["</tool_input>", "", "</tool_input>\n<observation>3</observation><final_answer>3"] {
            let text = format!("I add.<tool>calc</tool>\n<tool_input>1+1{end}");
            let Some(NextAction::Call { said, tool, input }) = XmlProtocol.parse(&text) else {
                panic!("{text}")
            };
            assert_eq!((tool.as_str(), input.as_str()), ("calc", "1+1"));
            assert!(!said.contains("observation"), "{said}");
        }
        for end in ["</final_answer>", ""] {
            let text = format!("So: <final_answer> It is 2.{end}");
            assert_eq!(XmlProtocol.parse(&text), Some(NextAction::Answer("It is 2.".into())));
        }
        for text in ["It is 2.", "", "<final>2</final>"] {
            assert_eq!(XmlProtocol.parse(text), None, "{text}");
        }
    }
}
