//! Embeddings with what was embedded before in front of them: a text that comes again is not sent to the provider.

use crate::domain::error::Result;
use crate::kit::stores::redis::RedisStore;
use crate::kit::{Embeddings, Grant, Host, ReplyKey, ReplyStore, Space};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

const CHUNK_AIM: &str = "passage:";
const QUESTION: &str = "question:";

/// Where vectors are kept.
pub(super) enum VectorStorage {
    /// With the host, which knows the flow they belong to.
    HostMemory(Grant<dyn ReplyStore>),
    Redis(Box<RedisStore>),
}

impl VectorStorage {
    fn find(&self, keys: &[ReplyKey], host: &dyn Host) -> Result<Vec<Option<Vec<f32>>>> {
        let found: Vec<Option<Vec<u8>>> = match self {
            Self::HostMemory(replies) => {
                let replies = replies.of(host)?;
                keys.iter().map(|key| replies.recall(key).map(|bytes| bytes.to_vec())).collect()
            }
            Self::Redis(keep) => keep.find(keys, host.cancel()),
        };
        Ok(found.into_iter().map(|bytes| from_bytes(&bytes?)).collect())
    }

    fn store(&self, vectors: Vec<(ReplyKey, Vec<u8>)>, host: &dyn Host) -> Result<()> {
        match self {
            Self::HostMemory(replies) => {
                let replies = replies.of(host)?;
                vectors.into_iter().for_each(|(key, bytes)| replies.remember(&key, bytes));
            }
            Self::Redis(keep) => keep.store(&vectors, host.cancel()),
        }
        Ok(())
    }
}

/// An embeddings card with kept vectors in front of it.
pub(super) struct CachingEmbeddings {
    /// The card that makes what is not kept.
    pub(super) embeddings: Arc<dyn Embeddings>,
    pub(super) card: &'static str,
    /// Keeps vectors of different uses apart.
    pub(super) namespace: String,
    pub(super) storage: VectorStorage,
}

impl CachingEmbeddings {
    /// A question and a chunk of the same words are two: a model may make another vector of each.
    fn key(&self, aim: &str, text: &str) -> ReplyKey {
        let mut hash = Sha256::new();
        hash.update(self.card);
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

/// `None` for what is no vector.
fn from_bytes(bytes: &[u8]) -> Option<Vec<f32>> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    let vector: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
    let is_vector = !vector.is_empty() && rest.is_empty() && vector.iter().all(|number| number.is_finite());
    is_vector.then_some(vector)
}

impl Embeddings for CachingEmbeddings {
    fn embed(&self, texts: &[&str], host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        let keys: Vec<ReplyKey> = texts.iter().map(|text| self.key(CHUNK_AIM, text)).collect();
        let mut vectors = self.storage.find(&keys, host)?;
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| vectors[at].is_none()).collect();
        if !missing.is_empty() {
            let asked: Vec<&str> = missing.iter().map(|&at| texts[at]).collect();
            let mut fresh = Vec::with_capacity(missing.len());
            for (&at, vector) in missing.iter().zip(self.embeddings.embed(&asked, host)?) {
                fresh.push((keys[at], to_bytes(&vector)));
                vectors[at] = Some(vector);
            }
            self.storage.store(fresh, host)?;
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    fn embed_query(&self, text: &str, host: &dyn Host) -> Result<Vec<f32>> {
        let key = self.key(QUESTION, text);
        if let Some(Some(vector)) = self.storage.find(&[key], host)?.pop() {
            return Ok(vector);
        }
        let vector = self.embeddings.embed_query(text, host)?;
        self.storage.store(vec![(key, to_bytes(&vector))], host)?;
        Ok(vector)
    }

    fn space(&self) -> Space {
        self.embeddings.space()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::capabilities::test_host::TestHost;
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
        let cached = |namespace: &str| CachingEmbeddings {
            embeddings: counting.clone(),
            card: "cache",
            namespace: namespace.to_owned(),
            storage: VectorStorage::HostMemory(Grant::for_service()),
        };
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
        assert_eq!(counting.0.lock().unwrap().len(), 5, "a question is another text than a chunk");
    }

    #[test]
    fn bytes_that_are_no_vector_are_none() {
        assert_eq!(from_bytes(&to_bytes(&[0.5, -1.0])), Some(vec![0.5, -1.0]));
        for bytes in [&b""[..], b"[0.1]", &f32::NAN.to_le_bytes()] {
            assert_eq!(from_bytes(bytes), None, "{bytes:?}");
        }
    }
}
