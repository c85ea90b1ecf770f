//! Messages: order, pages, walls between workspaces, removal.

use crate::domain::conversations::conversation::Message;
use crate::domain::error::Error;
use crate::domain::ids::{ChatId, FlowId, MessageId, WorkspaceId};
use crate::domain::predictions::prediction::{ChatType, MessageRole};
use crate::store::queries::messages::{self, MessageBatch, MessagePage};
use crate::store::queries::timeline;
use crate::store::tables::{FLOW_TIMELINE, FLOW_WORKSPACE, MESSAGES};
use crate::store::{Order, Store, Tx as _};
use jiff::Timestamp;

struct Fixture {
    _folder: tempfile::TempDir,
    store: Store,
    workspace: WorkspaceId,
    flow: FlowId,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("test.redb")).unwrap();
    let (workspace, flow) = (WorkspaceId::random(), FlowId::random());
    store.write(|tx| FLOW_WORKSPACE.put(tx, &flow, &workspace)).unwrap();
    Fixture { _folder: folder, store, workspace, flow }
}

pub(in crate::store) fn message(flow: FlowId, chat: ChatId, content: &str) -> Message {
    Message {
        id: MessageId::random(),
        role: MessageRole::User,
        flow,
        chat,
        content: content.to_owned(),
        chat_type: ChatType::External,
        session: None,
        session_name: None,
        memory_type: None,
        created: Timestamp::from_second(1).unwrap(),
        lead_email: None,
        file_uploads: Vec::new(),
        used_tools: Vec::new(),
        source_documents: Vec::new(),
        usage: None,
        follow_up_prompts: Vec::new(),
        stopped: false,
        execution: None,
        receipt: None,
        agent_reasoning: Vec::new(),
        turns: None,
        action: None,
        team: None,
    }
}

fn texts(messages: Vec<Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.content).collect()
}

impl Fixture {
    fn say(&self, chat: ChatId, content: &str) {
        let said = [message(self.flow, chat, content)];
        self.store.append(MessageBatch::new(&self.workspace, &said).unwrap()).unwrap();
    }

    fn chat(&self, chat: ChatId, newest: usize) -> Vec<String> {
        texts(
            self.store
                .read_messages(|tx| messages::of_chat(tx, &self.workspace, &self.flow, &chat, newest))
                .unwrap(),
        )
    }

    fn places(&self, chat: ChatId) -> Vec<timeline::MessagePosition> {
        self.store.read_messages(|tx| timeline::of_chat(tx, &self.workspace, &self.flow, &chat)).unwrap()
    }

    fn page(&self, order: Order, skip: usize, limit: usize, part: &str) -> Vec<String> {
        let fits = |message: &Message| message.content.contains(part);
        let page = MessagePage { order, skip, limit };
        texts(
            self.store
                .read_messages(|tx| messages::of_flow(tx, &self.workspace, &self.flow, fits, page))
                .unwrap(),
        )
    }
}

#[test]
fn a_conversation_is_told_in_its_order() {
    let place = fixture();
    let (one, two) = (ChatId::random(), ChatId::random());
    for number in 0..5 {
        place.say(one, &format!("a{number}"));
        place.say(two, &format!("b{number}"));
    }
    assert_eq!(place.chat(one, 100), ["a0", "a1", "a2", "a3", "a4"]);
    assert_eq!(place.chat(two, 2), ["b3", "b4"]);
    assert_eq!(place.chat(two, 0), [""; 0]);
    assert_eq!(place.page(Order::Descending, 0, 3, ""), ["b4", "a4", "b3"]);
    assert_eq!(place.page(Order::Ascending, 1, 2, "b"), ["b1", "b2"]);
    let count = place.store.read_messages(|tx| messages::count(tx, &place.workspace, &place.flow)).unwrap();
    assert_eq!(count, 10);
}

#[test]
fn what_was_said_before_a_time_is_found_behind_all_that_was_said_since() {
    let place = fixture();
    let chat = ChatId::random();
    let at = |second| Timestamp::from_second(second).unwrap();
    for (second, content) in [(1, "a"), (2, "b"), (3, "c"), (9, "d"), (9, "e"), (10, "f")] {
        let said = [Message { created: at(second), ..message(place.flow, chat, content) }];
        place.store.append(MessageBatch::new(&place.workspace, &said).unwrap()).unwrap();
    }
    let before = |until, most| {
        let of = (&place.workspace, &place.flow, &chat);
        texts(place.store.read_messages(|tx| timeline::newest_before(tx, of, at(until), most)).unwrap())
    };
    assert_eq!(before(9, 2), ["b", "c"]);
    assert_eq!(before(9, 100), ["a", "b", "c"]);
    assert_eq!((before(1, 2), before(11, 0)), (vec![], vec![]));
}

#[test]
fn another_workspace_sees_and_changes_nothing() {
    let place = fixture();
    let chat = ChatId::random();
    place.say(chat, "mine");
    let other = WorkspaceId::random();
    let page = MessagePage { order: Order::Ascending, skip: 0, limit: 9 };
    let seen = place.store.read_messages(|tx| {
        let of_chat = messages::of_chat(tx, &other, &place.flow, &chat, 9)?.len();
        let of_flow = messages::of_flow(tx, &other, &place.flow, |_| true, page)?.len();
        Ok(of_chat + of_flow + messages::count(tx, &other, &place.flow)?)
    });
    assert_eq!(seen.unwrap(), 0);
    let removed = place.store.write(|tx| {
        let some = timeline::remove(tx, &other, &place.flow, &place.places(chat))?;
        Ok(some + messages::remove_flow(tx, &other, &place.flow)?)
    });
    assert_eq!(removed.unwrap(), 0);
    let said = [message(place.flow, chat, "theirs")];
    let refused = place.store.append(MessageBatch::new(&other, &said).unwrap());
    assert!(matches!(refused, Err(Error::NotFound(_))));
    assert_eq!(place.chat(chat, 9), ["mine"]);
}

#[test]
fn what_is_removed_leaves_both_tables() {
    let place = fixture();
    let (one, two) = (ChatId::random(), ChatId::random());
    for number in 0..4 {
        place.say(one, &format!("a{number}"));
        place.say(two, &format!("b{number}"));
    }
    let rows = || {
        place.store.read_messages(|tx| Ok((tx.row_count(MESSAGES)?, tx.row_count(FLOW_TIMELINE)?))).unwrap()
    };
    let (workspace, flow) = (&place.workspace, &place.flow);
    let all = place.places(one);
    assert_eq!(place.store.write(|tx| timeline::remove(tx, workspace, flow, &all)).unwrap(), 4);
    assert_eq!(place.store.write(|tx| timeline::remove(tx, workspace, flow, &all)).unwrap(), 0);
    assert_eq!(rows(), (4, 4));
    let odd: Vec<_> = place.places(two).into_iter().skip(1).step_by(2).collect();
    assert_eq!(place.store.write(|tx| timeline::remove(tx, workspace, flow, &odd)).unwrap(), 2);
    assert_eq!(place.chat(two, 9), ["b0", "b2"]);
    place.say(two, "b4");
    assert_eq!(place.chat(two, 9), ["b0", "b2", "b4"]);
    assert_eq!(place.store.write(|tx| messages::remove_flow(tx, workspace, flow)).unwrap(), 3);
    assert_eq!(rows(), (0, 0));
}

#[test]
fn those_who_speak_at_once_share_a_write_and_no_refusal() {
    let place = fixture();
    let (chats, stranger) = ([(); 6].map(|()| ChatId::random()), WorkspaceId::random());
    std::thread::scope(|scope| {
        for chat in chats {
            let place = &place;
            scope.spawn(move || {
                for number in 0..20 {
                    let both =
                        [message(place.flow, chat, &format!("q{number}")), message(place.flow, chat, "a")];
                    place.store.append(MessageBatch::new(&place.workspace, &both).unwrap()).unwrap();
                    let refused = place.store.append(MessageBatch::new(&stranger, &both).unwrap());
                    assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
                }
            });
        }
    });
    let expected: Vec<_> = (0..20).flat_map(|number| [format!("q{number}"), "a".to_owned()]).collect();
    chats.iter().for_each(|chat| assert_eq!(place.chat(*chat, 99), expected));
}
