//! What is counted of rows that come along with messages: lists of runs, answers of versions, and what was used.

use super::answers::AnswerWriter;
use super::consumption::ConsumptionWriter;
use super::executions::ListWriter;
use crate::domain::error::Result;
use crate::store::transaction::WriteTx;

/// Gathers counts, because many rows move the same ones, and writes each once.
#[derive(Default)]
pub(in crate::store) struct IndexWriter {
    pub(in crate::store) runs: ListWriter,
    pub(in crate::store) answers: AnswerWriter,
    pub(in crate::store) consumption: ConsumptionWriter,
}

impl IndexWriter {
    /// For the changes of a log, whose rows may be there already.
    pub(in crate::store) fn for_replay() -> Self {
        Self { runs: ListWriter::for_replay(), answers: AnswerWriter::for_replay(), ..Self::default() }
    }

    /// Writes the counts.
    ///
    /// # Errors
    /// [`crate::domain::error::Error::Internal`] when the database cannot be written.
    pub(in crate::store) fn finish(self, tx: &WriteTx) -> Result<()> {
        self.runs.finish(tx)?;
        self.answers.finish(tx)?;
        self.consumption.finish(tx)
    }
}
