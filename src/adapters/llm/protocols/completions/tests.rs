//! A recorded reply, cut and split everywhere, and the body that is sent.

use super::*;
use crate::domain::predictions::prediction::Usage;
use crate::llm::sse::tests::Pieces;
use crate::llm::streaming::StreamSource;
use crate::llm::{ChatMessage, Completion, Delta};
use crate::net::Outgoing;

const SAMPLE: &str = concat!(
    "data: {\"id\":\"c\",\"object\":\"text_completion\",\"choices\":[{\"index\":0,\"text\":\"Grüße, \",\"finish_reason\":null}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"text\":\"Welt 👋\",\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4}}\n\n",
    "data: [DONE]\n\n",
);

fn read(source: impl StreamSource) -> Result<Completion, ModelError> {
    let mut on = |_: Delta<'_>| Ok(());
    ReplyStream::from_events(
        source,
        CompletionStream { refusals: ErrorInterpreter::new("m", Vec::new()), finished: false },
    )
    .follow(&mut on)
    .result
}

#[test]
fn a_stream_is_read_however_it_is_split_and_cut_it_is_an_error() {
    let usage = Usage { input_tokens: 9, output_tokens: 4, ..Usage::default() };
    let expected =
        Completion { text: "Grüße, Welt 👋".into(), usage: Some(usage), ..Completion::default() };
    for at in 0..=SAMPLE.len() {
        assert_eq!(read(Pieces::split(SAMPLE.as_bytes(), at)), Ok(expected.clone()), "split at {at}");
    }
    for at in 0..SAMPLE.find("\"stop\"").unwrap() {
        let result = read(&SAMPLE.as_bytes()[..at]);
        assert!(matches!(result, Err(ModelError::Garbled(_))), "cut at {at}: {result:?}");
    }
    let error = "data: {\"error\":{\"type\":\"server_error\",\"message\":\"broken\"}}\n\n";
    let expected = ModelError::Provider { status: 500, message: "broken".into() };
    assert_eq!(read(error.as_bytes()), Err(expected));
}

#[test]
fn the_conversation_is_sent_as_one_text() {
    let endpoint = Endpoint::new(Outgoing::new(Vec::new(), true), "http://h/v1", None);
    let settings = Map::from_iter([("max_tokens".to_owned(), json!(256))]);
    let key_style = KeyStyle::Bearer;
    let mut model = Completions { endpoint, key_style, model: "m".into(), settings, usage_in_stream: true };
    let messages = vec![ChatMessage::user("Hi"), ChatMessage::assistant("Hello"), ChatMessage::user("Bye")];
    let request = ChatRequest { messages, stop: vec!["END".into()], ..ChatRequest::default() };
    let expected = json!({"model": "m", "max_tokens": 256, "prompt": "Human: Hi\n\nAI: Hello\n\nHuman: Bye\n\nAI:",
        "stop": ["\nHuman:", "END"], "stream": true, "stream_options": {"include_usage": true}});
    assert_eq!(model.body(&request), expected);
    model.settings.insert("best_of".into(), json!(3));
    let body = model.body(&request);
    assert_eq!((&body["stream"], &body["stream_options"]), (&json!(false), &Value::Null));
}

#[test]
fn an_answer_that_used_up_its_tokens_is_an_error_when_it_says_nothing() {
    let event = |text: &str, reason: &str| {
        format!("data: {}\n\n", json!({"choices": [{"text": text, "finish_reason": reason}]}))
    };
    assert_eq!(read(event("", "length").as_bytes()), Err(ModelError::OutOfTokens));
    for (reason, once) in [("length", true), ("content_filter", true), ("stop", false)] {
        assert_eq!(read(event("hi", reason).as_bytes()).map(|done| done.once), Ok(once), "{reason}");
    }
}
