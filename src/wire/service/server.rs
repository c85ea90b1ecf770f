//! How the server is, and the newest lines of its log, for its owner (manual 13.17).

use crate::domain::remote::copy_state::CopyState;
use crate::domain::remote::environment::{Environment, Role};
use crate::domain::remote::status::CopyStatus;
use crate::domain::service::log_line::{Gravity, LogExcerpt, LogLine};
use crate::domain::service::mail::{MailHealth, MailRecord};
use crate::domain::service::server_setting::{ServerSetting, SettingOrigin};
use crate::domain::service::server_status::{BackupHealth, DatabaseHealth, HistoryHealth, ServerStatus};
use crate::remote::status::CopyStateName;
use crate::service::compaction::CompactionHealthView;
use crate::time::IsoTime;
use serde::Serialize;
use std::collections::BTreeMap;

/// How the server is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ServerStatus"))]
pub struct ServerStatusView {
    version: &'static str,
    started_at: IsoTime,
    uptime_seconds: u64,
    environment: Option<Environment>,
    /// Every setting in force.
    settings: Vec<ServerSettingView>,
    disk: DiskUseView,
    database: DatabaseHealthView,
    history: HistoryHealthView,
    /// Null where no repository is connected.
    copy: Option<CopyHealthView>,
    backup: BackupHealthView,
    /// Null where no mail server is set.
    mail: Option<MailHealthView>,
    /// Making database and history smaller.
    compaction: CompactionHealthView,
    /// Sign-ins that are alive.
    sessions: usize,
    /// API keys of all workspaces.
    keys: usize,
    /// The counts of the service can be read.
    metrics: bool,
    /// Spans are sent.
    tracing: bool,
    /// What somebody has to see to, a sentence each.
    problems: Vec<String>,
}

/// A setting in force.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ServerSetting"))]
struct ServerSettingView {
    name: &'static str,
    /// Null for a secret, and where there is none. Files and folders are shown by their own names.
    value: Option<String>,
    secret: bool,
    /// Somebody gave it a value.
    set: bool,
    origin: OriginName,
    /// What it sets.
    help: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "SettingOrigin"))]
enum OriginName {
    Default,
    Environment,
    Argument,
    File,
}

/// What the data folder takes on its disk.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct DiskUseView {
    /// Its name, without the folders above it.
    folder: String,
    /// Of all of its files, as of some minutes ago.
    bytes: u64,
    /// Null where the system does not say.
    free: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "DatabaseHealthState"))]
enum DatabaseState {
    Well,
    Failing,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct DatabaseHealthView {
    state: DatabaseState,
    bytes: u64,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "HistoryHealthState"))]
enum HistoryState {
    Well,
    Off,
    Failing,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct HistoryHealthView {
    state: HistoryState,
    /// Changes of Live that it holds; null while it is off or cannot be read.
    versions: Option<usize>,
    bytes: u64,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct CopyHealthView {
    state: CopyStateName,
    sentence: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct BackupHealthView {
    /// Seconds between two of them; null where the service makes none by itself.
    every: Option<u64>,
    /// A folder is named for them.
    directory: bool,
    last_at: Option<IsoTime>,
    last_bytes: Option<u64>,
    /// Why the last one could not be made.
    error: Option<String>,
}

/// How mail is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct MailHealthView {
    /// Host and port of the mail server.
    server: String,
    /// Messages that wait to be taken by it.
    waiting: usize,
    /// Messages that were given up.
    given_up: u64,
    /// When it took one last.
    last_sent_at: Option<IsoTime>,
    /// When a try failed last.
    last_failed_at: Option<IsoTime>,
    /// Why that try failed.
    last_failure: Option<String>,
    /// Why what waits was not taken, or what was given up within the last day.
    error: Option<String>,
}

impl From<ServerStatus> for ServerStatusView {
    fn from(status: ServerStatus) -> Self {
        let ServerStatus {
            started,
            uptime_seconds,
            environment,
            settings,
            disk,
            database,
            history,
            copy,
            backup,
            mail,
            compaction,
            sessions,
            keys,
            metrics,
            tracing,
            problems,
        } = status;
        Self {
            version: env!("CARGO_PKG_VERSION"),
            started_at: started.into(),
            uptime_seconds,
            environment,
            settings: settings.iter().map(ServerSettingView::from).collect(),
            disk: DiskUseView { folder: disk.folder, bytes: disk.bytes, free: disk.free },
            database: database.into(),
            history: history.into(),
            copy: copy.map(CopyHealthView::from),
            backup: backup.into(),
            mail: mail.map(MailHealthView::from),
            compaction: compaction.into(),
            sessions,
            keys,
            metrics,
            tracing,
            problems: problems.into_iter().map(|problem| problem.sentence).collect(),
        }
    }
}

impl From<&ServerSetting> for ServerSettingView {
    fn from(setting: &ServerSetting) -> Self {
        Self {
            name: setting.name,
            value: setting.shown_value(),
            secret: setting.is_secret,
            set: setting.is_set,
            origin: match setting.origin {
                SettingOrigin::Default => OriginName::Default,
                SettingOrigin::Environment => OriginName::Environment,
                SettingOrigin::Argument(_) => OriginName::Argument,
                SettingOrigin::File => OriginName::File,
            },
            help: setting.help,
        }
    }
}

impl From<DatabaseHealth> for DatabaseHealthView {
    fn from(DatabaseHealth { bytes, error }: DatabaseHealth) -> Self {
        let state = if error.is_some() { DatabaseState::Failing } else { DatabaseState::Well };
        Self { state, bytes, error }
    }
}

impl From<HistoryHealth> for HistoryHealthView {
    fn from(HistoryHealth { is_on, versions, bytes, error }: HistoryHealth) -> Self {
        let state = match (is_on, &error) {
            (false, _) => HistoryState::Off,
            (true, None) => HistoryState::Well,
            (true, Some(_)) => HistoryState::Failing,
        };
        Self { state, versions, bytes, error }
    }
}

impl From<CopyStatus> for CopyHealthView {
    fn from(status: CopyStatus) -> Self {
        let CopyStatus { host, state, environment, connection, .. } = status;
        let repository = connection.as_ref().map_or_else(String::new, |known| known.repository.clone());
        let waiting = connection.and_then(|known| known.waiting);
        let reads = Role::of(environment) == Role::Read;
        let sentence = match (&state, reads) {
            (CopyState::UpToDate { .. }, false) => format!("{repository} at {host} has every version."),
            (CopyState::UpToDate { .. }, true) => {
                format!("The versions of {repository} at {host} are read here.")
            }
            (CopyState::Waiting { .. } | CopyState::Copying { .. }, true) => {
                format!("The versions of {repository} at {host} are being read.")
            }
            (CopyState::Waiting { .. }, false) => match waiting {
                Some(1) => format!("1 version waits to be copied to {host}."),
                Some(count) => format!("{count} versions wait to be copied to {host}."),
                None => format!("Versions wait to be copied to {host}."),
            },
            (CopyState::Copying { .. }, false) => format!("Versions are being copied to {host}."),
            (CopyState::NotConnected, _) => "No repository is connected.".to_owned(),
            (CopyState::Off | CopyState::Retrying { .. } | CopyState::Stopped(_), _) => {
                state.message(&host).unwrap_or_default()
            }
        };
        Self { state: CopyStateName::from(&state), sentence }
    }
}

impl From<BackupHealth> for BackupHealthView {
    fn from(BackupHealth { every_seconds, has_folder, last, error }: BackupHealth) -> Self {
        Self {
            every: every_seconds,
            directory: has_folder,
            last_at: last.map(|(moment, _)| moment.into()),
            last_bytes: last.map(|(_, bytes)| bytes),
            error,
        }
    }
}

impl From<MailHealth> for MailHealthView {
    fn from(MailHealth { server, waiting, record, error }: MailHealth) -> Self {
        let MailRecord { sent, given_up, failure } = record;
        let (last_failed_at, last_failure) =
            failure.map(|failure| (failure.at.into(), failure.sentence)).unzip();
        Self {
            server,
            waiting,
            given_up,
            last_sent_at: sent.map(IsoTime::from),
            last_failed_at,
            last_failure,
            error,
        }
    }
}

/// The newest lines of the log.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ServerLog"))]
pub struct ServerLogView {
    /// Newest first.
    lines: Vec<LogLineView>,
    /// Lines of the last hour that were dropped because newer ones needed their room.
    dropped: u64,
}

/// A line of the log.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LogLine"))]
struct LogLineView {
    at: IsoTime,
    level: GravityName,
    /// The module that wrote it.
    target: &'static str,
    message: String,
    /// What stands beside the message, by name.
    fields: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "LogLineLevel"))]
enum GravityName {
    Error,
    Warn,
    Info,
}

impl From<LogExcerpt> for ServerLogView {
    fn from(LogExcerpt { lines, dropped }: LogExcerpt) -> Self {
        Self { lines: lines.into_iter().map(LogLineView::from).collect(), dropped }
    }
}

impl From<LogLine> for LogLineView {
    fn from(LogLine { at, gravity, target, message, fields }: LogLine) -> Self {
        let level = match gravity {
            Gravity::Error => GravityName::Error,
            Gravity::Warn => GravityName::Warn,
            Gravity::Info => GravityName::Info,
        };
        Self { at: at.into(), level, target, message, fields: fields.into_iter().collect() }
    }
}
