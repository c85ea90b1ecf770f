//! What the database knows of the history beside it, so that neither is put back or lost without a word.

use super::version::Sha;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How many lost versions are named; older ones say no more than these.
const LOST_MAX_COUNT: usize = 50;

/// The newest version that was recorded, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryMark {
    /// The folder the operator chose for the history; `None` for the one in the data folder, which moves with it.
    pub folder: Option<PathBuf>,
    pub tip: Sha,
    /// Versions that were the newest before and that the next one does not follow: somebody put the history back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Sha>,
}

impl HistoryMark {
    /// With the newest version among the lost ones.
    #[must_use]
    pub fn with_lost(mut self) -> Self {
        self.lost.push(self.tip);
        let surplus = self.lost.len().saturating_sub(LOST_MAX_COUNT);
        self.lost.drain(..surplus);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_losses_are_kept() {
        let mut mark = HistoryMark { folder: None, tip: Sha::from_bytes([0; 20]), lost: Vec::new() };
        for number in 0..60 {
            mark = HistoryMark { tip: Sha::from_bytes([number; 20]), ..mark }.with_lost();
        }
        assert_eq!(mark.lost.len(), LOST_MAX_COUNT);
        assert_eq!(mark.lost.last(), Some(&Sha::from_bytes([59; 20])));
    }
}
