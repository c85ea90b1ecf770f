//! Two requests about the same thing at the same moment.

use crate::files::documents;
use crate::support::canvases::scripted_flow;
use crate::support::client::Call;
use crate::support::form::Form;
use crate::support::server::PASSWORD;
use crate::support::{Answer, Server};
use serde_json::json;
use std::sync::Barrier;

/// Sends both as close together as can be.
fn at_once(one: &Call, other: &Call) -> (Answer, Answer) {
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            start.wait();
            one.send()
        });
        start.wait();
        let second = other.send();
        (first.join().unwrap(), second)
    })
}

#[test]
fn a_new_name_and_a_new_email_at_once_are_both_kept() {
    let server = Server::start();
    for round in 0..6 {
        let (name, email) = (format!("Ada {round}"), format!("ada{round}@example.org"));
        let rename = server.owner("PUT", "/user").json(&json!({ "name": name }));
        let moves = server.owner("PUT", "/user").json(&json!({"email": email, "currentPassword": PASSWORD}));
        let (renamed, moved) = at_once(&rename, &moves);
        renamed.is(200);
        moved.is(200);
        let me = server.read("/user");
        assert_eq!((&me["name"], &me["email"]), (&json!(name), &json!(email)));
        let sign_in = json!({"email": email, "password": PASSWORD});
        server.call("POST", "/auth/login").json(&sign_in).send().is(200);
    }
}

#[test]
fn a_rating_of_a_message_that_is_deleted_meanwhile_is_not_left() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let mut rated_first = 0;
    for _ in 0..20 {
        let told = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
        let chat = told["chatId"].as_str().unwrap();
        let body = json!({
            "chatflowid": flow, "chatId": chat, "messageId": told["chatMessageId"], "rating": "THUMBS_UP", "content": "Good",
        });
        let rate = server.owner("POST", &format!("/feedback/{flow}")).json(&body);
        let delete = server.owner("DELETE", &format!("/chatmessage/{flow}?chatId={chat}"));
        let (rated, deleted) = at_once(&rate, &delete);
        deleted.is(200);
        if rated.status == 200 {
            rated_first += 1;
            let change = server.owner("PUT", &format!("/feedback/{}", rated.json()["id"].as_str().unwrap()));
            change.json(&json!({"rating": "THUMBS_DOWN"})).send().is_error(404);
        } else {
            rated.is_error(404);
        }
        assert_eq!(server.read(&format!("/feedback/{flow}")), json!([]), "{rated_first} were rated first");
    }
}

#[test]
fn a_question_with_files_for_a_flow_that_is_deleted_never_fails_as_a_fault() {
    let server = Server::start();
    for _ in 0..12 {
        let flow = server.flow_with(&scripted_flow(), &documents(""));
        let ask = || {
            let form = Form::of(&[("question", "Hi")]).file("a.txt", "text/plain", b"hello");
            let answer = server.call("POST", &format!("/prediction/{flow}")).form(&form).send();
            assert!(answer.status < 500, "{answer:?}");
        };
        std::thread::scope(|scope| {
            let asking: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
            asking.into_iter().for_each(|asked| asked.join().unwrap());
        });
        server
            .call("POST", &format!("/prediction/{flow}"))
            .json(&json!({"question": "Hi"}))
            .send()
            .is_error(404);
    }
}
