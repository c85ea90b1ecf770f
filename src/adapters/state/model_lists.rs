//! What providers answered when they were asked for their models: kept for a little while, so that a page that asks
//! for each card does not ask the provider as often.

use crate::base::bounded_cache::{BoundedCache, bounded_cache};
use crate::domain::ids::WorkspaceId;
use crate::domain::service::choice::Choice;
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

pub struct ModelListCache(BoundedCache<ModelListKey, CachedModelList>);

#[derive(Clone)]
struct CachedModelList {
    /// `None` when the provider did not answer.
    list: Option<Vec<Choice>>,
    until: Instant,
}

impl Default for ModelListCache {
    fn default() -> Self {
        Self(bounded_cache(LISTS_MAX))
    }
}

impl ModelListCache {
    /// What was answered not long ago: a list, or that there was none.
    #[must_use]
    pub fn find(&self, asked: &ModelListKey) -> Option<Option<Vec<Choice>>> {
        self.0.get(asked).filter(|kept| kept.until > Instant::now()).map(|kept| kept.list)
    }

    /// Keeps an answer, or that there was none.
    pub fn insert(&self, asked: ModelListKey, list: Option<Vec<Choice>>) {
        let fresh_for = if list.is_some() { FRESH_FOR } else { RETRY_FAILURE_AFTER };
        self.0.insert(asked, CachedModelList { list, until: Instant::now() + fresh_for });
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
        let choice = Choice { label: "A".into(), name: "a".into(), description: None };
        options.insert(one.clone(), Some(vec![choice.clone()]));
        options.insert(two.clone(), None);
        assert_eq!(options.find(&one), Some(Some(vec![choice])));
        assert_eq!(options.find(&two), Some(None));
        assert_eq!(options.find(&asked(1)), None, "another workspace");
        for n in 0..2 * LISTS_MAX {
            options.insert(asked(n), None);
        }
        assert!(options.0.len() <= LISTS_MAX);
    }
}
