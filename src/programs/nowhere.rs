//! Systems on which processes cannot be kept as they have to be: no local program starts there.

use super::{Fault, Place};
use crate::domain::cancel::Cancel;
use crate::domain::local_program::Admitted;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// There is none.
pub enum Running {}

impl Running {
    pub(super) fn start(_: &Path, _: &Admitted<'_>, _: Place, _: Cancel) -> Result<Self, Fault> {
        Err(Fault::CannotStart)
    }

    /// Of none.
    ///
    /// # Errors
    /// Never, for there is none.
    pub fn send(&mut self, _: &str, _: Instant) -> Result<(), Fault> {
        match *self {}
    }

    /// Of none.
    ///
    /// # Errors
    /// Never, for there is none.
    pub fn receive(&mut self, _: Instant) -> Result<String, Fault> {
        match *self {}
    }
}

/// Keeps nothing.
pub fn work(_: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::FAILURE
}
