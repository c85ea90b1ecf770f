//! Chains that look something up before they answer (reference canvas 5.5).

use crate::agents::{animals, messages};
use crate::support::Server;
use crate::support::canvases::{Drawing, Format};
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};

/// A Conversational Retrieval QA Chain over two passages, without a memory card.
fn retrieval(server: &Server, provider: &Provider, inputs: Value) -> String {
    let store = animals(server);
    let mut drawing = Drawing::default();
    let model = Format::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
    let retriever = drawing.card("bm25Retriever", json!({"documentStore": store, "topK": "1"}));
    let chain = drawing.card("conversationalRetrievalQAChain", inputs);
    drawing.wire(&model, &chain, "model");
    drawing.wire(&retriever, &chain, "vectorStoreRetriever");
    server.flow(&drawing.text())
}

#[test]
fn a_conversational_retrieval_chain_rephrases_only_when_something_was_said_before() {
    let (server, provider) = (Server::start(), Provider::start());
    let inputs = json!({"returnSourceDocuments": true, "responsePrompt": "Use {context} only."});
    let flow = retrieval(&server, &provider, inputs);
    provider.script(Behaviour::text("They purr."));
    let first = server.ask(&flow, &json!({"question": "What do cats do?"})).is(200).json();
    assert_eq!((&first["text"], provider.served()), (&json!("They purr."), 1));
    assert_eq!(first["sourceDocuments"][0]["pageContent"], "Cats purr.");
    let sent = messages(&provider);
    assert!(sent[0].1.starts_with("Use (the passages") && !sent[0].1.contains("purr"), "{sent:?}");
    assert!(sent[1].1.contains("Cats purr.") && sent[1].1.contains("What do cats do?"), "{sent:?}");
    provider.script(Behaviour::text("What do dogs do?"));
    provider.script(Behaviour::text("They bark."));
    let body = json!({"question": "And dogs?", "chatId": first["chatId"], "sessionToken": first["sessionToken"], "streaming": true});
    let second = server.ask(&flow, &body);
    assert_eq!(second.streamed_text(), "They bark.", "the rephrased question is no part of the answer");
    assert_eq!(second.event("sourceDocuments")[0]["pageContent"], "Dogs bark.");
    let rephrasing = provider.requests()[1].body["messages"].to_string();
    assert!(rephrasing.contains("Human: What do cats do?") && rephrasing.contains("Assistant: They purr."));
    let sent = messages(&provider);
    let roles: Vec<&str> = sent.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"], "{sent:?}");
    assert_eq!((sent[1].1.as_str(), sent[2].1.as_str()), ("What do cats do?", "They purr."));
    assert!(sent[3].1.contains("Dogs bark.") && sent[3].1.contains("And dogs?"), "{sent:?}");
}

#[test]
fn the_owners_rephrase_prompt_holds_history_and_question_where_it_names_them() {
    let (server, provider) = (Server::start(), Provider::start());
    let own = json!({"rephrasePrompt": "Before: {chat_history}\nNow: {question}\nAlone:"});
    let flow = retrieval(&server, &provider, own);
    provider.script(Behaviour::text("cats purr"));
    provider.script(Behaviour::text("They do."));
    let history = json!([{"role": "userMessage", "content": "I like {question}."}]);
    let body = json!({"question": "Do they?", "history": history});
    let answer = server.ask(&flow, &body).is(200).json();
    assert_eq!(answer["text"], "They do.");
    assert!(answer.get("sourceDocuments").is_none(), "{answer}");
    let asked = &provider.requests()[0].body["messages"];
    assert_eq!(asked.as_array().unwrap().len(), 1);
    assert_eq!(asked[0]["content"], "Before: Human: I like {question}.\nNow: Do they?\nAlone:");
}

#[test]
fn a_chain_over_a_vector_store_takes_nothing_else() {
    let server = Server::start();
    let store = animals(&server);
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({}));
    let retriever = drawing.card("bm25Retriever", json!({"documentStore": store}));
    let chain = drawing.card("vectorDBQAChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&retriever, &chain, "vectorStore");
    let flow = server.flow(&drawing.text());
    let fault = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(
        fault.contains("VectorDB QA Chain: Vector Store: a retriever cannot be connected here"),
        "{fault}"
    );
}
