//! Extractive Answers: quotes the sentences of the chunks that fit the question best (manual 9.11).

use crate::base::cancel::CancelToken;
use crate::domain::predictions::prediction::Usage;
use crate::kit::knowledge::chunk_markup;
use crate::kit::knowledge::lexical;
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::{ChatMessage, ChatModel, ChatReply, ChatRequest, Completion, Delta, ModelError, OnDelta};

const NOTHING: &str = "I could not find an answer to that in the documents I was given.";

pub(crate) const CARD: Card = Card {
    name: "chatExtractive",
    label: "Extractive Answers",
    version: 1.0,
    category: Category::ChatModels,
    description: "Answers by quoting the best-matching sentences of the chunks it is given, with their source. \
                  Needs no provider.",
    base_classes: &["ChatExtractive", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::whole("sentences", "Sentences", 1.0, 20.0)
            .or("3")
            .additional()
            .help("How many sentences are quoted."),
        Input::lines("nothingFound", "Nothing Found")
            .or(NOTHING)
            .additional()
            .help("The answer when nothing matches."),
        Input::switch("streaming", "Streaming").or("true").additional(),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        Ok(Box::new(Extractive {
            sentences: usize::try_from(inputs.whole("sentences")?.unwrap_or(3)).unwrap_or(3),
            nothing_found: inputs.text("nothingFound")?,
            streaming: inputs.switch("streaming"),
        }))
    }),
};

struct Extractive {
    sentences: usize,
    nothing_found: String,
    streaming: bool,
}

impl ChatModel for Extractive {
    fn open(
        &self,
        request: &ChatRequest,
        _cancel: &CancelToken,
        on: &mut OnDelta<'_>,
    ) -> Result<ChatReply, ModelError> {
        let text = self.answer(request);
        for word in text.split_inclusive(' ') {
            on(Delta::Text(word)).map_err(|_| ModelError::Cancelled)?;
        }
        let read: usize =
            request.messages.iter().map(|message| message.text().split_whitespace().count()).sum();
        let usage = Usage {
            input_tokens: read as u64,
            output_tokens: text.split_whitespace().count() as u64,
            ..Usage::default()
        };
        Ok(ChatReply::Whole(Completion { text, usage: Some(usage), ..Completion::default() }))
    }

    fn takes_tools(&self) -> bool {
        false
    }

    fn streams(&self) -> bool {
        self.streaming
    }
}

impl Extractive {
    fn answer(&self, request: &ChatRequest) -> String {
        let texts: Vec<String> = request.messages.iter().map(ChatMessage::text).collect();
        let question = texts.last().map(|text| without_chunks(text)).unwrap_or_default();
        let sentences: Vec<(&str, &str)> = texts
            .iter()
            .flat_map(|text| chunk_markup::parse(text))
            .flat_map(|chunk| sentences(chunk.text).into_iter().map(move |sentence| (sentence, chunk.source)))
            .collect();
        let scores = lexical::bm25(&question, sentences.iter().map(|(sentence, _)| *sentence));
        let best = lexical::best(&scores, self.sentences);
        if best.is_empty() {
            return self.nothing_found.clone();
        }
        let quotes =
            best.into_iter().map(|index| format!("\"{}\" ({})", sentences[index].0, sentences[index].1));
        quotes.collect::<Vec<_>>().join("\n")
    }
}

fn without_chunks(text: &str) -> String {
    text.rsplit("</passage>").next().unwrap_or(text).to_owned()
}

/// Cuts a chunk into sentences.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let ends = (matches!(last, '.' | '!' | '?') && c.is_whitespace()) || (last == '\n' && c == '\n');
        if ends {
            found.push(text[start..at].trim());
            start = at;
        }
        last = c;
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(question: &str) -> String {
        let model = Extractive { sentences: 1, nothing_found: NOTHING.to_owned(), streaming: true };
        let text = format!(
            "<passage source=\"tea.txt\">\nGreen tea brews at 80 degrees. Black tea likes boiling water!\n</passage>\nQuestion: {question}"
        );
        model.answer(&ChatRequest { messages: vec![ChatMessage::user(text)], ..ChatRequest::default() })
    }

    #[test]
    fn the_best_sentence_is_quoted_with_its_source() {
        assert_eq!(ask("How hot is green tea?"), "\"Green tea brews at 80 degrees.\" (tea.txt)");
    }

    #[test]
    fn no_match_is_said_plainly() {
        assert_eq!(ask("Who won the race?"), NOTHING);
    }
}
