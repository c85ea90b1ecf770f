//! Faults on purpose: tests make the n-th step that touches the disk fail, or end the program there in effect.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the next steps do. In service nothing is ever set, and a step costs two atomic operations.
#[derive(Debug, Default)]
pub struct Faults {
    steps: AtomicU32,
    unflushed: AtomicBool,
    armed: AtomicBool,
    plan: Mutex<Option<FaultPlan>>,
}

#[derive(Debug, Clone, Copy)]
struct FaultPlan {
    /// The step that fails, counted from 0 since the plan was made.
    at: u32,
    kind: io::ErrorKind,
    /// All later steps fail too, and nothing is tidied up: as if the process were gone.
    is_crash: bool,
}

impl Faults {
    /// Makes one step fail, `at` steps from now.
    pub fn fail_at(&self, at: u32, kind: io::ErrorKind) {
        self.arm(FaultPlan { at, kind, is_crash: false });
    }

    /// Makes every step from the `at`-th on fail, and leaves temporary files and locks where they are.
    pub fn crash_at(&self, at: u32) {
        self.arm(FaultPlan { at, kind: io::ErrorKind::Other, is_crash: true });
    }

    pub fn clear(&self) {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.armed.store(false, Ordering::SeqCst);
        self.steps.store(0, Ordering::SeqCst);
    }

    /// How many steps were taken since the last [`Self::clear`] or since a fault was set.
    pub fn steps(&self) -> u32 {
        self.steps.load(Ordering::SeqCst)
    }

    /// Leaves out every flush to disk, so that a long history is made quickly.
    pub fn without_flushing(&self, on: bool) {
        self.unflushed.store(on, Ordering::SeqCst);
    }

    fn arm(&self, plan: FaultPlan) {
        *self.plan.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan);
        self.steps.store(0, Ordering::SeqCst);
        self.armed.store(true, Ordering::SeqCst);
    }

    pub fn is_flushing(&self) -> bool {
        !self.unflushed.load(Ordering::Relaxed)
    }

    /// Passes a step, or fails it.
    pub fn step(&self) -> io::Result<()> {
        let step = self.steps.fetch_add(1, Ordering::Relaxed);
        if !self.armed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let plan = *self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        match plan {
            Some(plan) if step == plan.at || (plan.is_crash && step > plan.at) => {
                Err(io::Error::new(plan.kind, "a fault set by a test"))
            }
            _ => Ok(()),
        }
    }

    /// True when the process is to be thought of as gone.
    pub fn has_crashed(&self) -> bool {
        if !self.armed.load(Ordering::Relaxed) {
            return false;
        }
        let plan = *self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        plan.is_some_and(|plan| plan.is_crash && self.steps() > plan.at)
    }
}
