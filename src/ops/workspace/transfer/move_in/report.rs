//! What is told of a move: a row for each thing, and how many there were of each outcome.

use crate::domain::error::{Conflict, Error, Result};
use crate::domain::workspace::import::ImportAction;
use crate::ops::workspace::transfer::parse::display_name;
use crate::wire::workspace::import::{ImportItemView, ImportResult, ItemIdentity, UnsupportedView};
use uuid::Uuid;

/// What became of a thing, or would.
pub(super) enum Outcome {
    Made {
        notes: Vec<String>,
    },
    /// It is here already.
    Here,
    /// It stays outside, for this reason.
    Left(String),
    Refused(String),
}

impl Outcome {
    pub(super) const MADE: Self = Self::Made { notes: Vec::new() };

    /// What came of making a thing: what a person's own save would refuse is refused with the reason, and takes no other thing along.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn judge(done: Result<Self>) -> Result<Self> {
        match done {
            Ok(outcome) => Ok(outcome),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(Error::Conflict(Conflict::IdTaken)) => Ok(Self::Here),
            Err(fault) => {
                if let Error::Internal(_) = fault {
                    tracing::error!(cause = fault.for_log(), "a thing of a folder could not move in");
                }
                Ok(Self::Refused(fault.to_string()))
            }
        }
    }
}

#[derive(Default)]
pub(super) struct MoveReport {
    items: Vec<ImportItemView>,
    created: usize,
    updated: usize,
    skipped: usize,
    refused: usize,
    unsupported: Vec<UnsupportedView>,
}

impl MoveReport {
    pub(super) fn tell(&mut self, kind: &'static str, id: Option<Uuid>, name: &str, outcome: Outcome) {
        let identity = ItemIdentity { id, name: display_name(name), new_id: None };
        let row = match outcome {
            Outcome::Made { notes } => {
                self.created += 1;
                ImportItemView::planned(kind, identity, ImportAction::Create, None, Vec::new())
                    .with_notes(notes)
            }
            Outcome::Here => {
                self.skipped += 1;
                let why = "It is here already and stays as it is.".to_owned();
                ImportItemView::planned(kind, identity, ImportAction::Skip, Some(why), Vec::new())
            }
            Outcome::Left(why) => {
                self.skipped += 1;
                ImportItemView::planned(kind, identity, ImportAction::Skip, Some(why), Vec::new())
            }
            Outcome::Refused(why) => {
                self.refused += 1;
                ImportItemView::refused(kind, identity, why)
            }
        };
        self.items.push(row);
    }

    /// Things that are told by their number alone.
    pub(super) fn count(&mut self, kind: &'static str, made: usize, left: usize, why: &str) {
        self.items.extend((made > 0).then(|| ImportItemView::listed(kind, made)));
        self.items.extend((left > 0).then(|| ImportItemView::left_out(kind, left, why)));
    }

    pub(super) fn extend(&mut self, rows: Vec<ImportItemView>) {
        self.items.extend(rows);
    }

    /// What became of the file that was made of the folder.
    pub(super) fn add(&mut self, result: ImportResult) {
        self.created += result.created;
        self.updated += result.updated;
        self.skipped += result.skipped;
        self.refused += result.refused;
        self.items.extend(result.items);
        self.unsupported.extend(result.unsupported);
    }

    pub(super) fn into_result(self, is_preview: bool) -> ImportResult {
        let message = match (is_preview, self.refused) {
            (true, _) => "preview",
            (false, 0) => "success",
            (false, _) => "some items were refused",
        };
        ImportResult {
            message,
            items: self.items,
            created: self.created,
            updated: self.updated,
            skipped: self.skipped,
            refused: self.refused,
            unsupported: self.unsupported,
        }
    }
}
