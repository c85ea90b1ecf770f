//! The end of a record and what was said in its run, in one change; and what is seen of a run before its end.

use super::*;
use crate::domain::conversations::conversation::Message;
use crate::domain::ids::MessageId;
use crate::domain::predictions::prediction::{ChatType, MessageRole};
use crate::store::queries::messages::MessageBatch;
use crate::store::tables::EXECUTIONS_TABLE;
use std::sync::mpsc;

fn said(caller: &Caller, flow: FlowId, chat: ChatId) -> MessageBatch {
    let message = Message {
        id: MessageId::random(),
        role: MessageRole::Api,
        flow,
        chat,
        content: "It will rain.".to_owned(),
        chat_type: ChatType::External,
        session: None,
        session_name: None,
        memory_type: None,
        created: Timestamp::UNIX_EPOCH,
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
    };
    MessageBatch::new(&caller.workspace, &[message]).unwrap()
}

fn messages(app: &App, caller: &Caller, flow: FlowId, chat: ChatId) -> usize {
    app.store.conversation(&caller.workspace, &flow, &chat, 10).unwrap().len()
}

#[test]
fn whoever_is_told_of_an_answer_finds_it_and_the_end_of_its_run() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (app, caller, tell) = (&app, &caller, tell.clone());
            scope.spawn(move || {
                for _ in 0..10 {
                    let (chat, recorder) = (ChatId::random(), begin(app, new(caller, flow, "s")).unwrap());
                    let id = recorder.id();
                    append(&recorder, entry("a", &json!({"content": "It will rain."})));
                    let (tell, seen) = (tell.clone(), app.clone());
                    let caller_of = caller.clone();
                    RecordEnd::new(recorder).store(said(caller, flow, chat), move |stored| {
                        stored.unwrap();
                        let run = seen
                            .store
                            .read_messages(|tx| executions::find(tx, &caller_of.workspace, &id))
                            .unwrap();
                        let state = run.map(|run| run.state());
                        tell.send((state, messages(&seen, &caller_of, flow, chat))).unwrap();
                    });
                }
            });
        }
    });
    drop(tell);
    let all: Vec<_> = told.iter().collect();
    assert_eq!(all, [(Some(ExecutionState::Finished), 1); 80]);
    assert_eq!(find(&app, &caller, &ExecutionFilter::default()).1, 80);
}

#[test]
fn an_answer_of_a_flow_that_is_gone_is_refused_and_disturbs_no_other() {
    let (_folder, app, caller) = App::with_owner();
    let (gone, kept) = (agentflow(&app, &caller, "gone"), agentflow(&app, &caller, "kept"));
    let (first, second) = [gone, kept].map(|flow| begin(&app, new(&caller, flow, "s")).unwrap()).into();
    let (chat, id) = (ChatId::random(), second.id());
    flows::delete(&app, &caller, &gone).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let refused = RecordEnd::new(first).store_now(said(&caller, gone, chat));
            assert!(matches!(refused, Err(Error::NotFound(_))), "{refused:?}");
        });
        RecordEnd::new(second).store_now(said(&caller, kept, chat)).unwrap();
    });
    let state = read(&app, &caller, id, TextLength::Cut).unwrap().execution.state();
    assert_eq!((state, messages(&app, &caller, kept, chat)), (ExecutionState::Finished, 1));
    assert_eq!(messages(&app, &caller, gone, chat), 0);
}

#[test]
fn whoever_looks_sees_what_runs_said_so_far() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    append(&recorder, entry("a", &json!({})));
    assert_eq!(find(&app, &caller, &ExecutionFilter::default()), (vec![recorder.id()], 1));
    assert_eq!(shown(&app, &caller, recorder.id()), [("a".to_owned(), StepStatus::Finished)]);
}

#[test]
fn a_run_that_goes_on_is_written_without_anybody_asking() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    append(&recorder, entry("a", &json!({})));
    let written = || app.store.read_messages(|tx| executions::entry_count(tx, &recorder.id())).unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while written() == 0 {
        assert!(Instant::now() < end, "nothing was written");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_long_run_is_written_in_several_changes_and_is_whole() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let id = recorder.id();
    for number in 0..300 {
        append(&recorder, entry(&number.to_string(), &json!("x".repeat(10_000))));
    }
    recorder.finish(RunEnd::AtRest).unwrap();
    let nodes: Vec<String> = shown(&app, &caller, id).into_iter().map(|(node, _)| node).collect();
    assert_eq!(nodes, (0..300).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_record_whose_row_is_damaged_fails_no_other_run() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let recorders = [(); 4].map(|()| begin(&app, new(&caller, flow, "s")).unwrap());
    recorders.iter().for_each(|recorder| recorder.sync().unwrap());
    let damaged = recorders[2].id();
    let key = [caller.workspace.bytes().as_slice(), damaged.bytes()].concat();
    app.store.write(|tx| tx.put(EXECUTIONS_TABLE, &key, b"{")).unwrap();
    let recorders = recorders.map(|recorder| (recorder.id(), RecordEnd::new(recorder)));
    std::thread::scope(|scope| {
        for (id, end) in recorders {
            let said = said(&caller, flow, ChatId::random());
            scope.spawn(move || assert_eq!(end.store_now(said).is_ok(), id != damaged, "{id}"));
        }
    });
}
