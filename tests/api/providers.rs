//! Every wire format through the whole service: whole, streamed, with tools, in single bytes.

use crate::support::Server;
use crate::support::canvases::{ProviderFormat, SECRET};
use crate::support::provider::{Behaviour, Provider, RecordedRequest, Reply};
use serde_json::{Value, json};

/// A service, a stand-in provider, and a conversation flow between them.
fn conversation(format: ProviderFormat) -> (Server, Provider, String) {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&format.conversation(&server, &provider.base_url(), json!({})));
    (server, provider, flow)
}

fn agent(format: ProviderFormat) -> (Server, Provider, String) {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&format.agent(&server, &provider.base_url()));
    (server, provider, flow)
}

fn question(streaming: bool) -> Value {
    json!({"question": "How are you?", "streaming": streaming})
}

fn reply_with_usage(text: &str) -> Behaviour {
    Behaviour::Reply(Reply { input_tokens: Some(11), ..Reply::text(text) })
}

/// True when the request carries the key where its format wants it.
fn has_key(format: ProviderFormat, request: &RecordedRequest) -> bool {
    let bearer = format!("Bearer {SECRET}");
    match format {
        ProviderFormat::OpenAi | ProviderFormat::Ollama => request.header("authorization") == Some(&bearer),
        ProviderFormat::Anthropic => request.header("x-api-key") == Some(SECRET),
        ProviderFormat::Gemini => request.header("x-goog-api-key") == Some(SECRET),
    }
}

fn check_whole(format: ProviderFormat) {
    let (server, provider, flow) = conversation(format);
    provider.push_behaviour(reply_with_usage("I am fine, thanks."));
    let answer = server.ask(&flow, &question(false)).is(200).json();
    assert_eq!(answer["text"], "I am fine, thanks.");
    let usage = json!({"input_tokens": 11, "output_tokens": 4, "total_tokens": 15});
    assert_eq!(answer["usageMetadata"], usage, "{answer}");
    let request = provider.last_request();
    assert!(has_key(format, &request), "{:?}", request.headers);
    let sent = request.body.to_string();
    assert!(sent.contains("Be kind.") && sent.contains("How are you?"), "{sent}");
    assert!(sent.contains("model-1") || request.path.contains("model-1"), "{} {sent}", request.path);
    assert!(!request.path.contains(SECRET) && !sent.contains(SECRET));
    assert_eq!(provider.served_count(), 1);
    let kept = &server.messages(&flow)[1]["usageMetadata"];
    assert_eq!((&kept["input_tokens"], &kept["output_tokens"]), (&json!(11), &json!(4)), "{kept}");
}

#[test]
fn openai_answers_whole() {
    check_whole(ProviderFormat::OpenAi);
}

#[test]
fn anthropic_answers_whole() {
    check_whole(ProviderFormat::Anthropic);
}

#[test]
fn gemini_answers_whole() {
    check_whole(ProviderFormat::Gemini);
}

#[test]
fn ollama_answers_whole() {
    check_whole(ProviderFormat::Ollama);
}

fn check_streamed(format: ProviderFormat, bytewise: bool) {
    let (server, provider, flow) = conversation(format);
    let text = "Grüße aus 東京 – \"data: ja\" 🙂 und\nEnde";
    let reply = Reply { input_tokens: Some(11), bytewise, ..Reply::text(text) };
    let tokens = reply.tokens.clone();
    provider.push_behaviour(Behaviour::Reply(reply));
    let answer = server.ask(&flow, &question(true));
    assert_eq!(answer.event_names(), ["start", "token", "metadata", "end"], "{answer:?}");
    assert_eq!(answer.streamed_text(), text);
    let events = answer.events();
    let told: Vec<&str> =
        events.iter().filter(|(name, _)| name == "token").map(|(_, data)| data.as_str().unwrap()).collect();
    assert_eq!(told, tokens, "tokens go on as they come");
    let usage = &answer.event("metadata")["usageMetadata"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(11), &json!(tokens.len())));
    assert_eq!(server.messages(&flow)[1]["content"], text);
}

#[test]
fn openai_streams() {
    check_streamed(ProviderFormat::OpenAi, false);
}

#[test]
fn anthropic_streams() {
    check_streamed(ProviderFormat::Anthropic, false);
}

#[test]
fn gemini_streams() {
    check_streamed(ProviderFormat::Gemini, false);
}

#[test]
fn ollama_streams() {
    check_streamed(ProviderFormat::Ollama, false);
}

#[test]
fn an_openai_stream_split_at_every_byte_still_parses() {
    check_streamed(ProviderFormat::OpenAi, true);
}

#[test]
fn an_anthropic_stream_split_at_every_byte_still_parses() {
    check_streamed(ProviderFormat::Anthropic, true);
}

#[test]
fn a_gemini_stream_split_at_every_byte_still_parses() {
    check_streamed(ProviderFormat::Gemini, true);
}

#[test]
fn an_ollama_stream_split_at_every_byte_still_parses() {
    check_streamed(ProviderFormat::Ollama, true);
}

/// The agent asks for the calculator, gets its result and answers.
fn agent_counts(format: ProviderFormat, streaming: bool, bytewise: bool) {
    let (server, provider, flow) = agent(format);
    let arguments = json!({"input": "6 * (3 + 4)"});
    provider.push_behaviour(Behaviour::Reply(Reply {
        calls: vec![("calculator".to_owned(), arguments.clone())],
        input_tokens: Some(10),
        bytewise,
        ..Reply::text("")
    }));
    provider.push_behaviour(Behaviour::Reply(Reply {
        input_tokens: Some(20),
        bytewise,
        ..Reply::text("It is 42.")
    }));
    let answer = server.ask(&flow, &question(streaming));
    let (text, used, facts) = if streaming {
        (answer.streamed_text(), answer.event("usedTools"), answer.event("metadata"))
    } else {
        let body = answer.is(200).json();
        (body["text"].as_str().unwrap().to_owned(), body["usedTools"].clone(), body)
    };
    assert_eq!(text, "It is 42.");
    assert_eq!(used, json!([{"tool": "calculator", "toolInput": arguments, "toolOutput": "42"}]));
    assert_eq!(facts["usageMetadata"]["input_tokens"], 30, "{facts}");
    assert_eq!(provider.served_count(), 2);
    let requests = provider.requests();
    assert!(requests[0].body["tools"].to_string().contains("calculator"), "{}", requests[0].body);
    let second = requests[1].body.to_string();
    assert!(second.contains("42") && second.contains("6 * (3 + 4)"), "{second}");
    assert_eq!(server.messages(&flow)[1]["usedTools"], used);
}

#[test]
fn an_agent_on_openai_counts() {
    agent_counts(ProviderFormat::OpenAi, false, false);
    agent_counts(ProviderFormat::OpenAi, true, true);
}

#[test]
fn an_agent_on_anthropic_counts() {
    agent_counts(ProviderFormat::Anthropic, false, false);
    agent_counts(ProviderFormat::Anthropic, true, true);
}

#[test]
fn an_agent_on_gemini_counts() {
    agent_counts(ProviderFormat::Gemini, false, false);
    agent_counts(ProviderFormat::Gemini, true, true);
}

#[test]
fn an_agent_on_ollama_counts() {
    agent_counts(ProviderFormat::Ollama, false, false);
    agent_counts(ProviderFormat::Ollama, true, true);
}

#[test]
fn an_agent_tells_its_model_when_a_tool_fails() {
    let (server, provider, flow) = agent(ProviderFormat::OpenAi);
    provider.push_behaviour(Behaviour::call("calculator", json!({"input": "1 +"})));
    provider.push_behaviour(Behaviour::call("abacus", json!({})));
    provider.push_behaviour(Behaviour::text("I cannot."));
    let answer = server.ask(&flow, &question(false)).is(200).json();
    assert_eq!(answer["text"], "I cannot.");
    let used = answer["usedTools"].as_array().unwrap();
    assert!(used.len() == 2 && used.iter().all(|tool| tool["error"].is_string()), "{used:?}");
    assert!(provider.last_request().body["messages"].to_string().contains("There is no tool named 'abacus'"));
}

#[test]
fn an_agent_stops_after_its_rounds() {
    let (server, provider, flow) = agent(ProviderFormat::OpenAi);
    provider.set_decision(|_| Behaviour::call("calculator", json!({"input": "1"})));
    let answer = server.ask(&flow, &question(false)).is(200).json();
    assert!(answer["text"].as_str().unwrap().contains("too many steps"), "{answer}");
    assert_eq!(provider.served_count(), 15);
}

#[test]
fn an_agent_remembers() {
    let (server, provider, flow) = agent(ProviderFormat::OpenAi);
    let first = server.ask(&flow, &json!({"question": "I am Ada"})).is(200).json();
    let body = json!({"question": "Who?", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    server.ask(&flow, &body).is(200);
    let sent = provider.last_request().body["messages"].to_string();
    assert!(sent.contains("Count well.") && sent.contains("You said: I am Ada"), "{sent}");
}

#[test]
fn reasoning_goes_out_as_its_own_event() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    let reply = Reply { thinking: vec!["Hm, ".to_owned(), "yes.".to_owned()], ..Reply::text("Fine.") };
    provider.push_behaviour(Behaviour::Reply(reply));
    let answer = server.ask(&flow, &question(true));
    assert_eq!(answer.event_names(), ["start", "thinking", "token", "metadata", "end"], "{answer:?}");
    assert_eq!(answer.streamed_text(), "Fine.");
    let told = answer.text();
    let ended = told.find("{\"event\":\"thinking\",\"data\":\"\",\"duration\":0}");
    assert!(
        ended.is_some() && ended > told.find("yes.") && ended < told.find("\"event\":\"token\""),
        "{told}"
    );
}

#[test]
fn a_card_that_does_not_stream_asks_its_provider_for_a_whole_answer() {
    let (server, provider) = (Server::start(), Provider::start());
    let whole = json!({"streaming": false});
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), whole));
    let answer = server.ask(&flow, &question(true));
    assert_eq!(answer.streamed_text(), "You said: How are you?");
    assert_ne!(provider.last_request().body["stream"], true);
}

#[test]
fn settings_of_a_card_reach_the_provider() {
    let (server, provider) = (Server::start(), Provider::start());
    let settings = json!({"temperature": "0.3", "maxTokens": "77", "topP": 0.9, "stopSequence": "END, STOP"});
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), settings));
    server.ask(&flow, &question(false)).is(200);
    let body = provider.last_request().body;
    assert_eq!((&body["model"], &body["temperature"]), (&json!("model-1"), &json!(0.3)));
    assert_eq!(body["top_p"], 0.9);
    assert_eq!(body["stop"], json!(["END", "STOP"]));
    assert!(body.to_string().contains(":77"), "{body}");
}

#[test]
fn what_an_agent_says_before_a_tool_is_streamed_and_stored_alike() {
    let (server, provider, flow) = agent(ProviderFormat::OpenAi);
    provider.push_behaviour(Behaviour::Reply(Reply {
        calls: vec![("calculator".to_owned(), json!({"input": "6 * 7"}))],
        ..Reply::text("Let me see.")
    }));
    provider.push_behaviour(Behaviour::text("It is 42."));
    let answer = server.ask(&flow, &question(true));
    let text = answer.streamed_text();
    assert!(text.starts_with("Let me see.") && text.ends_with("It is 42."), "{text}");
    assert_eq!(server.messages(&flow)[1]["content"], text);
}
