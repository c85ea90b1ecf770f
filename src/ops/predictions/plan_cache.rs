//! Compiled canvases, found by the digest of what was compiled: a changed Live has another digest, so nothing
//! here can be out of date.

use crate::domain::flows::flow::CanvasDigest;
use crate::limits::PLANS_KEPT_MAX;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A bounded cache; when it is full, the one not used for longest goes.
pub struct PlanCache<P>(Mutex<CachedPlans<P>>);

struct CachedPlans<P> {
    plans: HashMap<CanvasDigest, (Arc<P>, u64)>,
    uses: u64,
}

impl<P> Default for PlanCache<P> {
    fn default() -> Self {
        Self(Mutex::new(CachedPlans { plans: HashMap::new(), uses: 0 }))
    }
}

impl<P> PlanCache<P> {
    /// The plan of this digest, or the one `compile` makes.
    ///
    /// # Errors
    /// What `compile` returns; a failure is not kept.
    pub fn get<E>(&self, digest: CanvasDigest, compile: impl FnOnce() -> Result<P, E>) -> Result<Arc<P>, E> {
        if let Some(plan) = self.lookup(digest) {
            return Ok(plan);
        }
        // Compiled without the lock: a large canvas does not hold up the others, and compiling twice does no harm.
        let plan = Arc::new(compile()?);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.plans.len() >= PLANS_KEPT_MAX {
            let oldest = kept.plans.iter().min_by_key(|(_, (_, used))| *used).map(|(digest, _)| *digest);
            oldest.and_then(|digest| kept.plans.remove(&digest));
        }
        kept.uses += 1;
        let used = kept.uses;
        kept.plans.insert(digest, (plan.clone(), used));
        Ok(plan)
    }

    fn lookup(&self, digest: CanvasDigest) -> Option<Arc<P>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        let (plan, used) = kept.plans.get_mut(&digest)?;
        *used = now;
        Some(plan.clone())
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
        assert!(plans.0.lock().unwrap().plans.len() <= PLANS_KEPT_MAX);
        assert!(plans.get::<()>(digest(1), || Err(())).is_err());
    }
}
