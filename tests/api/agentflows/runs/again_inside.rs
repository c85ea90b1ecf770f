//! Running again from a step inside of an iteration (manual 15.4).

use super::super::steps::{
    START, Steps, Talk, ask, endings, function, labels, output, provided_llm, question, record, reply, story,
    told, with,
};
use super::{again, draft, try_again};
use crate::support::Server;
use crate::support::provider::Provider;
use serde_json::{Value, json};

const EACH: &str = "iterationAgentflow_0";
const INSIDE: &str = "llmAgentflow_0";
const CODE: &str = "customFunctionAgentflow_0";
const REPLY: &str = "directReplyAgentflow_0";

/// A model asked once for each item, with code behind it, and a reply behind all of it.
fn each(provider: &Provider, at_once: u8) -> Steps {
    let items = json!({"iterationInput": "[\"a\", \"b\", \"c\"]", "iterationConcurrency": at_once});
    Steps::begin()
        .card(EACH, "Each", items)
        .card(INSIDE, "Inside", told(provided_llm(provider), "{{ $iteration }}"))
        .inside(EACH)
        .card(CODE, "Code", function("return `<${$said}>`;", &[("said", "{{ llmAgentflow_0 }}")]))
        .inside(EACH)
        .edge(INSIDE, CODE)
        .card(REPLY, "Reply", reply("{{ iterationAgentflow_0 }}"))
        .chain(&[START, EACH, REPLY])
}

fn results(answer: &Value) -> &Value {
    &output(answer, "Each")["iterationResults"]
}

#[test]
fn one_item_runs_again_and_the_others_stay() {
    for at_once in [1, 3] {
        let (server, provider) = (Server::start(), Provider::start());
        let flow = each(&provider, at_once).flow(&server);
        let first = ask(&server, &flow, "Hi");
        assert_eq!(results(&first), &json!(["<You said: a>", "<You said: b>", "<You said: c>"]));
        let second = try_again(&server, &flow, &first, INSIDE, json!({"iterationIndex": 1})).is(200).json();
        assert_eq!(story(&second), story(&first));
        assert_eq!(provider.requests().len(), 4);
        assert!(
            provider.last_request().body.to_string().contains("\"b\""),
            "{:?}",
            provider.last_request().body
        );
        let third = try_again(&server, &flow, &first, CODE, json!({"iterationIndex": 0})).is(200).json();
        assert_eq!((story(&third), provider.requests().len()), (story(&first), 4));
        try_again(&server, &flow, &first, CODE, json!({"iterationIndex": 3})).is_error(400);
    }
}

#[test]
fn without_an_item_the_newest_is_meant() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = each(&provider, 1).flow(&server);
    let first = ask(&server, &flow, "Hi");
    assert_eq!(story(&again(&server, &flow, &first, INSIDE)), story(&first));
    assert_eq!(provider.requests().len(), 4);
    assert!(provider.last_request().body.to_string().contains("\"c\""));
}

#[test]
fn an_iteration_runs_again_with_all_items_and_stays_whole_before_a_step() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = each(&provider, 2).flow(&server);
    let first = ask(&server, &flow, "Hi");
    assert_eq!(story(&again(&server, &flow, &first, REPLY)), story(&first));
    assert_eq!(provider.requests().len(), 3);
    assert_eq!(story(&again(&server, &flow, &first, EACH)), story(&first));
    assert_eq!(provider.requests().len(), 6);
}

#[test]
fn a_changed_step_changes_its_item_alone() {
    let (server, provider) = (Server::start(), Provider::start());
    let steps = each(&provider, 1);
    let flow = steps.flow(&server);
    let first = ask(&server, &flow, "Hi");
    let items = json!({"iterationInput": "[\"a\", \"b\", \"c\"]", "iterationConcurrency": 1});
    let changed = Steps::begin()
        .card(EACH, "Each", items)
        .card(INSIDE, "Inside", told(provided_llm(&provider), "{{ $iteration }}"))
        .inside(EACH)
        .card(CODE, "Code", function("return `[${$said}]`;", &[("said", "{{ llmAgentflow_0 }}")]))
        .inside(EACH)
        .edge(INSIDE, CODE)
        .card(REPLY, "Reply", reply("{{ iterationAgentflow_0 }}"))
        .chain(&[START, EACH, REPLY]);
    draft(&server, &flow, &changed);
    let second = try_again(&server, &flow, &first, CODE, json!({"iterationIndex": 1})).is(200).json();
    assert_eq!(results(&second), &json!(["<You said: a>", "[You said: b]", "<You said: c>"]));
    assert_eq!(second["text"], "<You said: a>\n[You said: b]\n<You said: c>");
}

#[test]
fn an_item_that_failed_runs_again_and_the_others_stay() {
    let server = Server::start();
    let steps = |code: &str| {
        Steps::begin()
            .card(EACH, "Each", json!({"iterationInput": "[1, 2, 3]"}))
            .card(CODE, "Code", function(code, &[("item", "{{ $iteration }}")]))
            .inside(EACH)
            .edge(START, EACH)
    };
    let flow = steps("if ($item === 2) { throw new Error('two'); } return $item;").flow(&server);
    let first = ask(&server, &flow, "Hi");
    assert!(results(&first)[1].as_str().unwrap().contains("failed"), "{first}");
    draft(&server, &flow, &steps("return $item * 10;"));
    let second = try_again(&server, &flow, &first, CODE, json!({"iterationIndex": 1})).is(200).json();
    assert_eq!(results(&second), &json!(["1", "20", "3"]));
    let third = try_again(&server, &flow, &first, CODE, json!({"iterationIndex": 2})).is(200).json();
    assert_eq!(results(&third)[2], "30");
    assert_eq!(results(&third)[1], results(&first)[1], "an item that failed stays failed");
}

#[test]
fn a_run_again_that_waits_goes_on_with_what_stayed() {
    let server = Server::start();
    let items = json!({"iterationInput": "[\"a\", \"b\", \"c\"]"});
    let steps = Steps::begin()
        .card(EACH, "Each", items)
        .card("humanInputAgentflow_0", "Ask", question("Well, {{ $iteration }}?"))
        .inside(EACH)
        .card(
            CODE,
            "Code",
            function("return $said;", &[("said", "{{ humanInputAgentflow_0 }} {{ $iteration }}")]),
        )
        .inside(EACH)
        .choice("humanInputAgentflow_0", 0, CODE)
        .edge(START, EACH);
    let (talk, mut answer) = Talk::begin(&server, &steps, "Hi");
    for item in ["a", "b", "c"] {
        assert!(answer["text"].as_str().unwrap().contains(&format!("Well, {item}?")), "{answer}");
        answer = talk.answer(&json!({"type": "proceed", "feedback": format!("yes {item}")}));
    }
    assert_eq!(results(&answer), &json!(["yes a a", "yes b b", "yes c c"]));
    let whole = endings(&record(&server, &answer)).last().map(|(label, end)| format!("{label} {end}"));
    assert_eq!(whole.as_deref(), Some("Each FINISHED"), "it ends in the record too");
    let body = json!({"iterationIndex": 1});
    let waits = try_again(&server, talk.flow(), &answer, "humanInputAgentflow_0", body).is(200).json();
    assert!(waits["text"].as_str().unwrap().contains("Well, b?"), "{waits}");
    let body = json!({"chatId": waits["chatId"], "humanInput": {"type": "proceed", "feedback": "now"}});
    let done = server.post(&format!("/internal-prediction/{}", talk.flow()), &body);
    assert_eq!(results(&done), &json!(["yes a a", "now b", "yes c c"]), "{:?}", labels(&done));
}

#[test]
fn state_of_earlier_items_is_known_to_an_item_that_runs_again() {
    let server = Server::start();
    let count = with(
        function("return $n + $item;", &[("n", "{{ $flow.state.n }}"), ("item", "{{ $iteration }}")]),
        json!({"customFunctionUpdateState": [{"key": "n", "value": "{{ output.content }}"}]}),
    );
    let steps = Steps::begin_with_state(&json!({"n": ""}))
        .card(EACH, "Each", json!({"iterationInput": "[\"a\", \"b\", \"c\"]"}))
        .card(CODE, "Code", count)
        .inside(EACH)
        .card(REPLY, "Reply", reply("{{ $flow.state.n }}"))
        .chain(&[START, EACH, REPLY]);
    let flow = steps.flow(&server);
    let first = ask(&server, &flow, "Hi");
    assert_eq!(first["text"], "abc");
    let second = try_again(&server, &flow, &first, CODE, json!({"iterationIndex": 2})).is(200).json();
    assert_eq!(story(&second), story(&first));
}
