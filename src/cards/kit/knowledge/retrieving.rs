//! What the cards of retrievers share: inputs, the three outputs, and how a model is asked about a search.

use super::untrusted_text;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::RunContext;
use crate::kit::models::model::Model;
use crate::kit::models::token_sink::NullSink;
use crate::kit::{Input, Inputs, Output, WireType};
use crate::llm::{ChatMessage, ChatRequest};
use serde_json::{Value, json};

/// What is looked for when the card runs while the flow is built.
pub const QUERY: Input = Input::text("query", "Query")
    .optional()
    .variables()
    .help("What is looked for when the output is Document or Text. Empty: the question.");
/// How many chunks are returned.
pub(crate) const TOP_K: Input = Input::whole("topK", "Top K", 1.0, 100.0)
    .additional()
    .help("How many chunks are returned. Empty: as many as what is searched returns.");
pub(crate) const VECTOR_STORE: Input = Input::wire("vectorStore", "Vector Store", WireType::VectorStore);
/// What is searched, of any kind.
pub(crate) const BASE_RETRIEVER: Input =
    Input::wire("baseRetriever", "Vector Store Retriever", WireType::Retriever);
pub(crate) const MODEL: Input = Input::wire("model", "Language Model", WireType::LanguageModel);

const DOCUMENT: &str = "document";

/// The outputs of a retriever whose base classes are `own`.
pub(crate) const fn outputs(own: &'static [&'static str], label: &'static str) -> [Output; 3] {
    [
        Output { name: "retriever", label, base_classes: own, predicts: false },
        Output { name: DOCUMENT, label: "Document", base_classes: &["Document", "json"], predicts: true },
        Output { name: "text", label: "Text", base_classes: &["string", "json"], predicts: true },
    ]
}

/// What other cards read of a search that ran while the flow was built.
pub fn result(found: &[Document], output: &str) -> Value {
    if output == DOCUMENT {
        return found
            .iter()
            .map(|chunk| json!({"pageContent": chunk.page_content, "metadata": chunk.metadata}))
            .collect();
    }
    let texts: Vec<&str> = found.iter().map(|chunk| chunk.page_content.as_str()).collect();
    Value::from(texts.join("\n"))
}

/// How many chunks are returned: as the input says, or as many as `others`.
///
/// # Errors
/// When it is no number within its range.
pub(crate) fn top_k(inputs: &Inputs<'_>, others: usize) -> Result<usize> {
    Ok(inputs.whole(TOP_K.name)?.map_or(others, |most| usize::try_from(most).unwrap_or(usize::MAX)))
}

/// Asks a model once. `owner` is the owner's text, in which `{question}` or `{query}`, with one brace or two, stands
/// for what is looked for; a text that names neither is followed by it.
///
/// # Errors
/// What the model fails with.
pub(crate) fn ask(
    model: &Model,
    system: &str,
    owner: &str,
    query: &str,
    turn: &RunContext<'_>,
) -> Result<String> {
    let messages = vec![ChatMessage::System(system.to_owned()), ChatMessage::user(fill_query(owner, query))];
    Ok(model.ask(&ChatRequest { messages, ..ChatRequest::default() }, turn.host, &mut NullSink)?.text)
}

fn fill_query(owner: &str, query: &str) -> String {
    let marked = untrusted_text::mark_untrusted("question", "the person", query);
    let names =
        ["{{question}}", "{question}", "{{query}}", "{query}", "{{user_question}}", "{user_question}"];
    match names.iter().find(|name| owner.contains(**name)) {
        Some(name) => owner.replace(name, &marked),
        None => format!("{owner}\n{marked}"),
    }
}

/// Adds the documents that are not there yet.
pub(crate) fn union(all: &mut Vec<Document>, more: Vec<Document>) {
    for chunk in more {
        if !all.contains(&chunk) {
            all.push(chunk);
        }
    }
}

/// What a model wrote as a list of questions: those between `<questions>` marks, else all lines; numbers, dashes and
/// quotes around a line fall away.
pub(crate) fn questions(text: &str, most: usize) -> Vec<String> {
    let inside = text
        .split_once("<questions>")
        .map_or(text, |(_, rest)| rest.split_once("</questions>").map_or(rest, |(inside, _)| inside));
    let bare = |line: &str| {
        let line = line.trim();
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let marked = numbered.len() < line.len() && numbered.starts_with(['.', ')', ':']);
        let line = if marked { &numbered[1..] } else { line };
        line.trim_start_matches(['-', '*', '•', ' ']).trim_matches(['"', ' ']).to_owned()
    };
    let mut found: Vec<String> = Vec::new();
    for line in inside.lines().map(bare) {
        let is_question = line.chars().any(char::is_alphanumeric) && !line.starts_with('<');
        if is_question && found.len() < most && !found.contains(&line) {
            found.push(line);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_model_become_questions() {
        let text =
            "Sure!\n<questions>\n1. What is it?\n2) \"Why so?\"\n- How?\n\nWhat is it?\n</questions> Bye";
        assert_eq!(questions(text, 9), ["What is it?", "Why so?", "How?"]);
        assert_eq!(questions("2024 was what?\n* b", 1), ["2024 was what?"]);
        assert_eq!(questions("one\n---\ntwo", 9), ["one", "two"]);
        assert!(questions("", 3).is_empty());
    }

    #[test]
    fn the_question_stands_where_the_owner_put_it() {
        assert!(fill_query("Ask {question} now", "why?").contains("why?\n</question> now"));
        assert!(fill_query("Look: {{query}}", "why?").starts_with("Look: <question"));
        assert!(fill_query("No place.", "why?").starts_with("No place.\n<question"));
    }

    #[test]
    fn a_search_is_read_as_documents_or_as_text() {
        let chunk = |text: &str| Document {
            page_content: text.to_owned(),
            metadata: serde_json::Map::from_iter([("n".to_owned(), json!(1))]),
        };
        let mut found = vec![chunk("a")];
        union(&mut found, vec![chunk("a"), chunk("b")]);
        assert_eq!(result(&found, "text"), json!("a\nb"));
        assert_eq!(result(&found, DOCUMENT)[1], json!({"pageContent": "b", "metadata": {"n": 1}}));
    }
}
