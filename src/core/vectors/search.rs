//! The nearest rows of any number of blocks. Every row is looked at, so what is found is what is nearest.

use super::block::{Block, BlockError, RowId, normalize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Numbers multiplied side by side: enough sums of their own for the widest registers, and for the wait between them.
const LANES: usize = 16;

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// Nearness: the cosine, from -1 to 1.
    pub score: f32,
    pub id: RowId,
    pub text: String,
    pub vector: Vec<f32>,
}

/// The best rows so far.
pub struct TopK {
    query: Vec<f32>,
    most: usize,
    /// The worst of the best is on top.
    heap: BinaryHeap<HeapEntry>,
    seen: usize,
}

/// A hit and when it was seen: of equals, the first stays.
struct HeapEntry {
    hit: SearchHit,
    seen: usize,
}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.hit.score.total_cmp(&self.hit.score).then(self.seen.cmp(&other.seen))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for HeapEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for HeapEntry {}

impl TopK {
    /// Looks for the `most` rows nearest to `query`.
    #[must_use]
    pub fn new(query: &[f32], most: usize) -> Self {
        Self { query: normalize(query).collect(), most, heap: BinaryHeap::new(), seen: 0 }
    }

    /// Takes the rows of a block into account, if their text `fits`.
    ///
    /// # Errors
    /// When the block's vectors have another length than the query.
    pub fn scan(&mut self, block: &Block, fits: Option<&dyn Fn(&str) -> bool>) -> Result<(), BlockError> {
        if block.is_empty() || self.most == 0 {
            return Ok(());
        }
        if block.dimensions() != self.query.len() {
            return Err(BlockError::DimensionMismatch {
                wanted: block.dimensions(),
                found: self.query.len(),
            });
        }
        for (row, vector) in block.vectors().enumerate() {
            let score = dot_product(&self.query, vector);
            let is_full = self.heap.len() == self.most;
            let beats = |worst: &HeapEntry| score.total_cmp(&worst.hit.score) == Ordering::Greater;
            if is_full && !self.heap.peek().is_some_and(beats) {
                continue;
            }
            let text = block.text(row);
            if fits.is_some_and(|fits| !fits(text)) {
                continue;
            }
            if is_full {
                self.heap.pop();
            }
            let hit = SearchHit { score, id: *block.id(row), text: text.to_owned(), vector: vector.to_vec() };
            self.heap.push(HeapEntry { hit, seen: self.seen + row });
        }
        self.seen += block.len();
        Ok(())
    }

    /// What was found, best first.
    #[must_use]
    pub fn into_hits(self) -> Vec<SearchHit> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.hit).collect()
    }
}

/// The scalar product, in sums that do not wait for one another: without that the compiler may not reorder them.
fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0_f32; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Picks `most` of `hits` that are near the query and unlike one another (maximal marginal relevance). With `lambda`
/// one only nearness counts, with zero only the difference.
#[must_use]
pub fn select_diverse(mut hits: Vec<SearchHit>, most: usize, lambda: f32) -> Vec<SearchHit> {
    let mut picked: Vec<SearchHit> = Vec::new();
    let mut similarity = vec![f32::NEG_INFINITY; hits.len()];
    while picked.len() < most && !hits.is_empty() {
        let worth = |at: usize| {
            let like = if picked.is_empty() { 0.0 } else { similarity[at] };
            lambda * hits[at].score - (1.0 - lambda) * like
        };
        // Of equals the nearer one, which stands first.
        let best = (0..hits.len()).rev().max_by(|&a, &b| worth(a).total_cmp(&worth(b))).unwrap_or_default();
        let hit = hits.remove(best);
        similarity.remove(best);
        for (like, other) in similarity.iter_mut().zip(&hits) {
            *like = like.max(dot_product(&hit.vector, &other.vector));
        }
        picked.push(hit);
    }
    picked
}
