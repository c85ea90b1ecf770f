//! Programs of this machine that flows start: only those that the operator listed, each for one run (manual 12.6).
//!
//! A program is trusted to be what its operator chose, and with nothing else. It gets a folder of its own, an environment
//! of what its row of the list gives it and limits for each of its processes, and all of them end with the run. What it does
//! with the network and with the files of the service's user is its own: there are no walls around it as around workers.
//!
//! [`Programs::start`] starts this program again, as a keeper (`keeper.rs`): a process that starts the wanted one, inherits
//! whatever that leaves behind and ends all of it when its input closes. So an end comes with the end of the run, and also
//! where the service is killed, because that closes the same pipe.

#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod process;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::local_program::{AllowedProgram, CommandLine, ProgramNotListedError};
#[cfg(target_os = "linux")]
pub use crate::programs::keeper::run_keeper;
#[cfg(target_os = "linux")]
pub use crate::programs::process::ProgramProcess;
#[cfg(not(target_os = "linux"))]
pub use crate::programs::unsupported::{ProgramProcess, work};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Local programs that run at the same time (manual 14.7).
const PROGRAMS_MAX: usize = 16;

/// The argument by which the program knows that it keeps another one.
pub const ROLE: &str = "flowkeep-program-keeper";

/// Why a program does not answer. Nothing of it is in the program's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The operator has not listed it.
    #[error(transparent)]
    NotAllowed(ProgramNotListedError),
    /// The operator listed a file that is not there.
    #[error(
        "the program of SERVICE_MCP_COMMANDS is not on this machine, or cannot be started by this service"
    )]
    Missing,
    #[error("{PROGRAMS_MAX} local programs run already; ask again later")]
    Busy,
    #[error("this system started no process for the program")]
    CannotStart,
    /// It ended, with this code where it ended by itself.
    #[error("the program ended{}; the log says more", .0.map(|code| format!(" with code {code}")).unwrap_or_default())]
    Ended(Option<i32>),
    /// It did not answer in time.
    #[error("the program did not answer in time")]
    Late,
    /// A line of it is longer than any may be, or none.
    #[error("the program wrote what is no message")]
    Garbled,
    #[error("the run was ended")]
    Cancelled(CancelReason),
}

impl ProgramError {
    /// True for what the same request may not meet again.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Busy | Self::Late)
    }
}

/// The programs that flows may start.
#[derive(Clone)]
pub struct Programs {
    keeper: PathBuf,
    allowed: Arc<[AllowedProgram]>,
    running: Arc<AtomicUsize>,
}

impl Programs {
    /// Those of the operator's list. `keeper` is this program.
    #[must_use]
    pub fn new(keeper: PathBuf, allowed: &[AllowedProgram]) -> Self {
        Self { keeper, allowed: allowed.into(), running: Arc::default() }
    }

    /// How many run at this moment.
    #[must_use]
    pub fn running_count(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Starts a program in a process and a folder of its own.
    ///
    /// # Errors
    /// Why it is not started.
    pub fn start(&self, line: &CommandLine, cancel: &CancelToken) -> Result<ProgramProcess, ProgramError> {
        let admitted = line.find_in(&self.allowed).map_err(ProgramError::NotAllowed)?;
        let place = ProgramSlot::acquire(&self.running)?;
        ProgramProcess::start(&self.keeper, &admitted, place, cancel.clone())
    }
}

/// One of the programs that may run at the same time.
struct ProgramSlot(Arc<AtomicUsize>);

impl ProgramSlot {
    fn acquire(running: &Arc<AtomicUsize>) -> Result<Self, ProgramError> {
        let take = |count| (count < PROGRAMS_MAX).then_some(count + 1);
        running
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
            .map(|_| Self(running.clone()))
            .map_err(|_| ProgramError::Busy)
    }
}

impl Drop for ProgramSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_run_at_a_time_than_may() {
        let running = Arc::default();
        let places: Vec<ProgramSlot> =
            (0..PROGRAMS_MAX).map(|_| ProgramSlot::acquire(&running).ok().unwrap()).collect();
        assert_eq!(ProgramSlot::acquire(&running).err(), Some(ProgramError::Busy));
        drop(places);
        assert!(ProgramSlot::acquire(&running).is_ok());
    }
}
