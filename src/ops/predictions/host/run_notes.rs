//! What a run gathers beside its answer. It outlives the host that gathers it, when a run goes on on another thread.

use crate::domain::predictions::prediction::{Document, Usage};
use std::sync::{Mutex, PoisonError};

/// Pages that go out with one answer.
const CITED_MAX: usize = 100;

#[derive(Default)]
pub(in crate::ops::predictions) struct RunNotes {
    usage: Mutex<Option<Usage>>,
    cited_pages: Mutex<Vec<Document>>,
}

impl RunNotes {
    /// Tokens of all model calls so far.
    pub(in crate::ops::predictions) fn usage(&self) -> Option<Usage> {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::ops::predictions) fn add_usage(&self, usage: &Usage) {
        let mut total = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        total.get_or_insert_default().add(usage);
    }

    /// Pages that replies of models lean on, each once.
    pub(in crate::ops::predictions) fn take_cited(&self) -> Vec<Document> {
        std::mem::take(&mut *self.cited_pages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(in crate::ops::predictions) fn add_cited(&self, pages: Vec<Document>) {
        let mut cited = self.cited_pages.lock().unwrap_or_else(PoisonError::into_inner);
        for page in pages {
            if cited.len() < CITED_MAX && !cited.contains(&page) {
                cited.push(page);
            }
        }
    }
}
