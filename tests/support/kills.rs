//! Programs that are killed in the middle of what they do, again and again.

#![allow(dead_code, reason = "each test binary uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

use crate::program::{command, error_output, run, standard_output};
use std::process::{Child, Stdio};
use std::time::Duration;

/// How often, as `FLOWKEEP_KILL_ROUNDS` says; `usual` if not set.
pub fn rounds(usual: u64) -> u64 {
    std::env::var("FLOWKEEP_KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A moment within `whole`, another one in each round.
pub fn moment(whole: Duration, round: u64) -> Duration {
    whole.mul_f64((round * 37 % 100) as f64 / 100.0 + 0.005)
}

/// Starts a command that says nothing.
pub fn start(arguments: &[&str]) -> Child {
    command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// What a command printed that must succeed.
pub fn good(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", error_output(&output));
    standard_output(&output)
}
