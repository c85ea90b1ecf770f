//! Every refusal has the shape of the protocol.

use super::{Asker, bound_key, echo, fault, user, with_provider};
use crate::support::canvases::scripted_flow;
use crate::support::provider::Behaviour;
use crate::support::steps::Steps;
use serde_json::{Value, json};

#[test]
fn without_a_key_of_this_service_nothing_is_said() {
    let asker = Asker::new();
    let flow = echo(&asker.server, "open");
    let wrong = format!("fk_{}", "w".repeat(43));
    let body = json!({"model": flow, "messages": user("Hi")});
    for bearer in [None, Some("sk-test"), Some(wrong.as_str())] {
        for (method, path) in [("GET", "/models"), ("POST", "/chat/completions"), ("POST", "/responses")] {
            let call = asker.server.call(method, &format!("/openai/v1{path}"));
            let call = if method == "POST" { call.json(&body) } else { call };
            let call = bearer.iter().fold(call, |call, key| call.bearer(key));
            let (kind, code, _) = fault(&call.send(), 401);
            assert_eq!((kind.as_str(), code.as_deref()), ("invalid_request_error", Some("invalid_api_key")));
        }
    }
    // A signed-in person is no key.
    asker.server.owner("GET", "/openai/v1/models").send().is(401);
}

#[test]
fn what_a_key_may_not_ask_is_unknown_to_it() {
    let asker = Asker::new();
    let server = &asker.server;
    let (other, _) = bound_key(server, &["chatflows:view"]);
    let bound = server.flow_with(&scripted_flow(), &json!({"name": "bound", "apikeyid": other}));
    let form = Steps::begin_with(json!({"startInputType": "formInput"})).text();
    let form = server.flow_with(&form, &json!({"name": "form", "type": "AGENTFLOW"}));
    let empty = server.flow_with(&json!({"nodes": [], "edges": []}).to_string(), &json!({"name": "empty"}));
    echo(server, "twice");
    echo(server, "twice");
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let there = server.new_workspace("There");
    server.enter(&there);
    let foreign = echo(server, "foreign");
    server.enter(&here);
    let nowhere = "7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1";
    for model in [&bound, &form, &empty, &foreign, nowhere, "twice", "foreign", "bound", "", "no such"] {
        let answer = asker.chat(&json!({"model": model, "messages": user("Hi")}));
        let (kind, code, message) = fault(&answer, 404);
        assert_eq!((kind.as_str(), code.as_deref()), ("invalid_request_error", Some("model_not_found")));
        assert!(message.contains("by its id or its name"), "{message}");
        if !model.is_empty() {
            assert_eq!(fault(&asker.read(&format!("/models/{}", model.replace(' ', "%20"))), 404).1, code);
        }
    }
}

#[test]
fn what_no_flow_does_is_told_by_the_name_of_its_parameter() {
    let asker = Asker::new();
    let flow = echo(&asker.server, "open");
    let with = |body: Value, more: &Value| {
        let mut body = body;
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    for (more, param) in [
        (json!({"n": 2}), "n"),
        (json!({"response_format": {"type": "json_object"}}), "response_format"),
        (json!({"modalities": ["text", "audio"]}), "modalities"),
        (json!({"audio": {"voice": "alloy"}}), "audio"),
        (json!({"logprobs": true}), "logprobs"),
        (json!({"tool_choice": "required"}), "tool_choice"),
        (json!({"tool_choice": {"type": "function", "function": {"name": "f"}}}), "tool_choice"),
    ] {
        let answer = asker.chat(&with(json!({"model": flow, "messages": user("Hi")}), &more));
        let (kind, code, _) = fault(&answer, 400);
        assert_eq!(
            (kind.as_str(), code.as_deref()),
            ("invalid_request_error", Some("unsupported_parameter"))
        );
        assert_eq!(answer.json()["error"]["param"], param);
    }
    for (more, param) in [
        (json!({"previous_response_id": "resp_1"}), "previous_response_id"),
        (json!({"conversation": "conv_1"}), "conversation"),
        (json!({"background": true}), "background"),
        (json!({"text": {"format": {"type": "json_schema"}}}), "text.format"),
        (json!({"tool_choice": "required"}), "tool_choice"),
    ] {
        let answer = asker.send("/responses", &with(json!({"model": flow, "input": "Hi"}), &more));
        fault(&answer, 400);
        assert_eq!(answer.json()["error"]["param"], param);
    }
    let harmless = json!({"n": 1, "response_format": {"type": "text"}, "logprobs": false, "tool_choice": "auto",
        "tools": [], "store": true, "modalities": ["text"], "audio": null, "metadata": {}});
    asker.chat(&with(json!({"model": flow, "messages": user("Hi")}), &harmless)).is(200);
}

#[test]
fn a_body_that_asks_nothing_is_refused() {
    let asker = Asker::new();
    let flow = echo(&asker.server, "open");
    for messages in [
        json!([]),
        json!([{"role": "system", "content": "x"}]),
        json!([{"role": "user", "content": " "}]),
        json!([{"role": "pirate", "content": "x"}]),
        json!("Hi"),
        json!([{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]),
        json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.example/a.png"}}]}]),
    ] {
        let answer = asker.chat(&json!({"model": flow, "messages": messages}));
        assert_eq!(fault(&answer, 400).0, "invalid_request_error", "{messages}");
    }
    asker.send("/responses", &json!({"model": flow})).is(400);
    let post = |body: &str| {
        let call = asker.server.call("POST", "/openai/v1/chat/completions").bearer(&asker.key);
        call.bytes("application/json", body.as_bytes().to_vec()).send()
    };
    for body in ["", "{", "[]", "{\"model\": 5, \"messages\": []}", "{\"messages\": []}"] {
        assert_eq!(fault(&post(body), 400).0, "invalid_request_error", "{body}");
    }
    let text = asker.server.call("POST", "/openai/v1/chat/completions").bearer(&asker.key);
    assert_eq!(fault(&text.bytes("text/plain", b"Hi".to_vec()).send(), 415).0, "invalid_request_error");
}

#[test]
fn an_address_that_is_none_is_refused_in_the_same_shape() {
    let asker = Asker::new();
    let (kind, code, _) = fault(&asker.send("/embeddings", &json!({})), 404);
    assert_eq!((kind.as_str(), code.as_deref()), ("invalid_request_error", Some("unknown_url")));
    let wrong_method = asker.read("/chat/completions");
    assert_eq!(fault(&wrong_method, 405).0, "invalid_request_error");
    assert_eq!(wrong_method.header("allow"), Some("OPTIONS, POST"));
}

#[test]
fn a_run_that_fails_is_not_to_be_tried_again() {
    let asker = Asker::new();
    let (provider, flow) = with_provider(&asker.server, &json!({}));
    provider.set_decision(|_| Behaviour::status(400, "{\"error\": {\"message\": \"no\"}}"));
    let answer = asker.chat(&json!({"model": flow, "messages": user("Hi")}));
    let (kind, code, _) = fault(&answer, 500);
    assert_eq!((kind.as_str(), code.as_deref()), ("server_error", Some("flow_failed")));
    assert_eq!(answer.header("x-should-retry"), Some("false"));
    provider.set_decision(|_| Behaviour::rate_limited(Some("30")));
    let answer = asker.chat(&json!({"model": flow, "messages": user("Hi")}));
    assert_eq!(fault(&answer, 429).0, "rate_limit_error");
    assert_eq!((answer.header("x-should-retry"), answer.header("retry-after")), (Some("false"), Some("30")));
    assert_eq!(asker.chat(&json!({"model": "x", "messages": user("Hi")})).header("x-should-retry"), None);
}

#[test]
fn the_rate_limit_and_the_domains_of_the_flow_count() {
    let asker = Asker::new();
    let limit = json!({"rateLimit": {"status": true, "limitMax": "1", "limitDuration": "60", "limitMsg": "Slow down."}});
    let chat = json!({"allowedOrigins": ["https://good.example"]}).to_string();
    let fields = json!({"apiConfig": limit.to_string(), "chatbotConfig": chat, "name": "limited"});
    let flow = asker.server.flow_with(&scripted_flow(), &fields);
    let ask = |model: &str, origin: &str| {
        let call = asker.server.call("POST", "/openai/v1/chat/completions").bearer(&asker.key);
        let body = json!({"model": model, "messages": user("Hi"), "stream": true});
        call.header("Origin", origin).json(&body).send()
    };
    let good = ask(&flow, "https://good.example").is(200);
    assert_eq!(good.header("access-control-allow-origin"), Some("https://good.example"));
    assert_eq!(good.header("x-ratelimit-remaining"), Some("0"));
    let limited = ask("limited", "https://good.example");
    let (kind, _, message) = fault(&limited, 429);
    assert_eq!((kind.as_str(), message.as_str()), ("rate_limit_error", "Slow down."));
    assert!(limited.header("retry-after").is_some() && limited.header("x-should-retry").is_none());
    asker.server.app.clock.advance_seconds(61);
    let bad = ask(&flow, "https://bad.example");
    assert_eq!(
        (fault(&bad, 403).0.as_str(), bad.header("access-control-allow-origin")),
        ("permission_error", None)
    );
    let preflight = asker.server.call("OPTIONS", "/openai/v1/chat/completions");
    let preflight =
        preflight.header("Origin", "https://bad.example").header("Access-Control-Request-Method", "POST");
    let preflight = preflight.header("Access-Control-Request-Headers", "x-stainless-os").send().is(204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://bad.example"));
    assert_eq!(preflight.header("access-control-allow-headers"), Some("x-stainless-os"));
}

#[test]
fn pictures_are_refused_where_the_chat_takes_none() {
    let asker = Asker::new();
    let flow = echo(&asker.server, "words only");
    let part = |uri: &str| json!([{"type": "image_url", "image_url": {"url": uri}}]);
    let ask =
        |uri: &str| asker.chat(&json!({"model": flow, "messages": [{"role": "user", "content": part(uri)}]}));
    assert_eq!(fault(&ask("data:image/png;base64,iVBORw0KGgo="), 403).0, "permission_error");
}
