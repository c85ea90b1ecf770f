//! The messages that wait. They lie sealed, because the links in them open accounts: a copy of the database alone reads none.

use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, MailId, WorkspaceId};
use crate::domain::service::mail::address::MailAddress;
use crate::domain::service::mail::{Letter, MailTopic, QueuedMail};
use crate::store::tables::{INVITATIONS, MAIL_OUTBOX, PASSWORD_RESETS, USERS, WORKSPACES};
use crate::store::{Tx, WriteTx};
use jiff::Timestamp;
use serde_json::{Map, Value};

/// Messages that may wait (manual 14.17).
const MAILS_WAITING_MAX: usize = 1_000;

const TO: &str = "to";
const NAME: &str = "name";
const SUBJECT: &str = "subject";
const TEXT: &str = "text";

/// What became of a message in a transaction. Once that is committed, [`Posting::settle`] has it sent.
#[must_use]
#[derive(Debug, Clone, Copy)]
pub(crate) enum Posting {
    /// There was none to send.
    Nothing,
    Waiting(MailId, Timestamp),
    /// As many wait as may.
    Full,
}

impl Posting {
    /// Has the message sent that was committed. Whoever dies before this is followed by a start that does it.
    pub(crate) fn settle(self, app: &App) {
        match self {
            Self::Nothing => {}
            Self::Waiting(id, due) => app.state.mail_timers.add(due, id),
            Self::Full => {
                tracing::warn!(waiting = MAILS_WAITING_MAX, "a message was not sent: as many wait as may");
            }
        }
    }
}

/// Seals a letter into a message that can wait.
#[must_use]
pub(crate) fn seal(app: &App, topic: MailTopic, letter: &Letter, now: Timestamp) -> QueuedMail {
    let id = MailId::random();
    let mut fields = Map::from_iter([
        (TO.to_owned(), letter.to.as_str().into()),
        (SUBJECT.to_owned(), letter.subject.as_str().into()),
        (TEXT.to_owned(), letter.text.as_str().into()),
    ]);
    fields.extend(letter.name.as_deref().map(|name| (NAME.to_owned(), name.into())));
    let sealed = app.secrets.vault.seal(&NO_WORKSPACE, &record_id(&id), &fields);
    QueuedMail { id, topic, created: now, due: now, tries: 0, failure: None, sealed }
}

/// Puts a message into the outbox. Where that is full, messages that nobody wants any more make room.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn post(tx: &WriteTx, mail: &QueuedMail, now: Timestamp) -> Result<Posting> {
    if MAIL_OUTBOX.keys(tx)?.len() >= MAILS_WAITING_MAX {
        for waiting in MAIL_OUTBOX.list(tx)? {
            if wish_for(tx, &waiting, now)? != Wish::Wanted {
                MAIL_OUTBOX.remove(tx, &waiting.id)?;
            }
        }
        if MAIL_OUTBOX.keys(tx)?.len() >= MAILS_WAITING_MAX {
            return Ok(Posting::Full);
        }
    }
    MAIL_OUTBOX.put(tx, &mail.id, mail)?;
    Ok(Posting::Waiting(mail.id, mail.due))
}

/// Whether a message is still to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Wanted,
    /// Its link ran out while it waited.
    Late,
    /// Its link was used or taken back, or its receiver is gone or kept out.
    Withdrawn,
}

/// Whether a message is still to be sent, by what stands in the database now.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn wish_for(tx: &impl Tx, mail: &QueuedMail, now: Timestamp) -> Result<Wish> {
    let expires = match &mail.topic {
        MailTopic::Alert => return Ok(Wish::Wanted),
        MailTopic::Invitation { hash } => match INVITATIONS.get(tx, hash)? {
            Some(open) if WORKSPACES.get(tx, &open.workspace)?.is_some() => open.expires,
            _ => return Ok(Wish::Withdrawn),
        },
        MailTopic::Reset { hash, user } => {
            let is_in = USERS.get(tx, user)?.is_some_and(|user| !user.disabled);
            match PASSWORD_RESETS.get(tx, hash)?.filter(|_| is_in) {
                Some(open) => open.expires,
                None => return Ok(Wish::Withdrawn),
            }
        }
    };
    Ok(if expires > now { Wish::Wanted } else { Wish::Late })
}

/// What a message says, and to whom.
///
/// # Errors
/// When it was sealed with another key, or is damaged.
pub(super) fn open(app: &App, mail: &QueuedMail) -> Result<Letter> {
    let opened = app.secrets.vault.open(&NO_WORKSPACE, &record_id(&mail.id), &mail.sealed);
    let fields = opened.map_err(Error::internal)?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let to = text(TO).and_then(|to| MailAddress::parse(&to));
    Ok(Letter {
        to: to.ok_or_else(|| Error::internal("a message has no receiver"))?,
        name: text(NAME),
        subject: text(SUBJECT).unwrap_or_default(),
        text: text(TEXT).unwrap_or_default(),
    })
}

/// Takes up what an earlier process left. Where no server is set any more, it stays for a start that has one.
///
/// # Errors
/// When the database cannot be read or written.
pub(crate) fn recover(app: &App) -> Result<()> {
    if app.mail.is_none() {
        return Ok(());
    }
    let left = app.store.read(|tx| MAIL_OUTBOX.list_intact(tx))?;
    // A server that was away may be back, or be another one: nothing waits longer than until the start.
    let now = app.clock.now();
    let later: Vec<MailId> = left.iter().filter(|mail| mail.due > now).map(|mail| mail.id).collect();
    if !later.is_empty() {
        app.store.write(|tx| {
            later.iter().try_for_each(|id| match MAIL_OUTBOX.get(tx, id)? {
                Some(mail) => MAIL_OUTBOX.put(tx, id, &QueuedMail { due: now, ..mail }),
                None => Ok(()),
            })
        })?;
    }
    left.iter().for_each(|mail| app.state.mail_timers.add(mail.due.min(now), mail.id));
    Ok(())
}

/// Mail belongs to no workspace.
const NO_WORKSPACE: WorkspaceId = WorkspaceId::from_bytes([0; 16]);

/// What the vault ties a message to: itself.
const fn record_id(id: &MailId) -> CredentialId {
    CredentialId::from_bytes(*id.bytes())
}
