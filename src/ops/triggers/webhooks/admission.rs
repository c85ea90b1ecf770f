//! Who may call a webhook (manual 17.2).

use super::OpenWebhook;
use super::secrets::load_secret;
use crate::app::App;
use crate::domain::error::{Conflict, Error, Result, Unauthorized};
use crate::domain::triggers::webhook_signature::{SignatureFault, TimedSignature};
use crate::store::queries::webhooks as rows;
use std::net::IpAddr;

/// Judges whether a call knows the secret, where the card asks for that. A signature with a time in it is given back, for
/// it counts only once.
///
/// # Errors
/// 401 in words; 429 for an address that guesses.
pub fn authenticate<'h>(
    app: &App,
    webhook: &OpenWebhook,
    header: impl Fn(&str) -> Option<&'h str>,
    body: &[u8],
    address: IpAddr,
) -> Result<Option<TimedSignature>> {
    let Some(auth) = &webhook.start().auth else { return Ok(None) };
    let refused = |fault| Error::Unauthorized(Unauthorized::Signature(fault));
    let secret = load_secret(app, &webhook.flow)?.ok_or_else(|| refused(SignatureFault::NoSecret))?;
    let now = app.clock.now();
    auth.verify(&secret, header, body, now).map_err(|fault| {
        // Noted after it was judged: whoever knows the secret is never made to wait for those who guess.
        let (subject, now) = (format!("{} {address}", webhook.flow.id), now.as_millisecond());
        match app.state.webhook_failures.admit(&subject, address, now) {
            Ok(()) => refused(fault),
            Err(wait) => Error::TooManyAttempts { retry_after_seconds: wait.0 },
        }
    })
}

/// Takes a signature with a time in it, once.
///
/// # Errors
/// 409 when it was taken before.
pub fn accept_once(app: &App, webhook: &OpenWebhook, signature: &TimedSignature) -> Result<()> {
    let is_new = app
        .store
        .write(|tx| rows::use_signature(tx, &webhook.flow.id, &signature.digest, signature.until))?;
    if is_new { Ok(()) } else { Err(Conflict::SignatureRepeated.into()) }
}
