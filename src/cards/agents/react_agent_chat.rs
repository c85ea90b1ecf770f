//! ReAct Agent for Chat Models: a model that thinks, acts and observes in lines of text.

use super::conversational_agent::{DEFAULT_SYSTEM, is_final};
use super::inputs::{CHAT_MODEL, MEMORY, ROUNDS, TOOLS};
use super::text_agent::TextAgent;
use crate::chains::llm_chain::MODERATION;
use crate::domain::error::Result;
use crate::kit::{Card, Category, Factory, Inputs, NextAction, Risk, TextProtocol};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "reactAgentChat",
    label: "ReAct Agent for Chat Models",
    version: 4.0,
    category: Category::Agents,
    description: "A chat model that thinks and uses tools in lines of text; for models that cannot call tools.",
    base_classes: &["AgentExecutor", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[TOOLS, CHAT_MODEL, MEMORY, MODERATION, ROUNDS],
    outputs: &[],
    make: Factory::Chain(|inputs| Ok(Arc::new(agent(inputs)?.with_images()))),
};

/// A ReAct agent of these inputs.
///
/// # Errors
/// As [`TextAgent::from_inputs`].
pub(crate) fn agent(inputs: &Inputs<'_>) -> Result<TextAgent> {
    TextAgent::from_inputs(inputs, &ReactProtocol, DEFAULT_SYSTEM.to_owned())
}

/// Lines that begin with what they are.
struct ReactProtocol;

impl TextProtocol for ReactProtocol {
    fn form(&self) -> &'static str {
        "Write in lines that begin with what they are. To use a tool, write these and stop:\nThought: <what you need to \
         know next>\nAction: <name of the tool>\nAction Input: <its arguments as a JSON object, or the text of the only \
         one>\nYou are then given what the tool returned. When you know enough, write:\nThought: <why you can \
         answer>\nFinal Answer: <your answer>"
    }

    fn stops(&self) -> &'static [&'static str] {
        &["\nObservation:", "\n<observation"]
    }

    fn parse<'r>(&self, reply: &'r str) -> Option<NextAction<'r>> {
        let marks = marks(reply);
        let mut at = 0;
        while let Some(mark) = marks.get(at) {
            let rest = &reply[mark.after..];
            match mark.kind {
                LineKind::Answer => return Some(NextAction::Answer(rest.trim().to_owned())),
                LineKind::Observation => return None,
                LineKind::Action => {
                    let next = marks.get(at + 1);
                    let end = next.map_or(reply.len(), |next| next.start);
                    let tool = name(&reply[mark.after..end]);
                    let (input, said) = match next.filter(|next| next.kind == LineKind::Input) {
                        Some(input) => {
                            let end = marks.get(at + 2).map_or(reply.len(), |mark| mark.start);
                            (reply[input.after..end].trim(), &reply[..end])
                        }
                        None => ("", &reply[..end]),
                    };
                    if is_final(&tool) {
                        return Some(NextAction::Answer(input.to_owned()));
                    }
                    if !tool.is_empty() {
                        return Some(NextAction::Call { said, tool, input: input.to_owned() });
                    }
                }
                LineKind::Thought | LineKind::Input => {}
            }
            at += 1;
        }
        None
    }
}

/// The name of a tool, without the quotes and marks around it.
fn name(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.trim_matches(|c: char| c.is_whitespace() || "`\"'*[]()".contains(c)).to_owned()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Thought,
    Action,
    Input,
    Observation,
    Answer,
}

/// Where a line says what it is.
struct LineMark {
    kind: LineKind,
    start: usize,
    after: usize,
}

/// Longer words first: an `Action Input` is no `Action`.
const WORDS: &[(&str, LineKind)] = &[
    ("action input", LineKind::Input),
    ("action", LineKind::Action),
    ("final answer", LineKind::Answer),
    ("observation", LineKind::Observation),
    ("thought", LineKind::Thought),
];

fn marks(reply: &str) -> Vec<LineMark> {
    let mut marks = Vec::new();
    let mut start = 0;
    for line in reply.split_inclusive('\n') {
        let shown = line.trim_start_matches(|c: char| c.is_whitespace() || "*#->".contains(c));
        let found = WORDS.iter().find_map(|(word, kind)| {
            let rest = shown.get(word.len()..).filter(|_| shown[..word.len()].eq_ignore_ascii_case(word))?;
            let rest = rest.trim_start_matches('*').strip_prefix(':')?.trim_start_matches('*');
            Some((*kind, rest.len()))
        });
        if let Some((kind, rest)) = found {
            marks.push(LineMark { kind, start, after: start + line.len() - rest });
        }
        start += line.len();
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_however_they_are_decorated() {
        for (text, input) in [
            ("Thought: add\nAction: calc\nAction Input: 1+1", "1+1"),
            (
                "Thought: add\n**Action:** `calc`\n**Action Input:** 1+1\nObservation: 3\nFinal Answer: 3",
                "1+1",
            ),
            ("action: [calc]\naction input: {\"a\":\n1}\nThought: so", "{\"a\":\n1}"),
            ("Action: calc", ""),
            ("Action: calc()\nFinal Answer: made up", ""),
        ] {
            let Some(NextAction::Call { said, tool, input: found }) = ReactProtocol.parse(text) else {
                panic!("{text}")
            };
            assert_eq!((tool.as_str(), found.as_str()), ("calc", input), "{text}");
            assert!(!said.contains("Observation") && !said.contains("made up"), "{said}");
        }
    }

    #[test]
    fn an_answer_may_have_many_lines_and_plain_text_is_none() {
        let text = "Thought: done\nFinal Answer: It is 2.\n\nAction: none";
        assert_eq!(ReactProtocol.parse(text), Some(NextAction::Answer("It is 2.\n\nAction: none".into())));
        assert_eq!(
            ReactProtocol.parse("Action: Final Answer\nAction Input: 2"),
            Some(NextAction::Answer("2".into()))
        );
        for text in
            ["It is 2.", "", "Thought: hm", "Actionable: x", "Observation: 3\nFinal Answer: 3", "actiön"]
        {
            assert_eq!(ReactProtocol.parse(text), None, "{text}");
        }
    }
}
