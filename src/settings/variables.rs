//! Every variable that means something here: what `flowkeep config` prints, by what a misspelt name is known, and which
//! values mean nothing.

use super::parse::is_off;
use super::{AllowRule, Flags, LogFormat, MetricsAccess, Settings};
use std::fmt::Display;

/// Longest part of a value that a warning repeats.
const SHOWN_MAX_CHARS: usize = 80;
/// How many letters a misspelt name may differ in.
const DISTANCE_MAX: usize = 2;

/// How the value in force is shown.
enum Disclosure {
    Parsed(fn(&Settings) -> String),
    Verbatim,
    /// That there is one, and nothing of it.
    Masked,
}

/// A variable of the operator.
struct SettingVariable {
    name: &'static str,
    disclosure: Disclosure,
}

const fn show_parsed(name: &'static str, value: fn(&Settings) -> String) -> SettingVariable {
    SettingVariable { name, disclosure: Disclosure::Parsed(value) }
}

const fn show_verbatim(name: &'static str) -> SettingVariable {
    SettingVariable { name, disclosure: Disclosure::Verbatim }
}

const fn show_masked(name: &'static str) -> SettingVariable {
    SettingVariable { name, disclosure: Disclosure::Masked }
}

const VARIABLES: &[SettingVariable] = &[
    show_parsed("SERVICE_HOST", |settings| settings.host.to_string()),
    show_parsed("SERVICE_PORT", |settings| settings.port.to_string()),
    show_parsed("SERVICE_DATA_DIR", |settings| settings.data_dir.display().to_string()),
    show_parsed("SERVICE_BASE_URL", |settings| join(settings.base_url.as_slice())),
    show_parsed("SERVICE_HOSTS", |settings| settings.hosts.join(",")),
    show_parsed("CORS_ORIGINS", |settings| settings.cors_origins.join(",")),
    show_parsed("SERVICE_HTTP_ALLOW", |settings| join(&settings.http_allow)),
    show_verbatim("SERVICE_CA_FILE"),
    show_verbatim("SERVICE_MODEL_PRICES"),
    // The address of a proxy may hold who calls and their password.
    show_masked("HTTPS_PROXY"),
    show_masked("HTTP_PROXY"),
    show_verbatim("NO_PROXY"),
    show_verbatim("SERVICE_RUNTIME_VARIABLES"),
    show_parsed("SERVICE_DOCUMENT_FOLDERS", |settings| {
        join(&settings.document_folders.iter().map(|folder| folder.display()).collect::<Vec<_>>())
    }),
    show_parsed("SERVICE_TRUSTED_PROXIES", |settings| join(&settings.trusted_proxies)),
    show_parsed("SERVICE_STREAMS_PER_ADDRESS", |settings| settings.streams_per_address.to_string()),
    show_masked("SERVICE_ENCRYPTION_KEY"),
    show_verbatim("SERVICE_OWNER_EMAIL"),
    show_masked("SERVICE_OWNER_PASSWORD"),
    show_parsed("SERVICE_INVITATION_MINUTES", |settings| settings.invitation_minutes.to_string()),
    show_parsed("SERVICE_VERSIONS", |settings| on_or_off(settings.history)),
    show_parsed("SERVICE_DRAFTS", |settings| on_or_off(settings.drafts)),
    show_parsed("SERVICE_VERSIONS_DIR", |settings| {
        let own = || settings.data_dir.join("versions");
        settings.versions_dir.clone().unwrap_or_else(own).display().to_string()
    }),
    show_parsed("SERVICE_VERSIONS_GROUP_READ", |settings| on_or_off(settings.versions_group_read)),
    show_verbatim("SERVICE_BACKUP_TO"),
    show_parsed("SERVICE_BACKUP_HOURS", |settings| settings.backups.hours.to_string()),
    show_parsed("SERVICE_BACKUP_KEEP", |settings| settings.backups.keep.to_string()),
    show_parsed("SERVICE_CODE_SECONDS", |settings| settings.code_seconds.to_string()),
    show_parsed("SERVICE_CODE_MEMORY_MB", |settings| settings.code_memory_mb.to_string()),
    show_parsed("SERVICE_BRANCHES", |settings| settings.branches_max.to_string()),
    show_parsed("SERVICE_EXECUTIONS_KEEP", |settings| settings.executions_keep.to_string()),
    show_parsed("SERVICE_KEEP_DAYS", |settings| settings.keep_days.to_string()),
    show_parsed("SERVICE_SCHEDULE_MIN_SECONDS", |settings| settings.schedule_seconds_min.to_string()),
    show_parsed("SERVICE_METRICS", |settings| match settings.metrics {
        MetricsAccess::Off => on_or_off(false),
        MetricsAccess::Key => "key".to_owned(),
        MetricsAccess::Address(address) => address.to_string(),
    }),
    show_verbatim("SERVICE_LOG"),
    show_parsed("SERVICE_LOG_FORMAT", |settings| {
        let format = match settings.log_format {
            LogFormat::Auto => "auto",
            LogFormat::Human => "human",
            LogFormat::Json => "json",
        };
        format.to_owned()
    }),
    show_parsed("SERVICE_HSTS_SUBDOMAINS", |settings| on_or_off(settings.hsts_subdomains)),
    show_parsed("SERVICE_CHECK_MAX_TOKENS", |settings| settings.check_tokens_max.to_string()),
    show_parsed("SERVICE_CHECK_MAX_SECONDS", |settings| settings.check_seconds_max.to_string()),
    // The fixed arguments of a command may hold what opens something.
    show_masked("SERVICE_MCP_COMMANDS"),
    show_parsed("SERVICE_GITHUB_URL", |settings| settings.git_host.host.web().to_owned()),
    show_parsed("SERVICE_GITHUB_API", |settings| settings.git_host.host.api().to_owned()),
    show_parsed("SERVICE_GITHUB_ALLOW_FILE_REMOTES", |settings| on_or_off(settings.git_host.file_remotes)),
    show_verbatim("SERVICE_GITHUB_TEST_ROOT"),
    show_verbatim("SERVICE_GITHUB_TEST_API"),
    show_verbatim("OTEL_SDK_DISABLED"),
    show_verbatim("OTEL_EXPORTER_OTLP_ENDPOINT"),
    show_verbatim("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
    show_masked("OTEL_EXPORTER_OTLP_HEADERS"),
    show_masked("OTEL_EXPORTER_OTLP_TRACES_HEADERS"),
    show_verbatim("OTEL_SERVICE_NAME"),
    show_verbatim("OTEL_RESOURCE_ATTRIBUTES"),
    show_verbatim("OTEL_TRACES_SAMPLER"),
    show_verbatim("OTEL_TRACES_SAMPLER_ARG"),
    show_verbatim("OTEL_BSP_MAX_QUEUE_SIZE"),
    show_verbatim("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
    show_verbatim("OTEL_BSP_SCHEDULE_DELAY"),
    show_verbatim("OTEL_BSP_EXPORT_TIMEOUT"),
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

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSetting {
    pub name: &'static str,
    /// Its value; dots for a secret, empty for none.
    pub value: String,
    /// Where the value comes from: a flag, the environment, or nowhere.
    pub from: String,
}

/// Every setting in force and where it comes from.
#[must_use]
pub fn effective_settings(
    settings: &Settings,
    vars: &dyn Fn(&str) -> Option<String>,
    flags: &Flags,
) -> Vec<EffectiveSetting> {
    let row = |variable: &SettingVariable| {
        let flag = flags.flags.iter().find(|flag| flag.variable == variable.name);
        let text = flag.map(|flag| flag.value.clone()).or_else(|| vars(variable.name));
        let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let from = match (&text, flag) {
            (None, _) => "default",
            (Some(_), Some(flag)) => flag.flag,
            (Some(_), None) => "environment",
        };
        let value = match (&variable.disclosure, text) {
            (Disclosure::Parsed(value), _) => value(settings),
            (Disclosure::Verbatim, text) => text.unwrap_or_default(),
            (Disclosure::Masked, text) => text.map(|_| "••••••••".to_owned()).unwrap_or_default(),
        };
        EffectiveSetting { name: variable.name, value, from: from.to_owned() }
    };
    VARIABLES.iter().map(row).collect()
}

/// What of the environment means nothing here, a sentence each: names that begin with `SERVICE_` and are none, and
/// values of switches and of caps that are no values. `present` are the names that are set, `switches` and `others` the
/// variables of single commands.
#[must_use]
pub fn warnings(
    vars: &dyn Fn(&str) -> Option<String>,
    present: &[String],
    switches: &[String],
    others: &[String],
) -> Vec<String> {
    let known = || {
        let of_commands = switches.iter().chain(others).map(String::as_str);
        VARIABLES.iter().map(|variable| variable.name).chain(of_commands)
    };
    let is_unknown = |name: &&String| name.starts_with("SERVICE_") && !known().any(|known| known == **name);
    let unknown = present.iter().filter(is_unknown).map(|name| {
        let shown = escape_and_shorten(name);
        match known().map(|known| (edit_distance(known, name), known)).min() {
            Some((edit_distance, near)) if edit_distance <= DISTANCE_MAX => {
                format!("{shown} is no setting and changes nothing; did you mean {near}?")
            }
            _ => {
                format!("{shown} is no setting and changes nothing; `flowkeep config` lists those there are")
            }
        }
    });
    let value = |name: &str| vars(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let is_on = |text: &str| matches!(text.to_ascii_lowercase().as_str(), "on" | "true" | "1" | "yes");
    let kept = ["SERVICE_VERSIONS", "SERVICE_DRAFTS"].map(|name| (name, "on"));
    let of_commands = switches.iter().map(|name| (name.as_str(), "off"));
    let meaningless = kept.into_iter().chain(of_commands).filter_map(|(name, stays)| {
        let text = value(name).filter(|text| !is_on(text) && !is_off(text))?;
        Some(format!(
            "{name} is \"{}\", which is neither on nor off; it stays {stays}",
            escape_and_shorten(&text)
        ))
    });
    let caps = ["SERVICE_CHECK_MAX_TOKENS", "SERVICE_CHECK_MAX_SECONDS"].into_iter().filter_map(|name| {
        let text = value(name)?;
        let is_number = text.parse::<f64>().is_ok_and(|number| number.is_finite() && number > 0.0);
        let told = || {
            format!(
                "{name} is \"{}\", which is no number above 0; its default counts",
                escape_and_shorten(&text)
            )
        };
        (!is_number).then(told)
    });
    unknown.chain(meaningless).chain(caps).collect()
}

fn escape_and_shorten(text: &str) -> String {
    text.escape_debug().take(SHOWN_MAX_CHARS).collect()
}

/// How many letters have to be put in, taken out or exchanged to make one name of the other.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (place, its) in other.iter().enumerate() {
            let exchanged = corner + usize::from(letter != *its);
            corner = row[place + 1];
            row[place + 1] = exchanged.min(corner + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The one warning of a variable.
    fn line_of(name: &str, value: &str) -> String {
        let mut found = warned(&[(name, value)]);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    fn warned(vars: &[(&str, &str)]) -> Vec<String> {
        let found =
            |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let present: Vec<String> = vars.iter().map(|(name, _)| (*name).to_owned()).collect();
        warnings(&found, &present, &["SERVICE_DEMO".to_owned()], &["SERVICE_KEY_NAME".to_owned()])
    }

    #[test]
    fn every_variable_that_is_read_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/settings");
        let name = regex::Regex::new("\"((?:SERVICE|OTEL)_[A-Z_]*[A-Z]|CORS_ORIGINS)\"").unwrap();
        for file in ["mod.rs", "git_host.rs", "metrics.rs", "traces.rs", "log.rs"] {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            for found in name.captures_iter(&text) {
                let found = &found[1];
                assert!(VARIABLES.iter().any(|variable| variable.name == found), "{file} reads {found}");
            }
        }
    }

    #[test]
    fn what_means_nothing_is_named_with_what_was_meant() {
        let line = line_of("SERVICE_DRAFT", "off");
        assert!(line.contains("SERVICE_DRAFT is no setting") && line.contains("SERVICE_DRAFTS?"), "{line}");
        let line = line_of("SERVICE_QUITE_ELSE", "x");
        assert!(line.contains("`flowkeep config`"), "{line}");
        let line = line_of("SERVICE_DRAFTS", "banana");
        assert_eq!(line, "SERVICE_DRAFTS is \"banana\", which is neither on nor off; it stays on");
        let line = line_of("SERVICE_DEMO", "maybe");
        assert!(line.ends_with("it stays off"), "{line}");
        assert!(line_of("SERVICE_CHECK_MAX_TOKENS", "many").contains("no number"));
        let fine =
            [("SERVICE_DRAFTS", " OFF "), ("SERVICE_KEY_NAME", "a"), ("HOME", "x"), ("SERVICE_VERSIONS", "")];
        assert_eq!(warned(&fine), [] as [String; 0]);
    }

    #[test]
    fn settings_in_force_say_where_they_come_from_and_no_secret() {
        let vars = |name: &str| match name {
            "SERVICE_PORT" => Some("4000".to_owned()),
            "SERVICE_DRAFTS" => Some("banana".to_owned()),
            "SERVICE_OWNER_EMAIL" => Some("a@b.example".to_owned()),
            "SERVICE_OWNER_PASSWORD" => Some("quite secret".to_owned()),
            _ => None,
        };
        let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", Some("/srv/x"));
        let settings = Settings::from_vars(vars, flags.clone()).unwrap();
        let rows = effective_settings(&settings, &vars, &flags);
        let row = |name: &str| {
            rows.iter().find(|row| row.name == name).map(|row| (row.value.as_str(), row.from.as_str()))
        };
        assert_eq!(row("SERVICE_PORT"), Some(("4000", "environment")));
        assert_eq!(row("SERVICE_HOST"), Some(("127.0.0.1", "default")));
        assert_eq!(row("SERVICE_DATA_DIR"), Some(("/srv/x", "--data-dir")));
        assert_eq!(row("SERVICE_VERSIONS_DIR"), Some(("/srv/x/versions", "default")));
        assert_eq!(row("SERVICE_DRAFTS"), Some(("on", "environment")), "what counts, not what was written");
        assert!(!format!("{rows:?}").contains("quite secret"));
    }

    #[test]
    fn letters_are_counted() {
        for (one, other, count) in [("a", "a", 0), ("ab", "a", 1), ("abc", "acb", 2), ("", "ab", 2)] {
            assert_eq!(edit_distance(one, other), count, "{one} {other}");
        }
    }
}
