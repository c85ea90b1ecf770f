//! References and state: what stands in an input of a step when it runs.

use super::steps::{START, Steps, Talk, ask, entry, function, llm, output, reply, said, told, with};
use crate::support::Server;
use serde_json::{Value, json};

/// What breaks careless replacement: patterns of replacements, braces, quotation marks, markup.
const ODD: &str = "$& $1 $$ `\\` {a} {{b}} {{ question }} \"q\" 'q' <b>x</b> &amp; \\n \u{1F980}\n# title";

/// Start, and a reply with this text.
fn replying(start: Steps, text: &str) -> Steps {
    start.card("directReplyAgentflow_0", "Reply", reply(text)).edge(START, "directReplyAgentflow_0")
}

/// A model that writes this into the state.
pub(super) fn writing(id: &str, rows: Value) -> (String, Value) {
    (id.to_owned(), with(llm("said"), json!({ "llmUpdateState": rows })))
}

#[test]
fn a_step_writes_into_the_state_that_later_steps_read() {
    let server = Server::start();
    let (id, inputs) = writing("llmAgentflow_0", json!([{"key": "topic", "value": "{{ question }}!"}]));
    let steps = Steps::begin_with_state(&json!({"topic": "none", "other": "kept"}))
        .card(&id, "Writer", inputs)
        .card("directReplyAgentflow_0", "Reply", reply("{{ $flow.state.topic }} {{ $flow.state.other }}"))
        .chain(&[START, &id, "directReplyAgentflow_0"]);
    assert_eq!(said(&server, &steps), "Hi! kept");
}

#[test]
fn an_entry_shows_the_state_that_its_step_left() {
    let server = Server::start();
    let (id, inputs) = writing("llmAgentflow_0", json!([{"key": "topic", "value": "new"}]));
    let steps =
        Steps::begin_with_state(&json!({"topic": "old"})).card(&id, "Writer", inputs).edge(START, &id);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(entry(&answer, "Start")["data"]["state"], json!({"topic": "old"}));
    assert_eq!(entry(&answer, "Writer")["data"]["state"], json!({"topic": "new"}));
}

#[test]
fn a_state_update_reads_what_its_own_step_said() {
    let server = Server::start();
    let rows = json!([
        {"key": "whole", "value": "{{ output }}"},
        {"key": "within", "value": "got {{output}}"},
        {"key": "content", "value": "[{{ output.content }}]"},
    ]);
    let (id, inputs) = writing("llmAgentflow_0", rows);
    let steps = Steps::begin().card(&id, "Writer", inputs).edge(START, &id);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    let state = &entry(&answer, "Writer")["data"]["state"];
    assert_eq!(*state, json!({"whole": "said", "within": "got said", "content": "[said]"}));
}

#[test]
fn a_state_update_reads_a_part_of_the_json_that_its_own_step_said() {
    let server = Server::start();
    let rows =
        json!([{"key": "name", "value": "{{ output.name }}"}, {"key": "n", "value": "{{ output.list[0] }}"}]);
    let code = function("return {name: 'Ann', list: [5]};", &[]);
    let steps = Steps::begin()
        .card("customFunctionAgentflow_0", "Code", with(code, json!({ "customFunctionUpdateState": rows })))
        .card(
            "llmAgentflow_0",
            "Model",
            with(llm("{\"name\": \"Bob\", \"list\": [6]}"), json!({ "llmUpdateState": rows })),
        )
        .chain(&[START, "customFunctionAgentflow_0", "llmAgentflow_0"]);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(entry(&answer, "Code")["data"]["state"], json!({"name": "Ann", "n": 5}));
    assert_eq!(entry(&answer, "Model")["data"]["state"], json!({"name": "Bob", "n": 6}));
}

#[test]
fn a_state_update_reads_the_structured_keys_of_its_own_step() {
    let server = Server::start();
    let inputs = with(
        llm("{\"city\": \"Oslo\"}"),
        json!({
            "llmStructuredOutput": [{"key": "city", "type": "string", "description": "Where"}],
            "llmUpdateState": [{"key": "place", "value": "{{ output.city }}"}],
        }),
    );
    let steps = Steps::begin().card("llmAgentflow_0", "Facts", inputs).edge(START, "llmAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(entry(&answer, "Facts")["data"]["state"], json!({"place": "Oslo"}));
}

#[test]
fn a_state_update_sees_the_state_before_its_step() {
    let server = Server::start();
    let (id, inputs) = writing(
        "llmAgentflow_0",
        json!([{"key": "a", "value": "{{ $flow.state.b }}"}, {"key": "b", "value": "{{ $flow.state.a }}"}]),
    );
    let steps =
        Steps::begin_with_state(&json!({"a": "1", "b": "2"})).card(&id, "Swap", inputs).edge(START, &id);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(entry(&answer, "Swap")["data"]["state"], json!({"a": "2", "b": "1"}));
}

#[test]
fn a_reference_that_stands_alone_keeps_the_type_of_its_value() {
    let server = Server::start();
    let state = json!({"number": 3, "switch": false, "list": [1, "a"], "text": "3"});
    let code = "return [typeof $number, typeof $switch, Array.isArray($list), typeof $text, typeof $mixed].join(' ');";
    let inputs = function(
        code,
        &[
            ("number", "{{ $flow.state.number }}"),
            ("switch", "{{ $flow.state.switch }}"),
            ("list", "{{ $flow.state.list }}"),
            ("text", "{{ $flow.state.text }}"),
            ("mixed", "{{ $flow.state.number }}0"),
        ],
    );
    let steps = Steps::begin_with_state(&state)
        .card("customFunctionAgentflow_0", "Types", inputs)
        .edge(START, "customFunctionAgentflow_0");
    assert_eq!(said(&server, &steps), "number boolean true string string");
}

#[test]
fn an_object_in_a_text_is_written_as_json() {
    let server = Server::start();
    let start = Steps::begin_with_state(&json!({"o": {"a": [1, "b"]}}));
    assert_eq!(said(&server, &replying(start, "o={{ $flow.state.o }}")), "o={\"a\":[1,\"b\"]}");
}

#[test]
fn a_value_changes_nothing_but_its_reference() {
    let server = Server::start();
    let flow = replying(Steps::begin(), "before {{ question }} between {{question}} after").flow(&server);
    assert_eq!(ask(&server, &flow, ODD)["text"], format!("before {ODD} between {ODD} after"));
}

#[test]
fn a_value_goes_through_state_models_and_code_unchanged() {
    let server = Server::start();
    let model = with(
        told(llm("{question}"), "{{ question }}"),
        json!({"llmUpdateState": [{"key": "kept", "value": "{{ output.content }}"}]}),
    );
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Echo", model)
        .card(
            "customFunctionAgentflow_0",
            "Code",
            function("return $value;", &[("value", "{{ $flow.state.kept }}")]),
        )
        .card("directReplyAgentflow_0", "Reply", reply("{{ customFunctionAgentflow_0 }}"))
        .chain(&[START, "llmAgentflow_0", "customFunctionAgentflow_0", "directReplyAgentflow_0"]);
    let answer = ask(&server, &steps.flow(&server), ODD);
    assert_eq!(output(&answer, "Echo")["content"], ODD);
    assert_eq!(answer["text"], ODD);
}

#[test]
fn an_unknown_reference_stays_as_it_is_written() {
    let server = Server::start();
    let text = "{{ nobody_0 }} {{ $flow.state.missing }} {{ $vars.missing }} {{ llmAgentflow_9.output.x }} {{ $iteration }}";
    assert_eq!(said(&server, &replying(Steps::begin(), text)), text);
}

#[test]
fn a_saved_variable_is_read_by_its_name() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "city", "value": "Oslo", "type": "static"}));
    assert_eq!(said(&server, &replying(Steps::begin(), "in {{ $vars.city }}")), "in Oslo");
}

#[test]
fn a_step_does_not_see_what_merely_happened_beside_it() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Beside", llm("beside"))
        .card("directReplyAgentflow_0", "Reply", reply("[{{ llmAgentflow_0 }}]"))
        .edge(START, "llmAgentflow_0")
        .edge(START, "directReplyAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(output(&answer, "Reply")["content"], "[{{ llmAgentflow_0 }}]");
}

#[test]
fn where_branches_wrote_one_key_the_later_in_the_record_wins() {
    let server = Server::start();
    let write = |text: &str| with(llm("x"), json!({"llmUpdateState": [{"key": "who", "value": text}]}));
    let slow = |mut inputs: Value| {
        inputs["llmModelConfig"]["delayMs"] = 80.into();
        inputs
    };
    for (first, second) in [(slow(write("A")), write("B")), (write("A"), slow(write("B")))] {
        let steps = Steps::begin_with_state(&json!({"who": "nobody"}))
            .card("llmAgentflow_0", "A", first)
            .card("llmAgentflow_1", "B", second)
            .card("directReplyAgentflow_0", "Merge", reply("{{ $flow.state.who }}"))
            .chain(&[START, "llmAgentflow_0", "directReplyAgentflow_0"])
            .chain(&[START, "llmAgentflow_1", "directReplyAgentflow_0"]);
        assert_eq!(said(&server, &steps), "B");
    }
}

#[test]
fn rich_text_of_the_editor_is_read_as_text_with_references() {
    let server = Server::start();
    let mention = "<span class=\"mention\" data-type=\"mention\" data-id=\"question\">{{ question }}</span>";
    let inputs = told(llm("{question}"), &format!("<p>Say <strong>{mention}</strong></p><p>twice</p>"));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    assert_eq!(said(&server, &steps), "Say **Hi**\n\ntwice");
}

#[test]
fn structured_keys_of_a_model_are_read_by_their_path() {
    let server = Server::start();
    let keys = json!([
        {"key": "city", "type": "string", "description": "Where"},
        {"key": "size", "type": "number", "description": "How many people"},
    ]);
    let inputs = with(llm("{\"city\": \"Oslo\", \"size\": 700}"), json!({ "llmStructuredOutput": keys }));
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Facts", inputs)
        .card(
            "directReplyAgentflow_0",
            "Reply",
            reply("{{ llmAgentflow_0.output.city }}: {{ llmAgentflow_0.output.size }}"),
        )
        .chain(&[START, "llmAgentflow_0", "directReplyAgentflow_0"]);
    assert_eq!(said(&server, &steps), "Oslo: 700");
}

#[test]
fn every_run_begins_with_the_state_of_its_start() {
    let server = Server::start();
    let (id, inputs) = writing("llmAgentflow_0", json!([{"key": "n", "value": "{{ $flow.state.n }}+"}]));
    let steps = Steps::begin_with_state(&json!({"n": "0"}))
        .card(&id, "Count", inputs)
        .card("directReplyAgentflow_0", "Reply", reply("{{ $flow.state.n }}"))
        .chain(&[START, &id, "directReplyAgentflow_0"]);
    let (talk, first) = Talk::begin(&server, &steps, "Hi");
    assert_eq!((&first["text"], &talk.ask("Hi")["text"]), (&json!("0+"), &json!("0+")));
}
