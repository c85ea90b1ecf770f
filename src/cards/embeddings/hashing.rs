//! Hashing Embeddings: deterministic vectors from hashed character n-grams and words (manual 9.11).

use crate::domain::error::Result;
use crate::kit::knowledge::lexical;
use crate::kit::{Card, Category, Embeddings, Factory, Host, Input, Risk};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "hashingEmbeddings",
    label: "Hashing Embeddings",
    version: 1.0,
    category: Category::Embeddings,
    description: "Turns text into vectors by hashing its words and letter groups. Needs no provider; the same text \
                  always gives the same vector.",
    base_classes: &["HashingEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::whole("dimensions", "Dimensions", 16.0, 4096.0).or("384").additional()],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let dimensions = usize::try_from(inputs.whole("dimensions")?.unwrap_or(384)).unwrap_or(384);
        Ok(Arc::new(Hashing { dimensions }))
    }),
};

struct Hashing {
    dimensions: usize,
}

/// Letter groups of these lengths are hashed beside whole words.
const GROUP_LENGTHS: std::ops::RangeInclusive<usize> = 3..=4;

impl Embeddings for Hashing {
    fn embed(&self, texts: &[&str], _host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

impl Hashing {
    fn vector(&self, text: &str) -> Vec<f32> {
        let mut vector = vec![0_f32; self.dimensions];
        for word in lexical::words(text) {
            self.add(&mut vector, word.as_bytes(), 1.0);
            // The borders take part, so that the beginnings and ends of words match more than their middles.
            let bordered: Vec<char> = format!("<{word}>").chars().collect();
            for group in GROUP_LENGTHS.flat_map(|length| bordered.windows(length)) {
                self.add(&mut vector, group.iter().collect::<String>().as_bytes(), 0.4);
            }
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|x| *x /= length);
        }
        vector
    }

    fn add(&self, vector: &mut [f32], feature: &[u8], weight: f32) {
        let hash = fnv1a(feature);
        let slot = usize::try_from(hash % self.dimensions as u64).unwrap_or_default();
        // The sign bit makes features that share a slot cancel out instead of adding up.
        vector[slot] += if hash >> 63 == 0 { weight } else { -weight };
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(a: &str, b: &str) -> f32 {
        let hashing = Hashing { dimensions: 384 };
        hashing.vector(a).iter().zip(hashing.vector(b)).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn like_texts_are_near_and_vectors_are_stable() {
        assert!((likeness("refund policy", "refund policy") - 1.0).abs() < 1e-5);
        assert!(
            likeness("refund policy", "policies for refunds") > likeness("refund policy", "shipping times")
        );
        assert!(likeness("", "anything").abs() < f32::EPSILON);
    }
}
