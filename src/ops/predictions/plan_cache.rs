//! Compiled canvases, found by the digest of what was compiled: a changed Live has another digest, so nothing
//! here can be out of date.

use crate::base::bounded_cache::{BoundedCache, bounded_cache};
use crate::domain::flows::flow::CanvasDigest;
use std::sync::Arc;

/// Compiled canvases that are kept (manual 14.7).
const PLANS_KEPT_MAX: usize = 1_000;

/// Of several runs that need a plan at once, one compiles it.
pub struct PlanCache<P>(BoundedCache<CanvasDigest, Arc<P>>);

impl<P> Default for PlanCache<P> {
    fn default() -> Self {
        Self(bounded_cache(PLANS_KEPT_MAX))
    }
}

impl<P> PlanCache<P> {
    /// The plan of this digest, or the one `compile` makes.
    ///
    /// # Errors
    /// What `compile` returns; a failure is not kept.
    pub fn get<E>(&self, digest: CanvasDigest, compile: impl FnOnce() -> Result<P, E>) -> Result<Arc<P>, E> {
        self.0.get_or_insert_with(&digest, || compile().map(Arc::new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow::FlowKind;

    fn digest(number: usize) -> CanvasDigest {
        CanvasDigest::compute(FlowKind::Chatflow, &number.to_string())
    }

    #[test]
    fn a_plan_is_compiled_once_and_the_cache_stays_bounded() {
        let plans = PlanCache::<usize>::default();
        for number in 0..PLANS_KEPT_MAX + 10 {
            assert_eq!(*plans.get::<()>(digest(number), || Ok(number)).unwrap(), number);
            plans.get::<()>(digest(0), || Err(())).expect("the one in use is kept");
        }
        assert!(plans.0.len() <= PLANS_KEPT_MAX);
        let is_gone = |number: &usize| plans.get::<()>(digest(*number), || Err(())).is_err();
        assert!((0..PLANS_KEPT_MAX + 10).filter(is_gone).count() >= 10);
    }
}
