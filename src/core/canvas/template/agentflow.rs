//! What a text of an agentflow can refer to.

use super::BracedName;
use super::path::ValuePath;

/// One reference of an agentflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentReference {
    /// What is a text wherever it stands.
    Text(RunText),
    /// A structured value or a part of it, which keeps its type where it is the whole value.
    Part { of: RunValue, path: ValuePath },
}

/// What a run knows as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RunText {
    Question,
    /// Text of files sent with the question.
    FileAttachment,
    /// The conversation so far and what the steps added, as lines.
    ChatHistory,
    RuntimeMessagesLength,
    LoopCount,
    CurrentDateTime,
    /// A saved variable.
    Variable(String),
    /// A fact of the run: `chatId`, `sessionId` and the like.
    Flow(String),
    /// What the node with this id answered.
    NodeContent(String),
}

/// What a run knows as structured values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RunValue {
    Form,
    Webhook,
    /// The item of the innermost iteration.
    Iteration,
    State,
    /// The output of the node with this id.
    NodeOutput(String),
    /// What the step itself answered, known once it ran.
    OwnOutput,
}

/// Structured values by the name they begin with.
const VALUES: &[(&str, RunValue)] = &[
    ("$form", RunValue::Form),
    ("$webhook", RunValue::Webhook),
    ("$iteration", RunValue::Iteration),
    ("$flow.state", RunValue::State),
    ("output", RunValue::OwnOutput),
];

impl BracedName for AgentReference {
    /// Blanks around the name do not count, nor do the backslashes that older editors put before underscores.
    fn parse(inner: &str) -> Option<Self> {
        let name = inner.trim().replace("\\_", "_");
        let text = match name.as_str() {
            "question" => Some(RunText::Question),
            "file_attachment" => Some(RunText::FileAttachment),
            "chat_history" => Some(RunText::ChatHistory),
            "runtime_messages_length" => Some(RunText::RuntimeMessagesLength),
            "loop_count" => Some(RunText::LoopCount),
            "current_date_time" => Some(RunText::CurrentDateTime),
            _ => None,
        };
        text.map(Self::Text).or_else(|| parse_value(&name)).or_else(|| parse_named(&name))
    }

    fn node_id(&self) -> Option<&str> {
        match self {
            Self::Text(RunText::NodeContent(id)) | Self::Part { of: RunValue::NodeOutput(id), .. } => {
                Some(id)
            }
            _ => None,
        }
    }
}

fn parse_value(name: &str) -> Option<AgentReference> {
    VALUES.iter().find_map(|(head, of)| {
        let path = ValuePath::parse(name.strip_prefix(head)?)?;
        Some(AgentReference::Part { of: of.clone(), path })
    })
}

fn parse_named(name: &str) -> Option<AgentReference> {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    if let Some(rest) = name.strip_prefix("$vars.") {
        return Some(AgentReference::Text(RunText::Variable(given(rest)?)));
    }
    if let Some(rest) = name.strip_prefix("$flow.") {
        return Some(AgentReference::Text(RunText::Flow(given(rest)?)));
    }
    let end = name.find(|c: char| !is_in_node_id(c)).unwrap_or(name.len());
    let (id, tail) = name.split_at(end);
    let id = given(id)?;
    if tail.is_empty() {
        return Some(AgentReference::Text(RunText::NodeContent(id)));
    }
    let path = ValuePath::parse(tail.strip_prefix(".output")?)?;
    Some(AgentReference::Part { of: RunValue::NodeOutput(id), path })
}

fn is_in_node_id(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(of: RunValue, path: &str) -> Option<AgentReference> {
        Some(AgentReference::Part { of, path: ValuePath::parse(path).unwrap() })
    }

    #[test]
    fn blanks_and_backslashes_before_underscores_do_not_count() {
        let id = "llmAgentflow_0".to_owned();
        assert_eq!(AgentReference::parse(" question "), Some(AgentReference::Text(RunText::Question)));
        assert_eq!(
            AgentReference::parse("\u{a0}loop\\_count\n"),
            Some(AgentReference::Text(RunText::LoopCount))
        );
        assert_eq!(
            AgentReference::parse(" llmAgentflow\\_0 "),
            Some(AgentReference::Text(RunText::NodeContent(id.clone())))
        );
        assert_eq!(
            AgentReference::parse("llmAgentflow\\_0.output.a\\_b"),
            part(RunValue::NodeOutput(id), ".a_b")
        );
    }

    #[test]
    fn structured_values_take_paths() {
        assert_eq!(AgentReference::parse("$form.a.b"), part(RunValue::Form, ".a.b"));
        assert_eq!(AgentReference::parse("$webhook.body[0]"), part(RunValue::Webhook, ".body[0]"));
        assert_eq!(AgentReference::parse("$iteration"), part(RunValue::Iteration, ""));
        assert_eq!(AgentReference::parse("$iteration.x"), part(RunValue::Iteration, ".x"));
        assert_eq!(AgentReference::parse("$flow.state.k.d"), part(RunValue::State, ".k.d"));
        assert_eq!(AgentReference::parse("output.a"), part(RunValue::OwnOutput, ".a"));
        assert_eq!(AgentReference::parse("n_1.output"), part(RunValue::NodeOutput("n_1".into()), ""));
    }

    #[test]
    fn names_that_begin_alike_are_told_apart() {
        let text = |text| Some(AgentReference::Text(text));
        assert_eq!(AgentReference::parse("outputs_0"), text(RunText::NodeContent("outputs_0".into())));
        assert_eq!(AgentReference::parse("$flow.stateless"), text(RunText::Flow("stateless".into())));
        assert_eq!(AgentReference::parse("$vars.a.b"), text(RunText::Variable("a.b".into())));
    }

    #[test]
    fn what_is_no_reference_stays_plain() {
        for text in [
            "",
            " ",
            "$vars.",
            "$flow.",
            "$other.x",
            "a b",
            "a.data.instance",
            "a.output..b",
            "\"a\": 1",
            "$formula",
        ] {
            assert_eq!(AgentReference::parse(text), None, "{text}");
        }
    }
}
