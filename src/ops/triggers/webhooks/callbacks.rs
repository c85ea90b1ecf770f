//! Answers of webhooks that are sent to an address later (manual 17.4).
//!
//! A callback is stored before its run begins or goes on, with what it says if the run never ends; so a caller hears of its
//! run after any crash. It stays until it was delivered or given up.

use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, ExecutionId, FlowId, PauseId, WebhookCallbackId, WorkspaceId};
use crate::domain::triggers::webhook_callback::{CallbackOutcome, WebhookCallback};
use crate::domain::triggers::webhook_signature::{sign_body, sign_timed_body};
use crate::engine::agentflow::CallbackTarget;
use crate::net::{CallPurpose, Method, NetError, ResponseLimits};
use crate::state::due_timers::{CallbackStep, DueCallback};
use crate::store::queries::executions as records;
use crate::store::tables::WEBHOOK_CALLBACKS;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Seconds that a try to send an answer may take (manual 14.4).
const CALLBACK_SECONDS: u64 = 10;

/// What an address answers means nothing but its status.
const LIMITS: ResponseLimits = ResponseLimits {
    first_byte: Duration::from_secs(CALLBACK_SECONDS),
    stall: Duration::from_secs(CALLBACK_SECONDS),
    body_bytes: 64 * 1024,
};

const URL: &str = "url";
const IS_WRITTEN_OUT: &str = "isWrittenOut";
const SECRET: &str = "secret";
const BODY: &str = "body";
const PAUSE: &str = "pause";

/// Time after which what could not be done with a callback is tried again (manual 14.4).
const CALLBACK_RETRY_SECONDS: i64 = 10;

/// The answer of a run that is promised to an address. However this goes away, the promise is kept: a run that never began is
/// forgotten, and one that ended without a word is told to have failed.
#[must_use]
pub struct CallbackPromise {
    app: App,
    workspace: WorkspaceId,
    callback: WebhookCallbackId,
    /// What is done when this goes away; `None` when it is left to the next start.
    step: Option<CallbackStep>,
}

/// A run whose answer is promised.
#[derive(Debug, Clone, Copy)]
pub struct PromisedRun {
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    pub execution: ExecutionId,
    /// The pause whose answer it goes on with; `None` for a run that begins.
    pub pause: Option<PauseId>,
}

/// Promises to send the answer of a run. `interrupted` is sent when the service ends before the run does.
///
/// # Errors
/// When the database cannot be written.
pub fn promise_callback(
    app: &App,
    run: PromisedRun,
    target: CallbackTarget,
    interrupted: &str,
) -> Result<CallbackPromise> {
    let id = WebhookCallbackId::random();
    let CallbackTarget { url, purpose, secret } = target;
    let mut fields = Map::from_iter([
        (URL.to_owned(), url.into()),
        (IS_WRITTEN_OUT.to_owned(), (purpose == CallPurpose::WrittenOut).into()),
        (BODY.to_owned(), interrupted.into()),
    ]);
    fields.extend(secret.map(|secret| (SECRET.to_owned(), secret.into())));
    let PromisedRun { workspace, flow, execution, pause } = run;
    fields.extend(pause.map(|pause| (PAUSE.to_owned(), pause.to_string().into())));
    let callback = WebhookCallback {
        id,
        workspace,
        flow,
        execution: Some(execution),
        awaits_run: true,
        tries: 0,
        began: None,
        sealed: app.secrets.vault.seal(&workspace, &record_id(&id), &fields),
    };
    app.store.write(|tx| WEBHOOK_CALLBACKS.put(tx, &id, &callback))?;
    Ok(CallbackPromise { app: app.clone(), workspace, callback: id, step: Some(CallbackStep::Forget) })
}

impl CallbackPromise {
    /// The run begins: `failed` is sent when it ends without a word.
    pub fn begin(&mut self, failed: &str) {
        self.step = Some(CallbackStep::Settle(failed.into()));
    }

    /// The run has ended: this is what is sent. Tries it at once; later tries follow by themselves.
    pub fn settle(mut self, body: &str, cancel: &CancelToken) {
        self.step = None;
        let step = CallbackStep::Settle(body.into());
        let (workspace, callback) = (self.workspace, self.callback);
        take_step(&self.app, &DueCallback { workspace, callback, step }, cancel);
    }

    /// The service stops: the next start tells that the run was interrupted.
    pub fn leave(mut self) {
        self.step = None;
    }
}

impl Drop for CallbackPromise {
    fn drop(&mut self) {
        let Some(step) = self.step.take() else { return };
        let now = self.app.clock.now();
        match step {
            // What the request failed with may be that nothing can be written.
            CallbackStep::Forget if forget(&self.app, self.callback).is_ok() => {}
            step => do_at(&self.app, now, (self.workspace, self.callback), step),
        }
    }
}

fn forget(app: &App, id: WebhookCallbackId) -> Result<()> {
    app.store.write(|tx| WEBHOOK_CALLBACKS.remove(tx, &id).map(drop))
}

fn settle(app: &App, id: WebhookCallbackId, body: &str) -> Result<()> {
    let settled = edit(app, id, |callback| {
        // What cannot be opened is given up when it is to be sent.
        if let Ok(mut fields) = open(app, callback) {
            fields.insert(BODY.to_owned(), body.into());
            callback.sealed = app.secrets.vault.seal(&callback.workspace, &record_id(&id), &fields);
        }
        callback.awaits_run = false;
        Ok(())
    });
    settled.map(drop)
}

/// Changes a callback that is still wanted, as it stands then; `None` when its flow was deleted meanwhile.
fn edit<T>(
    app: &App,
    id: WebhookCallbackId,
    change: impl Fn(&mut WebhookCallback) -> Result<T>,
) -> Result<Option<T>> {
    app.store.write(|tx| {
        let Some(mut callback) = WEBHOOK_CALLBACKS.get(tx, &id)? else { return Ok(None) };
        let made = change(&mut callback)?;
        WEBHOOK_CALLBACKS.put(tx, &id, &callback)?;
        Ok(Some(made))
    })
}

/// Takes up what an earlier process promised. At the start of the service, before anybody can call: a run that is under way
/// later is one of this process, and its answer is still to come.
///
/// # Errors
/// When the database cannot be read or written.
pub fn recover(app: &App) -> Result<()> {
    for callback in app.store.read(|tx| WEBHOOK_CALLBACKS.list_intact(tx))? {
        if callback.awaits_run {
            if waits_still(app, &callback)? {
                forget(app, callback.id)?;
                continue;
            }
            // What is sealed says that the run was interrupted.
            edit(app, callback.id, |callback| {
                callback.awaits_run = false;
                Ok(())
            })?;
        }
        send_at(app, app.clock.now(), &callback);
    }
    Ok(())
}

/// True where the pause is still open whose answer was to have the run go on: the process ended before it did, and whoever
/// called was told nothing and may call again.
fn waits_still(app: &App, callback: &WebhookCallback) -> Result<bool> {
    let Ok(fields) = open(app, callback) else { return Ok(false) };
    let pause = fields.get(PAUSE).and_then(Value::as_str).and_then(PauseId::parse);
    let (Some(pause), Some(id)) = (pause, callback.execution) else { return Ok(false) };
    let run = app.store.read_messages(|tx| records::find(tx, &callback.workspace, &id))?;
    Ok(run.is_some_and(|run| run.pauses().any(|open| open.id == pause)))
}

fn send_at(app: &App, at: Timestamp, callback: &WebhookCallback) {
    do_at(app, at, (callback.workspace, callback.id), CallbackStep::Send);
}

fn do_at(
    app: &App,
    at: Timestamp,
    (workspace, callback): (WorkspaceId, WebhookCallbackId),
    step: CallbackStep,
) {
    app.state.callback_timers.add(at, DueCallback { workspace, callback, step });
}

/// Does what is due with a callback. What cannot be done now is tried again later.
pub fn take_step(app: &App, due: &DueCallback, cancel: &CancelToken) {
    let id = due.callback;
    let done = match &due.step {
        CallbackStep::Forget => forget(app, id),
        CallbackStep::Settle(body) => settle(app, id, body).and_then(|()| deliver(app, id, cancel)),
        CallbackStep::Send => deliver(app, id, cancel),
    };
    if let Err(fault) = done {
        tracing::warn!(error = fault.for_log(), "the answer of a webhook could not be kept or sent");
        let later = app.clock.now().saturating_add(SignedDuration::from_secs(CALLBACK_RETRY_SECONDS));
        do_at(app, later.unwrap_or(Timestamp::MAX), (due.workspace, id), due.step.clone());
    }
}

/// How a try went.
enum Try {
    Delivered,
    /// In words, and whether the same try may go well later.
    Failed {
        error: String,
        may_pass: bool,
    },
}

fn deliver(app: &App, id: WebhookCallbackId, cancel: &CancelToken) -> Result<()> {
    let found = app.store.read(|tx| WEBHOOK_CALLBACKS.get(tx, &id))?;
    let Some(callback) = found.filter(|callback| !callback.awaits_run) else { return Ok(()) };
    let began = app.clock.now();
    let Ok(fields) = open(app, &callback) else {
        return conclude(
            app,
            &callback,
            callback.tries,
            Some("What was to be sent cannot be read.".to_owned()),
        );
    };
    let tried = send(app, &fields, began, cancel);
    if cancel.reason() == Some(CancelReason::Shutdown) && !matches!(tried, Try::Delivered) {
        // It is the stop that ended this try: the next start tries anew.
        return Ok(());
    }
    match tried {
        Try::Delivered => conclude(app, &callback, callback.tries + 1, None),
        Try::Failed { error, may_pass } => {
            let noted = edit(app, id, |callback| Ok((callback.fail(began, may_pass), callback.tries)))?;
            match noted {
                Some((Some(due), _)) => send_at(app, due, &callback),
                Some((None, tries)) => return conclude(app, &callback, tries, Some(error)),
                None => {}
            }
            Ok(())
        }
    }
}

fn send(app: &App, fields: &Map<String, Value>, now: Timestamp, stop: &CancelToken) -> Try {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let (url, body) = (text(URL), text(BODY).as_bytes());
    let secret = fields.get(SECRET).and_then(Value::as_str);
    let signatures = secret.map(|secret| {
        let seconds = now.as_second();
        let timed = format!("t={seconds},v1={}", sign_timed_body(secret, seconds, body));
        (timed, format!("sha256={}", sign_body(secret, body)))
    });
    let mut headers = vec![("content-type", "application/json")];
    if let Some((timed, plain)) = &signatures {
        headers.push(("x-flowkeep-signature", timed));
        headers.push(("x-flowise-signature", plain));
    }
    let is_written_out = fields.get(IS_WRITTEN_OUT).and_then(Value::as_bool).unwrap_or(false);
    let purpose = if is_written_out { CallPurpose::WrittenOut } else { CallPurpose::Assembled };
    let cancel = CancelToken::new(Some(LIMITS.first_byte));
    let own = cancel.clone();
    let _stops = stop.on_cancel(move || own.cancel(CancelReason::Shutdown));
    let sent = app.outgoing.send(purpose, Method::POST, url, &headers, Some(body), &cancel, LIMITS);
    match sent {
        Ok(answer) if (200..=299).contains(&answer.status()) => Try::Delivered,
        Ok(answer) => {
            let error = format!("The address answered with status {}.", answer.status());
            Try::Failed { error, may_pass: true }
        }
        Err(fault) => {
            let may_pass = !matches!(fault, NetError::RefusedByPolicy | NetError::BadAddress(_));
            Try::Failed { error: format!("The request failed: {fault}."), may_pass }
        }
    }
}

/// Notes in the record of the run what became of its answer, and forgets the callback.
fn conclude(app: &App, callback: &WebhookCallback, tries: u32, error: Option<String>) -> Result<()> {
    let outcome =
        CallbackOutcome { is_delivered: error.is_none(), tries, date: app.clock.monotonic_now(), error };
    if !outcome.is_delivered {
        tracing::warn!(flow = %callback.flow, tries = outcome.tries, "the answer of a webhook was given up");
    }
    app.store.write(|tx| {
        if let Some(id) = &callback.execution {
            records::edit(tx, &callback.workspace, id, |run| {
                run.callback = Some(outcome.clone());
                Ok(())
            })?;
        }
        WEBHOOK_CALLBACKS.remove(tx, &callback.id).map(drop)
    })
}

fn open(app: &App, callback: &WebhookCallback) -> Result<Map<String, Value>> {
    let opened = app.secrets.vault.open(&callback.workspace, &record_id(&callback.id), &callback.sealed);
    opened.map_err(Error::internal)
}

/// What the vault ties a callback to: itself.
const fn record_id(id: &WebhookCallbackId) -> CredentialId {
    CredentialId::from_bytes(*id.bytes())
}
