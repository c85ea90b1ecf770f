//! What a pipeline fills on this server beside vector stores: files and document stores (manual 10.14).

use crate::domain::ids::{DocumentStoreId, LoaderId, PipelineFileId, PipelineRunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Characters of the name of a file that a pipeline writes (manual 14.8).
const PIPELINE_FILE_NAME_MAX_CHARS: usize = 100;

/// Where a card puts documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PipelineTarget {
    File(PipelineFileName),
    Store(DocumentStoreId),
}

/// The name by which a file of a pipeline is asked for. It is no path: on disk each has a name that the service made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct PipelineFileName(String);

impl PipelineFileName {
    /// What a name may be, for whoever sent another one.
    pub const RULE: &str = "this must be a name of up to 100 letters, digits, dots, hyphens and underscores, and \
                            begin with no dot";

    /// `None` for what is no such name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        let is_name = (1..=PIPELINE_FILE_NAME_MAX_CHARS).contains(&text.chars().count())
            && !text.starts_with('.')
            && text.chars().all(fits);
        is_name.then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PipelineFileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file that a pipeline wrote, as it was when a run of it was finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelineFile {
    pub name: PipelineFileName,
    /// What it is called on disk.
    pub file: PipelineFileId,
    /// So much of it counts: a run that goes on may have written more.
    pub bytes: u64,
    /// The run that wrote it last.
    pub run: PipelineRunId,
    /// When that run was finished.
    pub date: Timestamp,
}

/// What a run that goes on wrote on this server, which counts when it is finished: by the cards that wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedOutput {
    pub files: BTreeMap<String, UnfinishedFile>,
    pub staged: BTreeMap<String, StagedChunks>,
}

/// What a run that goes on wrote into a file. It counts when the run is finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedFile {
    pub name: PipelineFileName,
    pub file: PipelineFileId,
    /// So much of it is on disk.
    pub bytes: u64,
}

/// Chunks that a run that goes on wrote into a document store. Nobody sees them before the run is finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedChunks {
    pub store: DocumentStoreId,
    /// The loader that they will be of.
    pub loader: LoaderId,
    pub chunks: usize,
    pub characters: usize,
}

/// What is left to do of a run when its end is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remains {
    /// Files that nobody needs any more.
    pub files: Vec<PipelineFileId>,
    /// Scopes of documents that cards saw, for which nobody asks any more.
    pub scopes: Vec<[u8; 16]>,
    /// Document stores that were filled, each with the label of the card that did: their vectors are to be made.
    pub filled: Vec<(DocumentStoreId, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_file_is_no_path() {
        for name in ["rows.jsonl", "a", "2026-11_Übersicht", &"x".repeat(100)] {
            assert_eq!(PipelineFileName::parse(name).unwrap().as_str(), name);
        }
        for name in
            ["", ".", "..", ".rows", "a/b", "a\\b", "a b", "a\n", "a\0", "{{ params.x }}", &"x".repeat(101)]
        {
            assert_eq!(PipelineFileName::parse(name), None, "{name}");
        }
    }
}
