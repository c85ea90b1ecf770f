//! Calls that are repeated under the same Idempotency-Key get the first answer (manual 17.3).
//!
//! That a call is under way is known to the process alone, so one that died stands in no call's way; what was answered is
//! stored, and outlives it.

use crate::app::App;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{CredentialId, FlowId, WorkspaceId};
use crate::domain::triggers::webhook_answer::{KeptAnswer, is_kept, is_key, is_outdated};
use crate::state::calls::running::RunningCallGuard;
use crate::store::queries::webhooks as rows;
use jiff::Timestamp;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

const STATUS: &str = "status";
const BODY: &str = "body";

/// An answer that was given before.
#[derive(Debug, PartialEq, Eq)]
pub struct FirstAnswer {
    pub status: u16,
    /// JSON.
    pub body: String,
}

/// A call under a key that nobody used before; its answer is kept, or it is forgotten when this goes.
pub struct RunningCall {
    guard: RunningCallGuard,
    workspace: WorkspaceId,
    flow: FlowId,
    key: [u8; 32],
    body: [u8; 32],
    date: Timestamp,
}

/// The first answer to a call with this key, or the call itself where it is the first.
///
/// # Errors
/// 400 for a text that is no key, 409 while the first is being answered, 422 when that had another body.
pub fn find_answer(
    app: &App,
    flow: &Flow,
    key: &str,
    body: &[u8],
) -> Result<Result<FirstAnswer, RunningCall>> {
    if !is_key(key) {
        return Err(Error::invalid("'Idempotency-Key' must be 1 to 255 visible characters of ASCII."));
    }
    let (key, body) = (Sha256::digest(key).into(), Sha256::digest(body).into());
    let contradicts = || {
        Error::Contradiction(
            "This Idempotency-Key was used for a call with another body. Use a new key.".into(),
        )
    };
    // Taken before what is stored is looked at: an answer is stored before its call is over.
    let guard = match app.state.running_calls.begin(flow.id, key, body) {
        Ok(guard) => guard,
        Err(first) if first == body => return Err(Conflict::CallUnderWay.into()),
        Err(_) => return Err(contradicts()),
    };
    let date = app.clock.now();
    let kept = app.store.read(|tx| rows::answer(tx, &flow.id, &key))?;
    match kept.filter(|kept| !is_outdated(kept.date, date)) {
        None => Ok(Err(RunningCall { guard, workspace: flow.workspace, flow: flow.id, key, body, date })),
        Some(kept) if kept.body == body => open(app, flow, &key, &kept).map(Ok),
        Some(_) => Err(contradicts()),
    }
}

impl RunningCall {
    /// Keeps the answer for calls that repeat this one.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep(self, app: &App, status: u16, body: &str) -> Result<()> {
        let Self { guard, workspace, flow, key, body: sent, date } = self;
        if is_kept(status) {
            let fields = Map::from_iter([(STATUS.to_owned(), status.into()), (BODY.to_owned(), body.into())]);
            let sealed = app.secrets.vault.seal(&workspace, &record_id(&key), &fields);
            let answer = KeptAnswer { date, body: sent, sealed };
            app.store.write(|tx| rows::keep_answer(tx, &flow, &key, &answer))?;
        }
        drop(guard);
        Ok(())
    }
}

fn open(app: &App, flow: &Flow, key: &[u8; 32], kept: &KeptAnswer) -> Result<FirstAnswer> {
    let opened = app.secrets.vault.open(&flow.workspace, &record_id(key), &kept.sealed);
    let fields = opened.map_err(Error::internal)?;
    let status = fields.get(STATUS).and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
    let body = fields.get(BODY).and_then(Value::as_str);
    match (status, body) {
        (Some(status), Some(body)) => Ok(FirstAnswer { status, body: body.to_owned() }),
        _ => Err(Error::internal("a kept answer cannot be read")),
    }
}

/// What the vault ties an answer to: the key it is kept under.
fn record_id(key: &[u8; 32]) -> CredentialId {
    let mut id = [0; 16];
    id.copy_from_slice(&key[..16]);
    CredentialId::from_bytes(id)
}
