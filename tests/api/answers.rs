//! What an answer looks like, whole and as a stream (manual 2.2, 2.6, 2.7, 2.8).

use crate::support::canvases::{scripted_flow, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, golden, id};
use flowkeep::domain::ids::{ChatId, MessageId};
use serde_json::{Value, json};

fn stream(server: &Server, flow: &str, question: &str) -> crate::support::Answer {
    let body = json!({"question": question, "streaming": true});
    server.call("POST", &format!("/prediction/{flow}")).json(&body).send()
}

#[test]
fn a_whole_answer_has_every_field_of_the_specification() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = server.ask(&flow, &json!({"question": "Hello"})).is(200);
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    let body = answer.json();
    assert_eq!((&body["text"], &body["question"]), (&json!("You said: Hello"), &json!("Hello")));
    assert!(ChatId::parse(body["chatId"].as_str().unwrap()).is_some());
    assert!(MessageId::parse(body["chatMessageId"].as_str().unwrap()).is_some());
    assert_eq!(body["sessionId"], body["chatId"]);
    assert_eq!((&body["isStreamValid"], &body["memoryType"]), (&json!(false), &json!("Buffer Memory")));
    assert_eq!(body["sessionToken"].as_str().unwrap().len(), 43);
    golden::check("answer.json", &serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn a_whole_answer_brings_its_proof_in_body_header_and_cookie() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = server.ask(&flow, &json!({"question": "Hello"})).is(200);
    let body = answer.json();
    let (chat, token) = (body["chatId"].as_str().unwrap(), body["sessionToken"].as_str().unwrap());
    assert_eq!(answer.header("x-service-session-token"), Some(token));
    let cookie = format!("service_session={chat}.{token}; Path=/api/v1; HttpOnly; SameSite=Lax");
    assert_eq!(answer.header("set-cookie"), Some(cookie.as_str()));
}

#[test]
fn the_cookies_of_a_service_on_https_are_secure() {
    let server = Server::with(&[("SERVICE_BASE_URL", "https://flows.example")]);
    let flow = server.flow(&scripted_flow());
    let answer = server.ask(&flow, &json!({"question": "Hello"})).is(200);
    assert!(answer.header("set-cookie").unwrap().ends_with("; Path=/api/v1; HttpOnly; SameSite=Lax; Secure"));
    assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
}

#[test]
fn a_flow_without_memory_names_no_memory_type() {
    let server = Server::start();
    let flow = server.flow(&crate::support::canvases::prompted_chain("{question}", ""));
    let body = server.ask(&flow, &json!({"question": "Hello"})).is(200).json();
    assert_eq!(body["text"], "Hello");
    assert!(body.get("memoryType").is_none(), "{body}");
}

#[test]
fn a_stream_is_these_bytes() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = stream(&server, &flow, "Hi you").is(200);
    let metadata = answer.event("metadata");
    let frame =
        |event: &str, data: &str| format!("message:\ndata:{{\"event\":\"{event}\",\"data\":{data}}}\n\n");
    let expected = [
        frame("start", "\"\""),
        frame("token", "\"You \""),
        frame("token", "\"said: \""),
        frame("token", "\"Hi \""),
        frame("token", "\"you\""),
        frame("metadata", &metadata.to_string()),
        frame("end", "\"[DONE]\""),
    ];
    assert_eq!(answer.text(), expected.concat());
}

#[test]
fn a_stream_has_the_headers_clients_look_for() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = stream(&server, &flow, "Hi");
    assert!(answer.header("content-type").unwrap().starts_with("text/event-stream"), "{answer:?}");
    assert!(answer.header("cache-control").unwrap().starts_with("no-cache"), "{answer:?}");
    assert_eq!(answer.header("x-accel-buffering"), Some("no"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn the_metadata_of_a_stream_names_the_conversation_and_holds_no_token() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = stream(&server, &flow, "Hi");
    let token = answer.header("x-service-session-token").unwrap().to_owned();
    let metadata = answer.event("metadata");
    let chat = metadata["chatId"].as_str().unwrap();
    assert_eq!((&metadata["question"], &metadata["sessionId"]), (&json!("Hi"), &json!(chat)));
    assert_eq!(metadata["memoryType"], "Buffer Memory");
    assert!(MessageId::parse(metadata["chatMessageId"].as_str().unwrap()).is_some());
    assert!(!answer.text().contains(&token) && !answer.text().contains("sessionToken"), "{answer:?}");
    let cookie = format!("service_session={chat}.{token}; Path=/api/v1; HttpOnly; SameSite=Lax");
    assert_eq!(answer.header("set-cookie"), Some(cookie.as_str()));
}

#[test]
fn a_streamed_answer_is_stored_under_the_ids_it_told() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let metadata = stream(&server, &flow, "Hi").event("metadata");
    let messages = server.messages(&flow);
    assert_eq!(messages[1]["id"], metadata["chatMessageId"]);
    assert_eq!((&messages[0]["chatId"], &messages[1]["chatId"]), (&metadata["chatId"], &metadata["chatId"]));
    assert_eq!((&messages[1]["content"], &messages[1]["stopped"]), (&json!("You said: Hi"), &json!(false)));
}

#[test]
fn the_text_data_colon_is_escaped_inside_events() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let question = "data: {\"x\":1} metadata:data:";
    let answer = stream(&server, &flow, question);
    assert_eq!(answer.streamed_text(), format!("You said: {question}"));
    assert_eq!(answer.event("metadata")["question"], question);
    let frames = answer.text().matches("message:\n").count();
    assert_eq!(answer.text().matches("data:").count(), frames, "{answer:?}");
}

#[test]
fn line_breaks_in_an_answer_stay_inside_their_event() {
    let server = Server::start();
    let reply = "one\ntwo\r\n\r\nmessage:\ndata:{\"event\":\"end\",\"data\":\"[DONE]\"}\n\n\u{2028}three";
    let flow = server.flow(&scripted_flow_with(json!({"fallback": reply})));
    let answer = stream(&server, &flow, "Hi");
    assert_eq!(answer.streamed_text(), reply);
    assert_eq!(answer.event_names(), ["start", "token", "metadata", "end"]);
}

#[test]
fn streaming_may_be_written_as_text() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    for (streaming, is_stream) in
        [(json!("true"), true), (json!("false"), false), (json!(false), false), (json!(null), false)]
    {
        let answer = server.ask(&flow, &json!({"question": "Hi", "streaming": streaming})).is(200);
        let kind = answer.header("content-type").unwrap();
        assert_eq!(kind.starts_with("text/event-stream"), is_stream, "{streaming}: {kind}");
    }
}

#[test]
fn a_card_that_does_not_stream_still_fills_a_stream() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow_with(json!({"streaming": false})));
    let answer = stream(&server, &flow, "Hi you");
    assert_eq!(answer.event_names(), ["start", "token", "metadata", "end"]);
    assert_eq!(answer.streamed_text(), "You said: Hi you");
    assert_eq!(
        server.call("GET", &format!("/chatflows-streaming/{flow}")).send().json(),
        json!({"isStreaming": false})
    );
}

#[test]
fn a_flow_that_streams_says_so() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = server.call("GET", &format!("/chatflows-streaming/{flow}")).send().is(200);
    assert_eq!(answer.json(), json!({"isStreaming": true}));
}

#[test]
fn fields_of_a_question_may_be_null_empty_or_unknown() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = server.ask(
        &flow,
        &json!({
            "question": "Hi", "chatId": null, "overrideConfig": null, "sessionToken": null, "history": [], "uploads": [],
            "streaming": null, "leadEmail": null, "chatflowId": flow, "socketIOClientId": "x", "unheardOf": {"a": [1]},
        }),
    );
    assert_eq!(answer.is(200).json()["text"], "You said: Hi");
}

#[test]
fn earlier_messages_of_the_caller_reach_the_model_in_both_forms() {
    let server = Server::start();
    let (provider, flow) = crate::support::canvases::with_provider(&server);
    for history in [
        json!([{"role": "userMessage", "content": "I am Ada"}, {"role": "apiMessage", "content": "Hello Ada"}]),
        json!([{"type": "userMessage", "message": "I am Ada"}, {"type": "apiMessage", "message": "Hello Ada"}]),
        json!([{"role": "userMessage", "content": "I am Ada", "type": null, "message": null},
               {"role": "apiMessage", "content": "Hello Ada", "type": null, "message": null}]),
    ] {
        server.ask(&flow, &json!({"question": "Who am I?", "history": history})).is(200);
        let sent = provider.last_request().body["messages"].clone();
        let said: Vec<(&str, &str)> = sent
            .as_array()
            .unwrap()
            .iter()
            .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
            .collect();
        assert_eq!(
            said,
            [("system", "Be kind."), ("user", "I am Ada"), ("assistant", "Hello Ada"), ("user", "Who am I?")]
        );
    }
}

#[test]
fn a_key_that_is_not_allowed_to_override_is_ignored() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let body = json!({"question": "Hi", "overrideConfig": {"fallback": "No!", "vars": {"x": "1"}, "sessionId": "mine"}});
    let answer = server.ask(&flow, &body).is(200).json();
    assert_eq!(answer["text"], "You said: Hi");
    assert_ne!(answer["sessionId"], "mine");
}

#[test]
fn the_email_of_a_lead_is_kept_with_the_question() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    server.ask(&flow, &json!({"question": "Hi", "leadEmail": "lea@example.org"})).is(200);
    let messages = server.messages(&flow);
    assert_eq!(
        (&messages[0]["leadEmail"], &messages[1]["leadEmail"]),
        (&json!("lea@example.org"), &json!(null))
    );
}

#[test]
fn a_path_may_end_in_a_slash() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let answer = server.call("POST", &format!("/prediction/{flow}/")).json(&json!({"question": "Hi"})).send();
    assert_eq!(answer.is(200).json()["text"], "You said: Hi");
}

#[test]
fn the_test_chat_streams_alike() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let body = json!({"question": "Hi", "streaming": true});
    let answer = server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send();
    let mut names = answer.event_names();
    names.retain(|name| name != "cardEvent");
    assert_eq!(names, ["start", "token", "metadata", "end"]);
    assert_eq!(answer.streamed_text(), "You said: Hi");
}

const BEARER: (&str, &str) = ("authorization", "Bearer sk-follow");

fn with_follow_ups(server: &Server, provider: &Provider, config: Value) -> String {
    server.flow_with(&scripted_flow(), &follow_ups(server, provider, config))
}

/// The settings of a flow whose answers bring follow-up prompts of this provider.
pub fn follow_ups(server: &Server, provider: &Provider, config: Value) -> Value {
    let credential =
        json!({"name": "f", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "sk-follow"}});
    let mut settings = json!({"credentialId": id(&server.post("/credentials", &credential)), "modelName": "small",
        "baseUrl": format!("{}/v1", provider.base_url()), "temperature": "0.5"});
    for (name, value) in config.as_object().unwrap() {
        settings[name] = value.clone();
    }
    let config = json!({"status": true, "selectedProvider": "chatOpenAI", "chatOpenAI": settings});
    json!({"followUpPrompts": config.to_string()})
}

#[test]
fn an_answer_brings_follow_up_prompts_as_json_text() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = with_follow_ups(&server, &provider, json!({"prompt": "After: {history}"}));
    provider.push_behaviour(Behaviour::text("Here: [\"And then?\", \"Why?\"]"));
    let answer = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    assert_eq!(
        (&answer["text"], &answer["followUpPrompts"]),
        (&json!("You said: Hi"), &json!("[\"And then?\",\"Why?\"]"))
    );
    assert_eq!(server.messages(&flow)[1]["followUpPrompts"], answer["followUpPrompts"]);
    let request = provider.last_request();
    assert_eq!(request.body["model"], "small");
    assert!(request.body.to_string().contains("After: You said: Hi"), "{}", request.body);
    provider.push_behaviour(Behaviour::text("[\"More?\"]"));
    let stream = server.ask(&flow, &json!({"question": "Hi", "streaming": true})).text();
    assert!(stream.contains(r#""followUpPrompts":"[\"More?\"]""#), "{stream}");
}

#[test]
fn follow_up_prompts_come_from_any_provider_an_owner_can_choose() {
    let (server, provider) = (Server::start(), Provider::start());
    let azure = json!({"azureOpenAIApiKey": "sk-follow", "azureOpenAIApiInstanceName": "ours",
        "azureOpenAIApiDeploymentName": "small", "azureOpenAIApiVersion": "2024-10-21"});
    for (card, kind, fields, header) in [
        ("azureChatOpenAI", "azureOpenAIApi", azure, ("api-key", "sk-follow")),
        ("chatMistralAI", "mistralAIApi", json!({"mistralAIAPIKey": "sk-follow"}), BEARER),
        ("groqChat", "groqApi", json!({"groqApiKey": "sk-follow"}), BEARER),
    ] {
        let credential = json!({"name": "f", "credentialName": kind, "plainDataObj": fields});
        let settings = json!({"credentialId": id(&server.post("/credentials", &credential)), "modelName": "small",
            "baseUrl": format!("{}/v1", provider.base_url()), "temperature": "0.5", "prompt": "After: {history}"});
        let config = json!({"status": true, "selectedProvider": card, card: settings});
        let flow = server.flow_with(&scripted_flow(), &json!({"followUpPrompts": config.to_string()}));
        provider.push_behaviour(Behaviour::text("[\"Why?\"]"));
        let answer = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
        assert_eq!(answer["followUpPrompts"], "[\"Why?\"]", "{card}");
        let request = provider.last_request();
        assert_eq!(request.header(header.0), Some(header.1), "{card}");
        assert_eq!(
            (&request.body["model"], &request.body["temperature"]),
            (&json!("small"), &json!(0.5)),
            "{card}"
        );
    }
}

#[test]
fn an_answer_goes_out_when_its_follow_up_prompts_cannot_be_had() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = with_follow_ups(&server, &provider, json!({}));
    for behaviour in [Behaviour::text("No list."), Behaviour::status(401, "no")] {
        provider.push_behaviour(behaviour);
        let answer = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
        assert_eq!((&answer["text"], answer.get("followUpPrompts")), (&json!("You said: Hi"), None));
    }
    let gone =
        with_follow_ups(&server, &provider, json!({"credentialId": "11111111-1111-4111-8111-111111111111"}));
    assert_eq!(server.ask(&gone, &json!({"question": "Hi"})).is(200).json()["text"], "You said: Hi");
}
