//! What one answer may hold of messages and ratings: counted and weighed while they are read.

use crate::domain::error::{Error, Result};
use serde::Serialize;

/// What there is still room for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    rows: usize,
    bytes: usize,
    is_truncated: bool,
}

impl Budget {
    /// Room for so many rows that are this long together.
    #[must_use]
    pub(crate) const fn new(rows: usize, bytes: usize) -> Self {
        Self { rows, bytes, is_truncated: false }
    }

    /// Takes a row in if there is room for its JSON; the first that does not fit is the end.
    ///
    /// # Errors
    /// [`Error::Internal`] when the row cannot be written as JSON.
    pub(crate) fn try_take(&mut self, row: &impl Serialize) -> Result<bool> {
        let bytes = serde_json::to_string(row).map_err(Error::internal)?.len();
        self.is_truncated |= self.rows == 0 || bytes > self.bytes;
        if !self.is_truncated {
            self.rows -= 1;
            self.bytes -= bytes;
        }
        Ok(!self.is_truncated)
    }

    /// True when a row was left out.
    #[must_use]
    pub(crate) const fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Bytes there is room for.
    #[must_use]
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// An equal part for one of so many.
    #[must_use]
    pub(crate) const fn share(&mut self, among: usize) -> Self {
        let among = if among == 0 { 1 } else { among };
        let share = Self::new(self.rows / among, self.bytes / among);
        self.rows -= share.rows;
        self.bytes -= share.bytes;
        share
    }

    /// Takes back what one did not need of its part.
    pub(crate) const fn return_share(&mut self, share: Self) {
        self.rows += share.rows;
        self.bytes += share.bytes;
        self.is_truncated |= share.is_truncated;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_does_not_need_is_for_the_others() {
        let mut budget = Budget::new(6, 1_000);
        let row = "four";
        let part = |(among, wanted): (usize, usize)| {
            let mut share = budget.share(among);
            let count = (0..wanted).take_while(|_| share.try_take(&row).unwrap()).count();
            budget.return_share(share);
            count
        };
        let counts: Vec<usize> = [(3, 1), (2, 9), (1, 9)].into_iter().map(part).collect();
        assert_eq!((counts, budget.is_truncated()), (vec![1, 2, 3], true));
        let mut narrow = Budget::new(9, 13);
        let fits = (0..9).filter(|_| narrow.try_take(&row).unwrap()).count();
        assert_eq!((fits, narrow.is_truncated()), (2, true));
    }
}
