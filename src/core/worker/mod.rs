//! Workers: processes of this very program that do one dangerous kind of work and can touch nothing but their two
//! pipes (manual 4.6, 11.1).
//!
//! [`Pool`] is the service's side: it starts workers ahead of need, lends one at a time to whoever waits longest and
//! kills what takes too long. [`sandbox::enter_sandbox`] is the worker's side: what it gives up before it reads the first
//! byte that a stranger wrote. What the two say to each other belongs to the rooms that use them; here it is only
//! [`frame`]s.

pub mod frame;
mod pool;
mod process;
pub mod sandbox;

pub use crate::worker::process::ExitReason;
pub use pool::{Lease, LeaseError, Pool, Tenant, WorkerSpec};
