//! How the copying of versions to a host, or the reading of them, stands: one machine, and every move of it (manual 19.2). It
//! knows the time only as it is told, and neither a network nor a disk.

use super::environment::Role;
use super::git_host::host_name;
use crate::domain::flows::version::Sha;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Time between a recorded version and its copy (manual 14.16).
const COPY_DELAY_SECONDS: i64 = 3;
/// Wait after the first copy that failed; each further one doubles it (manual 14.16).
const RETRY_FIRST_SECONDS: u64 = 15;
/// Longest wait between two tries (manual 14.16).
const RETRY_LONGEST_SECONDS: u64 = 900;
/// Time between two times that Prod reads the host (manual 14.16).
const READ_INTERVAL_SECONDS: i64 = 120;

/// Where the copy stands, as the owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyState {
    /// History is off.
    Off,
    NotConnected,
    /// Nothing waits. A server that reads looks again at this time.
    UpToDate {
        next_look: Option<Timestamp>,
    },
    /// Versions are copied at this time.
    Waiting {
        due: Timestamp,
    },
    /// A copy runs. `again`: a version was recorded meanwhile, which it may have missed.
    Copying {
        again: bool,
        failures: u32,
    },
    /// The last tries failed.
    Retrying {
        failures: u32,
        next: Timestamp,
        message: String,
    },
    /// Nothing happens until the owner acts.
    Stopped(StopReason),
}

/// What stopped the copy until somebody acts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum StopReason {
    /// The host's `main` has commits that this server does not have.
    ForeignCommits,
    /// A rule of the host refuses the copy. Holds what it said, one clean line.
    Declined { answer: String },
    /// A version holds text that looks like a secret. Holds the kind, never the text.
    SecretFound { version: Sha, pattern: String },
    /// The credential was deleted.
    CredentialGone,
    /// The credential holds no token.
    CredentialEmpty,
    /// The settings name another host than the one that was connected.
    HostChanged {
        /// The address that was connected.
        web: String,
    },
    /// The settings with which a stand-in was connected are gone or changed.
    StandInRemoved,
    /// The history is gone, or says something else of what this server does than the database.
    LabelLost,
}

impl StopReason {
    /// The sentence for the owner. `host` is the one that is connected.
    #[must_use]
    pub fn message(&self, host: &str) -> String {
        match self {
            Self::ForeignCommits => format!(
                "{host} has commits on main that this server does not have, so nothing is copied. Remove them there, or \
                 connect an empty repository."
            ),
            Self::Declined { answer } => format!("{host} declined the copy: {answer}"),
            Self::SecretFound { version, pattern } => format!(
                "Version {} holds text that looks like a secret ({pattern}), so nothing is copied.",
                version.short()
            ),
            Self::CredentialGone => {
                "The credential of the copy was deleted. Connect the repository again with another one.".to_owned()
            }
            Self::CredentialEmpty => {
                "The credential of the copy holds no token. Type the token in again.".to_owned()
            }
            Self::HostChanged { web } => format!(
                "This repository was connected at {}, and this server's settings name another host now. Connect again, or \
                 set SERVICE_GITHUB_URL back.",
                host_name(web)
            ),
            Self::StandInRemoved => {
                "This repository was connected with test settings that are not in force any more. Connect again."
                    .to_owned()
            }
            Self::LabelLost => {
                "The label of this server is not that of its version history, which may be missing or another one, so \
                 nothing is copied or read. Put the history back and try again, or label this server again."
                    .to_owned()
            }
        }
    }
}

/// How a copy or a read failed that is tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What failed, as one sentence for the owner.
    pub message: String,
    /// How long the host asked to wait.
    pub wait_seconds: Option<u64>,
}

impl CopyState {
    /// A repository was connected, or the service started with one.
    #[must_use]
    pub const fn connected(now: Timestamp) -> Self {
        Self::Waiting { due: now }
    }

    /// When something is to be done by itself.
    #[must_use]
    pub const fn due(&self) -> Option<Timestamp> {
        match self {
            Self::UpToDate { next_look } => *next_look,
            Self::Waiting { due } => Some(*due),
            Self::Retrying { next, .. } => Some(*next),
            Self::Off | Self::NotConnected | Self::Copying { .. } | Self::Stopped(_) => None,
        }
    }

    /// A version was recorded on a server that copies. What waits already is not put off by it, and what stopped stays so.
    pub fn note_version(&mut self, now: Timestamp) {
        match self {
            Self::UpToDate { .. } => {
                *self = Self::Waiting { due: now + SignedDuration::from_secs(COPY_DELAY_SECONDS) };
            }
            Self::Copying { again, .. } => *again = true,
            Self::Off
            | Self::NotConnected
            | Self::Waiting { .. }
            | Self::Retrying { .. }
            | Self::Stopped(_) => {}
        }
    }

    /// Begins a copy that is due; false when none is.
    pub fn begin_due(&mut self, now: Timestamp) -> bool {
        self.due().is_some_and(|due| due <= now) && self.begin()
    }

    /// Begins a copy that the owner demands, whatever waits or stopped; false while one runs, and where there is nothing to
    /// copy to.
    pub fn begin(&mut self) -> bool {
        let failures = match self {
            Self::Off | Self::NotConnected | Self::Copying { .. } => return false,
            Self::Retrying { failures, .. } => *failures,
            Self::UpToDate { .. } | Self::Waiting { .. } | Self::Stopped(_) => 0,
        };
        *self = Self::Copying { again: false, failures };
        true
    }

    /// The copy that ran went well.
    pub fn succeed(&mut self, now: Timestamp, role: Role) {
        let Self::Copying { again, .. } = self else { return };
        *self = match (role, *again) {
            (Role::Read, _) => {
                Self::UpToDate { next_look: Some(now + SignedDuration::from_secs(READ_INTERVAL_SECONDS)) }
            }
            (Role::Copy, true) => Self::Waiting { due: now + SignedDuration::from_secs(COPY_DELAY_SECONDS) },
            (Role::Copy, false) => Self::UpToDate { next_look: None },
        };
    }

    /// The copy that ran failed, and is tried again after a wait that grows. `chance`, from 0 to 1, takes up to a quarter off, so
    /// that servers which failed together do not come back together.
    pub fn fail(&mut self, now: Timestamp, failure: Failure, chance: f64) {
        let Self::Copying { failures, .. } = *self else { return };
        let failures = failures.saturating_add(1);
        let wait = retry_wait(failures, failure.wait_seconds, chance);
        *self = Self::Retrying { failures, next: now + wait, message: failure.message };
    }

    /// Ends what was under way or waiting, until the owner acts.
    pub fn stop(&mut self, reason: StopReason) {
        if !matches!(self, Self::Off | Self::NotConnected) {
            *self = Self::Stopped(reason);
        }
    }

    /// The copy that ran was cut off by the end of the service: it is as if it had not begun.
    pub fn give_up(&mut self, now: Timestamp) {
        if matches!(self, Self::Copying { .. }) {
            *self = Self::Waiting { due: now };
        }
    }

    /// Another token is there: what it may have been the fault of is tried at once.
    pub fn change_credential(&mut self, now: Timestamp) {
        match self {
            Self::Stopped(_) | Self::Retrying { .. } => *self = Self::Waiting { due: now },
            // The copy that runs has the token from before.
            Self::Copying { again, .. } => *again = true,
            Self::Off | Self::NotConnected | Self::UpToDate { .. } | Self::Waiting { .. } => {}
        }
    }

    /// This server was labelled again: what the label stopped goes on.
    pub fn change_label(&mut self, now: Timestamp) {
        if *self == Self::Stopped(StopReason::LabelLost) {
            *self = Self::Waiting { due: now };
        }
    }

    /// The sentence for the owner; `None` where the state says it all. `host` is the one that is connected.
    #[must_use]
    pub fn message(&self, host: &str) -> Option<String> {
        match self {
            Self::Off => Some("Version history is off on this server.".to_owned()),
            Self::Retrying { message, .. } => Some(message.clone()),
            Self::Stopped(reason) => Some(reason.message(host)),
            Self::NotConnected | Self::UpToDate { .. } | Self::Waiting { .. } | Self::Copying { .. } => None,
        }
    }

    /// When it is tried again.
    #[must_use]
    pub const fn next_try(&self) -> Option<Timestamp> {
        match self {
            Self::Retrying { next, .. } => Some(*next),
            _ => None,
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "seconds up to a quarter of an hour")]
fn retry_wait(failures: u32, asked_seconds: Option<u64>, chance: f64) -> SignedDuration {
    let doubled = RETRY_FIRST_SECONDS.saturating_mul(1 << failures.saturating_sub(1).min(16));
    let wait = doubled.min(RETRY_LONGEST_SECONDS) as f64 * (1.0 - 0.25 * chance.clamp(0.0, 1.0));
    let asked = asked_seconds.unwrap_or_default().min(RETRY_LONGEST_SECONDS) as f64;
    SignedDuration::from_secs_f64(wait.max(asked))
}

#[cfg(test)]
#[path = "copy_state_tests.rs"]
mod tests;
