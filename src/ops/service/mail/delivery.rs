//! Messages on their way to the mail server. A message leaves the outbox after the server promised to deliver it, so a kill in between
//! sends it a second time, under the same `Message-ID`, and none is lost.

use super::outbox::{self, Wish};
use super::send_fault::SendFault;
use super::{note, open_session};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::error::Result;
use crate::domain::ids::MailId;
use crate::domain::service::mail::{MailFailure, QueuedMail};
use crate::mail::{MailSession, compose};
use crate::store::tables::MAIL_OUTBOX;
use jiff::SignedDuration;

/// Messages that are sent over one connection (manual 14.17).
const MAILS_PER_CONNECTION: usize = 50;
/// Time after which a message is tried again that the database could not tell of (manual 14.17).
const MAIL_REREAD_SECONDS: i64 = 60;

/// Sends the messages that are due, one after the other. What fails is noted for the owner and tried again later, or given up.
pub(crate) fn send_due(app: &App, cancel: &CancelToken) {
    let due = app.state.mail_timers.take_due(app.clock.now());
    for some in due.chunks(MAILS_PER_CONNECTION) {
        if let Err(fault) = send_some(app, some, cancel) {
            tracing::warn!(error = fault.for_log(), "messages that wait could not be read or noted");
            let wait = SignedDuration::from_secs(MAIL_REREAD_SECONDS);
            let later = app.clock.now().saturating_add(wait).unwrap_or(jiff::Timestamp::MAX);
            some.iter().for_each(|id| app.state.mail_timers.add(later, *id));
        }
    }
}

fn send_some(app: &App, due: &[MailId], cancel: &CancelToken) -> Result<()> {
    let mut session: Option<MailSession> = None;
    let mut waiting = due.iter();
    while let Some(id) = waiting.next() {
        // Judged just before it goes: what was withdrawn meanwhile is not sent.
        let Some(mail) = take_wanted(app, id)? else { continue };
        let sent = match session.take() {
            Some(open) => Ok(open),
            None => open_session(app, cancel),
        };
        let sent = sent.and_then(|mut open| {
            let sent = send(app, &mut open, &mail);
            if sent.as_ref().err().is_none_or(SendFault::leaves_session) {
                session = Some(open);
            }
            sent
        });
        match sent {
            Ok(()) => settle_sent(app, &mail)?,
            // It is the stop that ended this try: the next start tries anew.
            Err(_) if cancel.reason() == Some(CancelReason::Shutdown) => return Ok(()),
            Err(fault) => {
                let breaks = !fault.leaves_session();
                settle_failed(app, mail, &fault)?;
                if breaks {
                    // The others would meet the same.
                    for id in waiting.by_ref() {
                        if let Some(mail) = take_wanted(app, id)? {
                            settle_failed(app, mail, &fault)?;
                        }
                    }
                }
            }
        }
    }
    if let Some(open) = session {
        open.close();
    }
    Ok(())
}

/// The message, if it is due and wanted; what nobody wants is dropped.
fn take_wanted(app: &App, id: &MailId) -> Result<Option<QueuedMail>> {
    let now = app.clock.now();
    let read = app.store.read(|tx| {
        let Some(mail) = MAIL_OUTBOX.get(tx, id)? else { return Ok(None) };
        let wish = outbox::wish_for(tx, &mail, now)?;
        Ok(Some((mail, wish)))
    })?;
    match read {
        Some((mail, Wish::Wanted)) if mail.due > now => {
            // It has failed already, beside one that was looked at twice for another reason.
            app.state.mail_timers.add(mail.due, mail.id);
            Ok(None)
        }
        Some((mail, Wish::Wanted)) => Ok(Some(mail)),
        Some((mail, Wish::Withdrawn)) => {
            app.store.write(|tx| MAIL_OUTBOX.remove(tx, &mail.id))?;
            tracing::info!(mail = %mail.id, "a message was dropped that nobody wants any more");
            Ok(None)
        }
        Some((mail, Wish::Late)) => {
            let why = mail.failure.as_deref().map_or_else(String::new, |why| format!(" {why}"));
            give_up(app, &mail, &format!("Its link ran out before the mail server took it.{why}"))?;
            Ok(None)
        }
        None => Ok(None),
    }
}

fn send(app: &App, session: &mut MailSession, mail: &QueuedMail) -> Result<(), SendFault> {
    let client = app.mail.as_ref().ok_or(SendFault::Off)?;
    let letter = outbox::open(app, mail).map_err(|_| SendFault::Unreadable)?;
    let from = &client.settings().from;
    let message = compose(&letter, from, &mail.id.to_string(), mail.created);
    Ok(session.send(&from.address, &letter.to, &message)?)
}

fn settle_sent(app: &App, mail: &QueuedMail) -> Result<()> {
    let now = app.clock.now();
    app.store.write(|tx| {
        MAIL_OUTBOX.remove(tx, &mail.id)?;
        note(tx, |record| record.sent = Some(now))
    })?;
    tracing::info!(mail = %mail.id, "a message was taken by the mail server");
    Ok(())
}

fn settle_failed(app: &App, mut mail: QueuedMail, fault: &SendFault) -> Result<()> {
    let now = app.clock.now();
    let server = app.mail.as_ref().map_or_else(String::new, |client| client.settings().server());
    let sentence = fault.sentence(&server);
    let detail = fault.log_detail();
    tracing::warn!(
        mail = %mail.id,
        tries = mail.tries + 1,
        error = %fault,
        detail = detail.as_deref(),
        "a message was not taken by the mail server"
    );
    if !mail.postpone(now, sentence.clone()) || fault.is_final() {
        return give_up(app, &mail, &sentence);
    }
    let failure = MailFailure { at: now, sentence, is_final: false };
    let is_kept = app.store.write(|tx| {
        // It may have been dropped meanwhile.
        if MAIL_OUTBOX.get(tx, &mail.id)?.is_none() {
            return Ok(false);
        }
        MAIL_OUTBOX.put(tx, &mail.id, &mail)?;
        note(tx, |record| record.failure = Some(failure.clone()))?;
        Ok(true)
    })?;
    if is_kept {
        app.state.mail_timers.add(mail.due, mail.id);
    }
    Ok(())
}

fn give_up(app: &App, mail: &QueuedMail, sentence: &str) -> Result<()> {
    let failure = MailFailure { at: app.clock.now(), sentence: sentence.to_owned(), is_final: true };
    app.store.write(|tx| {
        MAIL_OUTBOX.remove(tx, &mail.id)?;
        note(tx, |record| {
            record.given_up = record.given_up.saturating_add(1);
            record.failure = Some(failure.clone());
        })
    })?;
    tracing::warn!(mail = %mail.id, tries = mail.tries, "a message was given up");
    Ok(())
}
