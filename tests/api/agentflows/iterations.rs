//! Iterations: what stands inside runs once for each item.

use super::steps::{
    START, Steps, ask, endings, entries, entry, function, labels, llm, output, reply, ruled_llm, said, told,
    with,
};
use crate::support::Server;
use serde_json::{Value, json};

const EACH: &str = "iterationAgentflow_0";
const CODE: &str = "customFunctionAgentflow_0";

fn items(list: &str, more: Value) -> Value {
    with(json!({ "iterationInput": list }), more)
}

/// Code that runs for each item of a list.
fn each(list: &str, more: Value, code: &str) -> Steps {
    Steps::begin()
        .card(EACH, "Each", items(list, more))
        .card(CODE, "Inside", function(code, &[("item", "{{ $iteration }}")]))
        .inside(EACH)
        .edge(START, EACH)
}

fn results(answer: &Value) -> &Value {
    &output(answer, "Each")["iterationResults"]
}

#[test]
fn the_steps_inside_run_once_for_each_item() {
    let server = Server::start();
    let answer = ask(&server, &each("[\"a\", \"b\"]", json!({}), "return `<${$item}>`;").flow(&server), "Hi");
    assert_eq!(results(&answer), &json!(["<a>", "<b>"]));
    assert_eq!(answer["text"], "<a>\n<b>");
}

#[test]
fn an_item_keeps_its_type_also_where_it_is_nothing() {
    let server = Server::start();
    let list = "[1, 0, \"\", false, {\"a\": 2}]";
    let code = "return `${typeof $item} ${JSON.stringify($item)}`;";
    let answer = ask(&server, &each(list, json!({}), code).flow(&server), "Hi");
    let expected = json!(["number 1", "number 0", "string \"\"", "boolean false", "object {\"a\":2}"]);
    assert_eq!(results(&answer), &expected);
}

#[test]
fn a_part_of_an_item_is_read_by_its_path() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(EACH, "Each", items("[{\"name\": {\"first\": \"Ada\"}}]", json!({})))
        .card("llmAgentflow_0", "Inside", told(llm("{question}"), "Dear {{ $iteration.name.first }}"))
        .inside(EACH)
        .edge(START, EACH);
    assert_eq!(said(&server, &steps), "Dear Ada");
}

#[test]
fn results_are_in_the_order_of_the_items_however_many_run_at_once() {
    let server = Server::start();
    let rules = json!([
        {"match": "first", "reply": "1 1 1", "delayMs": 80},
        {"match": "second", "reply": "2 2", "delayMs": 20},
        {"match": "third", "reply": "3"},
    ]);
    let steps = |at_once: u32| {
        Steps::begin()
            .card(
                EACH,
                "Each",
                items("[\"first\", \"second\", \"third\"]", json!({ "iterationConcurrency": at_once })),
            )
            .card("llmAgentflow_0", "Inside", told(ruled_llm(&rules), "{{ $iteration }}"))
            .inside(EACH)
            .edge(START, EACH)
    };
    for at_once in [1, 2, 16] {
        let answer = ask(&server, &steps(at_once).flow(&server), "Hi");
        assert_eq!(results(&answer), &json!(["1 1 1", "2 2", "3"]), "{at_once} at once");
        let indexes: Vec<&Value> = entries(&answer)
            .iter()
            .filter(|entry| entry["nodeLabel"] == "Inside")
            .map(|entry| &entry["data"]["iterationIndex"])
            .collect();
        assert_eq!(indexes, [&json!(0), &json!(1), &json!(2)], "{at_once} at once");
    }
}

#[test]
fn entries_inside_tell_their_item_and_come_before_the_iteration() {
    let server = Server::start();
    let answer = ask(&server, &each("[\"a\", \"b\"]", json!({}), "return $item;").flow(&server), "Hi");
    assert_eq!(labels(&answer), ["Start", "Inside", "Inside", "Each"]);
    let last = &entry(&answer, "Inside")["data"];
    assert_eq!((&last["iterationIndex"], &last["parentNodeId"]), (&json!(1), &json!(EACH)));
    let place = &last["iterationContext"];
    assert_eq!(place["value"], "b");
    assert_eq!((&place["isFirst"], &place["isLast"]), (&json!(false), &json!(true)));
}

#[test]
fn an_item_that_fails_is_named_and_the_run_goes_on() {
    let server = Server::start();
    let code = "if ($item === 'bad') throw new Error('spoiled'); return $item;";
    let steps = each("[\"a\", \"bad\", \"c\"]", json!({}), code)
        .card("directReplyAgentflow_0", "Reply", reply("{{ iterationAgentflow_0 }}"))
        .edge(EACH, "directReplyAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    let results = results(&answer);
    assert_eq!((&results[0], &results[2]), (&json!("a"), &json!("c")));
    let told = results[1].as_str().unwrap();
    assert!(told.starts_with("Item 2 failed: ") && told.contains("spoiled"), "{told}");
    assert_eq!(entry(&answer, "Each")["status"], "FINISHED");
    assert!(answer["text"].as_str().unwrap().contains("spoiled"), "{answer}");
}

#[test]
fn a_failed_item_does_not_end_the_others_that_run_at_once() {
    let server = Server::start();
    let rules = json!([
        {"match": "bad", "fail": {"status": 400, "message": "spoiled"}},
        {"match": "slow", "reply": "s l o w", "delayMs": 60},
    ]);
    let steps = Steps::begin()
        .card(EACH, "Each", items("[\"slow\", \"bad\"]", json!({"iterationConcurrency": 2})))
        .card("llmAgentflow_0", "Inside", told(ruled_llm(&rules), "{{ $iteration }}"))
        .inside(EACH)
        .edge(START, EACH);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(results(&answer)[0], "s l o w");
    assert!(results(&answer)[1].as_str().unwrap().starts_with("Item 2 failed: "), "{answer}");
}

#[test]
fn an_iteration_that_stops_on_errors_fails_the_run_once_every_item_has_ended() {
    let server = Server::start();
    let code = "if ($item === 'bad') throw new Error('spoiled'); return $item;";
    let flow = each("[\"bad\", \"c\"]", json!({"onError": "stop"}), code).flow(&server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("Each") && told.contains("Item 1"), "{told}");
    let record = super::steps::newest_record(&server);
    assert_eq!(
        endings(&record),
        [("Start", "FINISHED"), ("Inside", "ERROR"), ("Inside", "FINISHED"), ("Each", "ERROR")]
    );
}

#[test]
fn an_iteration_may_lead_to_its_error_output() {
    let server = Server::start();
    let steps = each("[\"x\"]", json!({"onError": "branch"}), "throw new Error('spoiled');")
        .card("directReplyAgentflow_0", "Fine", reply("fine"))
        .card(
            "directReplyAgentflow_1",
            "Sorry",
            reply("sorry: {{ iterationAgentflow_0.output.error.message }}"),
        )
        .edge(EACH, "directReplyAgentflow_0")
        .error_edge(EACH, "directReplyAgentflow_1");
    let text = said(&server, &steps);
    assert!(text.starts_with("sorry: ") && text.contains("spoiled"), "{text}");
}

#[test]
fn what_is_no_list_fails_the_run_and_names_the_card() {
    let server = Server::start();
    let flow = each("{{ question }}", json!({}), "return 1;").flow(&server);
    let told = server.ask(&flow, &json!({"question": "no list"})).is_error(500);
    assert!(told.contains("Each"), "{told}");
}

#[test]
fn an_empty_list_runs_nothing_and_goes_on() {
    let server = Server::start();
    let steps = each("[]", json!({}), "return 1;")
        .card("directReplyAgentflow_0", "Reply", reply("on"))
        .edge(EACH, "directReplyAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!((labels(&answer), &answer["text"]), (vec!["Start", "Each", "Reply"], &json!("on")));
}

#[test]
fn steps_inside_read_what_ran_before_the_iteration() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Outer", llm("outer"))
        .card(EACH, "Each", items("[1, 2]", json!({})))
        .card(
            "llmAgentflow_1",
            "Inside",
            told(llm("{question}"), "{{ llmAgentflow_0 }} {{ $iteration }} {{ question }}"),
        )
        .inside(EACH)
        .chain(&[START, "llmAgentflow_0", EACH]);
    assert_eq!(said(&server, &steps), "outer 1 Hi\nouter 2 Hi");
}

#[test]
fn steps_inside_read_those_of_their_own_item() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(EACH, "Each", items("[\"a\", \"b\"]", json!({"iterationConcurrency": 2})))
        .card("llmAgentflow_0", "First", told(llm("{question}"), "<{{ $iteration }}>"))
        .inside(EACH)
        .card("llmAgentflow_1", "Second", told(llm("{question}"), "{{ llmAgentflow_0 }}!"))
        .inside(EACH)
        .edge(START, EACH)
        .edge("llmAgentflow_0", "llmAgentflow_1");
    assert_eq!(said(&server, &steps), "<a>!\n<b>!");
}

#[test]
fn what_follows_an_iteration_reads_its_newest_item() {
    let server = Server::start();
    let steps = each("[\"a\", \"b\"]", json!({}), "return $item;")
        .card("directReplyAgentflow_0", "Reply", reply("{{ customFunctionAgentflow_0 }}"))
        .edge(EACH, "directReplyAgentflow_0");
    assert_eq!(said(&server, &steps), "b");
}

#[test]
fn items_one_after_another_see_what_the_earlier_ones_left_in_the_state() {
    let server = Server::start();
    let update = json!([{"key": "sum", "value": "{{ $flow.state.sum }}{{ $iteration }}"}]);
    let steps = Steps::begin_with_state(&json!({"sum": ""}))
        .card(EACH, "Each", items("[\"a\", \"b\", \"c\"]", json!({})))
        .card("llmAgentflow_0", "Inside", with(llm("x"), json!({ "llmUpdateState": update })))
        .inside(EACH)
        .card("directReplyAgentflow_0", "Reply", reply("{{ $flow.state.sum }}"))
        .chain(&[START, EACH, "directReplyAgentflow_0"]);
    assert_eq!(said(&server, &steps), "abc");
}

#[test]
fn items_at_once_see_the_state_before_the_iteration() {
    let server = Server::start();
    let update = json!([{"key": "sum", "value": "{{ $flow.state.sum }}{{ $iteration }}"}]);
    let steps = Steps::begin_with_state(&json!({"sum": "0"}))
        .card(EACH, "Each", items("[\"a\", \"b\"]", json!({"iterationConcurrency": 2})))
        .card("llmAgentflow_0", "Inside", with(llm("x"), json!({ "llmUpdateState": update })))
        .inside(EACH)
        .card("directReplyAgentflow_0", "Reply", reply("{{ $flow.state.sum }}"))
        .chain(&[START, EACH, "directReplyAgentflow_0"]);
    assert_eq!(said(&server, &steps), "0b", "the later item wins");
}

#[test]
fn iterations_nest_and_read_the_nodes_around_them() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(EACH, "Rows", items("[[1, 2], [3]]", json!({})))
        .card("llmAgentflow_0", "Row", told(llm("{question}"), "row {{ $iteration }}"))
        .inside(EACH)
        .card("iterationAgentflow_1", "Cells", items("{{ $iteration }}", json!({})))
        .inside(EACH)
        .card("llmAgentflow_1", "Cell", told(llm("{question}"), "{{ $iteration }} of {{ llmAgentflow_0 }}"))
        .inside("iterationAgentflow_1")
        .edge(START, EACH)
        .edge("llmAgentflow_0", "iterationAgentflow_1");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(
        output(&answer, "Rows")["iterationResults"],
        json!(["1 of row [1,2]\n2 of row [1,2]", "3 of row [3]"])
    );
}
