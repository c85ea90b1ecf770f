//! Runs that go on with the answer they waited for.

use super::*;

/// Takes a run up again with the answer to this pause.
fn go_on(app: &App, caller: &Caller, (id, pause): (ExecutionId, PauseId)) -> Result<ExecutionRecorder> {
    let read = find_waiting(app, &caller.workspace, &id)?;
    resume(app, &read, pause)?.ok_or_else(|| Error::internal("it went on meanwhile"))
}

#[test]
fn a_run_that_waits_goes_on_behind_what_it_did() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    append(&recorder, entry("a", &json!({})));
    let asked = pause(&app, "h");
    let answered = asked.id;
    recorder.pause(asked, paused());
    let id = recorder.finish(RunEnd::AtRest).unwrap().id;
    let recorder = go_on(&app, &caller, (id, answered)).unwrap();
    assert_eq!(app.state.live_runs.watch(id).unwrap().seen(), 1, "who watches sees what it did");
    assert!(matches!(go_on(&app, &caller, (id, answered)), Err(Error::Conflict(Conflict::RunUnderWay))));
    append(&recorder, entry("b", &json!({})));
    recorder.finish(RunEnd::AtRest).unwrap();
    let nodes: Vec<String> = shown(&app, &caller, id).into_iter().map(|(node, _)| node).collect();
    assert_eq!(nodes, ["a", "b"]);
    assert!(matches!(go_on(&app, &caller, (id, answered)), Err(Error::Conflict(Conflict::NothingToAnswer))));
}

#[test]
fn a_run_does_not_go_on_with_what_it_needed_before_another_answer() {
    let (_folder, app, caller) = App::with_owner();
    let recorder = begin(&app, new(&caller, agentflow(&app, &caller, "f"), "s")).unwrap();
    let (first, second) = (pause(&app, "h"), pause(&app, "i"));
    let (id, [one, other]) = (recorder.id(), [first.id, second.id]);
    recorder.pause(first, paused());
    recorder.pause(second, paused());
    recorder.finish(RunEnd::AtRest).unwrap();
    let read = find_waiting(&app, &caller.workspace, &id).unwrap();
    go_on(&app, &caller, (id, one)).unwrap().finish(RunEnd::AtRest).unwrap();
    assert!(resume(&app, &read, other).unwrap().is_none(), "its note may be another by now");
    assert!(matches!(resume(&app, &read, one), Err(Error::Conflict(Conflict::NothingToAnswer))));
    go_on(&app, &caller, (id, other)).unwrap();
}

#[test]
fn a_run_that_was_killed_behind_its_answer_failed_and_takes_no_other() {
    let (_folder, app, caller) = App::with_owner();
    let (id, answered) = waiting(&app, &caller, agentflow(&app, &caller, "f"), "s");
    let recorder = go_on(&app, &caller, (id, answered)).unwrap();
    recorder.start(start("b"));
    after_kill(&app, recorder);
    let run = read(&app, &caller, id, TextLength::Cut).unwrap().execution;
    assert_eq!((run.error(), run.pauses().count()), (Some(INTERRUPTED), 0));
    assert_eq!(shown(&app, &caller, id), [("b".to_owned(), StepStatus::Terminated)]);
    assert!(matches!(go_on(&app, &caller, (id, answered)), Err(Error::Conflict(Conflict::NothingToAnswer))));
}
