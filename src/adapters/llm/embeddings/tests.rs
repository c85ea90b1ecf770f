//! Batches, and what is refused of the vectors that come back.

use super::*;
use std::sync::Mutex;

/// Answers with what is set, and remembers the sizes of its requests.
struct FixedVectors {
    batch: BatchLimits,
    vector: fn(&str) -> Vec<f32>,
    asked: Mutex<Vec<usize>>,
}

impl FixedVectors {
    fn of(batch: BatchLimits, vector: fn(&str) -> Vec<f32>) -> Self {
        Self { batch, vector, asked: Mutex::default() }
    }
}

impl EmbeddingModel for FixedVectors {
    fn batch_limits(&self) -> BatchLimits {
        self.batch
    }

    fn embed_batch(&self, texts: &[&str], _: Aim, _: &CancelToken) -> Result<EmbeddingResponse, ModelError> {
        self.asked.lock().unwrap().push(texts.len());
        let vectors = texts.iter().map(|text| (self.vector)(text)).collect();
        Ok(EmbeddingResponse { vectors, usage: tokens_read(Some(1)) })
    }
}

fn length(text: &str) -> Vec<f32> {
    vec![text.len() as f32, 1.0]
}

#[test]
fn texts_go_in_batches_and_come_back_in_order() {
    let model = FixedVectors::of(BatchLimits { texts: 3, bytes: 8 }, length);
    let texts = ["a", "bb", "ccc", "dddd", "eeeeeeeeeeee", "f", ""];
    let done = embed(&model, &texts, Aim::Documents, &CancelToken::new(None)).unwrap();
    assert_eq!(*model.asked.lock().unwrap(), [3, 1, 1, 2]);
    let firsts: Vec<f32> = done.vectors.iter().map(|vector| vector[0]).collect();
    assert_eq!(firsts, [1.0, 2.0, 3.0, 4.0, 12.0, 1.0, 1.0]);
    assert_eq!(done.usage.map(|usage| usage.input_tokens), Some(4));
}

#[test]
fn wrong_vectors_are_refused() {
    let one = BatchLimits { texts: 1, bytes: 100 };
    for (vector, says) in [
        ((|_| Vec::new()) as fn(&str) -> Vec<f32>, "0 numbers"),
        (|text| vec![1.0; text.len()], "one length"),
        (|_| vec![1.0, f32::NAN], "not finite"),
        (|_| vec![f32::INFINITY], "not finite"),
    ] {
        let failed = embed(&FixedVectors::of(one, vector), &["a", "bb"], Aim::Query, &CancelToken::new(None));
        assert!(failed.as_ref().is_err_and(|error| error.to_string().contains(says)), "{says}: {failed:?}");
    }
    assert!(
        check_vectors(&[vec![1.0]], 2, None)
            .is_err_and(|error| error.to_string().contains("1 vectors for 2"))
    );
}

#[test]
fn a_run_that_ended_asks_no_more() {
    let cancel = CancelToken::new(None);
    cancel.cancel(CancelReason::CallerLeft);
    let model = FixedVectors::of(BatchLimits { texts: 1, bytes: 1 }, length);
    assert_eq!(embed(&model, &["a"], Aim::Query, &cancel), Err(ModelError::Cancelled));
    assert!(model.asked.lock().unwrap().is_empty());
}

#[test]
fn the_owner_may_ask_for_smaller_batches_only() {
    let most = BatchLimits { texts: 10, bytes: 1 };
    for (asked, texts) in [(None, 10), (Some(0), 10), (Some(3), 3), (Some(99), 10)] {
        assert_eq!(most.with_text_count(asked).texts, texts);
    }
}
