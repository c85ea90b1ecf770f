//! Conversations and leads of all flows, a page at a time and by what is asked of them (manual 3.5 r5, 3.8 r3).

use crate::support::Server;
use crate::support::canvases::{scripted_flow, scripted_flow_with};
use flowkeep::domain::accounts::role::VIEWER;
use flowkeep::domain::ids::{FlowId, LeadId};
use serde_json::{Value, json};

/// A flow that answers, and fails where it is asked to.
fn moody(server: &Server, name: &str) -> String {
    let rules = json!([{"match": "fail", "fail": {"status": 429, "retryAfter": 7}}]).to_string();
    server.flow_asking_visitors(&scripted_flow_with(json!({ "rules": rules })), &json!({ "name": name }))
}

/// The conversation in which it was answered, with its proof.
fn ask(server: &Server, flow: &str, question: &str) -> Value {
    server.ask(flow, &json!({ "question": question })).is(200).json()
}

fn ask_again(server: &Server, flow: &str, begun: &Value, question: &str) -> u16 {
    let body = json!({
        "question": question, "chatId": begun["chatId"], "sessionToken": begun["sessionToken"],
    });
    server.ask(flow, &body).status
}

fn search(server: &Server, query: &str) -> Value {
    server.read(&format!("/conversations{query}"))
}

fn chats(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|row| row["chatId"].as_str().unwrap()).collect()
}

fn chat(begun: &Value) -> &str {
    begun["chatId"].as_str().unwrap()
}

#[test]
fn conversations_of_all_flows_come_newest_first_with_their_flow() {
    let server = Server::start();
    let (one, other) = (moody(&server, "One"), moody(&server, "Other"));
    let first = ask(&server, &one, "first");
    let second = ask(&server, &other, "second");
    let third = ask(&server, &one, "third");
    assert_eq!(ask_again(&server, &one, &first, "once more"), 200);
    let page = search(&server, "");
    assert_eq!(chats(&page), [chat(&first), chat(&third), chat(&second)]);
    assert_eq!((&page["nextCursor"], &page["stoppedEarly"]), (&Value::Null, &json!(false)));
    let row = &page["data"][0];
    assert_eq!((&row["flowId"], &row["flowName"]), (&json!(one), &json!("One")));
    assert_eq!((&row["messages"], &row["firstQuestion"]), (&json!(4), &json!("first")));
    let of_other = search(&server, &format!("?flowId={other}"));
    assert_eq!(chats(&of_other), [chat(&second)]);
}

#[test]
fn a_cursor_tells_of_every_conversation_once() {
    let server = Server::start();
    let flows = [moody(&server, "One"), moody(&server, "Other")];
    let mut begun: Vec<(&String, Value)> = Vec::new();
    for number in 0..7 {
        let flow = &flows[number % 2];
        begun.push((flow, ask(&server, flow, &format!("question {number}"))));
    }
    for (flow, conversation) in begun.iter().take(3) {
        ask_again(&server, flow, conversation, "again");
    }
    let whole = search(&server, "");
    for filter in ["", "&text=question", "&chatType=EXTERNAL"] {
        let (mut told, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
        loop {
            let page = search(&server, &format!("?limit=2&cursor={cursor}{filter}"));
            told.extend(chats(&page).into_iter().map(str::to_owned));
            pages += 1;
            assert!(pages < 9, "{filter}: no end");
            match page["nextCursor"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        let mut expected = chats(&whole);
        if filter.contains("text") {
            // By the newest message that fits, and not by the newest of all.
            told.sort_unstable();
            expected.sort_unstable();
        }
        assert_eq!(told, expected, "{filter}");
    }
}

#[test]
fn a_conversation_that_goes_on_between_two_pages_is_not_told_twice() {
    let server = Server::start();
    let flow = moody(&server, "One");
    let begun: Vec<Value> = (0..4).map(|number| ask(&server, &flow, &number.to_string())).collect();
    let first = search(&server, "?limit=2");
    assert_eq!(chats(&first), [chat(&begun[3]), chat(&begun[2])]);
    ask_again(&server, &flow, &begun[3], "again");
    let second = search(&server, &format!("?limit=2&cursor={}", first["nextCursor"].as_str().unwrap()));
    assert_eq!(chats(&second), [chat(&begun[1]), chat(&begun[0])]);
}

#[test]
fn words_are_found_in_questions_and_answers_whatever_their_case() {
    let server = Server::start();
    let flow = moody(&server, "One");
    let apples = ask(&server, &flow, "Where are the Äpfel and pears?");
    let pears = ask(&server, &flow, "Where are the pears?");
    let found = |text: &str| {
        let page = search(&server, &format!("?text={text}"));
        chats(&page).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found("PEARS%20where"), [chat(&pears), chat(&apples)]);
    assert_eq!(found("%C3%A4pfel"), [chat(&apples)]);
    assert_eq!(found("you%20said"), [chat(&pears), chat(&apples)], "answers begin so");
    assert!(found("plums").is_empty());
    let of_flow = server.read(&format!("/conversations/{flow}?text=%C3%84pfel"));
    assert_eq!((&of_flow["total"], chats(&of_flow)), (&json!(1), vec![chat(&apples)]));
}

#[test]
fn the_version_that_answered_chooses_conversations() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow_with(json!({"fallback": "one"})));
    let sha = |at: usize| {
        server.read(&format!("/flow-versions/{flow}"))["versions"][at]["sha"].as_str().unwrap().to_owned()
    };
    let (before, both) = (ask(&server, &flow, "before"), ask(&server, &flow, "both"));
    let first = sha(0);
    let changed =
        json!({"flowData": scripted_flow_with(json!({"fallback": "two"})), "publishInstantly": true});
    server.put(&format!("/chatflows/{flow}"), &changed);
    let second = sha(0);
    assert_ne!(first, second);
    ask_again(&server, &flow, &both, "again");
    let of = |version: &str, more: &str| {
        let page = search(&server, &format!("?versionId={version}{more}"));
        chats(&page).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of(&first, ""), [chat(&both), chat(&before)]);
    assert_eq!(of(&second[..7], ""), [chat(&both)]);
    assert_eq!(of(&first, "&text=before"), [chat(&before)]);
    assert!(of("0123456789", "").is_empty(), "no flow has such a version");
    let page = search(&server, &format!("?versionId={first}&limit=1"));
    let cursor = page["nextCursor"].as_str().unwrap();
    assert_eq!(of(&first, &format!("&limit=1&cursor={cursor}")), [chat(&before)]);
}

#[test]
fn failed_runs_choose_conversations_and_are_counted() {
    let server = Server::start();
    let (flow, other) = (moody(&server, "One"), moody(&server, "Other"));
    let good = ask(&server, &flow, "well");
    let failing = ask(&server, &flow, "well too");
    assert_eq!(ask_again(&server, &flow, &failing, "fail now"), 429);
    server.ask(&other, &json!({"question": "fail at once"})).is_error(429);
    let page = search(&server, "?failed=true");
    let rows = page["data"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{page}");
    assert_eq!((&rows[0]["flowId"], &rows[0]["messages"]), (&json!(other), &json!(0)));
    assert_eq!((&rows[1]["chatId"], &rows[1]["failedRuns"]), (&failing["chatId"], &json!(1)));
    assert!(!chats(&page).contains(&chat(&good)));
    assert_eq!(chats(&search(&server, "?failed=true&text=well")), [chat(&failing)]);
    assert_eq!(chats(&search(&server, &format!("?failed=true&flowId={flow}"))), [chat(&failing)]);
    assert_eq!(search(&server, "?failed=false")["data"].as_array().unwrap().len(), 2);
}

#[test]
fn ratings_and_dates_choose_conversations() {
    let server = Server::start();
    let flow = moody(&server, "One");
    let (rated, plain) = (ask(&server, &flow, "rated"), ask(&server, &flow, "plain"));
    let body = json!({
        "chatflowid": flow, "chatId": rated["chatId"], "messageId": rated["chatMessageId"],
        "rating": "THUMBS_DOWN", "sessionToken": rated["sessionToken"],
    });
    server.call("POST", &format!("/feedback/{flow}")).json(&body).send().is(200);
    assert_eq!(chats(&search(&server, "?feedbackType=THUMBS_DOWN")), [chat(&rated)]);
    assert!(chats(&search(&server, "?feedbackType=THUMBS_UP")).is_empty());
    assert_eq!(chats(&search(&server, "?startDate=2020-01-01")), [chat(&plain), chat(&rated)]);
    assert!(chats(&search(&server, "?endDate=2020-01-01")).is_empty());
    assert_eq!(chats(&search(&server, &format!("?chatId={}", chat(&plain)))), [chat(&plain)]);
}

#[test]
fn a_filter_that_cannot_be_read_is_refused() {
    let server = Server::start();
    let flow = moody(&server, "One");
    let long = format!("text={}", "x".repeat(201));
    for bad in [
        "flowId=x",
        "versionId=x",
        "versionId=ABCDEF0",
        "failed=maybe",
        "cursor=x",
        "cursor=-1",
        "limit=0",
        "limit=101",
        "limit=x",
        "chatType=DANCE",
        "startDate=yesterday",
        "feedbackType=UP",
        &long,
    ] {
        server.owner("GET", &format!("/conversations?{bad}")).send().is_error(400);
    }
    for bad in ["flowId=x", "cursor=x", "limit=0", "limit=101"] {
        server.owner("GET", &format!("/leads?{bad}")).send().is_error(400);
    }
    let nothing = FlowId::random();
    for path in ["/conversations", "/leads"] {
        server.owner("GET", &format!("{path}?flowId={nothing}")).send().is_error(404);
    }
    ask(&server, &flow, "stays");
    for chooses in ["failed=true", "versionId=0123456"] {
        let told = server.owner("DELETE", &format!("/chatmessage/{flow}?{chooses}")).send().is_error(400);
        assert!(told.contains("chooses conversations"), "{told}");
    }
    assert_eq!(server.messages(&flow).len(), 2, "nothing was deleted");
}

#[test]
fn another_workspace_has_its_own_conversations_and_leads() {
    let server = Server::start();
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let flow = moody(&server, "Here");
    ask(&server, &flow, "here");
    server.call("POST", "/leads").json(&json!({"chatflowid": flow, "name": "Ada"})).send().is(200);
    let there = server.new_workspace("There");
    server.enter(&there);
    for path in ["/conversations", "/leads"] {
        assert_eq!(server.read(path)["data"], json!([]), "{path}");
        server.owner("GET", &format!("{path}?flowId={flow}")).send().is_error(404);
    }
    server.enter(&here);
    assert_eq!(search(&server, "")["data"].as_array().unwrap().len(), 1);
}

#[test]
fn flows_of_a_kind_that_the_caller_may_not_see_are_left_out() {
    let server = Server::start();
    let chatflow = moody(&server, "Chat");
    ask(&server, &chatflow, "seen");
    server.call("POST", "/leads").json(&json!({"chatflowid": chatflow, "name": "Ada"})).send().is(200);
    let key = |permission: &str| server.key(&[permission])["apiKey"].as_str().unwrap().to_owned();
    for (permission, rows) in [("chatflows:view", 1), ("agentflows:view", 0)] {
        for path in ["/conversations", "/leads"] {
            let page = server.call("GET", path).bearer(&key(permission)).send().is(200).json();
            assert_eq!(page["data"].as_array().unwrap().len(), rows, "{permission} {path}");
        }
    }
    let agents = key("agentflows:view");
    let named = format!("/conversations?flowId={chatflow}");
    server.call("GET", &named).bearer(&agents).send().is_error(403);
    assert_eq!(server.member(VIEWER).read(&server, "/conversations")["data"].as_array().unwrap().len(), 1);
}

#[test]
fn leads_of_all_flows_come_newest_first_and_by_cursor() {
    let server = Server::start();
    let flows = [moody(&server, "One"), moody(&server, "Other")];
    for number in 0..5 {
        let body = json!({"chatflowid": flows[number % 2], "name": number.to_string()});
        server.call("POST", "/leads").json(&body).send().is(200);
    }
    let names = |page: &Value| {
        let rows = page["data"].as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", row["name"].as_str().unwrap(), row["flowName"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    let first = server.read("/leads?limit=3");
    assert_eq!(names(&first), ["4 One", "3 Other", "2 One"]);
    let cursor = first["nextCursor"].as_str().unwrap();
    assert!(LeadId::parse(cursor).is_some());
    let second = server.read(&format!("/leads?limit=3&cursor={cursor}"));
    assert_eq!(
        (names(&second), &second["nextCursor"]),
        (vec!["1 Other".to_owned(), "0 One".to_owned()], &Value::Null)
    );
    let of_one = server.read(&format!("/leads?flowId={}", flows[0]));
    assert_eq!(names(&of_one), ["4 One", "2 One", "0 One"]);
}

#[test]
fn a_conversation_names_the_newest_of_its_leads() {
    let server = Server::start();
    let flow = moody(&server, "One");
    let begun = ask(&server, &flow, "hello");
    for name in ["Ada", "Grace"] {
        let body = json!({
            "chatflowid": flow, "chatId": begun["chatId"], "sessionToken": begun["sessionToken"], "name": name,
        });
        server.call("POST", "/leads").json(&body).send().is(200);
    }
    ask(&server, &flow, "somebody else");
    let page = search(&server, "");
    assert_eq!((&page["data"][0]["leadName"], &page["data"][1]["leadName"]), (&Value::Null, &json!("Grace")));
}

#[test]
fn a_flow_counts_its_conversations_as_they_come_and_go() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let total = || server.read(&format!("/conversations/{flow}?page=1&limit=1"))["total"].clone();
    assert_eq!(total(), 0);
    let begun: Vec<Value> = (0..3).map(|number| ask(&server, &flow, &number.to_string())).collect();
    assert_eq!(total(), 3);
    ask_again(&server, &flow, &begun[0], "again");
    assert_eq!(total(), 3, "a conversation that goes on is no new one");
    server.owner("DELETE", &format!("/chatmessage/{flow}?chatId={}", chat(&begun[1]))).send().is(200);
    assert_eq!(total(), 2);
    ask(&server, &flow, "new");
    assert_eq!(total(), 3);
    server.owner("DELETE", &format!("/chatmessage/{flow}")).send().is(200);
    assert_eq!(total(), 0);
}
