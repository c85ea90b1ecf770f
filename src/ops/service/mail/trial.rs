//! Sends one message at once, for an operator who waits to hear how it went.

use super::{letters, open_session};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::ids::MailId;
use crate::domain::service::mail::address::MailAddress;
use crate::mail::compose;
use std::time::Duration;

/// Time that `flowkeep mail test` may take (manual 14.17).
const MAIL_TEST_SECONDS: u64 = 45;

/// Sends a message to this address; the host and port of the server that took it.
///
/// # Errors
/// 400 for what is no address, and where no server is set; otherwise a sentence that says why it was not taken.
pub(crate) fn send(app: &App, address: &str, cancel: &CancelToken) -> Result<String> {
    let Some(client) = &app.mail else {
        return Err(Error::invalid("No mail server is set. SERVICE_MAIL_SERVER names one."));
    };
    let settings = client.settings();
    let Some(to) = MailAddress::parse(address) else {
        return Err(Error::invalid("This is no address that mail can be sent to."));
    };
    let letter = letters::trial(settings, to);
    let message = compose(&letter, &settings.from, &MailId::random().to_string(), app.clock.now());
    let limited = cancel.child_within(Duration::from_secs(MAIL_TEST_SECONDS));
    let sent = open_session(app, &limited.token).and_then(|mut session| {
        session.send(&settings.from.address, &letter.to, &message)?;
        session.close();
        Ok(())
    });
    sent.map_err(|fault| Error::RunFailed(fault.sentence(&settings.server())))?;
    Ok(settings.server())
}
