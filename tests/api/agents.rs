//! Agents that call their tools in text, and the one that is given chunks (manual 9.13).

use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// How a model of each agent calls the calculator, and how it answers.
const TALK: [(&str, &str, &str); 4] = [
    (
        "conversationalAgent",
        "```json\n{\"action\": \"calculator\", \"action_input\": \"6 * 7\"}\n```",
        "```json\n{\"action\": \"Final Answer\", \"action_input\": \"It is 42.\"}\n```",
    ),
    (
        "reactAgentChat",
        "Thought: multiply\nAction: calculator\nAction Input: 6 * 7\nObservation: 41",
        "Thought: done\nFinal Answer: It is 42.",
    ),
    (
        "reactAgentLLM",
        "Thought: multiply\nAction: calculator\nAction Input: {\"input\": \"6 * 7\"}",
        "Final Answer: It is 42.",
    ),
    ("xmlAgent", "<tool>calculator</tool><tool_input>6 * 7", "<final_answer>It is 42.</final_answer>"),
];

/// The agent with the Calculator, in front of a stand-in provider.
fn agent(server: &Server, provider: &Provider, name: &str, inputs: Value) -> String {
    let mut drawing = Drawing::default();
    let model = json!({"allowImageUploads": true});
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), model);
    let calculator = drawing.card("calculator", json!({}));
    let memory = drawing.card("bufferMemory", json!({}));
    let agent = drawing.card(name, inputs);
    drawing.wire(&model, &agent, "model");
    drawing.wire(&calculator, &agent, "tools");
    if name != "reactAgentLLM" {
        drawing.wire(&memory, &agent, "memory");
    }
    server.flow(&drawing.text())
}

/// A document store of two chunks.
pub fn animals(server: &Server) -> String {
    let store = id(&server.post("/document-store/store", &json!({"name": "Animals"})));
    for (source, text) in [("cats", "Cats purr."), ("dogs", "Dogs bark.")] {
        let text = json!({"name": "plainText", "config": {"text": text}});
        let body = json!({"loader": text, "metadata": {"source": source}});
        server.post(&format!("/document-store/upsert/{store}"), &body);
    }
    store
}

/// Role and content of what the provider was sent last.
pub fn messages(provider: &Provider) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let sent = provider.last_request().body["messages"].clone();
    sent.as_array().unwrap().iter().map(|m| (text(&m["role"]), text(&m["content"]))).collect()
}

#[test]
fn every_text_agent_calls_its_tool_and_answers() {
    let server = Server::start();
    for (name, call, answer) in TALK {
        let provider = Provider::start();
        let flow = agent(&server, &provider, name, json!({}));
        provider.push_behaviour(Behaviour::text(call));
        provider.push_behaviour(Behaviour::text(answer));
        let body = server.ask(&flow, &json!({"question": "6 times 7?"})).is(200).json();
        assert_eq!(body["text"], "It is 42.", "{name}");
        let used = &body["usedTools"][0];
        assert_eq!((&used["tool"], &used["toolOutput"]), (&json!("calculator"), &json!("42")), "{name}");
        assert_eq!(used["toolInput"], json!({"input": "6 * 7"}), "{name}");
        let sent = messages(&provider);
        let roles: Vec<&str> = sent.iter().map(|(role, _)| role.as_str()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"], "{name}");
        assert!(sent[0].1.contains("calculator") && !sent[0].1.contains("42"), "{name}: {sent:?}");
        assert!(sent[3].1.starts_with("<observation") && sent[3].1.contains("42"), "{name}: {sent:?}");
        assert!(!sent[2].1.contains("41"), "what a model makes up is dropped: {sent:?}");
        let request = provider.last_request().body;
        assert!(request.get("tools").is_none() && request["stop"].is_array(), "{name}: {request}");
    }
}

#[test]
fn a_text_agent_streams_its_answer_in_one_piece() {
    let server = Server::start();
    for (name, call, answer) in TALK {
        let provider = Provider::start();
        let flow = agent(&server, &provider, name, json!({}));
        provider.push_behaviour(Behaviour::text(call));
        provider.push_behaviour(Behaviour::text(answer));
        let stream = server.ask(&flow, &json!({"question": "6 times 7?", "streaming": true}));
        assert_eq!(stream.streamed_text(), "It is 42.", "{name}");
        let names = stream.event_names();
        assert_eq!(names.iter().filter(|event| *event == "token").count(), 1, "{name}: {names:?}");
        assert_eq!(stream.event("usedTools")[0]["toolOutput"], "42");
    }
}

#[test]
fn a_reply_that_cannot_be_read_is_answered_once_with_the_form() {
    let server = Server::start();
    for (name, _, answer) in TALK {
        let provider = Provider::start();
        let flow = agent(&server, &provider, name, json!({}));
        provider.push_behaviour(Behaviour::text("Well, let me see."));
        provider.push_behaviour(Behaviour::text(answer));
        let body = server.ask(&flow, &json!({"question": "6 times 7?"})).is(200).json();
        assert_eq!(body["text"], "It is 42.", "{name}");
        assert!(messages(&provider).last().unwrap().1.starts_with("I could not read that."), "{name}");
        provider.push_behaviour(Behaviour::text("Well, let me see."));
        provider.push_behaviour(Behaviour::text("Forty-two, I say."));
        let body = server.ask(&flow, &json!({"question": "6 times 7?"})).is(200).json();
        assert_eq!(body["text"], "Forty-two, I say.", "{name}");
        assert_eq!(provider.served_count(), 4, "{name}");
    }
}

#[test]
fn errors_of_tools_go_back_to_the_model() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = agent(&server, &provider, "reactAgentChat", json!({}));
    provider.push_behaviour(Behaviour::text("Action: calculator\nAction Input: six times seven"));
    provider.push_behaviour(Behaviour::text("Action: oracle\nAction Input: 6 * 7"));
    provider.push_behaviour(Behaviour::text("Final Answer: I cannot."));
    let body = server.ask(&flow, &json!({"question": "6 times 7?"})).is(200).json();
    assert_eq!(body["text"], "I cannot.");
    assert!(body["usedTools"][0]["error"].as_str().unwrap().contains("not known"), "{body}");
    assert!(body["usedTools"][1]["error"].as_str().unwrap().contains("no tool named 'oracle'"), "{body}");
    assert!(messages(&provider).last().unwrap().1.contains("no tool named 'oracle'"));
}

#[test]
fn a_model_that_never_answers_is_stopped() {
    let server = Server::start();
    let provider = Provider::start();
    let flow = agent(&server, &provider, "xmlAgent", json!({"maxIterations": 3}));
    provider.set_decision(|_| Behaviour::text("<tool>calculator</tool><tool_input>1</tool_input>"));
    let body = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    assert!(body["text"].as_str().unwrap().contains("too many steps"), "{body}");
    assert_eq!((provider.served_count(), body["usedTools"].as_array().unwrap().len()), (3, 3));
}

#[test]
fn a_prompt_of_the_owner_with_variables_is_the_whole_prompt_of_an_xml_agent() {
    let server = Server::start();
    let provider = Provider::start();
    let own = "Tools: {tools} Before: {chat_history} Now: {input} {agent_scratchpad}";
    let flow = agent(&server, &provider, "xmlAgent", json!({"systemMessage": own}));
    provider.push_behaviour(Behaviour::text("<final_answer>Yes.</final_answer>"));
    let history = json!([{"role": "userMessage", "content": "I am {input}."}]);
    server.ask(&flow, &json!({"question": "Hi {tools}", "history": history})).is(200);
    let sent = messages(&provider);
    assert_eq!((sent.len(), sent[0].0.as_str()), (1, "user"));
    assert!(sent[0].1.contains("- calculator:"), "{sent:?}");
    assert!(sent[0].1.contains("Before: Human: I am {input}. Now: Hi {tools}"), "{sent:?}");
}

#[test]
fn agents_that_read_images_are_handed_them() {
    let server = Server::start();
    let picture = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    for (name, _, answer) in &TALK[..2] {
        let provider = Provider::start();
        let flow = agent(&server, &provider, name, json!({}));
        provider.push_behaviour(Behaviour::text(answer));
        let upload = json!([{"type": "file", "name": "dot.png", "mime": "image/png", "data": picture}]);
        server.ask(&flow, &json!({"question": "What is it?", "uploads": upload})).is(200);
        assert!(provider.last_request().body["messages"].to_string().contains("image_url"), "{name}");
    }
}

#[test]
fn a_retrieval_agent_finds_chunks_for_the_question_as_it_is_meant() {
    let (server, provider, rephraser) = (Server::start(), Provider::start(), Provider::start());
    let store = animals(&server);
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let writer = ProviderFormat::OpenAi.model(&mut drawing, &server, &rephraser.base_url(), json!({}));
    let retriever = drawing.card("bm25Retriever", json!({"documentStore": store, "topK": "1"}));
    let memory = drawing.card("bufferMemory", json!({}));
    let calculator = drawing.card("calculator", json!({}));
    let inputs = json!({"systemMessage": "Answer from {context}."});
    let agent = drawing.card("conversationalRetrievalToolAgent", inputs);
    for (from, input) in [
        (&model, "model"),
        (&writer, "rephraseModel"),
        (&retriever, "vectorStoreRetriever"),
        (&memory, "memory"),
        (&calculator, "tools"),
    ] {
        drawing.wire(from, &agent, input);
    }
    let flow = server.flow(&drawing.text());
    provider.push_behaviour(Behaviour::text("They purr."));
    let first = server.ask(&flow, &json!({"question": "What do cats do?"})).is(200).json();
    assert_eq!((&first["text"], rephraser.served_count()), (&json!("They purr."), 0));
    let sent = messages(&provider);
    assert!(sent[0].1.starts_with("Answer from (the passages") && !sent[0].1.contains("purr"), "{sent:?}");
    assert!(sent[1].1.contains("Cats purr."), "{sent:?}");
    rephraser.push_behaviour(Behaviour::text("What do dogs do?"));
    provider.push_behaviour(Behaviour::call("calculator", json!({"input": "1 + 1"})));
    provider.push_behaviour(Behaviour::text("They bark."));
    let body =
        json!({"question": "And dogs?", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    let second = server.ask(&flow, &body).is(200).json();
    assert_eq!((&second["text"], &second["usedTools"][0]["toolOutput"]), (&json!("They bark."), &json!("2")));
    assert!(messages(&rephraser)[1].1.contains("Question: And dogs?"));
    let asked = provider.last_request().body["messages"].to_string();
    assert!(asked.contains("Dogs bark.") && asked.contains("And dogs?"), "{asked}");
}

#[test]
fn reasoning_that_led_to_a_call_goes_back_to_the_model_with_it() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.agent(&server, &provider.base_url()));
    let call = json!({"id": "c", "function": {"name": "calculator", "arguments": "{\"input\": \"1+1\"}"}});
    let said = json!({"choices": [{"finish_reason": "tool_calls",
        "message": {"content": null, "reasoning_content": "I add.", "tool_calls": [call]}}]});
    let json_type = vec![("content-type".to_owned(), "application/json".to_owned())];
    provider.push_behaviour(Behaviour::Status { status: 200, body: said.to_string(), headers: json_type });
    provider.push_behaviour(Behaviour::text("Two."));
    server.ask(&flow, &json!({"question": "1+1?"})).is(200);
    let sent = provider.last_request().body["messages"].clone();
    let turn = sent.as_array().unwrap().iter().find(|message| message["role"] == "assistant").unwrap();
    assert_eq!((&turn["reasoning_content"], &turn["tool_calls"][0]["id"]), (&json!("I add."), &json!("c")));
}
