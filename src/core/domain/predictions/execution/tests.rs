//! What may become of a run, and what its record never holds.

use super::*;
use serde_json::json;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn run() -> Execution {
    let new = NewExecution {
        id: ExecutionId::random(),
        flow: FlowId::random(),
        workspace: WorkspaceId::random(),
        chat: ChatId::random(),
        session: "s".to_owned(),
        is_test: false,
        from_execution: None,
        version: None,
        request: RunRequest::default(),
    };
    Execution::begin(new, at(1))
}

fn pause(node: &str) -> Pause {
    Pause {
        id: PauseId::random(),
        node_id: node.to_owned(),
        node_label: node.to_uppercase(),
        iteration_index: None,
        created: at(2),
        timeout_at: None,
        action: Map::new(),
    }
}

fn stopped(nodes: &[&str]) -> (Execution, Vec<PauseId>) {
    let mut run = run();
    let pauses: Vec<Pause> = nodes.iter().map(|node| pause(node)).collect();
    let ids = pauses.iter().map(|pause| pause.id).collect();
    pauses.into_iter().for_each(|pause| run.pause(pause, at(2)));
    run.end(&RunEnd::AtRest, at(3));
    (run, ids)
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn a_run_at_rest_is_finished_unless_a_branch_waits() {
    let mut done = run();
    done.end(&RunEnd::AtRest, at(5));
    assert_eq!((done.state(), done.stopped), (ExecutionState::Finished, Some(at(5))));
    assert_eq!(stopped(&["a"]).0.state(), ExecutionState::Stopped);
}

#[test]
fn a_run_that_ended_has_no_open_pause() {
    for end in [RunEnd::Failed("no".to_owned()), RunEnd::Terminated, RunEnd::TimedOut("late".to_owned())] {
        let mut run = run();
        run.pause(pause("a"), at(2));
        run.end(&end, at(3));
        assert!(run.state().is_ended() && run.pauses().next().is_none(), "{end:?}");
        let before = run.clone();
        run.pause(pause("b"), at(4));
        run.end(&RunEnd::AtRest, at(4));
        assert_eq!(run, before, "what ended stays as it is");
    }
}

#[test]
fn of_two_answers_to_one_pause_the_first_wins_and_the_others_stay_open() {
    let (mut run, ids) = stopped(&["a", "b"]);
    run.resume(ids[1], at(4)).unwrap();
    assert_eq!(run.pauses().map(|pause| pause.id).collect::<Vec<_>>(), [ids[0]]);
    assert!(matches!(run.resume(ids[1], at(4)), Err(Error::Conflict(Conflict::RunUnderWay))));
    run.end(&RunEnd::AtRest, at(5));
    assert!(matches!(run.resume(ids[1], at(6)), Err(Error::Conflict(Conflict::NothingToAnswer))));
    run.resume(ids[0], at(6)).unwrap();
    run.end(&RunEnd::AtRest, at(7));
    assert!(matches!(run.resume(ids[0], at(8)), Err(Error::Conflict(Conflict::NothingToAnswer))));
}

#[test]
fn a_run_that_waits_can_be_ended_and_no_other() {
    let (mut waits, _) = stopped(&["a"]);
    assert!(matches!(run().terminate(at(4)), Err(Error::Conflict(Conflict::RunUnderWay))));
    waits.terminate(at(4)).unwrap();
    assert_eq!(waits.state(), ExecutionState::Terminated);
    assert!(matches!(waits.terminate(at(5)), Err(Error::Conflict(Conflict::RunEnded))));
}

#[test]
fn an_interrupted_run_failed_unless_it_only_waited() {
    let mut waiting = run();
    waiting.pause(pause("a"), at(2));
    let mut busy = waiting.clone();
    waiting.recover(false, at(9));
    assert_eq!(waiting.state(), ExecutionState::Stopped);
    busy.recover(true, at(9));
    assert_eq!(busy.error(), Some(INTERRUPTED));
    let mut idle = run();
    idle.recover(false, at(9));
    assert_eq!(idle.state(), ExecutionState::Error);
}

#[test]
fn a_record_under_way_is_not_deleted() {
    let kept: Vec<_> = ExecutionState::ALL.into_iter().filter(|state| !state.is_deletable()).collect();
    assert_eq!(kept, [ExecutionState::InProgress]);
}

#[test]
fn a_stored_row_is_read_back_with_its_names() {
    let (run, _) = stopped(&["a", "b"]);
    let text = serde_json::to_string(&run).unwrap();
    assert!(text.contains(r#""state":"STOPPED""#), "{text}");
    assert_eq!(serde_json::from_str::<Execution>(&text).unwrap(), run);
    for state in ExecutionState::ALL {
        assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        assert_eq!(ExecutionState::parse(state.as_str()), Some(state));
    }
}

#[test]
fn ids_of_credentials_and_secret_headers_are_not_kept() {
    let id = PauseId::random().to_string();
    let mut data = map(json!({
        "input": {"FLOWISE_CREDENTIAL_ID": "x", "credential": id, "list": [{"credentialId": id}]},
        "form": {"credential": "my diploma"},
        "http": {"headers": {"Authorization": "Bearer q", "Accept": "text/html"}},
        "rows": {"httpHeaders": [{"key": "X-Api-Key", "value": "q"}, {"key": "Accept", "value": "b"}]},
        "text": {"headers": "{\"cookie\":\"q\",\"a\":\"b\"}", "authorization": "said in a chat"},
    }));
    remove_secrets(&mut data);
    let expected = json!({
        "input": {"list": [{}]},
        "form": {"credential": "my diploma"},
        "http": {"headers": {"Authorization": "[secret hidden]", "Accept": "text/html"}},
        "rows": {"httpHeaders": [
            {"key": "X-Api-Key", "value": "[secret hidden]"}, {"key": "Accept", "value": "b"},
        ]},
        "text": {"headers": "{\"cookie\":\"[secret hidden]\",\"a\":\"b\"}", "authorization": "said in a chat"},
    });
    assert_eq!(Value::Object(data), expected);
}

#[test]
fn a_shared_record_does_not_tell_whose_conversation_it_was() {
    let mut data =
        map(json!({"input": {"sessionId": "s", "chat_id": "c", "question": "q"}, "a": [{"chatId": 1}]}));
    remove_sessions(&mut data);
    assert_eq!(Value::Object(data), json!({"input": {"question": "q"}, "a": [{}]}));
}

#[test]
fn long_texts_are_cut_between_characters() {
    let mut data = map(json!({"a": "ab", "b": ["äöü", {"c": "abcd"}], "n": 1}));
    assert!(cut_texts(&mut data, 3));
    assert_eq!(Value::Object(data.clone()), json!({"a": "ab", "b": ["ä", {"c": "abc"}], "n": 1}));
    assert!(!cut_texts(&mut data, 3), "nothing is left to cut");
}
