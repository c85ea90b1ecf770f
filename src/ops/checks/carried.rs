//! Kept questions in files (manual 5.11): they go out without secrets, and without what people asked unless the file holds
//! conversations too. What no file holds stays as it is where they come in.

use super::kept::{self, find_conversations, in_transaction, keep, put, require_count};
use crate::app::App;
use crate::domain::checks::kept::{ExpectationRow, KeptQuestion, QuestionOrigin, SentQuestion};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::secrets::{redact, tree};
use crate::store::tables::FLOWS;

/// The questions of a flow as a file holds them.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn of_flow(app: &App, flow: &Flow, with_people: bool) -> Result<Vec<KeptQuestion>> {
    let mut rows = kept::of_flow(app, flow)?;
    rows.retain(|row| with_people || row.from != QuestionOrigin::Person);
    rows.iter_mut().for_each(|row| (row.text, row.expect) = without_secrets(row));
    Ok(rows)
}

fn without_secrets(row: &KeptQuestion) -> (String, Vec<ExpectationRow>) {
    let mut expect = row.expect.clone();
    for one in &mut expect {
        tree::redact_value(&mut one.value);
    }
    (redact(&row.text).text, expect)
}

/// What a flow that is here keeps once a file is taken in, as far as it can be told before.
///
/// # Errors
/// 400 where the flow would keep too many; when the database cannot be read.
pub(crate) fn check(app: &App, workspace: &WorkspaceId, id: &FlowId, sent: &[SentQuestion]) -> Result<()> {
    let Some(flow) = app.store.read(|tx| FLOWS.get(tx, workspace, id))? else { return Ok(()) };
    let here = kept::of_flow(app, &flow)?;
    require_count(sent.len() + stays(&here, sent).count())
}

/// Keeps the questions of a file for a flow that came in with it.
///
/// # Errors
/// As [`check`]; 404 when the flow is gone already.
pub(crate) fn import(app: &App, workspace: &WorkspaceId, id: &FlowId, sent: &[SentQuestion]) -> Result<()> {
    let flow = app.store.read(|tx| FLOWS.get(tx, workspace, id))?.ok_or_else(|| Error::no_flow(id))?;
    let known = kept::of_flow(app, &flow)?;
    let sent: Vec<SentQuestion> = sent.iter().map(|one| with_secrets(one, &known)).collect();
    let conversations = find_conversations(app, &flow, &sent, &known)?;
    let now = app.clock.now();
    app.store.write(|tx| {
        let flow = FLOWS.get(tx, workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
        let here = in_transaction(tx, &flow)?;
        let mut rows: Vec<KeptQuestion> =
            sent.iter().map(|one| keep(one, &here, &conversations, now)).collect();
        rows.extend(stays(&here, &sent).cloned());
        require_count(rows.len())?;
        put(tx, &flow, &rows)
    })
}

/// What people asked and the file does not hold.
fn stays<'a>(here: &'a [KeptQuestion], sent: &'a [SentQuestion]) -> impl Iterator<Item = &'a KeptQuestion> {
    let is_left_out = |row: &&KeptQuestion| {
        row.from == QuestionOrigin::Person && sent.iter().all(|one| one.id != Some(row.id))
    };
    here.iter().filter(is_left_out)
}

/// The question with the secrets that it has here, where it says nothing else.
fn with_secrets(sent: &SentQuestion, known: &[KeptQuestion]) -> SentQuestion {
    let is_it = |row: &&KeptQuestion| {
        Some(row.id) == sent.id && without_secrets(row) == (sent.text.clone(), sent.expect.clone())
    };
    match known.iter().find(is_it) {
        Some(row) => SentQuestion { text: row.text.clone(), expect: row.expect.clone(), ..sent.clone() },
        None => sent.clone(),
    }
}

/// True when a file says of these questions what is kept here, as files hold them.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn is_same(app: &App, flow: &Flow, sent: &[SentQuestion]) -> Result<bool> {
    let mut here = of_flow(app, flow, true)?;
    here.retain(|row| row.from != QuestionOrigin::Person || sent.iter().any(|one| one.id == Some(row.id)));
    let here = here.iter().map(|row| (&row.text, &row.expect));
    Ok(here.eq(sent.iter().map(|one| (&one.text, &one.expect))))
}
