//! What providers answered when they were asked for their models: kept for a little while, so that a page that asks
//! for each card does not ask the provider as often.

use crate::domain::ids::WorkspaceId;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const LISTS_MAX: usize = 200;
/// How long a list is good.
const FRESH_FOR: Duration = Duration::from_secs(300);
/// How long a provider that did not answer is left alone.
const RETRY_FAILURE_AFTER: Duration = Duration::from_secs(30);

/// Whose list: the workspace, the card, where it asks and with which credential.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelListKey {
    pub workspace: WorkspaceId,
    pub card: &'static str,
    pub base: String,
    pub credential: Option<String>,
}

#[derive(Default)]
pub struct ModelListCache(Mutex<HashMap<ModelListKey, CachedModelList>>);

struct CachedModelList {
    /// `None` when the provider did not answer.
    list: Option<Vec<Value>>,
    until: Instant,
}

impl ModelListCache {
    /// What was answered not long ago: a list, or that there was none.
    #[must_use]
    pub fn find(&self, asked: &ModelListKey) -> Option<Option<Vec<Value>>> {
        let lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.get(asked).filter(|kept| kept.until > Instant::now()).map(|kept| kept.list.clone())
    }

    /// Keeps an answer, or that there was none.
    pub fn insert(&self, asked: ModelListKey, list: Option<Vec<Value>>) {
        let now = Instant::now();
        let until = now + if list.is_some() { FRESH_FOR } else { RETRY_FAILURE_AFTER };
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.len() >= LISTS_MAX {
            lists.retain(|_, kept| kept.until > now);
        }
        if lists.len() >= LISTS_MAX
            && let Some(oldest) = lists.iter().min_by_key(|(_, kept)| kept.until).map(|(key, _)| key.clone())
        {
            lists.remove(&oldest);
        }
        lists.insert(asked, CachedModelList { list, until });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(base: usize) -> ModelListKey {
        ModelListKey { workspace: WorkspaceId::random(), card: "x", base: base.to_string(), credential: None }
    }

    #[test]
    fn lists_and_failures_are_kept_within_a_bound() {
        let options = ModelListCache::default();
        let (one, two) = (asked(1), asked(2));
        options.insert(one.clone(), Some(vec![Value::from("a")]));
        options.insert(two.clone(), None);
        assert_eq!(options.find(&one), Some(Some(vec![Value::from("a")])));
        assert_eq!(options.find(&two), Some(None));
        assert_eq!(options.find(&asked(1)), None, "another workspace");
        for n in 0..2 * LISTS_MAX {
            options.insert(asked(n), None);
        }
        assert!(options.0.lock().unwrap().len() <= LISTS_MAX);
    }
}
