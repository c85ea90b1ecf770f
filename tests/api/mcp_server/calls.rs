//! What a call of a tool answers.

use super::{Tool, fault, message, spoken_by};
use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider};
use crate::support::steps::{START, Steps};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn a_call_answers_with_the_text_of_the_flow_in_a_conversation_of_its_own() {
    let tool = Tool::greeter();
    let said = json!({"content": [{"type": "text", "text": "Hello Ada"}], "isError": false});
    assert_eq!(tool.call_tool(&json!({"question": "Ada"})), said);
    tool.call_tool(&json!({"question": "Bob"}));
    let messages = tool.server.messages(&tool.flow);
    assert_eq!(messages.len(), 4);
    assert!(messages.iter().all(|row| row["chatType"] == "MCP"));
    assert_ne!(messages[0]["chatId"], messages[2]["chatId"]);
}

#[test]
fn the_token_stands_for_the_key_that_the_flow_is_bound_to() {
    let tool = Tool::greeter();
    let bound = crate::support::id(&tool.server.key(&["chatflows:view"]));
    tool.server.put(&format!("/chatflows/{}", tool.flow), &json!({"apikeyid": bound}));
    assert_eq!(tool.call_tool(&json!({"question": "Ada"}))["isError"], false);
    tool.server.ask(&tool.flow, &json!({"question": "Ada"})).is_error(401);
}

#[test]
fn arguments_that_do_not_fit_are_told_to_whoever_called() {
    let tool = Tool::greeter();
    for (arguments, why) in [
        (json!({}), "'question' is required"),
        (json!({"question": " "}), "'question' is required"),
        (json!({"question": 5}), "'question' is required"),
        (json!({"question": "x", "more": 1}), "no argument 'more'"),
    ] {
        let result = tool.call_tool(&arguments);
        assert_eq!(result["isError"], true, "{arguments}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains(why), "{result}");
    }
    let other = tool.send("tools/call", &json!({"name": "other", "arguments": {}}));
    assert_eq!(fault(&other, 200).0, -32602);
    assert_eq!(fault(&tool.send("tools/call", &json!({"name": "greeter", "arguments": []})), 200).0, -32602);
    assert!(tool.server.messages(&tool.flow).is_empty());
}

#[test]
fn the_fields_of_a_form_are_the_arguments_flat_or_as_one_object() {
    let fields = json!([
        {"type": "string", "label": "Your name", "name": "name", "addOptions": ""},
        {"type": "number", "label": "How many", "name": "count", "addOptions": ""},
        {"type": "options", "label": "Colour", "name": "colour", "addOptions": [{"option": "red"}, {"option": "blue"}]},
    ]);
    let start = json!({"startInputType": "formInput", "formInputTypes": fields});
    let canvas = spoken_by(start, "{{ $form.name }}: {{ $form.count }} {{ $form.colour }}");
    let tool = Tool::of(&canvas, &json!({"type": "AGENTFLOW"}));
    let schema = tool.send("tools/list", &json!({})).json()["result"]["tools"][0]["inputSchema"].clone();
    assert_eq!(schema["properties"]["count"], json!({"type": "number", "title": "How many"}));
    assert_eq!(schema["properties"]["colour"]["enum"], json!(["red", "blue"]));
    assert_eq!(schema["additionalProperties"], false);
    let order = json!({"name": "Ada", "count": 2, "colour": "red"});
    assert_eq!(tool.call_tool(&order)["content"][0]["text"], "Ada: 2 red");
    assert_eq!(tool.call_tool(&json!({"form": order}))["content"][0]["text"], "Ada: 2 red");
    let wrong = tool.call_tool(&json!({"name": "Ada", "count": "many"}));
    assert!(wrong["isError"] == true && wrong.to_string().contains("must be a number"), "{wrong}");
}

#[test]
fn a_run_that_fails_is_an_answer_with_an_error_and_names_no_server() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})));
    let token = super::enable(&server, &flow, "greeter");
    let tool = Tool { server, flow, token };
    provider.set_decision(|_| Behaviour::status(400, "{\"error\": {\"message\": \"no\"}}"));
    let result = tool.call_tool(&json!({"question": "Hi"}));
    assert_eq!(result["isError"], true);
    assert!(!result.to_string().contains("127.0.0.1"), "{result}");
}

#[test]
fn the_structure_that_a_flow_always_answers_with_is_promised_and_given() {
    let keys = json!([{"key": "days", "type": "number", "description": "How many"}]);
    let rules = json!([{"match": ".+", "reply": "{\"days\": 3}"}]);
    let llm = json!({"llmModel": "chatScripted", "llmModelConfig": {"rules": rules.to_string()}, "llmStructuredOutput": keys});
    let steps = Steps::begin().card("llmAgentflow_0", "Counter", llm).edge(START, "llmAgentflow_0");
    let tool = Tool::of(&steps.text(), &json!({"type": "AGENTFLOW"}));
    let listed = tool.send("tools/list", &json!({})).json()["result"]["tools"][0].clone();
    assert_eq!(listed["outputSchema"]["properties"]["days"]["type"], "number", "{listed}");
    let result = tool.call_tool(&json!({"question": "How long?"}));
    assert_eq!(result["structuredContent"], json!({"days": 3}), "{result}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
}

/// A chain whose answer this parser reads, over a model that says `reply`.
fn parsed(parser: &str, inputs: Value, reply: &str) -> (Drawing, String) {
    let mut drawing = Drawing::default();
    let rules = json!([{"match": ".+", "reply": reply}]).to_string();
    let model = drawing.card("chatScripted", json!({ "rules": rules }));
    let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
    let parser = drawing.card(parser, inputs);
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.wire(&parser, &chain, "outputParser");
    (drawing, chain)
}

#[test]
fn a_chatflow_whose_answer_a_parser_reads_promises_that_structure_and_lists_are_its_items() {
    let rows = json!([{"property": "days", "type": "number", "description": "How many"}]).to_string();
    let list = json!({"type": "array", "items": {"type": "string"}});
    for (parser, inputs, reply, name, shape, structure) in [
        ("csvOutputParser", json!({}), "red, green", "items", &list, json!({"items": ["red", "green"]})),
        (
            "customListOutputParser",
            json!({"separator": ";"}),
            "a;b",
            "items",
            &list,
            json!({"items": ["a", "b"]}),
        ),
        (
            "structuredOutputParser",
            json!({ "jsonStructure": rows }),
            "{\"days\": 3}",
            "days",
            &json!({"type": "number", "description": "How many"}),
            json!({"days": 3}),
        ),
        (
            "advancedStructuredOutputParser",
            json!({"exampleJson": "z.array(z.string())"}),
            "[\"a\"]",
            "items",
            &list,
            json!({"items": ["a"]}),
        ),
    ] {
        let tool = Tool::of(&parsed(parser, inputs, reply).0.text(), &json!({}));
        let listed = tool.send("tools/list", &json!({})).json()["result"]["tools"][0]["outputSchema"].clone();
        assert_eq!(
            (&listed["type"], &listed["properties"][name]),
            (&json!("object"), shape),
            "{parser}: {listed}"
        );
        assert_eq!(listed["required"], json!([name]));
        let result = tool.call_tool(&json!({"question": "Which?"}));
        assert_eq!(result["structuredContent"], structure, "{parser}: {result}");
        assert_eq!(result["content"][0]["text"], structure.to_string());
    }
}

#[test]
fn a_chatflow_that_may_answer_otherwise_promises_no_structure() {
    let (mut moderated, chain) = parsed("csvOutputParser", json!({}), "a, b");
    let moderation = moderated
        .card("inputModerationSimple", json!({"denyList": "never", "moderationErrorMessage": "No."}));
    moderated.wire(&moderation, &chain, "inputModeration");
    let code = json!("return $flow.rawOutput").to_string();
    let config = json!({"postProcessing": {"enabled": true, "customFunction": code}}).to_string();
    let processed = json!({ "chatbotConfig": config });
    for (drawing, fields) in
        [(moderated, json!({})), (parsed("csvOutputParser", json!({}), "a, b").0, processed)]
    {
        let tool = Tool::of(&drawing.text(), &fields);
        let listed = tool.send("tools/list", &json!({})).json()["result"]["tools"][0].clone();
        assert!(listed["outputSchema"].is_null(), "{listed}");
        let result = tool.call_tool(&json!({"question": "Which?"}));
        assert!(result["structuredContent"].is_null() && result["isError"] == false, "{result}");
    }
}

#[test]
fn progress_is_told_to_callers_that_ask_for_it_and_take_events() {
    let canvas = spoken_by(json!({"startInputType": "chatInput"}), "Done.");
    let tool = Tool::of(&canvas, &json!({"type": "AGENTFLOW"}));
    let params =
        json!({"name": "greeter", "arguments": {"question": "Go"}, "_meta": {"progressToken": "p1"}});
    let call = tool.post().json(&message("tools/call", &params));
    let whole = call.clone().header("Accept", "application/json").send().is(200);
    assert_eq!(whole.json()["result"]["content"][0]["text"], "Done.");
    let streamed = call.header("Accept", "application/json, text/event-stream").send().is(200);
    assert!(streamed.header("content-type").unwrap().starts_with("text/event-stream"));
    let text = streamed.text();
    let events: Vec<Value> = text
        .split_terminator("\n\n")
        .map(|frame| serde_json::from_str(frame.strip_prefix("event: message\ndata: ").unwrap()).unwrap())
        .collect();
    let (last, news) = events.split_last().unwrap();
    assert_eq!((&last["id"], &last["result"]["content"][0]["text"]), (&json!(7), &json!("Done.")));
    let labels: Vec<&str> = news.iter().map(|event| event["params"]["message"].as_str().unwrap()).collect();
    assert_eq!(labels, ["Start", "Speaker"]);
    for (at, event) in news.iter().enumerate() {
        assert_eq!(event["method"], "notifications/progress");
        assert_eq!(
            (&event["params"]["progressToken"], &event["params"]["progress"]),
            (&json!("p1"), &json!(at + 1))
        );
    }
}

#[test]
fn a_call_is_taken_back_by_a_notice_that_names_it() {
    let canvas =
        scripted_flow_with(json!({"fallback": "one two three four five six seven eight", "delayMs": 2000}));
    let tool = Tool::of(&canvas, &json!({}));
    let params = json!({"name": "greeter", "arguments": {"question": "Go"}});
    let began = Instant::now();
    let answer = std::thread::scope(|scope| {
        let called = scope.spawn(|| {
            tool.post().header("Mcp-Session-Id", "s1").json(&message("tools/call", &params)).send()
        });
        let notice = |session: &str, request: Value| {
            let body = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request}});
            tool.post().header("Mcp-Session-Id", session).json(&body).send().is(202);
        };
        while tool.server.app.state.active_runs.count() == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        // Neither of these is that call.
        notice("s2", json!(7));
        notice("s1", json!("7"));
        assert_eq!(tool.server.app.state.active_runs.count(), 1);
        notice("s1", json!(7));
        called.join().unwrap()
    });
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(fault(&answer, 409), (-32000, "The run was stopped.".to_owned()));
}

#[test]
fn a_pause_answers_its_text() {
    let asks = json!({"humanInputDescriptionType": "fixed", "humanInputDescription": "Shall I?"});
    let steps =
        Steps::begin().card("humanInputAgentflow_0", "Ask", asks).edge(START, "humanInputAgentflow_0");
    let tool = Tool::of(&steps.text(), &json!({"type": "AGENTFLOW"}));
    assert_eq!(tool.call_tool(&json!({"question": "Go"}))["content"][0]["text"], "Shall I?");
}
