//! Search against brute force, and blocks against their bytes.

use super::*;
use proptest::prelude::*;

fn row(number: usize, vector: Vec<f32>) -> VectorRow {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&(number as u64).to_le_bytes());
    VectorRow { id, vector, text: format!("row {number}") }
}

fn index(vectors: &[Vec<f32>]) -> VectorIndex {
    let rows: Vec<VectorRow> =
        vectors.iter().cloned().enumerate().map(|(number, v)| row(number, v)).collect();
    VectorIndex::from_rows(&rows).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let sum = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let lengths = (sum(a, a) * sum(b, b)).sqrt();
    if lengths == 0.0 { 0.0 } else { sum(a, b) / lengths }
}

fn vector(dimensions: usize) -> impl Strategy<Value = Vec<f32>> {
    proptest::collection::vec(prop_oneof![4 => -10.0_f32..10.0, 1 => Just(0.0)], dimensions)
}

fn some() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<f32>, usize)> {
    (1_usize..70).prop_flat_map(|dimensions| {
        let vectors = proptest::collection::vec(vector(dimensions), 0..60);
        (vectors, vector(dimensions), 0_usize..20)
    })
}

proptest! {
    #[test]
    fn a_search_finds_what_brute_force_finds((vectors, query, most) in some()) {
        let hits = index(&vectors).nearest(&query, most, None).unwrap();
        let mut scores: Vec<f64> = vectors.iter().map(|vector| cosine(vector, &query)).collect();
        for hit in &hits {
            let number: usize = hit.text.trim_start_matches("row ").parse().unwrap();
            prop_assert!((f64::from(hit.score) - scores[number]).abs() < 1e-4);
        }
        scores.sort_by(|a, b| b.total_cmp(a));
        prop_assert_eq!(hits.len(), most.min(vectors.len()));
        for (hit, score) in hits.iter().zip(&scores) {
            prop_assert!((f64::from(hit.score) - score).abs() < 1e-4);
        }
    }

    #[test]
    fn a_search_leaves_out_what_does_not_fit((vectors, query, most) in some()) {
        let fits = |text: &str| !text.ends_with(['1', '3', '5', '7', '9']);
        let index = index(&vectors);
        let all = index.nearest(&query, vectors.len(), None).unwrap();
        let wanted: Vec<SearchHit> = all.into_iter().filter(|hit| fits(&hit.text)).take(most).collect();
        prop_assert_eq!(index.nearest(&query, most, Some(&fits)).unwrap(), wanted);
    }

    #[test]
    fn a_block_is_read_back_from_its_bytes((vectors, _, _) in some(), cut in 0_usize..64) {
        let mut block = Block::default();
        for (number, vector) in vectors.into_iter().enumerate() {
            block.push(&row(number, vector)).unwrap();
        }
        let bytes = block.to_bytes();
        prop_assert_eq!(bytes.len(), block.bytes());
        prop_assert_eq!(Block::from_bytes(&bytes), Ok(block.clone()));
        prop_assert_eq!(Block::from_bytes(&bytes[..bytes.len().saturating_sub(cut + 1)]), Err(BlockError::Malformed));
    }

    #[test]
    fn damaged_bytes_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Block::from_bytes(&bytes);
        let mut marked = bytes;
        marked.insert(0, 1);
        let _ = Block::from_bytes(&marked);
    }
}

#[test]
fn many_rows_are_spread_over_blocks_that_fit_a_page() {
    let rows: Vec<VectorRow> = (0..3_000).map(|n| row(n, vec![n as f32 + 1.0; 384])).collect();
    let index = VectorIndex::from_rows(&rows).unwrap();
    assert_eq!(index.len(), 3_000);
    assert!(index.blocks().len() > 3);
    assert!(index.blocks().iter().all(|block| block.to_bytes().len() <= Block::BYTES));
}

#[test]
fn vectors_of_another_length_are_refused() {
    let unlike = BlockError::DimensionMismatch { wanted: 2, found: 3 };
    assert_eq!(VectorIndex::from_rows(&[row(0, vec![1.0; 2]), row(1, vec![1.0; 3])]).unwrap_err(), unlike);
    let index = index(&[vec![1.0, 0.0]]);
    assert_eq!(index.nearest(&[1.0, 0.0, 0.0], 1, None), Err(unlike));
    assert_eq!(VectorIndex::default().nearest(&[1.0], 1, None), Ok(Vec::new()));
}

#[test]
fn rows_leave_a_block_and_the_others_stay() {
    let mut block = Block::default();
    (0..5).for_each(|number| block.push(&row(number, vec![number as f32 + 1.0, 1.0])).unwrap());
    let kept = block.filter(|id| id[0] % 2 == 0);
    assert_eq!((0..kept.len()).map(|row| kept.text(row)).collect::<Vec<_>>(), ["row 0", "row 2", "row 4"]);
    assert_eq!(kept.vector(1), block.vector(2));
}

#[test]
fn large_numbers_keep_their_direction() {
    let hits = index(&[vec![3e38, 0.0], vec![0.0, 3e38]]).nearest(&[2e38, 1e38], 2, None).unwrap();
    assert_eq!(hits[0].text, "row 0");
    assert!((hits[0].score - 0.894_427).abs() < 1e-5);
}

#[test]
fn a_diverse_choice_leaves_out_what_says_the_same() {
    let index = index(&[vec![1.0, 0.0, 0.0], vec![0.99, 0.01, 0.0], vec![0.6, 0.0, 0.8]]);
    let hits = index.nearest(&[1.0, 0.0, 0.1], 3, None).unwrap();
    let texts = |lambda: f32| -> Vec<String> {
        select_diverse(hits.clone(), 2, lambda).into_iter().map(|hit| hit.text).collect()
    };
    assert_eq!(texts(1.0), ["row 0", "row 1"]);
    assert_eq!(texts(0.3), ["row 0", "row 2"]);
    assert_eq!(select_diverse(hits, 9, 0.5).len(), 3);
}
