//! How the service is, and what a page needs to know of it.

use crate::domain::damage::{Damage, IntegrityReport};
use crate::domain::remote::environment::Environment;
use serde::Serialize;
use std::net::IpAddr;

/// The service's version.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ServiceVersion"))]
pub struct ServiceVersionView {
    version: &'static str,
}

impl ServiceVersionView {
    #[must_use]
    pub const fn new(version: &'static str) -> Self {
        Self { version }
    }
}

/// How the service is.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ServiceStatus"))]
pub struct ServiceStatusView {
    status: &'static str,
}

impl ServiceStatusView {
    /// The process is alive.
    pub const OK: Self = Self { status: "ok" };
    /// The database answers.
    pub const READY: Self = Self { status: "ready" };
}

/// What a page needs to know before anybody signs in.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PublicSettings"))]
pub struct PublicSettingsView {
    #[serde(rename = "PLATFORM_TYPE")]
    platform_type: &'static str,
    owner_exists: bool,
    setup_token_needed: bool,
    /// What the owner labelled this server as.
    environment: Option<Environment>,
}

impl PublicSettingsView {
    #[must_use]
    pub const fn new(owner_exists: bool, setup_token_needed: bool, environment: Option<Environment>) -> Self {
        Self { platform_type: "open source", owner_exists, setup_token_needed, environment }
    }
}

/// The address a caller is counted by.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CallerAddress"))]
pub struct CallerAddressView {
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    ip: IpAddr,
    msg: &'static str,
}

impl CallerAddressView {
    #[must_use]
    pub const fn new(ip: IpAddr) -> Self {
        Self {
            ip,
            msg: "This is the address your requests are counted by. Behind a proxy it should be your own, not the proxy's: \
                  list the proxy in SERVICE_TRUSTED_PROXIES.",
        }
    }
}

/// The most problems that are listed; all are counted.
const LISTED_MAX: usize = 1_000;

/// What was found among rows and files.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IntegrityReportView {
    rows: u64,
    files: u64,
    files_without_checksum: u64,
    damaged: usize,
    problems: Vec<String>,
    warnings: Vec<String>,
}

impl From<IntegrityReport> for IntegrityReportView {
    fn from(IntegrityReport { rows, files, unknown_files, damages, warnings }: IntegrityReport) -> Self {
        let place = |damage: &Damage| damage.place().to_owned();
        Self {
            rows,
            files,
            files_without_checksum: unknown_files,
            damaged: damages.len(),
            problems: damages.iter().take(LISTED_MAX).map(place).collect(),
            warnings,
        }
    }
}
