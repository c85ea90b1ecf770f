//! Promises that are kept however their runs end.

use super::*;
use crate::domain::ids::FlowId;

const NOBODY: &str = "not an address";

/// A promise of an answer, as it is before its run begins.
fn promise(app: &App) -> CallbackPromise {
    let (id, workspace) = (WebhookCallbackId::random(), WorkspaceId::random());
    let fields = Map::from_iter([(URL.to_owned(), NOBODY.into()), (BODY.to_owned(), "interrupted".into())]);
    let callback = WebhookCallback {
        id,
        workspace,
        flow: FlowId::random(),
        execution: None,
        awaits_run: true,
        tries: 0,
        began: None,
        sealed: app.secrets.vault.seal(&workspace, &record_id(&id), &fields),
    };
    app.store.write(|tx| WEBHOOK_CALLBACKS.put(tx, &id, &callback)).unwrap();
    CallbackPromise { app: app.clone(), workspace, callback: id, step: Some(CallbackStep::Forget) }
}

fn kept(app: &App) -> Vec<WebhookCallback> {
    app.store.read(|tx| WEBHOOK_CALLBACKS.list(tx)).unwrap()
}

fn due(app: &App) -> Vec<CallbackStep> {
    app.state.callback_timers.take_due(Timestamp::MAX).into_iter().map(|due| due.step).collect()
}

/// Makes the row of a callback one that nobody can read, as a disk that fails does.
fn damage(app: &App, id: WebhookCallbackId) {
    app.store.write(|tx| WEBHOOK_CALLBACKS.spoil(tx, &id)).unwrap();
}

#[test]
fn of_a_run_that_never_began_nothing_is_promised() {
    let (_folder, app) = App::temporary();
    drop(promise(&app));
    assert_eq!((kept(&app), due(&app)), (vec![], vec![]));
}

#[test]
fn a_run_that_ends_without_a_word_is_told_to_have_failed() {
    let (_folder, app) = App::temporary();
    let mut promise = promise(&app);
    promise.begin("failed");
    drop(promise);
    assert_eq!(due(&app), [CallbackStep::Settle("failed".into())]);
}

#[test]
fn a_run_that_panics_is_told_to_have_failed() {
    let (_folder, app) = App::temporary();
    let mut promise = promise(&app);
    promise.begin("failed");
    let run = std::panic::AssertUnwindSafe(move || {
        let _promise = promise;
        panic!("a card broke its word");
    });
    assert!(std::panic::catch_unwind(run).is_err());
    assert_eq!(due(&app), [CallbackStep::Settle("failed".into())]);
}

#[test]
fn a_run_that_a_stop_ended_is_left_to_the_next_start() {
    let (_folder, app) = App::temporary();
    let mut promise = promise(&app);
    promise.begin("failed");
    promise.leave();
    assert!(kept(&app)[0].awaits_run && due(&app).is_empty());
    recover(&app).unwrap();
    assert!(!kept(&app)[0].awaits_run);
    assert_eq!(due(&app), [CallbackStep::Send]);
}

#[test]
fn an_answer_that_cannot_be_kept_is_kept_later() {
    let (_folder, app) = App::temporary();
    let promise = promise(&app);
    damage(&app, promise.callback);
    promise.settle("answer", &CancelToken::new(None));
    assert_eq!(due(&app), [CallbackStep::Settle("answer".into())]);
}

#[test]
fn an_answer_that_cannot_be_looked_up_is_sent_later() {
    let (_folder, app) = App::temporary();
    let CallbackPromise { workspace, callback, .. } = &promise(&app);
    damage(&app, *callback);
    let sent = DueCallback { workspace: *workspace, callback: *callback, step: CallbackStep::Send };
    take_step(&app, &sent, &CancelToken::new(None));
    assert!(app.state.callback_timers.take_due(app.clock.now()).is_empty(), "not at once");
    assert_eq!(due(&app), [CallbackStep::Send]);
}

#[test]
fn an_answer_that_is_kept_and_has_no_address_is_given_up() {
    let (_folder, app) = App::temporary();
    promise(&app).settle("answer", &CancelToken::new(None));
    assert_eq!((kept(&app), due(&app)), (vec![], vec![]));
}
