//! Ratings of answers and what visitors leave (manual 3.7, 3.8).

use crate::support::canvases::scripted_flow;
use crate::support::{Server, id};
use serde_json::{Value, json};

fn asking_flow(server: &Server) -> String {
    server.flow_asking_visitors(&scripted_flow(), &json!({}))
}

/// An answer of a fresh flow: the flow, and what its asker was told.
fn ask_new_flow(server: &Server) -> (String, Value) {
    let flow = asking_flow(server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    (flow, told)
}

fn rating_body(flow: &str, told: &Value, rating: &str) -> Value {
    json!({
        "chatflowid": flow, "chatId": told["chatId"], "messageId": told["chatMessageId"], "rating": rating, "content": "",
    })
}

fn send_rating(server: &Server, flow: &str, body: &Value) -> crate::support::Answer {
    server.call("POST", &format!("/feedback/{flow}")).json(body).send()
}

#[test]
fn an_asker_rates_an_answer_and_adds_a_comment() {
    let server = Server::start();
    let (flow, told) = ask_new_flow(&server);
    let row = send_rating(&server, &flow, &rating_body(&flow, &told, "THUMBS_DOWN")).is(200).json();
    assert_eq!((&row["messageId"], &row["chatflowid"]), (&told["chatMessageId"], &json!(flow)));
    let change =
        server.call("PUT", &format!("/feedback/{}", id(&row))).json(&json!({"content": "Too short"}));
    assert_eq!(change.send().is(200).json(), json!({"status": "OK"}));
    let listed = server.read(&format!("/feedback/{flow}"));
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!((&listed[0]["rating"], &listed[0]["content"]), (&json!("THUMBS_DOWN"), &json!("Too short")));
    assert_eq!(server.read(&format!("/feedback/{flow}?chatId={}", told["chatId"].as_str().unwrap())), listed);
    assert_eq!(server.read(&format!("/feedback/{flow}?endDate=2001-01-01T00:00:00Z")), json!([]));
    let joined = server.read(&format!("/chatmessage/{flow}?feedback=true"));
    assert_eq!((joined[0].get("feedback"), &joined[1]["feedback"]), (None, &listed[0]));
    assert_eq!(server.read(&format!("/chatmessage/{flow}"))[1].get("feedback"), None);
}

#[test]
fn a_second_rating_takes_the_place_of_the_first_and_needs_a_proof() {
    let server = Server::start();
    let (flow, told) = ask_new_flow(&server);
    let first = send_rating(&server, &flow, &rating_body(&flow, &told, "THUMBS_DOWN")).is(200).json();
    send_rating(&server, &flow, &rating_body(&flow, &told, "THUMBS_UP")).is_error(401);
    let mut proven = rating_body(&flow, &told, "THUMBS_UP");
    proven["sessionToken"] = told["sessionToken"].clone();
    let second = send_rating(&server, &flow, &proven).is(200).json();
    assert_eq!((&second["id"], &second["rating"]), (&first["id"], &json!("THUMBS_UP")));
    let body = rating_body(&flow, &told, "THUMBS_DOWN");
    server.owner("POST", &format!("/feedback/{flow}")).json(&body).send().is(200);
    let key = server.key(&["chatflows:view"])["apiKey"].as_str().unwrap().to_owned();
    server.call("POST", "/feedback").bearer(&key).json(&body).send().is(200);
    let other = server.key(&["tools:view"])["apiKey"].as_str().unwrap().to_owned();
    server.call("POST", "/feedback").bearer(&other).json(&body).send().is_error(401);
    assert_eq!(server.read(&format!("/feedback/{flow}")).as_array().unwrap().len(), 1);
}

#[test]
fn a_rating_names_the_flow_the_conversation_and_the_answer() {
    let server = Server::start();
    let (flow, told) = ask_new_flow(&server);
    let (other, elsewhere) = ask_new_flow(&server);
    let good = rating_body(&flow, &told, "THUMBS_UP");
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body
    };
    for (field, value, status) in [
        ("messageId", Value::Null, 400),
        ("chatId", Value::Null, 400),
        ("rating", Value::Null, 400),
        ("rating", json!("GREAT"), 400),
        ("messageId", json!("x"), 404),
        ("messageId", elsewhere["chatMessageId"].clone(), 404),
        ("chatId", elsewhere["chatId"].clone(), 404),
        ("chatflowid", json!(other), 400),
        ("content", json!("c".repeat(5_000)), 400),
    ] {
        send_rating(&server, &flow, &with(field, value)).is_error(status);
    }
    send_rating(&server, &other, &with("chatflowid", json!(other))).is_error(404);
    let question = server.messages(&flow)[0]["id"].clone();
    send_rating(&server, &flow, &with("messageId", question)).is_error(400);
    server
        .call("PUT", "/feedback/6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e")
        .json(&json!({}))
        .send()
        .is_error(404);
    server.call("GET", &format!("/feedback/{flow}")).send().is_error(401);
    assert_eq!(server.read(&format!("/feedback/{flow}")), json!([]));
}

#[test]
fn pages_that_a_flow_lists_may_rate_there() {
    let server = Server::start();
    let config = json!({"allowedOrigins": ["https://shop.example"]}).to_string();
    let flow = server.flow_with(&scripted_flow(), &json!({ "chatbotConfig": config }));
    let told = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let post = |origin: &str| {
        let call = server.call("POST", &format!("/feedback/{flow}")).header("Origin", origin);
        call.json(&rating_body(&flow, &told, "THUMBS_UP")).send()
    };
    post("https://evil.example").is_error(403);
    let row = post("https://shop.example").is(200);
    assert_eq!(row.header("access-control-allow-origin"), Some("https://shop.example"));
    let change = |method: &str, origin: &str| {
        let call = server.call(method, &format!("/feedback/{}", id(&row.json()))).header("Origin", origin);
        call.header("Access-Control-Request-Method", "PUT").json(&json!({"content": "c"})).send()
    };
    for method in ["OPTIONS", "PUT"] {
        let answer = change(method, "https://shop.example");
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://shop.example"), "{method}");
        assert_eq!(change(method, "https://evil.example").header("access-control-allow-origin"), None);
    }
}

#[test]
fn ratings_go_away_with_what_was_rated() {
    let server = Server::start();
    let (flow, told) = ask_new_flow(&server);
    let row = send_rating(&server, &flow, &rating_body(&flow, &told, "THUMBS_UP")).is(200).json();
    let chat = told["chatId"].as_str().unwrap();
    server.owner("DELETE", &format!("/chatmessage/{flow}?chatId={chat}")).send().is(200);
    assert_eq!(server.read(&format!("/feedback/{flow}")), json!([]));
    let path = format!("/feedback/{}", id(&row));
    server.call("PUT", &path).json(&json!({"content": "c"})).send().is_error(404);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let row = send_rating(&server, &flow, &rating_body(&flow, &told, "THUMBS_UP")).is(200).json();
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    let path = format!("/feedback/{}", id(&row));
    server.call("PUT", &path).json(&json!({"content": "c"})).send().is_error(404);
}

#[test]
fn a_visitor_leaves_a_name() {
    let server = Server::start();
    let (flow, told) = ask_new_flow(&server);
    let body = json!({
        "chatflowid": flow, "chatId": told["chatId"], "name": "Ada", "email": "ada@example.org", "phone": "", "other": 1,
    });
    let row = server.call("POST", "/leads/").json(&body).send().is(200).json();
    assert_eq!((&row["name"], &row["email"], &row["phone"]), (&json!("Ada"), &body["email"], &Value::Null));
    assert_ne!(row["chatId"], told["chatId"], "nobody proved that conversation");
    let mut proven = body.clone();
    proven["sessionToken"] = told["sessionToken"].clone();
    let second = server.call("POST", "/leads").json(&proven).send().is(200).json();
    assert_eq!(second["chatId"], told["chatId"]);
    assert_eq!(second["sessionToken"], told["sessionToken"]);
    let kept = [second, row.clone()].map(|mut row| {
        row.as_object_mut().unwrap().remove("sessionToken");
        row
    });
    assert_eq!(server.read(&format!("/leads/{flow}")), json!(kept));
    server.call("GET", &format!("/leads/{flow}")).send().is_error(401);
    server.call("POST", "/leads").json(&json!({"name": "Ada"})).send().is_error(400);
    server.call("POST", "/leads").json(&json!({"chatflowid": "x"})).send().is_error(404);
    let long = json!({"chatflowid": flow, "name": "a".repeat(400)});
    server.call("POST", "/leads").json(&long).send().is_error(400);
    let floods = (0..70).map(|_| server.call("POST", "/leads").json(&body).send().status);
    assert!(floods.into_iter().any(|status| status == 429));
}

/// Leaves a name with these fields, as somebody with this cookie; the answer.
fn leave(server: &Server, flow: &str, more: Value, cookie: Option<&str>) -> crate::support::Answer {
    let mut body = json!({"chatflowid": flow, "name": "Ada", "phone": "123"});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let call = server.call("POST", "/leads").json(&body);
    match cookie {
        Some(cookie) => call.header("Cookie", cookie).send().is(200),
        None => call.send().is(200),
    }
}

#[test]
fn a_lead_begins_the_conversation_that_the_first_question_goes_on_in() {
    let server = Server::start();
    let flow = asking_flow(&server);
    let left = leave(&server, &flow, json!({}), None);
    let row = left.json();
    assert_eq!(left.header("x-service-chat-id"), row["chatId"].as_str());
    assert_eq!(left.header("x-service-session-token"), row["sessionToken"].as_str());
    let question = json!({"question": "Hi", "chatId": row["chatId"], "sessionToken": row["sessionToken"]});
    assert_eq!(server.ask(&flow, &question).is(200).json()["chatId"], row["chatId"]);
    let newest = || server.read(&format!("/conversations/{flow}?page=1&limit=1"))["data"][0].clone();
    assert_eq!((&newest()["chatId"], &newest()["leadName"]), (&row["chatId"], &json!("Ada")));
    assert_eq!(server.read(&format!("/leads/{flow}"))[0].get("sessionToken"), None, "no proof for others");
    // A conversation of somebody who left nothing has no name.
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
    assert_eq!(newest()["leadName"], Value::Null);
}

/// A page of Flowise names its conversations itself and reads no answer to a lead: its browser keeps the proof.
#[test]
fn a_chat_page_that_invents_its_conversation_asks_in_that_of_its_lead() {
    let server = Server::start();
    let flow = asking_flow(&server);
    let invented = json!({"chatId": "0b9a6f4e-6e2f-4f5c-8c65-2f6b1f5a7d11"});
    let left = leave(&server, &flow, invented.clone(), None);
    let cookie = left.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let ask = |cookie: &str| {
        let body = json!({"question": "Hi", "chatId": invented["chatId"]});
        let call = server.call("POST", &format!("/prediction/{flow}")).header("Cookie", cookie);
        call.json(&body).send().is(200).json()["chatId"].clone()
    };
    let stranger = ask("service_session=0b9a6f4e-6e2f-4f5c-8c65-2f6b1f5a7d11.AAAA");
    assert!(stranger != left.json()["chatId"] && stranger != invented["chatId"], "nothing is proved");
    assert_eq!(ask(&cookie), left.json()["chatId"]);
    assert_ne!(ask(&cookie), left.json()["chatId"], "what was begun goes on with a proof of its own");
}

#[test]
fn a_lead_of_a_strangers_conversation_gets_one_of_its_own() {
    let server = Server::start();
    let (flow, told) = ask_new_flow(&server);
    let claimed = json!({"chatId": told["chatId"], "sessionToken": "wrong"});
    let row = leave(&server, &flow, claimed, None).json();
    assert_ne!(row["chatId"], told["chatId"]);
    assert_ne!(row["sessionToken"], told["sessionToken"]);
}

#[test]
fn who_may_see_conversations_leaves_a_lead_in_one_and_gets_no_proof_of_it() {
    let server = Server::start();
    let (flow, told) = ask_new_flow(&server);
    let body = json!({"chatflowid": flow, "chatId": told["chatId"], "name": "Ada"});
    let left = server.owner("POST", "/leads").json(&body).send().is(200);
    assert_eq!(left.json()["chatId"], told["chatId"]);
    assert_eq!(left.json().get("sessionToken"), None);
    assert_eq!((left.header("x-service-session-token"), left.header("set-cookie")), (None, None));
    // An id that a page invented stands for no conversation, whoever sends it.
    let invented = "0b9a6f4e-6e2f-4f5c-8c65-2f6b1f5a7d11";
    let body = json!({"chatflowid": flow, "chatId": invented, "name": "Ada"});
    let own = server.owner("POST", "/leads").json(&body).send().is(200).json();
    assert!(own["chatId"] != invented && own["sessionToken"].is_string(), "{own}");
}

#[test]
fn a_flow_that_asks_nobody_who_they_are_takes_no_name_of_a_visitor() {
    let server = Server::start();
    let off = json!({"chatbotConfig": json!({"leads": {"status": false, "name": true}}).to_string()});
    for flow in [server.flow(&scripted_flow()), server.flow_with(&scripted_flow(), &off)] {
        let body = json!({"chatflowid": flow, "name": "Ada"});
        server.call("POST", "/leads").json(&body).send().is_error(403);
        assert_eq!(server.read(&format!("/leads/{flow}")), json!([]));
        // Who may see its conversations writes down what they heard elsewhere.
        server.owner("POST", "/leads").json(&body).send().is(200);
    }
}

#[test]
fn a_flow_that_is_bound_to_a_key_takes_a_name_with_that_key_alone() {
    let server = Server::start();
    let (own, other) = (server.key(&["tools:view"]), server.key(&["tools:view"]));
    let flow = server.flow_asking_visitors(&scripted_flow(), &json!({"apikeyid": own["id"]}));
    let leave = server.call("POST", "/leads").json(&json!({"chatflowid": flow, "name": "Ada"}));
    let with = |key: &Value| leave.clone().bearer(key["apiKey"].as_str().unwrap()).send();
    leave.send().is_error(401);
    with(&other).is_error(401);
    assert_eq!(server.read(&format!("/leads/{flow}")), json!([]));
    with(&own).is(200);
    let viewer = server.key(&["chatflows:view"]);
    with(&viewer).is(200);
    assert_eq!(server.read(&format!("/leads/{flow}")).as_array().unwrap().len(), 2);
}
