//! What a folder holds besides and does not come in: people, whose passwords are theirs to choose, and what only its own service means.

use super::Move;
use super::report::{MoveReport, Outcome};
use crate::domain::accounts::user::Email;
use crate::domain::error::Result;
use crate::flowise::Table;
use crate::store::tables::USER_BY_EMAIL;

/// Tables whose rows are counted, each with why they stay outside.
const LEFT: [(Table, &str, &str); 5] = [
    (Table::Schedule, "Schedule", "A schedule is made anew when its flow is published."),
    (Table::Upsert, "UpsertHistory", "How stores were filled there says nothing of what is here."),
    (Table::Evaluation, "Evaluation", "Evaluations stay there: keep questions for the checks of a flow."),
    (Table::Dataset, "Dataset", "Datasets stay there: keep questions for the checks of a flow."),
    (Table::Evaluator, "Evaluator", "Evaluators stay there: keep questions for the checks of a flow."),
];

/// Tells of them.
///
/// # Errors
/// When a database cannot be read.
pub(super) fn tell(moving: &Move<'_>, report: &mut MoveReport) -> Result<()> {
    for row in moving.folder.list(Table::User)? {
        let address = row.text("email").unwrap_or_default();
        let known = match Email::parse(address) {
            Some(email) => moving.app.store.read(|tx| USER_BY_EMAIL.get(tx, email.as_str()))?.is_some(),
            None => false,
        };
        let outcome = if known {
            Outcome::Here
        } else {
            let why = "Invite them under People, with the rights they shall have: passwords stay where they were chosen.";
            Outcome::Left(why.to_owned())
        };
        report.tell("User", row.id("id"), address, outcome);
    }
    for (table, kind, why) in LEFT {
        let mut count = 0;
        moving.folder.rows(table, |_| {
            count += 1;
            moving.go_on()
        })?;
        report.count(kind, 0, count, why);
    }
    Ok(())
}
