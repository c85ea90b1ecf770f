//! How the server is, for its owner.

use super::mail::MailHealth;
use super::problem::Problem;
use crate::domain::remote::environment::Environment;
use crate::domain::remote::status::CopyStatus;
use crate::domain::service::compaction::CompactionHealth;
use crate::domain::service::server_setting::ServerSetting;
use jiff::Timestamp;

/// How the server is.
#[derive(Debug, Clone)]
pub struct ServerStatus {
    /// When this process began to serve.
    pub started: Timestamp,
    pub uptime_seconds: u64,
    pub environment: Option<Environment>,
    pub settings: Vec<ServerSetting>,
    pub disk: DiskUse,
    pub database: DatabaseHealth,
    pub history: HistoryHealth,
    /// `None` where no repository is connected.
    pub copy: Option<CopyStatus>,
    pub backup: BackupHealth,
    pub compaction: CompactionHealth,
    /// Sign-ins that are alive.
    pub sessions: usize,
    /// API keys of all workspaces.
    pub keys: usize,
    /// The counts of the service can be read.
    pub metrics: bool,
    /// Spans are sent.
    pub tracing: bool,
    /// `None` where no mail server is set.
    pub mail: Option<MailHealth>,
    pub problems: Vec<Problem>,
}

/// What the data folder takes on its disk.
#[derive(Debug, Clone)]
pub struct DiskUse {
    /// Its name, without the folders above it.
    pub folder: String,
    /// Bytes of all of its files, as of some minutes ago.
    pub bytes: u64,
    /// Bytes that are free; `None` where the system does not say.
    pub free: Option<u64>,
}

/// How the database is.
#[derive(Debug, Clone)]
pub struct DatabaseHealth {
    pub bytes: u64,
    /// Why it cannot be read.
    pub error: Option<String>,
}

/// How the history of versions is.
#[derive(Debug, Clone)]
pub struct HistoryHealth {
    pub is_on: bool,
    /// Changes of Live it holds; `None` while it is off or cannot be read.
    pub versions: Option<usize>,
    pub bytes: u64,
    /// Why it cannot be read, or why the last version was not recorded.
    pub error: Option<String>,
}

/// How the backups are that the service makes by itself.
#[derive(Debug, Clone, Default)]
pub struct BackupHealth {
    /// Seconds between two of them; `None` where none are made.
    pub every_seconds: Option<u64>,
    /// A folder is named for them.
    pub has_folder: bool,
    /// When the newest one was made, and its bytes.
    pub last: Option<(Timestamp, u64)>,
    /// Why the last one could not be made.
    pub error: Option<String>,
}
