//! Tells the owner by mail when something of the server needs somebody, and when that is over. Of mail itself none is sent.

use super::letters;
use super::outbox::{self, Posting};
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::service::mail::MailTopic;
use crate::domain::service::mail::alert::{AlertRecord, AlertStep, next_step};
use crate::domain::service::problem::ProblemKind;
use crate::ops::service::server_status;
use crate::store::WriteTx;
use crate::store::tables::{MAIL_ALERTS, ORGANIZATION, ORGANIZATION_KEY, USERS};

/// Looks at what somebody has to see to, and writes to the owner about what is new and what is over.
///
/// # Errors
/// When the database cannot be read or written; the next look tells it.
pub(crate) fn look(app: &App) -> Result<()> {
    if app.mail.is_none() {
        return Ok(());
    }
    let problems = server_status::problems(app)?;
    for kind in ProblemKind::MAILED {
        let sentences: Vec<&str> = problems
            .iter()
            .filter(|problem| problem.kind == kind)
            .map(|problem| problem.sentence.as_str())
            .collect();
        let sentence = (!sentences.is_empty()).then(|| sentences.join("\n\n"));
        // Most looks find nothing new, and then nothing is written.
        let record = app.store.read(|tx| MAIL_ALERTS.get(tx, kind.as_str()))?;
        if next_step(record.as_ref(), sentence.is_some(), app.clock.now()).is_none() {
            continue;
        }
        let posting = app.store.write(|tx| tell(app, tx, kind, sentence.as_deref()))?;
        posting.settle(app);
    }
    Ok(())
}

/// Writes what is to be told, and that it was told, in one transaction.
fn tell(app: &App, tx: &WriteTx, kind: ProblemKind, sentence: Option<&str>) -> Result<Posting> {
    let Some(client) = &app.mail else { return Ok(Posting::Nothing) };
    let now = app.clock.now();
    let record = MAIL_ALERTS.get(tx, kind.as_str())?;
    let Some(step) = next_step(record.as_ref(), sentence.is_some(), now) else { return Ok(Posting::Nothing) };
    let Some(organization) = ORGANIZATION.get(tx, ORGANIZATION_KEY)? else { return Ok(Posting::Nothing) };
    let Some(owner) = USERS.get(tx, &organization.owner)? else { return Ok(Posting::Nothing) };
    let told = match step {
        AlertStep::Begins => sentence.unwrap_or_default().to_owned(),
        AlertStep::Ends => record.map(|record| record.sentence).unwrap_or_default(),
    };
    let letter = match step {
        AlertStep::Begins => letters::alert_begins(client.settings(), &owner, kind, &told),
        AlertStep::Ends => letters::alert_ends(client.settings(), &owner, kind, &told),
    };
    let Some(letter) = letter else { return Ok(Posting::Nothing) };
    let posting = outbox::post(tx, &outbox::seal(app, MailTopic::Alert, &letter, now), now)?;
    // What had no room is told by a later look.
    if let Posting::Waiting(..) = posting {
        let record = AlertRecord { told: now, is_open: step == AlertStep::Begins, sentence: told };
        MAIL_ALERTS.put(tx, kind.as_str(), &record)?;
    }
    Ok(posting)
}
