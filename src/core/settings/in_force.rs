//! Every variable of the operator, and what of them is in force: what `flowkeep config` prints and the page of the server shows.

use super::{AllowRule, Flags, LogFormat, MailSettings, MetricsAccess, Settings};
use crate::domain::service::server_setting::{ServerSetting, SettingOrigin};
use regex::Regex;
use std::fmt::Display;
use std::sync::LazyLock;

/// How the value in force is shown.
enum Disclosure {
    Parsed(fn(&Settings) -> String),
    Verbatim,
    /// That there is one, and nothing of it.
    Masked,
}

/// A variable of the operator.
pub(super) struct SettingVariable {
    pub(super) name: &'static str,
    /// What it sets, as a part of a sentence.
    help: &'static str,
    disclosure: Disclosure,
}

const fn show_parsed(
    name: &'static str,
    help: &'static str,
    value: fn(&Settings) -> String,
) -> SettingVariable {
    SettingVariable { name, help, disclosure: Disclosure::Parsed(value) }
}

const fn show_verbatim(name: &'static str, help: &'static str) -> SettingVariable {
    SettingVariable { name, help, disclosure: Disclosure::Verbatim }
}

const fn show_masked(name: &'static str, help: &'static str) -> SettingVariable {
    SettingVariable { name, help, disclosure: Disclosure::Masked }
}

/// Without it the service keeps the key in a file.
const KEPT_IN_FILE: &str = "SERVICE_ENCRYPTION_KEY";

/// Variables that name files and folders of the machine.
const OF_PATHS: &[&str] = &[
    "SERVICE_DATA_DIR",
    "SERVICE_CA_FILE",
    "SERVICE_MODEL_PRICES",
    "SERVICE_DOCUMENT_FOLDERS",
    "SERVICE_VERSIONS_DIR",
    "SERVICE_BACKUP_TO",
    "SERVICE_BACKUP_PASSPHRASE_FILE",
    "SERVICE_MAIL_PASSWORD_FILE",
    "SERVICE_GITHUB_TEST_ROOT",
];

pub(super) const VARIABLES: &[SettingVariable] = &[
    show_parsed("SERVICE_HOST", "IP address that it listens on", |settings| settings.host.to_string()),
    show_parsed("SERVICE_PORT", "port that it listens on; 0 takes any free one", |settings| {
        settings.port.to_string()
    }),
    show_parsed("SERVICE_DATA_DIR", "folder that holds everything the service keeps", |settings| {
        settings.data_dir.display().to_string()
    }),
    show_parsed("SERVICE_BASE_URL", "address people use; https makes cookies secure", |settings| {
        join(settings.base_url.as_slice())
    }),
    show_parsed("SERVICE_HOSTS", "further names of the service", |settings| settings.hosts.join(",")),
    show_parsed("CORS_ORIGINS", "origins admitted for every flow; * admits all", |settings| {
        settings.cors_origins.join(",")
    }),
    show_parsed("SERVICE_HTTP_ALLOW", "private addresses that flows may call", |settings| {
        join(&settings.http_allow)
    }),
    show_verbatim("SERVICE_CA_FILE", "file of authorities that are trusted beside the built-in ones"),
    show_verbatim("SERVICE_MODEL_PRICES", "file with what models cost"),
    // The address of a proxy may hold who calls and their password.
    show_masked("HTTPS_PROXY", "proxy for outgoing https requests"),
    show_masked("HTTP_PROXY", "proxy for outgoing http requests"),
    show_verbatim("NO_PROXY", "what is called without a proxy"),
    show_verbatim(
        "SERVICE_RUNTIME_VARIABLES",
        "variables of the environment that flows may read; unset: those that begin with FLOW_",
    ),
    show_parsed("SERVICE_DOCUMENT_FOLDERS", "folders of the server whose files flows may read", |settings| {
        join(&settings.document_folders.iter().map(|folder| folder.display()).collect::<Vec<_>>())
    }),
    show_parsed("SERVICE_TRUSTED_PROXIES", "networks whose X-Forwarded-For counts", |settings| {
        join(&settings.trusted_proxies)
    }),
    show_parsed("SERVICE_STREAMS_PER_ADDRESS", "streams that one client address may hold open", |settings| {
        settings.streams_per_address.to_string()
    }),
    show_masked(
        "SERVICE_ENCRYPTION_KEY",
        "seals stored credentials; unset: a key in a file of the data folder",
    ),
    show_verbatim("SERVICE_OWNER_EMAIL", "e-mail of the owner made at the first start"),
    show_masked("SERVICE_OWNER_PASSWORD", "password of the owner made at the first start"),
    show_parsed(
        "SERVICE_INVITATION_MINUTES",
        "how long the link of an invitation works, in minutes",
        |settings| settings.invitation_minutes.to_string(),
    ),
    show_parsed("SERVICE_VERSIONS", "records every change of Live as a version", |settings| {
        on_or_off(settings.history)
    }),
    show_parsed("SERVICE_DRAFTS", "keeps canvas edits in a draft until they are published", |settings| {
        on_or_off(settings.drafts)
    }),
    show_parsed("SERVICE_VERSIONS_DIR", "folder of the history repository", |settings| {
        let own = || settings.data_dir.join("versions");
        settings.versions_dir.clone().unwrap_or_else(own).display().to_string()
    }),
    show_parsed(
        "SERVICE_VERSIONS_GROUP_READ",
        "lets the group of the history folder read it, for git clients",
        |settings| on_or_off(settings.versions_group_read),
    ),
    show_verbatim("SERVICE_BACKUP_TO", "folder in which the service makes backups by itself"),
    show_parsed("SERVICE_BACKUP_HOURS", "hours between two backups", |settings| {
        settings.backups.hours.to_string()
    }),
    show_parsed("SERVICE_BACKUP_KEEP", "how many of the newest backups stay", |settings| {
        settings.backups.keep.to_string()
    }),
    show_verbatim(
        "SERVICE_BACKUP_PASSPHRASE_FILE",
        "file with the passphrase that backups are encrypted with",
    ),
    show_parsed(
        "SERVICE_MAIL_SERVER",
        "server that takes the mail of the service; unset: it sends none",
        |settings| settings.mail.as_ref().map_or_else(String::new, MailSettings::server),
    ),
    show_parsed("SERVICE_MAIL_TLS", "how the connection to that server is encrypted", |settings| {
        settings.mail.as_ref().map_or_else(String::new, |mail| mail.security.as_str().to_owned())
    }),
    show_verbatim("SERVICE_MAIL_USER", "who signs in at that server"),
    show_masked("SERVICE_MAIL_PASSWORD", "password of whoever signs in there"),
    show_verbatim("SERVICE_MAIL_PASSWORD_FILE", "file with that password"),
    show_verbatim("SERVICE_MAIL_FROM", "address that mail comes from"),
    show_parsed("SERVICE_CODE_SECONDS", "processor seconds of one run of code", |settings| {
        settings.code_seconds.to_string()
    }),
    show_parsed("SERVICE_CODE_MEMORY_MB", "memory of one run of code, in MiB", |settings| {
        settings.code_memory_mb.to_string()
    }),
    show_parsed("SERVICE_BRANCHES", "steps of an agentflow's run that are under way at once", |settings| {
        settings.branches_max.to_string()
    }),
    show_parsed(
        "SERVICE_EXECUTIONS_KEEP",
        "records of agentflow runs that a workspace keeps; 0 keeps all",
        |settings| settings.executions_keep.to_string(),
    ),
    show_parsed(
        "SERVICE_KEEP_DAYS",
        "days for which conversations and records of runs are kept; 0 keeps everything",
        |settings| settings.keep_days.to_string(),
    ),
    show_parsed(
        "SERVICE_SCHEDULE_MIN_SECONDS",
        "least time between two runs of a schedule, in seconds",
        |settings| settings.schedule_seconds_min.to_string(),
    ),
    show_parsed(
        "SERVICE_METRICS",
        "where the counts of the service can be read: off, key, or an address of their own",
        |settings| match settings.metrics {
            MetricsAccess::Off => on_or_off(false),
            MetricsAccess::Key => "key".to_owned(),
            MetricsAccess::Address(address) => address.to_string(),
        },
    ),
    show_verbatim("SERVICE_LOG", "what the log shows"),
    show_parsed("SERVICE_LOG_FORMAT", "form of a log line: human, json, or auto", |settings| {
        let format = match settings.log_format {
            LogFormat::Auto => "auto",
            LogFormat::Human => "human",
            LogFormat::Json => "json",
        };
        format.to_owned()
    }),
    show_parsed(
        "SERVICE_HSTS_SUBDOMAINS",
        "the https rule covers subdomains of the base address",
        |settings| on_or_off(settings.hsts_subdomains),
    ),
    show_parsed("SERVICE_CHECK_MAX_TOKENS", "tokens that one check may use", |settings| {
        settings.check_tokens_max.to_string()
    }),
    show_parsed("SERVICE_CHECK_MAX_SECONDS", "seconds that one check may take", |settings| {
        settings.check_seconds_max.to_string()
    }),
    // The fixed arguments of a command may hold what opens something.
    show_masked("SERVICE_MCP_COMMANDS", "programs of this machine that flows may start"),
    show_parsed(
        "SERVICE_GITHUB_URL",
        "web address of the git host that versions are copied to",
        |settings| settings.git_host.host.web().to_owned(),
    ),
    show_parsed("SERVICE_GITHUB_API", "address of the API of that git host", |settings| {
        settings.git_host.host.api().to_owned()
    }),
    show_parsed("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "lets a folder stand in for the git host", |settings| {
        on_or_off(settings.git_host.file_remotes)
    }),
    show_verbatim("SERVICE_GITHUB_TEST_ROOT", "folder that stands in for the git host"),
    show_verbatim("SERVICE_GITHUB_TEST_API", "address that stands in for the API of the git host"),
    show_verbatim("OTEL_SDK_DISABLED", "true sends no spans"),
    show_verbatim("OTEL_EXPORTER_OTLP_ENDPOINT", "where spans go"),
    show_verbatim("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "where spans go, as the whole address"),
    show_masked("OTEL_EXPORTER_OTLP_HEADERS", "headers of requests that carry spans"),
    show_masked(
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
        "headers of requests that carry spans, before the general ones",
    ),
    show_verbatim("OTEL_SERVICE_NAME", "what spans call this service"),
    show_verbatim("OTEL_RESOURCE_ATTRIBUTES", "further attributes of every span"),
    show_verbatim("OTEL_TRACES_SAMPLER", "which traces are sent"),
    show_verbatim("OTEL_TRACES_SAMPLER_ARG", "the share of the traces that are sent"),
    show_verbatim("OTEL_BSP_MAX_QUEUE_SIZE", "spans that may wait to be sent"),
    show_verbatim("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "spans in one request"),
    show_verbatim("OTEL_BSP_SCHEDULE_DELAY", "the longest that a span waits, in milliseconds"),
    show_verbatim("OTEL_BSP_EXPORT_TIMEOUT", "the longest that a request with spans takes, in milliseconds"),
];

fn on_or_off(is_on: bool) -> String {
    if is_on { "on" } else { "off" }.to_owned()
}

fn join(items: &[impl Display]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

impl Display for AllowRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host { host, port } => write!(f, "{host}:{port}"),
            Self::Network { network, port } if network.addr().is_ipv6() => write!(f, "[{network}]:{port}"),
            Self::Network { network, port } => write!(f, "{network}:{port}"),
        }
    }
}

/// Where each variable got its value when the settings were read, in the order of the variables.
#[derive(Clone, Default)]
pub struct SettingSources(Vec<SettingSource>);

#[derive(Clone)]
struct SettingSource {
    /// What was given, of a variable that is shown as it was written.
    text: Option<String>,
    is_set: bool,
    origin: SettingOrigin,
}

impl SettingSources {
    pub(super) fn read(vars: &dyn Fn(&str) -> Option<String>, flags: &Flags) -> Self {
        let source = |variable: &SettingVariable| {
            let flag = flags.flags.iter().find(|flag| flag.variable == variable.name);
            let text = flag.map(|flag| flag.value.clone()).or_else(|| vars(variable.name));
            let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
            let origin = match (&text, flag) {
                (None, _) if variable.name == KEPT_IN_FILE => SettingOrigin::File,
                (None, _) => SettingOrigin::Default,
                (Some(_), Some(flag)) => SettingOrigin::Argument(flag.flag),
                (Some(_), None) => SettingOrigin::Environment,
            };
            let is_set = text.is_some();
            // What is masked is not even kept.
            let text = text.filter(|_| matches!(variable.disclosure, Disclosure::Verbatim));
            SettingSource { text, is_set, origin }
        };
        Self(VARIABLES.iter().map(source).collect())
    }
}

impl Settings {
    /// Every setting in force and where it comes from, without secrets.
    #[must_use]
    pub fn in_force(&self) -> Vec<ServerSetting> {
        let row = |(variable, source): (&SettingVariable, &SettingSource)| {
            let value = match variable.disclosure {
                Disclosure::Parsed(value) => Some(value(self)),
                Disclosure::Verbatim => source.text.clone(),
                Disclosure::Masked => None,
            };
            ServerSetting {
                name: variable.name,
                value: value.filter(|value| !value.is_empty()).map(|value| hide_user_info(&value)),
                is_secret: matches!(variable.disclosure, Disclosure::Masked),
                is_set: source.is_set,
                is_path: OF_PATHS.contains(&variable.name),
                origin: source.origin,
                help: variable.help,
            }
        };
        VARIABLES.iter().zip(&self.sources.0).map(row).collect()
    }
}

/// The text without who signs in at its addresses, and their password.
fn hide_user_info(text: &str) -> String {
    static USER_INFO: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"://[^\s/?#]*@").expect("the pattern is written in code"));
    USER_INFO.replace_all(text, "://…@").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_variable_that_is_read_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("settings");
        let name = regex::Regex::new("\"((?:SERVICE|OTEL)_[A-Z_]*[A-Z]|CORS_ORIGINS)\"").unwrap();
        for file in ["mod.rs", "git_host.rs", "mail.rs", "metrics.rs", "traces.rs", "log.rs"] {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            for found in name.captures_iter(&text) {
                let found = &found[1];
                assert!(VARIABLES.iter().any(|variable| variable.name == found), "{file} reads {found}");
            }
        }
        for path in OF_PATHS {
            assert!(VARIABLES.iter().any(|variable| variable.name == *path), "{path}");
        }
    }

    #[test]
    fn settings_in_force_say_where_they_come_from_and_no_secret() {
        let vars = |name: &str| match name {
            "SERVICE_PORT" => Some("4000".to_owned()),
            "SERVICE_DRAFTS" => Some("banana".to_owned()),
            "SERVICE_OWNER_EMAIL" => Some("a@b.example".to_owned()),
            "SERVICE_OWNER_PASSWORD" => Some("quite secret".to_owned()),
            "OTEL_EXPORTER_OTLP_ENDPOINT" => Some("https://me:quite secret@spans.example".replace(' ', "-")),
            _ => None,
        };
        let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", Some("/srv/x"));
        let settings = Settings::from_vars(vars, flags).unwrap();
        let rows = settings.in_force();
        let row = |name: &str| {
            let row = rows.iter().find(|row| row.name == name)?;
            Some((row.value.as_deref(), row.origin))
        };
        let (default, environment) = (SettingOrigin::Default, SettingOrigin::Environment);
        assert_eq!(row("SERVICE_PORT"), Some((Some("4000"), environment)));
        assert_eq!(row("SERVICE_HOST"), Some((Some("127.0.0.1"), default)));
        assert_eq!(row("SERVICE_DATA_DIR"), Some((Some("/srv/x"), SettingOrigin::Argument("--data-dir"))));
        assert_eq!(row("SERVICE_VERSIONS_DIR"), Some((Some("/srv/x/versions"), default)));
        assert_eq!(
            row("SERVICE_DRAFTS"),
            Some((Some("on"), environment)),
            "what counts, not what was written"
        );
        assert_eq!(row("SERVICE_ENCRYPTION_KEY"), Some((None, SettingOrigin::File)));
        assert_eq!(row("SERVICE_OWNER_PASSWORD"), Some((None, environment)));
        assert_eq!(row("OTEL_EXPORTER_OTLP_ENDPOINT"), Some((Some("https://…@spans.example"), environment)));
        let told = format!("{rows:?}");
        assert!(!told.contains("quite secret") && !told.contains("quite-secret"));
        assert!(rows.iter().all(|row| !row.help.is_empty()));
    }
}
