//! Pauses whose time is up, of runs that cannot go on: their canvas is none.

use super::*;
use crate::ops::predictions::end_pause;
use crate::state::due_timers::DuePause;
use jiff::Timestamp;

fn end(app: &App, caller: &Caller, (execution, pause): (ExecutionId, PauseId)) {
    let due = DuePause { workspace: caller.workspace, execution, pause };
    end_pause(app, &due, &CancelToken::new(None));
}

/// The pauses that are tried again.
fn tried_again(app: &App) -> Vec<PauseId> {
    app.state.pause_timers.take_due(Timestamp::MAX).into_iter().map(|due| due.pause).collect()
}

#[test]
fn a_pause_that_could_not_be_ended_is_tried_again() {
    let (_folder, app, caller) = App::with_owner();
    let waits = waiting(&app, &caller, agentflow(&app, &caller, "f"), "s");
    end(&app, &caller, waits);
    assert!(app.state.pause_timers.take_due(app.clock.now()).is_empty(), "not at once");
    assert_eq!(tried_again(&app), [waits.1]);
}

#[test]
fn a_pause_is_found_behind_however_many_newer_runs_of_its_session() {
    let (_folder, app, caller) = App::with_owner();
    let flow = agentflow(&app, &caller, "f");
    let waits = waiting(&app, &caller, flow, "s");
    for _ in 0..=CONVERSATION_RUNS_MAX {
        finished(&app, &caller, flow, "s");
    }
    end(&app, &caller, waits);
    assert_eq!(tried_again(&app), [waits.1]);
}

#[test]
fn a_run_that_cannot_go_on_goes_on_waiting() {
    let (_folder, app, caller) = App::with_owner();
    let waits = waiting(&app, &caller, agentflow(&app, &caller, "f"), "s");
    end(&app, &caller, waits);
    let run = read(&app, &caller, waits.0, TextLength::Cut).unwrap().execution;
    assert!(run.state() == ExecutionState::Stopped && run.pauses().any(|pause| pause.id == waits.1));
}

#[test]
fn a_pause_that_was_answered_is_over() {
    let (_folder, app, caller) = App::with_owner();
    let waits = waiting(&app, &caller, agentflow(&app, &caller, "f"), "s");
    terminate_paused(&app, &caller.workspace, &waits.0).unwrap();
    end(&app, &caller, waits);
    assert_eq!(tried_again(&app), []);
}
