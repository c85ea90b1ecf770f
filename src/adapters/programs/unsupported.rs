//! Systems on which processes cannot be kept as they have to be: no local program starts there.

use super::{ProgramError, ProgramSlot};
use crate::base::cancel::CancelToken;
use crate::domain::local_program::ProgramGrant;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// There is none.
pub enum ProgramProcess {}

impl ProgramProcess {
    pub(super) fn start(
        _: &Path,
        _: &ProgramGrant<'_>,
        _: ProgramSlot,
        _: CancelToken,
    ) -> Result<Self, ProgramError> {
        Err(ProgramError::CannotStart)
    }

    /// Of none.
    ///
    /// # Errors
    /// Never, for there is none.
    pub fn send(&mut self, _: &str, _: Instant) -> Result<(), ProgramError> {
        match *self {}
    }

    /// Of none.
    ///
    /// # Errors
    /// Never, for there is none.
    pub fn receive(&mut self, _: Instant) -> Result<String, ProgramError> {
        match *self {}
    }
}

pub fn work(_: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::FAILURE
}
