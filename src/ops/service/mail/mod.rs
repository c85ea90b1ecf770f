//! Mail that the service sends (manual 13.18). A message is written into the outbox in the transaction of what it tells of, and sent
//! by a task beside the requests, so that nobody waits for a mail server and a kill loses none.

pub(crate) mod alerts;
pub(crate) mod delivery;
pub(crate) mod letters;
pub(crate) mod outbox;
mod send_fault;
#[cfg(test)]
mod tests;
pub(crate) mod trial;

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::service::mail::{MailHealth, MailRecord};
use crate::mail::MailSession;
use crate::ops::service::backup::passphrase_file;
use crate::settings::MailPassword;
use crate::store::WriteTx;
use crate::store::tables::{MAIL_OUTBOX, MAIL_RECORD, MAIL_RECORD_KEY};
use jiff::SignedDuration;
use send_fault::SendFault;
use zeroize::Zeroizing;

/// How long a message that was given up is told as a problem (manual 14.17).
const GIVEN_UP_TOLD_HOURS: i64 = 24;

/// How mail is; `None` where no server is set for it.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn health(app: &App) -> Result<Option<MailHealth>> {
    let Some(client) = &app.mail else { return Ok(None) };
    let now = app.clock.now();
    let (waiting, record) = app.store.read(|tx| {
        let waiting = MAIL_OUTBOX.list_intact(tx)?;
        Ok((waiting, MAIL_RECORD.get(tx, MAIL_RECORD_KEY)?.unwrap_or_default()))
    })?;
    let of_waiting = waiting.iter().find_map(|mail| mail.failure.clone());
    let error = of_waiting.or_else(|| {
        let failure = record.failure.as_ref().filter(|failure| failure.is_final)?;
        let age = now.duration_since(failure.at);
        (age < SignedDuration::from_hours(GIVEN_UP_TOLD_HOURS))
            .then(|| format!("A message was given up. {}", failure.sentence))
    });
    Ok(Some(MailHealth { server: client.settings().server(), waiting: waiting.len(), record, error }))
}

/// A connection to the mail server, signed in as the settings say. The file of the password is read each time, so that a new one
/// counts without a restart.
fn open_session(app: &App, cancel: &CancelToken) -> Result<MailSession, SendFault> {
    let client = app.mail.as_ref().ok_or(SendFault::Off)?;
    let password = match client.settings().sign_in.as_ref().map(|sign_in| &sign_in.password) {
        None => None,
        Some(MailPassword::Text(text)) => Some(Zeroizing::new(text.clone())),
        Some(MailPassword::File(path)) => {
            let read = passphrase_file::read(path).map_err(SendFault::Password)?;
            // It was judged to be text when it was read.
            Some(Zeroizing::new(String::from_utf8_lossy(read.bytes()).into_owned()))
        }
    };
    Ok(client.open(password.as_ref().map(|password| password.as_str()), cancel)?)
}

/// Changes what is kept of how mail went.
fn note(tx: &WriteTx, change: impl FnOnce(&mut MailRecord)) -> Result<()> {
    let mut record = MAIL_RECORD.get(tx, MAIL_RECORD_KEY)?.unwrap_or_default();
    change(&mut record);
    MAIL_RECORD.put(tx, MAIL_RECORD_KEY, &record)
}
