//! Maximal marginal relevance: chunks that are near the question and far from one another.

use crate::domain::error::Result;
use crate::kit::build::inputs::Inputs;
use crate::kit::{Choice, Input};
use crate::vectors::{BlockError, SearchHit, VectorIndex, VectorRow, select_diverse};

const KINDS: &[Choice] =
    &[Choice::new("similarity", "Similarity"), Choice::new("mmr", "Max Marginal Relevance")];

pub(crate) const SEARCH_TYPE: Input = Input::choice("searchType", "Search Type", KINDS)
    .or("similarity")
    .additional()
    .help("Max Marginal Relevance leaves out chunks that say what another one says already.");
pub(crate) const FETCH_K: Input = Input::whole("fetchK", "Fetch K (for MMR Search)", 1.0, 10_000.0)
    .additional()
    .help("How many of the nearest chunks are chosen from. Empty: 20.");
pub(crate) const LAMBDA: Input = Input::number("lambda", "Lambda (for MMR Search)", 0.0, 1.0)
    .additional()
    .help("1 looks at nearness alone, 0 at variety alone. Empty: 0.5.");

/// Chunks to choose from when the card says nothing else.
const FETCHED: usize = 20;
/// The most chunks that come with their vectors in one answer.
const FETCHED_MAX: usize = 1_000;

/// How a search is made diverse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MmrSearch {
    fetch_k: usize,
    lambda: f32,
}

impl MmrSearch {
    /// As the inputs say; `None` when nearness alone decides, or the card does not have them.
    ///
    /// # Errors
    /// When an input is outside of its range.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Option<Self>> {
        if !inputs.declares(SEARCH_TYPE.name) || inputs.text(SEARCH_TYPE.name)? != "mmr" {
            return Ok(None);
        }
        let fetched =
            inputs.whole(FETCH_K.name)?.map_or(FETCHED, |some| usize::try_from(some).unwrap_or(FETCHED_MAX));
        Ok(Some(Self { fetch_k: fetched, lambda: inputs.number(LAMBDA.name)?.unwrap_or(0.5) as f32 }))
    }

    /// How many to fetch for `most` that are wanted.
    pub(crate) fn fetch_count(&self, most: usize) -> usize {
        self.fetch_k.max(most).min(FETCHED_MAX.max(most))
    }

    /// The vectors to take of these, by their places, in the order in which they are taken.
    ///
    /// # Errors
    /// When they are of different lengths.
    pub(crate) fn choose(
        &self,
        question: &[f32],
        vectors: impl Iterator<Item = Vec<f32>>,
        most: usize,
    ) -> std::result::Result<Vec<usize>, BlockError> {
        let row = |(place, vector): (usize, _)| VectorRow {
            id: (place as u128).to_be_bytes(),
            vector,
            text: String::new(),
        };
        let rows: Vec<VectorRow> = vectors.enumerate().map(row).collect();
        let hits = VectorIndex::from_rows(&rows)?.nearest(question, rows.len(), None)?;
        let place = |hit: SearchHit| usize::try_from(u128::from_be_bytes(hit.id)).unwrap_or_default();
        Ok(select_diverse(hits, most, self.lambda).into_iter().map(place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_already_comes_later() {
        let vectors = [vec![1.0, 0.1], vec![1.0, 0.12], vec![0.6, -0.8]];
        for (lambda, expected) in [(1.0, [0, 1]), (0.5, [0, 2])] {
            let diverse = MmrSearch { fetch_k: 20, lambda };
            assert_eq!(
                diverse.choose(&[1.0, 0.0], vectors.iter().cloned(), 2).unwrap(),
                expected,
                "{lambda}"
            );
        }
        let diverse = MmrSearch { fetch_k: 2, lambda: 0.5 };
        assert_eq!((diverse.fetch_count(4), diverse.fetch_count(1)), (4, 2));
        assert_eq!(diverse.choose(&[1.0], std::iter::empty(), 3).unwrap(), [0; 0]);
    }
}
