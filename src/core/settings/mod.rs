//! What an operator can set (manual 13.2): read once at start, never changed after.

mod backups;
mod base_url;
mod git_host;
mod in_force;
mod log;
mod mail;
mod metrics;
mod misspelt;
mod parse;
mod proxies;
#[cfg(test)]
mod tests;
mod traces;

use crate::domain::local_program::AllowedProgram;
use crate::limits;
use crate::limits::REQUESTS_MAX;
pub use backups::BackupSettings;
pub use base_url::BaseUrl;
pub use git_host::GitHostSettings;
use in_force::SettingSources;
use ipnet::IpNet;
pub use log::{LogFilter, LogFormat, LogLevel};
pub use mail::{MailPassword, MailSecurity, MailSettings, MailSignIn};
pub use metrics::MetricsAccess;
pub use misspelt::warnings;
use parse::SettingsReader;
pub use proxies::{Proxies, Proxy, ProxyBypass};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
pub use traces::{Sampler, TraceSettings};

/// Streams one client address may hold open at the same time, unless `SERVICE_STREAMS_PER_ADDRESS` says otherwise. Many, as a
/// proxy that is not trusted, or a whole office, is one address (manual 14.1).
const STREAMS_PER_ADDRESS: u64 = 1_024;
/// What `SERVICE_STREAMS_PER_ADDRESS` may be: more than all requests would bound nothing (manual 14.1).
const STREAMS_PER_ADDRESS_RANGE: (u64, u64) = (1, REQUESTS_MAX as u64);
/// What `SERVICE_CODE_SECONDS` may be (manual 14.10).
const CODE_SECONDS_RANGE: (u64, u64) = (1, 120);
/// What `SERVICE_CODE_MEMORY_MB` may be (manual 14.10).
const CODE_MEMORY_RANGE_MB: (u64, u64) = (16, 512);
/// Tokens a check may use, unless `SERVICE_CHECK_MAX_TOKENS` says otherwise.
const CHECK_TOKENS_COUNT: u64 = 100_000;
/// What `SERVICE_CHECK_MAX_TOKENS` is clamped to.
const CHECK_TOKENS_RANGE_COUNT: (u64, u64) = (1_000, 2_000_000);
/// Time a check may take, unless `SERVICE_CHECK_MAX_SECONDS` says otherwise.
const CHECK_SECONDS: u64 = 180;
/// The same for a check with `control`, where `SERVICE_CHECK_MAX_SECONDS` is not set.
const CHECK_CONTROL_SECONDS: u64 = 600;
/// What `SERVICE_CHECK_MAX_SECONDS` is clamped to.
const CHECK_RANGE_SECONDS: (u64, u64) = (10, 1_800);
/// How long an invitation works, unless `SERVICE_INVITATION_MINUTES` says otherwise (manual 14.15).
const INVITATION_MINUTES: u64 = 15;
/// What `SERVICE_INVITATION_MINUTES` may be: at most a week (manual 14.15).
const INVITATION_MINUTES_RANGE: (u64, u64) = (15, 10_080);

/// Steps of an agentflow's run that are under way at once, unless `SERVICE_BRANCHES` says otherwise (manual 14.4).
const BRANCHES_COUNT: u64 = 8;
/// What `SERVICE_BRANCHES` may be (manual 14.4).
const BRANCHES_RANGE: (u64, u64) = (1, 64);
/// Records of agentflow runs that a workspace keeps, unless `SERVICE_EXECUTIONS_KEEP` says otherwise (manual 14.4).
const EXECUTIONS_KEEP_COUNT: u64 = 100_000;
/// What `SERVICE_EXECUTIONS_KEEP` may be: 0 keeps all (manual 14.4).
const EXECUTIONS_KEEP_RANGE: (u64, u64) = (0, 1_000_000_000);
/// What `SERVICE_KEEP_DAYS` may be: 0 keeps everything (manual 14.4).
const KEEP_DAYS_RANGE: (u64, u64) = (0, 36_500);
/// Least time between two runs of a schedule, unless `SERVICE_SCHEDULE_MIN_SECONDS` says otherwise (manual 14.4).
const SCHEDULE_GAP_SECONDS: u64 = 60;
/// What `SERVICE_SCHEDULE_MIN_SECONDS` may be: up to a year (manual 14.4).
const SCHEDULE_GAP_RANGE_SECONDS: (u64, u64) = (60, 31_622_400);

/// The port the service listens on unless told otherwise.
pub(crate) const DEFAULT_PORT: u16 = 3000;

/// Looks up a variable of the server's environment: for saved variables of type `runtime` (manual 7.5).
#[derive(Clone)]
pub struct Environment {
    look_up: Arc<LookUp>,
    program: PathBuf,
    flow_variables: FlowVariableAccess,
}

/// Which variables of the environment flows may read. It holds much that is none of a flow's business: secrets of the
/// operator, of the system and of whatever started the service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FlowVariableAccess {
    /// Those whose names begin with `FLOW_`.
    #[default]
    Prefixed,
    Listed(Vec<String>),
}

impl FlowVariableAccess {
    /// Settings of the service itself, which no list opens.
    fn is_own(name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        ["SERVICE_", "OTEL_"].iter().any(|prefix| name.starts_with(prefix))
    }

    fn is_readable(&self, name: &str) -> bool {
        !Self::is_own(name)
            && match self {
                Self::Prefixed => name.starts_with("FLOW_"),
                Self::Listed(names) => names.iter().any(|listed| listed == name),
            }
    }
}

type LookUp = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Environment {
    /// An environment read through `look_up`.
    pub fn new(look_up: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            look_up: Arc::new(look_up),
            program: PathBuf::new(),
            flow_variables: FlowVariableAccess::default(),
        }
    }

    /// With this program to make workers of (`worker/`); without one, code does not run.
    #[must_use]
    pub fn with_program(self, program: PathBuf) -> Self {
        Self { program, ..self }
    }

    /// With what an operator lets flows read of it.
    #[must_use]
    pub fn with_flow_variables(self, flows_read: FlowVariableAccess) -> Self {
        Self { flow_variables: flows_read, ..self }
    }

    /// The program workers are made of.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.program.clone()
    }

    /// The value of `name`, if flows may read it.
    #[must_use]
    pub fn flow_variable(&self, name: &str) -> Option<String> {
        if self.flow_variables.is_readable(name) { (self.look_up)(name) } else { None }
    }
}

/// Every setting, read and judged. Others read it as `app.settings`.
#[derive(Clone)]
pub struct Settings {
    /// `SERVICE_HOST`: the address to listen on; default 127.0.0.1.
    pub host: IpAddr,
    /// `SERVICE_PORT`: the port to listen on; 0 takes any free one; default 3000.
    pub port: u16,
    /// `SERVICE_DATA_DIR`: everything the service keeps lies under it; default `~/.flowkeep`.
    pub data_dir: PathBuf,
    /// `SERVICE_BASE_URL`: the address people use.
    pub base_url: Option<BaseUrl>,
    /// `SERVICE_HOSTS`: further names of the service, lower case, each with its port where it has one.
    pub hosts: Vec<String>,
    /// `CORS_ORIGINS`: origins admitted for every flow, lower case; `*` admits all (manual 2.4 r2).
    pub cors_origins: Vec<String>,
    /// `SERVICE_HTTP_ALLOW`: what may be called although it is private (manual 12.5).
    pub http_allow: Vec<AllowRule>,
    /// `SERVICE_CA_FILE`: certificates of authorities that are trusted beside those that are trusted everywhere.
    pub ca_file: Option<PathBuf>,
    /// `SERVICE_MODEL_PRICES`: a file with what models cost.
    pub model_prices: Option<PathBuf>,
    /// `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`: the proxies that requests go through.
    pub proxies: Proxies,
    /// `SERVICE_DOCUMENT_FOLDERS`: folders of the server whose files flows may read (manual 4.8).
    pub document_folders: Vec<PathBuf>,
    /// `SERVICE_RUNTIME_VARIABLES`: variables of the environment that flows may read.
    pub flow_variables: FlowVariableAccess,
    /// `SERVICE_TRUSTED_PROXIES`: who may say which address a request came from (manual 12.2 r2).
    pub trusted_proxies: Vec<IpNet>,
    /// `SERVICE_STREAMS_PER_ADDRESS`: streams one client address may hold open.
    pub streams_per_address: u64,
    /// `SERVICE_VERSIONS`: versions are recorded; default on.
    pub history: bool,
    /// `SERVICE_DRAFTS`: canvas edits go to a draft; default on.
    pub drafts: bool,
    /// `SERVICE_VERSIONS_DIR`: the folder of the history repository; `None` is `versions` in the data folder.
    pub versions_dir: Option<PathBuf>,
    /// `SERVICE_VERSIONS_GROUP_READ`: the group of the repository's folder may read it, for git clients; default off.
    pub versions_group_read: bool,
    /// `SERVICE_CHECK_MAX_TOKENS`: tokens a check may use, within its range.
    pub check_tokens_max: u64,
    /// `SERVICE_CHECK_MAX_SECONDS`: seconds a check may take, within its range.
    pub check_seconds_max: u64,
    /// The same for a check that also measures how much Live differs from itself, which asks half as much again.
    pub check_control_seconds_max: u64,
    /// `SERVICE_GITHUB_…`: the git host that versions are copied to.
    pub git_host: GitHostSettings,
    /// `SERVICE_ENCRYPTION_KEY`: seals credentials instead of the key in the data folder.
    pub encryption_key: Option<[u8; 32]>,
    /// `SERVICE_OWNER_EMAIL` and `SERVICE_OWNER_PASSWORD`: the owner made at the first start.
    pub first_owner: Option<FirstOwner>,
    /// `SERVICE_INVITATION_MINUTES`: how long the link of an invitation works.
    pub invitation_minutes: u64,
    /// `SERVICE_CODE_SECONDS`: CPU seconds of one code input.
    pub code_seconds: u64,
    /// `SERVICE_CODE_MEMORY_MB`: mebibytes of heap of one code input.
    pub code_memory_mb: u64,
    /// `SERVICE_MCP_COMMANDS`: programs a flow may start, each an absolute path and its fixed arguments.
    pub mcp_commands: Vec<AllowedProgram>,
    /// `SERVICE_BRANCHES`: steps of an agentflow's run that are under way at once.
    pub branches_max: u64,
    /// `SERVICE_EXECUTIONS_KEEP`: records of agentflow runs that a workspace keeps, the newest; 0 keeps all.
    pub executions_keep: u64,
    /// `SERVICE_KEEP_DAYS`: days after which what people said, and what runs did, is removed; 0 keeps everything.
    pub keep_days: u64,
    /// `SERVICE_SCHEDULE_MIN_SECONDS`: how often a schedule may start its flow, at most every so many seconds.
    pub schedule_seconds_min: u64,
    /// `SERVICE_BACKUP_…`: backups that the service makes by itself.
    pub backups: BackupSettings,
    /// `SERVICE_MAIL_…`: the server that takes mail; `None` sends none.
    pub mail: Option<MailSettings>,
    /// `SERVICE_HSTS_SUBDOMAINS`: the https rule of the base address covers its subdomains.
    pub hsts_subdomains: bool,
    /// `SERVICE_METRICS`: where the counts of the service can be read.
    pub metrics: MetricsAccess,
    /// `OTEL_…`: where spans go; `None` is nowhere.
    pub traces: Option<TraceSettings>,
    /// `SERVICE_LOG`: what the log shows; `None` leaves it to the command.
    pub log: Option<LogFilter>,
    /// `SERVICE_LOG_FORMAT`: the form of a log line.
    pub log_format: LogFormat,
    /// Where the values come from.
    pub sources: SettingSources,
}

/// Something that may be called although its address is private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowRule {
    Host {
        host: String,
        port: u16,
    },
    Network {
        /// A single address is a network of one.
        network: IpNet,
        port: u16,
    },
}

/// Who is made owner at the first start.
#[derive(Clone, PartialEq, Eq)]
pub struct FirstOwner {
    /// E-mail, the sign-in name.
    pub email: String,
    /// Password, exactly as given.
    pub password: String,
}

/// What the command line says over the environment.
#[derive(Clone, Default)]
pub struct Flags {
    flags: Vec<Flag>,
    checkout: Option<PathBuf>,
}

#[derive(Clone)]
struct Flag {
    variable: &'static str,
    flag: &'static str,
    value: String,
}

impl Flags {
    /// Notes the value of `flag` (written with its dashes), which wins over `variable`.
    #[must_use]
    pub fn with(mut self, variable: &'static str, flag: &'static str, value: Option<&str>) -> Self {
        self.flags.extend(value.map(|value| Flag { variable, flag, value: value.to_owned() }));
        self
    }

    /// Notes that the program runs from a source checkout: its data then lies in that folder (manual 13.2).
    #[must_use]
    pub fn in_checkout(mut self, folder: Option<PathBuf>) -> Self {
        self.checkout = folder;
        self
    }
}

/// A setting that cannot be used. Its `Display` is one line: the variable, the problem, the fix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingsError(String);

impl Settings {
    /// Reads every setting. `vars` looks an environment variable up; one that is empty counts as unset.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn from_vars(vars: impl Fn(&str) -> Option<String>, flags: Flags) -> Result<Self, SettingsError> {
        let reader = SettingsReader::new(&vars, &flags.flags);
        let sources = SettingSources::read(&vars, &flags);
        let check_seconds =
            |usual| parse::cap(reader.text("SERVICE_CHECK_MAX_SECONDS"), usual, CHECK_RANGE_SECONDS);
        let base_url = reader.read("SERVICE_BASE_URL", base_url::parse)?;
        Ok(Self {
            host: reader.read("SERVICE_HOST", parse::host)?.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            port: reader.read("SERVICE_PORT", parse::port)?.unwrap_or(DEFAULT_PORT),
            data_dir: data_dir(&reader, flags.checkout)?,
            mail: mail::read(&reader, base_url.as_ref())?,
            base_url,
            hosts: reader.read("SERVICE_HOSTS", parse::hosts)?.unwrap_or_default(),
            cors_origins: reader.read("CORS_ORIGINS", parse::origins)?.unwrap_or_default(),
            http_allow: reader.read("SERVICE_HTTP_ALLOW", parse::allow_rules)?.unwrap_or_default(),
            ca_file: reader.text("SERVICE_CA_FILE").map(PathBuf::from),
            model_prices: reader.text("SERVICE_MODEL_PRICES").map(PathBuf::from),
            proxies: proxies::read(&reader)?,
            document_folders: reader.read("SERVICE_DOCUMENT_FOLDERS", parse::folders)?.unwrap_or_default(),
            flow_variables: reader
                .read("SERVICE_RUNTIME_VARIABLES", parse::variable_names)?
                .map_or_else(FlowVariableAccess::default, FlowVariableAccess::Listed),
            trusted_proxies: reader.read("SERVICE_TRUSTED_PROXIES", parse::networks)?.unwrap_or_default(),
            streams_per_address: reader
                .read("SERVICE_STREAMS_PER_ADDRESS", |text| parse::in_range(text, STREAMS_PER_ADDRESS_RANGE))?
                .unwrap_or(STREAMS_PER_ADDRESS),
            history: !reader.text("SERVICE_VERSIONS").is_some_and(|text| parse::is_off(&text)),
            drafts: !reader.text("SERVICE_DRAFTS").is_some_and(|text| parse::is_off(&text)),
            versions_dir: reader.text("SERVICE_VERSIONS_DIR").map(PathBuf::from),
            versions_group_read: reader.read("SERVICE_VERSIONS_GROUP_READ", parse::switch)?.unwrap_or(false),
            check_tokens_max: parse::cap(
                reader.text("SERVICE_CHECK_MAX_TOKENS"),
                CHECK_TOKENS_COUNT,
                CHECK_TOKENS_RANGE_COUNT,
            ),
            check_seconds_max: check_seconds(CHECK_SECONDS),
            check_control_seconds_max: check_seconds(CHECK_CONTROL_SECONDS),
            git_host: git_host::read(&reader)?,
            encryption_key: reader.read_secret("SERVICE_ENCRYPTION_KEY", parse::encryption_key)?,
            first_owner: first_owner(&reader)?,
            invitation_minutes: reader
                .read("SERVICE_INVITATION_MINUTES", |text| parse::in_range(text, INVITATION_MINUTES_RANGE))?
                .unwrap_or(INVITATION_MINUTES),
            backups: backups::read(&reader)?,
            branches_max: reader.number("SERVICE_BRANCHES", BRANCHES_RANGE, BRANCHES_COUNT)?,
            executions_keep: reader
                .read("SERVICE_EXECUTIONS_KEEP", |text| parse::in_range(text, EXECUTIONS_KEEP_RANGE))?
                .unwrap_or(EXECUTIONS_KEEP_COUNT),
            keep_days: reader
                .read("SERVICE_KEEP_DAYS", |text| parse::in_range(text, KEEP_DAYS_RANGE))?
                .unwrap_or_default(),
            schedule_seconds_min: reader.number(
                "SERVICE_SCHEDULE_MIN_SECONDS",
                SCHEDULE_GAP_RANGE_SECONDS,
                SCHEDULE_GAP_SECONDS,
            )?,
            code_seconds: reader.number("SERVICE_CODE_SECONDS", CODE_SECONDS_RANGE, limits::CODE_SECONDS)?,
            code_memory_mb: reader
                .read("SERVICE_CODE_MEMORY_MB", |text| parse::in_range(text, CODE_MEMORY_RANGE_MB))?
                .unwrap_or(limits::CODE_MEMORY_MB),
            mcp_commands: reader.read_secret("SERVICE_MCP_COMMANDS", parse::commands)?.unwrap_or_default(),
            hsts_subdomains: reader.read("SERVICE_HSTS_SUBDOMAINS", parse::switch)?.unwrap_or(false),
            metrics: reader.read("SERVICE_METRICS", metrics::parse)?.unwrap_or_default(),
            traces: traces::read(&reader)?,
            log: reader.read("SERVICE_LOG", parse::log_filter)?,
            log_format: reader.read("SERVICE_LOG_FORMAT", parse::log_format)?.unwrap_or(LogFormat::Auto),
            sources,
        })
    }

    /// The file of the database, in the data folder.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data_dir.join("flowkeep.redb")
    }

    /// True when other machines can reach the service, so that the first owner needs the setup token (manual 8.1).
    #[must_use]
    pub fn listens_beyond_loopback(&self) -> bool {
        !self.host.to_canonical().is_loopback()
    }

    /// True when people reach the service by https, so that cookies are `Secure`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.base_url.as_ref().is_some_and(|url| url.origin().starts_with("https://"))
    }

    /// The path before all addresses of the service; empty where there is none.
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.base_url.as_ref().map_or("", BaseUrl::path)
    }
}

fn data_dir(reader: &SettingsReader<'_>, checkout: Option<PathBuf>) -> Result<PathBuf, SettingsError> {
    if let Some(folder) = reader.text("SERVICE_DATA_DIR") {
        return Ok(PathBuf::from(folder));
    }
    if let Some(folder) = checkout {
        return Ok(folder.join(".flowkeep"));
    }
    let home = reader.text("HOME").or_else(|| reader.text("USERPROFILE"));
    home.map(|home| PathBuf::from(home).join(".flowkeep")).ok_or_else(|| {
        SettingsError("SERVICE_DATA_DIR is not set and there is no home folder; set it to the folder that may hold the data".to_owned())
    })
}

fn first_owner(reader: &SettingsReader<'_>) -> Result<Option<FirstOwner>, SettingsError> {
    let email = reader.read("SERVICE_OWNER_EMAIL", parse::email)?;
    let password = reader.read_secret("SERVICE_OWNER_PASSWORD", parse::password)?;
    match (email, password) {
        (Some(email), Some(password)) => Ok(Some(FirstOwner { email, password })),
        (None, None) => Ok(None),
        (email, _) => {
            let (given, missing) = match email {
                Some(_) => ("SERVICE_OWNER_EMAIL", "SERVICE_OWNER_PASSWORD"),
                None => ("SERVICE_OWNER_PASSWORD", "SERVICE_OWNER_EMAIL"),
            };
            Err(SettingsError(format!("{given} is set without {missing}; set both, or neither")))
        }
    }
}

/// Shows no secret.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Settings");
        shown.field("host", &self.host).field("port", &self.port).field("data_dir", &self.data_dir);
        shown.finish_non_exhaustive()
    }
}
