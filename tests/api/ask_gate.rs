//! What keeps a question out before it runs: unknown and empty flows, keys, rate limits (manual 2.2, 2.3, 2.5).

use crate::support::canvases::scripted_flow;
use crate::support::{Answer, Server, id};
use serde_json::{Value, json};

const UNKNOWN: &str = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";

fn question() -> Value {
    json!({"question": "Hi"})
}

#[test]
fn an_unknown_flow_is_named() {
    let server = Server::start();
    let message = server.ask(UNKNOWN, &question()).is_error(404);
    assert!(message.contains(UNKNOWN), "{message}");
}

#[test]
fn an_id_that_is_no_uuid_is_an_unknown_flow() {
    let server = Server::start();
    for odd in ["x", "6a204bb03c4f4c0e9d9c0f6f5c3a1d2e", "%7B%7D", "1%20OR%201=1", "null"] {
        server.ask(odd, &question()).is_error(404);
        server.call("GET", &format!("/chatflows-streaming/{odd}")).send().is_error(404);
        server.call("GET", &format!("/public-chatbotConfig/{odd}")).send().is_error(404);
        for path in ["chatflows", "chatmessage", "validation"] {
            server.owner("GET", &format!("/{path}/{odd}")).send().is_error(404);
        }
    }
}

#[test]
fn a_flow_without_cards_is_named_as_unpublished() {
    let server = Server::start();
    for fields in [json!({}), json!({"flowData": "{\"nodes\":[],\"edges\":[]}"})] {
        let mut body = json!({"name": "Empty", "type": "CHATFLOW"});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let flow = id(&server.post("/chatflows", &body));
        let message = server.ask(&flow, &question()).is_error(404);
        assert!(message.contains(&flow) && message.contains("not published"), "{message}");
        server.ask(&flow, &json!({"question": "Hi", "streaming": true})).is_error(404);
    }
}

#[test]
fn notes_alone_are_no_cards() {
    let server = Server::start();
    let mut drawing = crate::support::canvases::Drawing::default();
    drawing.card("stickyNote", json!({"note": "later"}));
    let flow = server.flow(&drawing.text());
    server.ask(&flow, &question()).is_error(404);
}

#[test]
fn a_canvas_that_cannot_run_is_refused_before_the_first_byte() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow().replace("\"chatScripted\"", "\"chatOfTomorrow\""));
    for streaming in [false, true] {
        let answer = server.ask(&flow, &json!({"question": "Hi", "streaming": streaming}));
        let text = answer.text();
        assert!(text.contains("chatOfTomorrow"), "{text}");
        if !streaming {
            answer.is_error(500);
        }
    }
}

fn bound() -> (Server, String, Value) {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let flow = server.flow_with(&scripted_flow(), &json!({"apikeyid": key["id"]}));
    (server, flow, key)
}

fn ask_with(server: &Server, flow: &str, key: &str) -> Answer {
    server.call("POST", &format!("/prediction/{flow}")).bearer(key).json(&question()).send()
}

#[test]
fn a_bound_flow_answers_its_key() {
    let (server, flow, key) = bound();
    let answer = ask_with(&server, &flow, key["apiKey"].as_str().unwrap()).is(200);
    assert_eq!(answer.json()["text"], "You said: Hi");
}

#[test]
fn a_bound_flow_answers_nobody_without_a_key() {
    let (server, flow, _) = bound();
    assert_eq!(server.ask(&flow, &question()).is_error(401), "Unauthorized");
    // Streaming, too, is refused with a real status.
    let streaming = json!({"question": "Hi", "streaming": true});
    assert_eq!(server.ask(&flow, &streaming).is_error(401), "Unauthorized");
}

#[test]
fn a_bound_flow_answers_no_other_key() {
    let (server, flow, key) = bound();
    let value = key["apiKey"].as_str().unwrap();
    let other = server.key(&["chatflows:view", "chatflows:update"]);
    for wrong in [other["apiKey"].as_str().unwrap(), "fk_wrong", &value[..45], &format!("{value}x")] {
        assert_eq!(ask_with(&server, &flow, wrong).is_error(401), "Unauthorized");
    }
}

#[test]
fn a_bound_flow_reads_one_authorization_header_and_nothing_else() {
    let (server, flow, key) = bound();
    let value = key["apiKey"].as_str().unwrap();
    let path = format!("/prediction/{flow}");
    server.call("POST", &format!("{path}?apiKey={value}")).json(&question()).send().is_error(401);
    server.call("POST", &path).json(&json!({"question": "Hi", "apiKey": value})).send().is_error(401);
    server.call("POST", &path).bearer(value).bearer(value).json(&question()).send().is_error(401);
    server.call("POST", &path).header("Authorization", value).json(&question()).send().is_error(401);
    server.call("POST", &path).header("x-api-key", value).json(&question()).send().is_error(401);
    server.owner("POST", &path).json(&question()).send().is_error(401);
    let lower = server.call("POST", &path).header("authorization", &format!("bearer {value}"));
    lower.json(&question()).send().is(200);
}

#[test]
fn a_flow_stays_closed_when_its_key_is_deleted() {
    let (server, flow, key) = bound();
    server.owner("DELETE", &format!("/apikey/{}?force=true", id(&key))).send().is(200);
    assert_eq!(ask_with(&server, &flow, key["apiKey"].as_str().unwrap()).is_error(401), "Unauthorized");
    server.ask(&flow, &question()).is_error(401);
}

#[test]
fn asking_counts_as_use_of_the_key() {
    let (server, flow, key) = bound();
    let usage = || server.read("/apikey")[0]["usage"].clone();
    assert_eq!(usage(), 0);
    for count in 1..=3 {
        ask_with(&server, &flow, key["apiKey"].as_str().unwrap()).is(200);
        assert_eq!(usage(), count);
    }
    ask_with(&server, &flow, "fk_wrong").is(401);
    assert_eq!(usage(), 3);
}

#[test]
fn a_flow_is_opened_again_by_an_empty_key_id() {
    let (server, flow, _) = bound();
    for open in [json!(""), json!(null)] {
        server.put(&format!("/chatflows/{flow}"), &json!({ "apikeyid": open }));
        server.ask(&flow, &question()).is(200);
    }
}

/// A flow that admits two questions in ten minutes.
fn limited(server: &Server, fields: Value) -> String {
    let mut limit =
        json!({"status": true, "limitMax": "2", "limitDuration": "600", "limitMsg": "Slow <b>down</b>"});
    limit.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    server.flow_with(&scripted_flow(), &json!({"apiConfig": json!({ "rateLimit": limit }).to_string()}))
}

#[test]
fn a_rate_limit_refuses_with_the_owners_text() {
    let server = Server::start();
    let flow = limited(&server, json!({}));
    server.ask(&flow, &question()).is(200);
    server.ask(&flow, &question()).is(200);
    for body in [question(), json!({"question": "Hi", "streaming": true})] {
        let refused = server.ask(&flow, &body).is(429);
        assert_eq!(refused.text(), "Slow <b>down</b>");
        assert_eq!(refused.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(refused.header("x-ratelimit-limit"), Some("2"));
        assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=600).contains(&wait), "{wait}");
        assert!(refused.header("content-security-policy").unwrap().contains("sandbox"));
    }
}

#[test]
fn an_admitted_question_is_told_what_is_left() {
    let server = Server::start();
    let flow = limited(&server, json!({}));
    for left in ["1", "0"] {
        let answer = server.ask(&flow, &question()).is(200);
        assert_eq!(answer.header("x-ratelimit-limit"), Some("2"));
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(left));
    }
}

#[test]
fn failed_questions_count_towards_the_limit() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let flow = limited(&server, json!({}));
    server.put(&format!("/chatflows/{flow}"), &json!({"apikeyid": key["id"]}));
    server.ask(&flow, &question()).is(401);
    server.ask(&flow, &question()).is(401);
    assert_eq!(ask_with(&server, &flow, key["apiKey"].as_str().unwrap()).status, 429);
}

#[test]
fn numbers_of_a_limit_may_be_numbers() {
    let server = Server::start();
    let flow = limited(&server, json!({"limitMax": 1, "limitDuration": 600}));
    server.ask(&flow, &question()).is(200);
    server.ask(&flow, &question()).is(429);
}

#[test]
fn a_limit_that_is_switched_off_or_on_works_at_once() {
    let server = Server::start();
    let flow = limited(&server, json!({"status": false, "limitMax": "1"}));
    let set = |status: bool| {
        let limit = json!({"status": status, "limitMax": "1", "limitDuration": "600", "limitMsg": "No"});
        server.put(
            &format!("/chatflows/{flow}"),
            &json!({"apiConfig": json!({"rateLimit": limit}).to_string()}),
        );
    };
    server.ask(&flow, &question()).is(200);
    server.ask(&flow, &question()).is(200);
    set(true);
    server.ask(&flow, &question()).is(200);
    assert_eq!(server.ask(&flow, &question()).is(429).text(), "No");
    set(false);
    server.ask(&flow, &question()).is(200);
}

#[test]
fn the_test_chat_has_no_limit() {
    let server = Server::start();
    let flow = limited(&server, json!({"limitMax": "1"}));
    for _ in 0..3 {
        server.post(&format!("/internal-prediction/{flow}"), &question());
    }
}

fn ask_from(server: &Server, flow: &str, forwarded: &str) -> u16 {
    let call = server.call("POST", &format!("/prediction/{flow}")).header("X-Forwarded-For", forwarded);
    call.json(&question()).send().status
}

#[test]
fn what_a_client_says_about_its_address_does_not_count() {
    let server = Server::start();
    let flow = limited(&server, json!({"limitMax": "1"}));
    assert_eq!(ask_from(&server, &flow, "203.0.113.1"), 200);
    assert_eq!(ask_from(&server, &flow, "203.0.113.2"), 429);
}

#[test]
fn each_address_behind_a_trusted_proxy_has_its_own_limit() {
    let server = Server::with(&[("SERVICE_TRUSTED_PROXIES", "127.0.0.0/8")]);
    let flow = limited(&server, json!({"limitMax": "1"}));
    assert_eq!(ask_from(&server, &flow, "203.0.113.1"), 200);
    assert_eq!(ask_from(&server, &flow, "203.0.113.2"), 200);
    // Only what the trusted proxy wrote counts: the last entry, not what the client put before it.
    assert_eq!(ask_from(&server, &flow, "198.51.100.7, 203.0.113.1"), 429);
}

#[test]
fn two_flows_have_two_limits() {
    let server = Server::start();
    let flows = [limited(&server, json!({"limitMax": "1"})), limited(&server, json!({"limitMax": "1"}))];
    for flow in &flows {
        server.ask(flow, &question()).is(200);
    }
    server.ask(&flows[0], &question()).is(429);
}

#[test]
fn the_test_chat_needs_no_key_of_the_flow() {
    let (server, flow, _) = bound();
    let answer = server.post(&format!("/internal-prediction/{flow}"), &question());
    assert_eq!(answer["text"], "You said: Hi");
}

#[test]
fn the_test_chat_of_an_empty_flow_is_refused_like_any() {
    let server = Server::start();
    let flow = id(&server.post("/chatflows", &json!({"name": "Empty", "type": "CHATFLOW"})));
    let refused = server.owner("POST", &format!("/internal-prediction/{flow}")).json(&question()).send();
    assert!(refused.is_error(404).contains(&flow));
}

#[test]
fn no_save_switches_a_limit_off_by_nonsense_or_an_empty_field() {
    let server = Server::start();
    let flow = limited(&server, json!({}));
    let save = |limit: Value| {
        let config = json!({ "rateLimit": limit, "other": 1 }).to_string();
        server.owner("PUT", &format!("/chatflows/{flow}")).json(&json!({ "apiConfig": config })).send()
    };
    let stored = || -> Value {
        let text = server.read(&format!("/chatflows/{flow}"))["apiConfig"].as_str().unwrap().to_owned();
        serde_json::from_str(&text).unwrap()
    };
    let before = stored()["rateLimit"].clone();
    for nonsense in [
        json!({"status": true, "limitMax": "many", "limitDuration": "600"}),
        json!({"status": true, "limitMax": 2, "limitDuration": -1}),
        json!({"status": true, "limitMax": 0, "limitDuration": 600}),
        json!({"status": "on", "limitMax": 2, "limitDuration": 600}),
        json!({"limitMax": [2], "limitDuration": 600}),
        json!({"limitMax": 2, "limitDuration": 600, "limitMsg": {}}),
        json!("2 in 600"),
        json!([2, 600]),
    ] {
        let message = save(nonsense).is_error(400);
        assert!(message.contains("rateLimit"), "{message}");
        assert_eq!(stored()["rateLimit"], before);
    }
    for partial in
        [json!({"status": true}), json!({"status": true, "limitMax": "9", "limitDuration": ""}), json!({})]
    {
        save(partial).is(200);
        assert_eq!((&stored()["rateLimit"], &stored()["other"]), (&before, &json!(1)));
    }
    for left in ["1", "0"] {
        assert_eq!(server.ask(&flow, &question()).is(200).header("x-ratelimit-remaining"), Some(left));
    }
    server.ask(&flow, &question()).is(429);
    save(json!({"status": false, "limitMax": "", "limitDuration": ""})).is(200);
    server.ask(&flow, &question()).is(200);
    save(json!({"status": true, "limitMax": "1", "limitDuration": "600", "limitMsg": ""})).is(200);
    server.ask(&flow, &question()).is(200);
    assert!(server.ask(&flow, &question()).is(429).text().contains("try again later"));
}

#[test]
fn the_record_of_a_flow_can_be_saved_back_after_its_key_was_deleted() {
    let (server, flow, key) = bound();
    server.owner("DELETE", &format!("/apikey/{}?force=true", id(&key))).send().is(200);
    let record = server.read(&format!("/chatflows/{flow}"));
    let saved = server.put(&format!("/chatflows/{flow}"), &record);
    assert_eq!(saved["apikeyid"], record["apikeyid"]);
    server.ask(&flow, &question()).is_error(401);
    // Only where it was: no other flow can be bound to a key that is not there.
    let other = server.flow(&scripted_flow());
    let call = server.owner("PUT", &format!("/chatflows/{other}"));
    call.json(&json!({"apikeyid": record["apikeyid"]})).send().is_error(400);
}
