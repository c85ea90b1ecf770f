//! The secret that signs calls of a flow's webhook. It is shown once, and lies sealed beside the flow, whose record, exports
//! and versions know nothing of it.

use crate::app::App;
use crate::base::hex::to_hex;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{CredentialId, FlowId};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::workspace::audit;
use crate::store::WriteTx;
use crate::store::tables::WEBHOOK_SECRETS;
use serde_json::{Map, Value};

const SECRET_BYTES: usize = 32;
/// The field of what is sealed.
const SECRET: &str = "secret";

/// Makes a new secret in the place of the one there was.
///
/// # Errors
/// 404 or 403.
pub fn generate_secret(app: &App, caller: &Caller, id: &FlowId) -> Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    let secret = to_hex(&bytes);
    put_secret(app, caller, id, &secret, &|_| true)?;
    tracing::info!(flow = %id, by = %caller.principal, "the secret of a webhook was made");
    Ok(secret)
}

/// Keeps the secret with which callers signed their calls elsewhere, unless the flow has one; true when it was kept.
///
/// # Errors
/// 404 or 403.
pub(in crate::ops) fn adopt_secret(app: &App, caller: &Caller, id: &FlowId, secret: &str) -> Result<bool> {
    put_secret(app, caller, id, secret, &|has_one| !has_one)
}

fn put_secret(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    secret: &str,
    is_wanted: &dyn Fn(bool) -> bool,
) -> Result<bool> {
    let fields = Map::from_iter([(SECRET.to_owned(), Value::from(secret))]);
    app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        if !is_wanted(WEBHOOK_SECRETS.has(tx, &flow.workspace, id)?) {
            return Ok(false);
        }
        let sealed = app.secrets.vault.seal(&flow.workspace, &record_id(id), &fields);
        WEBHOOK_SECRETS.put(tx, &flow.workspace, id, &sealed)?;
        note(app, tx, caller, AuditAction::WebhookSecretMade, &flow)?;
        Ok(true)
    })
}

/// Forgets the secret; a webhook that wants signed calls refuses all until there is another.
///
/// # Errors
/// 404, when there is no secret too, or 403.
pub fn delete_secret(app: &App, caller: &Caller, id: &FlowId) -> Result<()> {
    app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        if !WEBHOOK_SECRETS.remove(tx, &flow.workspace, id)? {
            return Err(Error::NotFound("This flow's webhook has no secret.".to_owned()));
        }
        note(app, tx, caller, AuditAction::WebhookSecretDeleted, &flow)
    })?;
    tracing::info!(flow = %id, by = %caller.principal, "the secret of a webhook was deleted");
    Ok(())
}

fn note(app: &App, tx: &WriteTx, caller: &Caller, action: AuditAction, flow: &Flow) -> Result<()> {
    let entry = AuditEntry::by_caller(caller, action, app.clock.monotonic_now());
    audit::record(tx, &entry.with_target(AuditTargetKind::Flow, flow.id, &flow.name))
}

pub(in crate::ops) fn load_secret(app: &App, flow: &Flow) -> Result<Option<String>> {
    let sealed = app.store.read(|tx| WEBHOOK_SECRETS.get(tx, &flow.workspace, &flow.id))?;
    let Some(sealed) = sealed else { return Ok(None) };
    let opened = app.secrets.vault.open(&flow.workspace, &record_id(&flow.id), &sealed);
    let fields = opened.map_err(Error::internal)?;
    Ok(fields.get(SECRET).and_then(Value::as_str).map(str::to_owned))
}

/// What the vault ties the secret to: its flow.
const fn record_id(flow: &FlowId) -> CredentialId {
    CredentialId::from_bytes(*flow.bytes())
}
