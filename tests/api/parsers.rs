//! Output parsers behind an LLM Chain: what the model is told, and what becomes of its answer.

use crate::embeddings::request_text;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::client::Answer;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, golden};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Asks a chain with this parser, whose model says these things one after the other.
fn ask(card: &str, inputs: Value, said: &[&str]) -> (Answer, Provider) {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let base = provider.base_url();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &base, json!({"streaming": false}));
    let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
    let parser = drawing.card(card, inputs);
    let chain = drawing.card("llmChain", json!({}));
    for (from, input) in [(&model, "model"), (&prompt, "prompt"), (&parser, "outputParser")] {
        drawing.wire(from, &chain, input);
    }
    said.iter().for_each(|text| provider.push_behaviour(Behaviour::text(text)));
    let flow = server.flow(&drawing.text());
    (server.ask(&flow, &json!({"question": "Which film?"})), provider)
}

#[test]
fn an_answer_becomes_an_object_or_a_list() {
    let rows = json!([
        {"property": "title", "type": "string", "description": "Its title"},
        {"property": "year", "type": "number", "description": ""},
        {"property": "silent", "type": "boolean", "description": "Without sound", "id": 1, "actions": ""},
    ]);
    let schema = "z.object({ title: z.string().describe(\"Its title\"), years: z.array(z.number().int()), seen: z.boolean().optional() })";
    let mut sent = String::new();
    for (card, inputs, said, expected) in [
        (
            "structuredOutputParser",
            json!({"jsonStructure": rows.to_string()}),
            "```json\n{\"title\": \"M\", \"year\": 1931, \"silent\": false}\n```",
            json!({"title": "M", "year": 1931, "silent": false}),
        ),
        (
            "advancedStructuredOutputParser",
            json!({"exampleJson": schema}),
            "It is {\"title\": \"M\", \"years\": [1931]}",
            json!({"title": "M", "years": [1931]}),
        ),
        (
            "advancedStructuredOutputParser",
            json!({"exampleJson": "z.array(z.object({ title: z.string(), casts: z.array(z.array(z.string())) }))"}),
            "One: [{\"title\": \"M\", \"casts\": [[\"Lorre\"]]}]",
            json!([{"title": "M", "casts": [["Lorre"]]}]),
        ),
        (
            "customListOutputParser",
            json!({"length": "2", "separator": ";"}),
            "M, by Lang; Metropolis",
            json!(["M, by Lang", "Metropolis"]),
        ),
    ] {
        let (answer, provider) = ask(card, inputs, &[said]);
        let answer = answer.is(200).json();
        assert_eq!(answer["json"], expected, "{card}: {answer}");
        writeln!(sent, "== {card}\n{}", request_text(&provider.last_request())).unwrap();
    }
    golden::check("parsers_sent.txt", &sent);
}

#[test]
fn an_answer_that_does_not_fit_is_put_right_once_when_the_owner_wants_it() {
    let (wrong, right) = ("{\"answer\": 7}", "{\"answer\": \"seven\"}");
    let (answer, provider) = ask("structuredOutputParser", json!({"autofixParser": true}), &[wrong, right]);
    assert_eq!(answer.is(200).json()["json"], json!({"answer": "seven"}));
    let roles = |at: usize| -> Vec<String> {
        let messages = provider.requests()[at].body["messages"].clone();
        messages.as_array().unwrap().iter().map(|said| said["role"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (roles(0), roles(1)),
        (vec!["user".to_owned()], ["user", "assistant", "user"].map(str::to_owned).to_vec())
    );
    assert!(provider.last_request().body.to_string().contains("answer must be a text"));
    let (answer, provider) = ask("structuredOutputParser", json!({"autofixParser": true}), &[wrong, wrong]);
    assert!(answer.text().contains("could not be read: answer must be a text"), "{}", answer.text());
    assert_eq!(provider.served_count(), 2);
    let (answer, provider) = ask("structuredOutputParser", json!({}), &[wrong, right]);
    assert!(answer.text().contains("answer must be a text"), "{}", answer.text());
    assert_eq!(provider.served_count(), 1);
}

#[test]
fn a_parser_that_is_set_wrongly_says_so_before_a_model_is_asked() {
    for (card, inputs, says) in [
        ("advancedStructuredOutputParser", json!({"exampleJson": "z.string()"}), "must be a z.object"),
        ("advancedStructuredOutputParser", json!({"exampleJson": "fetch('x')"}), "a schema begins with z."),
        ("structuredOutputParser", json!({"jsonStructure": "[]"}), "list at least one property"),
        ("structuredOutputParser", json!({"jsonStructure": "{}"}), "must be a list"),
    ] {
        let (answer, provider) = ask(card, inputs, &[]);
        assert!(answer.text().contains(says), "{card}: {}", answer.text());
        assert_eq!(provider.served_count(), 0);
    }
}
