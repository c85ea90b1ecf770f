//! InMemory Embedding Cache: a text that was embedded before is not embedded again.

use crate::cards::kit::{Card, Category, Connects, Embeddings, Host, Input, Make, ReplyKey, Risk, Space};
use crate::domain::error::Result;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
    name: "inMemoryEmbeddingCache",
    label: "InMemory Embedding Cache",
    version: 1.0,
    category: Category::Cache,
    description: "Remembers the vectors of texts, for this flow and until it changes or the server restarts. A text \
                  that comes again is not sent to the provider.",
    base_classes: &["InMemoryEmbeddingCache", "Embeddings"],
    risk: Risk::Safe,
    inputs: &[
        Input::wire("embeddings", "Embeddings", Connects::Embeddings),
        Input::text("namespace", "Namespace")
            .additional()
            .help("Keeps vectors of different uses apart. The model's settings keep them apart anyway."),
    ],
    outputs: &[],
    make: Make::Embeddings(|inputs| {
        let embeddings = inputs.embeddings("embeddings")?;
        let namespace = inputs.maybe_text("namespace").unwrap_or_default();
        Ok(Arc::new(Cached { embeddings, namespace }))
    }),
};

const PASSAGE: &str = "passage:";
const QUESTION: &str = "question:";

/// The vectors lie with the host, which knows the flow they belong to.
struct Cached {
    embeddings: Arc<dyn Embeddings>,
    namespace: String,
}

impl Cached {
    /// A question and a passage of the same words are two: a model may make another vector of each.
    fn key(&self, aim: &str, text: &str) -> ReplyKey {
        let mut hash = Sha256::new();
        hash.update(CARD.name);
        hash.update(self.embeddings.space());
        hash.update((self.namespace.len() as u64).to_le_bytes());
        hash.update(&self.namespace);
        hash.update(aim);
        hash.update(text);
        hash.finalize().into()
    }
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect()
}

impl Embeddings for Cached {
    fn embed(&self, texts: &[&str], host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        let keys: Vec<ReplyKey> = texts.iter().map(|text| self.key(PASSAGE, text)).collect();
        let mut vectors: Vec<Option<Vec<f32>>> =
            keys.iter().map(|key| host.recall(key).map(|bytes| from_bytes(&bytes))).collect();
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| vectors[at].is_none()).collect();
        if !missing.is_empty() {
            let asked: Vec<&str> = missing.iter().map(|&at| texts[at]).collect();
            for (&at, vector) in missing.iter().zip(self.embeddings.embed(&asked, host)?) {
                host.remember(&keys[at], to_bytes(&vector));
                vectors[at] = Some(vector);
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    fn embed_query(&self, text: &str, host: &dyn Host) -> Result<Vec<f32>> {
        let key = self.key(QUESTION, text);
        if let Some(bytes) = host.recall(&key) {
            return Ok(from_bytes(&bytes));
        }
        let vector = self.embeddings.embed_query(text, host)?;
        host.remember(&key, to_bytes(&vector));
        Ok(vector)
    }

    fn space(&self) -> Space {
        self.embeddings.space()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::kit::test_host::TestHost;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Counting(Mutex<Vec<String>>);

    impl Embeddings for Counting {
        fn embed(&self, texts: &[&str], _host: &dyn Host) -> Result<Vec<Vec<f32>>> {
            self.0.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
            Ok(texts.iter().map(|text| vec![text.len() as f32, 1.5]).collect())
        }
    }

    #[test]
    fn a_text_is_embedded_once_and_its_vector_stays_the_same() {
        let (host, counting) = (TestHost::default(), Arc::new(Counting::default()));
        let cached =
            |namespace: &str| Cached { embeddings: counting.clone(), namespace: namespace.to_owned() };
        let first = cached("").embed(&["a", "bb"], &host).unwrap();
        assert_eq!(
            cached("").embed(&["bb", "ccc", "a"], &host).unwrap(),
            [first[1].clone(), vec![3.0, 1.5], first[0].clone()]
        );
        assert_eq!(*counting.0.lock().unwrap(), ["a", "bb", "ccc"]);
        cached("other").embed(&["a"], &host).unwrap();
        assert_eq!(counting.0.lock().unwrap().len(), 4);
        for _ in 0..2 {
            assert_eq!(cached("").embed_query("a", &host).unwrap(), first[0]);
        }
        assert_eq!(counting.0.lock().unwrap().len(), 5, "a question is another text than a passage");
    }
}
