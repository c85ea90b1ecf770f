//! Values that cards keep for the rest of a run (manual 9.21).

use crate::support::Server;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

/// A function whose value is kept as `seen`, and a chain that reads it by name alone.
fn canvas_with_variable(show: bool, read: &str) -> String {
    let mut drawing = Drawing::default();
    // Drawn first, so that only the name puts it after the card that keeps the value.
    let get = drawing.card("getVariable", json!({"variableName": read}));
    let function =
        drawing.card("customFunction", json!({"javascriptFunction": "return {of: $flow.input, n: [1]}"}));
    let set = drawing.card("setVariable", json!({"variableName": "seen", "showOutput": show}));
    let values = json!({"x": format!("{{{{{get}.data.instance}}}}")}).to_string();
    let prompt = drawing.card("promptTemplate", json!({"template": "Kept: {x}", "promptValues": values}));
    let model = drawing.card("chatScripted", json!({"fallback": "{question}"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&function, &set, "input");
    drawing.connect(&get, &prompt);
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.text()
}

#[test]
fn a_value_kept_by_one_card_is_read_by_name_in_the_same_run() {
    let server = Server::start();
    let flow = server.flow(&canvas_with_variable(false, "seen"));
    for question in ["one", "two"] {
        let answer = server.ask(&flow, &json!({"question": question})).is(200).json();
        assert_eq!(answer["text"], format!("Kept: {{\"of\":\"{question}\",\"n\":[1]}}"));
        assert!(answer.get("flowVariables").is_none(), "{answer}");
    }
}

#[test]
fn a_shown_value_goes_out_with_the_answer_whole_and_streamed() {
    let server = Server::start();
    let flow = server.flow(&canvas_with_variable(true, "seen"));
    let shown = json!({"seen": {"of": "Hi", "n": [1]}});
    let whole: Value = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    assert_eq!(whole["flowVariables"], shown);
    let stream = server.ask(&flow, &json!({"question": "Hi", "streaming": true}));
    assert_eq!(stream.event("metadata")["flowVariables"], shown);
}

#[test]
fn a_name_that_no_card_keeps_names_the_card_that_reads_it() {
    let server = Server::start();
    let flow = server.flow(&canvas_with_variable(true, "sen"));
    let error = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(error.starts_with("Get Variable: Variable Name: ") && error.contains("'sen'"), "{error}");
}

#[test]
fn a_value_of_a_branch_that_was_not_taken_is_empty() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let fork = drawing.card("ifElseFunction", json!({"ifFunction": "return $flow.input === 'yes' && 'it'"}));
    let set = drawing.card("setVariable", json!({"variableName": "taken"}));
    let get = drawing.card("getVariable", json!({"variableName": "taken"}));
    let values = json!({"x": format!("<{{{{{get}.data.instance}}}}>")}).to_string();
    let prompt = drawing.card("promptTemplate", json!({"template": "{x}", "promptValues": values}));
    let model = drawing.card("chatScripted", json!({"fallback": "{question}"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&fork, &set, "input");
    drawing.connect_output(&fork, "returnTrue", &set);
    drawing.connect(&get, &prompt);
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    let flow = server.flow(&drawing.text());
    for (question, text) in [("yes", "<it>"), ("no", "<>")] {
        assert_eq!(server.ask(&flow, &json!({"question": question})).is(200).json()["text"], text);
    }
}
