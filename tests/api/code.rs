//! Code of flows' owners (manual 11.1, 11.3): functions, branches, tools, prompts and post-processing,
//! in real worker processes.

use crate::support::canvases::{Drawing, ProviderFormat, scripted_flow, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A flow that answers with what this code returns.
pub fn function(code: &str, variables: &Value) -> String {
    let mut drawing = Drawing::default();
    let inputs = json!({"javascriptFunction": code, "functionInputVariables": variables.to_string()});
    let note = drawing.card("chatScripted", json!({}));
    let function = drawing.card("customFunction", inputs);
    drawing.choose_output(&function, "EndingNode");
    drawing.connect(&note, &function);
    drawing.text()
}

fn asked(server: &Server, flow: &str, body: &Value) -> Value {
    server.ask(flow, body).is(200).json()
}

fn says(server: &Server, flow: &str) -> String {
    asked(server, flow, &json!({"question": "Hi"}))["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_function_is_the_answer_and_sees_its_inputs() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "greeting", "value": "Good day", "type": "static"}));
    let code =
        "return `${$vars.greeting}, ${$name.first}: ${$said} ${$flow.input} ${$flow.chatId === $chat}`;";
    let variables =
        json!({"name": "{\"first\": \"Ada\"}", "said": "{{question}}!", "chat": "{{$flow.chatId}}"});
    let flow = server.flow(&function(code, &variables));
    assert_eq!(says(&server, &flow), "Good day, Ada: Hi! Hi true");
    let flow = server.flow(&function("await null; return {a: [1, $n]}", &json!({"n": 2})));
    let answer = asked(&server, &flow, &json!({"question": "Hi", "streaming": false}));
    assert_eq!((&answer["json"], &answer["text"]), (&json!({"a": [1, 2]}), &json!("{\"a\":[1,2]}")));
}

#[test]
fn a_functions_value_is_read_by_other_cards() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let function = drawing.card("customFunction", json!({"javascriptFunction": "return 'a\\n' + (1 + 2)"}));
    let model = drawing.card("chatScripted", json!({"fallback": "{question}"}));
    let template = format!("<{{{{{function}.data.instance}}}}>");
    let prompt = drawing.card(
        "promptTemplate",
        json!({"template": "{x}", "promptValues": json!({"x": template}).to_string()}),
    );
    let chain = drawing.card("llmChain", json!({}));
    drawing.connect(&function, &prompt);
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    let flow = server.flow(&drawing.text());
    assert_eq!(says(&server, &flow), "<a\n3>");
}

#[test]
fn a_request_variable_reaches_code_and_never_becomes_it() {
    let server = Server::start();
    server.post("/variables", &json!({"name": "place", "value": "here", "type": "static"}));
    let code = "return $vars.place + ' {{$vars.place}} {{question}}'";
    let overrides = json!({"overrideConfig": {"status": true, "nodes": {"Custom JS Function": [
        {"name": "javascriptFunction", "enabled": true}]}, "variables": [{"name": "place", "enabled": true}]}});
    let flow = server.flow_with(&function(code, &json!({})), &json!({"apiConfig": overrides.to_string()}));
    let sent = json!({"question": "Hi", "overrideConfig": {
        "vars": {"place": "'; return 'there"}, "javascriptFunction": "return 'mine'"}});
    assert_eq!(asked(&server, &flow, &sent)["text"], "'; return 'there here {{question}}");
    assert_eq!(says(&server, &flow), "here here {{question}}");
}

#[test]
fn what_a_model_or_another_card_says_is_never_code() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let source = drawing.card("customFunction", json!({"javascriptFunction": "return 'return 1'"}));
    let code = format!("{{{{{source}.data.instance}}}}");
    let function = drawing.card("customFunction", json!({"javascriptFunction": code}));
    drawing.connect(&source, &function);
    drawing.choose_output(&function, "EndingNode");
    let flow = server.flow(&drawing.text());
    let error = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(error.contains("Custom JS Function"), "{error}");
}

#[test]
fn code_that_fails_names_its_card_and_says_why() {
    let server = Server::with(&[("SERVICE_CODE_SECONDS", "1")]);
    for (code, why) in [
        ("throw new Error('out of tea')", "out of tea"),
        ("return (", "SyntaxError"),
        ("while (true) {}", "long"),
        ("const a = []; while (true) a.push(new Array(1e6).fill('x'))", "memory"),
        ("return require('child_process')", "require"),
        ("return process.env", "process"),
    ] {
        let flow = server.flow(&function(code, &json!({})));
        let error = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
        assert!(error.starts_with("Custom JS Function: ") && error.contains(why), "{code}: {error}");
    }
    assert_eq!(says(&server, &server.flow(&scripted_flow())), "You said: Hi");
}

/// `if` leads to a scripted model that says Yes, else to one that says No.
fn branching(condition: &str) -> String {
    let mut drawing = Drawing::default();
    let fork =
        drawing.card("ifElseFunction", json!({"ifFunction": condition, "elseFunction": "return 'else'"}));
    for (output, word) in [("returnTrue", "Yes"), ("returnFalse", "No")] {
        let model = drawing.card("chatScripted", json!({"fallback": format!("{word} {{question}}")}));
        let values = json!({"x": format!("{{{{{fork}.data.instance}}}}")}).to_string();
        let prompt = drawing.card("promptTemplate", json!({"template": "{x}", "promptValues": values}));
        let chain = drawing.card("llmChain", json!({}));
        drawing.connect_output(&fork, output, &prompt);
        drawing.wire(&model, &chain, "model");
        drawing.wire(&prompt, &chain, "prompt");
    }
    drawing.text()
}

#[test]
fn a_condition_chooses_the_branch_that_answers() {
    let server = Server::start();
    for (condition, answer) in [
        ("return $flow.input.length === 2 && 'two'", "Yes two"),
        ("return 1", "Yes 1"),
        ("return ''", "No else"),
        ("return 0", "No else"),
        ("", "No else"),
    ] {
        let condition = if condition.is_empty() { "return null" } else { condition };
        assert_eq!(says(&server, &server.flow(&branching(condition))), answer, "{condition}");
    }
}

#[test]
fn a_tool_of_the_workspace_is_called_with_its_arguments() {
    let (server, provider) = (Server::start(), Provider::start());
    let schema =
        json!([{"id": 0, "property": "city", "type": "string", "description": "Which", "required": true}]);
    let tool = server.post(
        "/tools",
        &json!({
        "name": "Weather Report", "description": "Tells the weather", "color": "#fff",
        "schema": schema.to_string(), "func": "return `Rain in ${$city}`"}),
    );
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let memory = drawing.card("bufferMemory", json!({}));
    let custom = drawing.card("customTool", json!({"selectedTool": id(&tool)}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&memory, &agent, "memory");
    drawing.wire(&custom, &agent, "tools");
    let flow = server.flow(&drawing.text());
    let call = |arguments: Value| Behaviour::call("Weather_Report", arguments);
    provider.push_behaviour(call(json!({"city": "Oslo"})));
    provider.push_behaviour(Behaviour::text("It rains."));
    let answer = asked(&server, &flow, &json!({"question": "Weather?"}));
    assert_eq!(answer["text"], "It rains.");
    assert_eq!(answer["usedTools"][0]["toolOutput"], "Rain in Oslo");
    provider.push_behaviour(call(json!({"town": "Oslo"})));
    provider.push_behaviour(Behaviour::text("I cannot say."));
    let answer = asked(&server, &flow, &json!({"question": "Weather?"}));
    assert!(answer["usedTools"][0].to_string().contains("'city' is missing"), "{answer}");
}

#[test]
fn tools_are_made_read_changed_and_deleted() {
    let server = Server::start();
    let made = server.post(
        "/tools",
        &json!({"name": "T", "description": "d", "color": "c", "schema": "[]", "func": "return 1"}),
    );
    let path = format!("/tools/{}", id(&made));
    assert_eq!(server.read(&path), made);
    let changed = server.put(&path, &json!({"name": "U"}));
    assert_eq!((&changed["name"], &changed["func"]), (&json!("U"), &json!("return 1")));
    assert_eq!(server.read("/tools"), json!([changed]));
    for bad in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "T", "schema": "{"}),
        json!({"name": "T", "schema": [{"property": "a b", "type": "string"}]}),
        json!({"name": "T", "schema": [{"property": "a", "type": "object"}]}),
        json!({"name": "T", "schema": [{"property": "a", "type": "string"}, {"property": "a", "type": "number"}]}),
    ] {
        server.owner("POST", "/tools").json(&bad).send().is_error(400);
    }
    server.owner("DELETE", &path).send().is(200);
    server.owner("GET", &path).send().is_error(404);
    assert_eq!(server.read("/tools"), json!([]));
}

#[test]
fn a_prompt_may_bring_messages_along() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let code = "const { AIMessage, HumanMessage, ToolMessage } = require('@langchain/core/messages');
        return [{role: 'user', content: 'One?'}, {type: 'ai', content: 'Two.'}, ['human', 'Sum {x}?'],
            new AIMessage({content: '', tool_calls: [{id: '1', name: 'sum', args: {a: 1}}]}),
            new ToolMessage({tool_call_id: '1', content: '2'}), new AIMessage('It is 2.')]";
    let prompt = drawing.card(
        "chatPromptTemplate",
        json!({"systemMessagePrompt": "Count.", "humanMessagePrompt": "{q}", "messageHistoryCode": code}),
    );
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    let flow = server.flow(&drawing.text());
    provider.push_behaviour(Behaviour::text("Three."));
    assert_eq!(says(&server, &flow), "Three.");
    let roles: Vec<Value> = provider.last_request().body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "user"]);
    let sent = &provider.last_request().body["messages"];
    assert_eq!(sent[3]["content"], "Sum {x}?", "what code returns is no template");
    assert_eq!(sent[4]["tool_calls"][0]["function"]["name"], "sum");
}

fn post_processed(server: &Server, code: &str) -> String {
    let config = json!({"postProcessing": {"enabled": true, "customFunction": json!(code).to_string()}});
    server.flow_with(
        &scripted_flow_with(json!({"fallback": "secret {question}"})),
        &json!({"chatbotConfig": config.to_string()}),
    )
}

#[test]
fn post_processing_replaces_the_answer_whole_and_streamed() {
    let server = Server::start();
    let flow = post_processed(
        &server,
        "return $flow.rawOutput.replace('secret', 'plain') + $flow.chatHistory.length",
    );
    assert_eq!(says(&server, &flow), "plain Hi0");
    let stream = server.ask(&flow, &json!({"question": "Hi", "streaming": true}));
    assert!(!stream.text().contains("secret"), "{}", stream.text());
    assert!(
        server.messages(&flow).iter().all(|message| !message["content"].as_str().unwrap().contains("secret"))
    );
}

#[test]
fn an_answer_whose_post_processing_fails_does_not_go_out() {
    let server = Server::start();
    let flow = post_processed(&server, "throw new Error('no')");
    let error = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(error.starts_with("Post-processing: ") && !error.contains("secret"), "{error}");
    assert_eq!(server.messages(&flow).len(), 0);
}

#[test]
fn a_runaway_does_not_hold_up_other_questions() {
    let server = Server::with(&[("SERVICE_CODE_SECONDS", "2")]);
    let runaway = server.flow(&function("while (true) {}", &json!({})));
    let quick = server.flow(&function("return 'quick'", &json!({})));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| server.ask(&runaway, &json!({"question": "Hi"})).is_error(500));
        for _ in 0..20 {
            assert_eq!(says(&server, &quick), "quick");
        }
        slow.join().unwrap();
    });
}

#[test]
fn a_fork_that_leads_to_no_answer_changes_nothing() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let unused =
        drawing.card("customFunction", json!({"javascriptFunction": "throw new Error('never run')"}));
    let prompt = drawing.card("promptTemplate", json!({"template": "x"}));
    let other = drawing.card("llmChain", json!({}));
    drawing.connect(&unused, &prompt);
    drawing.wire(&prompt, &other, "prompt");
    drawing.card("ifElseFunction", json!({"ifFunction": "throw new Error('never run')"}));
    let model = drawing.card("chatScripted", json!({"fallback": "Fine."}));
    let text = drawing.card("promptTemplate", json!({"template": "Say it"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&text, &chain, "prompt");
    assert_eq!(says(&server, &server.flow(&drawing.text())), "Fine.");
}

#[test]
fn code_finds_every_global_of_the_family() {
    let server = Server::start();
    let code = "const facts = [$input, $flow.input, typeof $flow.chatId, typeof $flow.sessionId, $flow.chatflowId.length, typeof $vars,
        typeof console.log, typeof require('axios').get, typeof require('node-fetch'), crypto.createHash('md5').update($input).digest('hex'),
        Buffer.from($input).toString('base64')]; return facts.join(' ')";
    let expected =
        "Hi Hi string string 36 object function function function c1a5298f939e87e8f962a5edfc206918 SGk=";
    let flow = server.flow(&function(code, &json!({})));
    assert_eq!(says(&server, &flow), expected);
    let flow = server.flow(&function("return $input", &json!({"input": "mine"})));
    assert_eq!(says(&server, &flow), "mine");
    let flow = server.flow(&branching("return $input === 'Hi'"));
    assert_eq!(says(&server, &flow), "Yes true");
}

#[test]
fn a_function_calls_the_tools_that_are_wired_to_it() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({}));
    let calculator = drawing.card("calculator", json!({}));
    let code = "try { await $tools.calculator({}) } catch (error) { console.log(error) }
        return `${await $tools.calculator.invoke({input: '6 * 7'})} ${Object.keys($tools)}`";
    let function = drawing.card("customFunction", json!({"javascriptFunction": code}));
    drawing.wire(&calculator, &function, "tools");
    drawing.choose_output(&function, "EndingNode");
    drawing.connect(&model, &function);
    let flow = server.flow(&drawing.text());
    assert_eq!(says(&server, &flow), "42 calculator");
}

#[test]
fn a_tool_may_be_written_in_the_canvas_itself() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.push_behaviour(Behaviour::call("add_up", json!({"a": 2, "b": 3})));
    provider.push_behaviour(Behaviour::text("Five."));
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let tool = drawing.card(
        "customTool",
        json!({
            "customToolName": "add up", "customToolDesc": "Adds.",
            "customToolSchema": "z.object({a: z.number().describe('first'), b: z.number()})",
            "customToolFunc": "return $a + $b",
        }),
    );
    let agent = drawing.card("toolAgent", json!({"systemMessage": "Write {{\"a\": 1}} for {x}."}));
    let memory = drawing.card("bufferMemory", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&memory, &agent, "memory");
    drawing.wire(&tool, &agent, "tools");
    let flow = server.flow(&drawing.text());
    assert_eq!(says(&server, &flow), "Five.");
    let sent: Vec<Value> = provider.requests().iter().map(|request| request.body.clone()).collect();
    assert_eq!(sent[0]["messages"][0]["content"], "Write {\"a\": 1} for {x}.");
    assert_eq!(sent[0]["tools"][0]["function"]["parameters"]["properties"]["a"]["description"], "first");
    assert!(sent[1].to_string().contains("\"5\""), "{}", sent[1]);
}
