//! When what a conversation sent is gone again.

use super::{canvas, flow, found, kept, kept_in, sent, workspace};
use crate::support::Server;
use flowkeep::base::cancel::CancelToken;
use flowkeep::cards::kit::{CollectionEdit, Collections as _, NewRows};
use flowkeep::domain::conversations::conversation::Conversation;
use flowkeep::domain::conversations::uploads::ChunkUsage;
use flowkeep::domain::error::Error;
use flowkeep::domain::ids::{ChatId, CollectionId, FlowId};
use flowkeep::ops::conversations::chunks;
use flowkeep::ops::knowledge::collections::WorkspaceCollections;
use flowkeep::store::tables::CONVERSATION_UPLOADS;
use flowkeep::vectors::VectorRow;
use serde_json::{Value, json};
use std::collections::HashSet;

#[test]
fn what_a_conversation_sent_goes_with_it() {
    let server = Server::start();
    let flow = flow(&server);
    let chats: Vec<Value> = (0..4).map(|_| sent(&server, &flow, &Value::Null, &["Parcels leave."])).collect();
    chats[..3].iter().for_each(|chat| assert_eq!(found(&server, &flow, chat).len(), 1));
    assert_eq!(kept(&server), 4);
    let delete =
        |query: &str| drop(server.owner("DELETE", &format!("/chatmessage/{flow}{query}")).send().is(200));
    delete(&format!("?chatId={}", chats[0]["chatId"].as_str().unwrap()));
    assert_eq!(kept(&server), 3);
    assert_eq!(found(&server, &flow, &chats[1]).len(), 1, "the others stay");
    // Nothing was said in the last one.
    delete(&format!("?chatId={}", chats[3]["chatId"].as_str().unwrap()));
    assert_eq!(kept(&server), 2);
    let elsewhere = server.flow(&canvas("faiss", &json!({})));
    sent(&server, &elsewhere, &Value::Null, &["Parcels leave."]);
    delete("");
    assert_eq!(kept(&server), 1, "those of another flow stay");
    server.owner("DELETE", &format!("/chatflows/{elsewhere}")).send().is(200);
    assert_eq!(kept(&server), 0);
}

#[test]
fn what_nobody_asked_about_goes_after_a_day_and_keeps_nobody_from_sending() {
    let server = Server::start();
    let (flow, here) = (flow(&server), workspace(&server));
    let [silent, asked] = [(); 2].map(|()| sent(&server, &flow, &Value::Null, &["Parcels leave."]));
    assert_eq!(found(&server, &flow, &asked).len(), 1);
    let sweep = || chunks::sweep(&server.app, &CancelToken::new(None)).unwrap();
    sweep();
    assert_eq!(kept_in(&server, &here), 2);
    server.app.clock.advance_seconds(25 * 3600);
    let late = sent(&server, &flow, &Value::Null, &["Parcels leave."]);
    sweep();
    assert_eq!(kept_in(&server, &here), 2);
    let counted = server.app.store.read(|tx| CONVERSATION_UPLOADS.list(tx, &here)).unwrap();
    assert_eq!(counted.len(), 2, "the conversation that was asked, and the new one");
    for (chat, count) in [(&silent, 0), (&asked, 1), (&late, 1)] {
        assert_eq!(found(&server, &flow, chat).len(), count);
    }
}

#[test]
fn what_is_still_being_embedded_when_its_conversation_goes_does_not_count() {
    let server = Server::start();
    let (flow, here) = (flow(&server), workspace(&server));
    let chat = sent(&server, &flow, &Value::Null, &["Parcels leave."]);
    let of = Conversation {
        flow: FlowId::parse(&flow).unwrap(),
        chat: ChatId::parse(chat["chatId"].as_str().unwrap()).unwrap(),
    };
    let shelves = WorkspaceCollections::new(&server.app, here, CancelToken::new(None));
    let (id, none) = (CollectionId::random(), HashSet::new());
    let add = [VectorRow { id: [1; 16], vector: vec![1.0; 4], text: "text".to_owned() }];
    let begin = || shelves.reserve(&of, ChunkUsage::default());
    let end = |leave| {
        let conversation = Some(leave);
        shelves.change(
            &id,
            &CollectionEdit {
                name: "c",
                space: [1; 32],
                clear: false,
                add: NewRows::Held(&add),
                remove: &none,
                absent_at: None,
                conversation,
            },
        )
    };
    end(begin().unwrap()).unwrap();
    let (one, other) = (begin().unwrap(), begin().unwrap());
    end(one).unwrap();
    let delete = |path: &str| drop(server.owner("DELETE", path).send().is(200));
    delete(&format!("/chatmessage/{flow}?chatId={}", of.chat));
    assert_eq!(kept(&server), 0);
    assert!(end(other).is_err());
    // What is sent afterwards goes on in it, and lets nothing older in.
    let again = begin().unwrap();
    assert!(end(other).is_err());
    end(again).unwrap();
    assert_eq!(kept(&server), 1);
    delete(&format!("/chatflows/{flow}"));
    assert!(end(again).is_err());
    assert!(matches!(begin(), Err(Error::NotFound(_))));
    assert_eq!(kept(&server), 0);
    assert!(server.app.store.read(|tx| CONVERSATION_UPLOADS.list(tx, &here)).unwrap().is_empty());
}
