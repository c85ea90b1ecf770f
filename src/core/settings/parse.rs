//! From the text of a variable to its value. Each function says what is wrong and what to write instead.

use super::{AllowRule, Flag, FlowVariableAccess, LogFilter, LogFormat, SettingsError};
use crate::domain::local_program::AllowedProgram;
use crate::limits;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Component, Path, PathBuf};

/// Longest part of a wrong value that its message repeats.
const SHOWN_MAX_CHARS: usize = 80;

/// Why a text is not a value.
pub(super) struct ParseError {
    problem: String,
    fix: String,
}

/// A value, or why the text is not one.
pub(super) type ParseResult<T> = Result<T, ParseError>;

pub(super) fn parse_error<T>(problem: impl Into<String>, fix: impl Into<String>) -> ParseResult<T> {
    Err(ParseError { problem: problem.into(), fix: fix.into() })
}

/// Looks settings up: a flag wins over its variable, and an empty text is no value.
pub(super) struct SettingsReader<'a> {
    vars: &'a dyn Fn(&str) -> Option<String>,
    flags: &'a [Flag],
}

impl<'a> SettingsReader<'a> {
    pub(super) fn new(vars: &'a dyn Fn(&str) -> Option<String>, flags: &'a [Flag]) -> Self {
        Self { vars, flags }
    }

    fn raw(&self, variable: &str) -> Option<String> {
        let flag = self.flags.iter().find(|flag| flag.variable == variable);
        flag.map(|flag| flag.value.clone()).or_else(|| (self.vars)(variable))
    }

    /// The text without the spaces around it; `None` when nothing is left.
    pub(super) fn text(&self, variable: &str) -> Option<String> {
        self.raw(variable).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// What the operator wrote: the flag, with the variable it stands for, or the variable.
    fn display_name(&self, variable: &str) -> String {
        match self.flags.iter().find(|flag| flag.variable == variable) {
            Some(flag) => format!("{} ({variable})", flag.flag),
            None => variable.to_owned(),
        }
    }

    /// A whole number of this range; `usual` where nothing is said.
    pub(super) fn number(&self, variable: &str, range: (u64, u64), usual: u64) -> Result<u64, SettingsError> {
        Ok(self.read(variable, |text| in_range(text, range))?.unwrap_or(usual))
    }

    /// Reads a value whose text may be repeated in a message.
    pub(super) fn read<T>(
        &self,
        variable: &str,
        parse: impl Fn(&str) -> ParseResult<T>,
    ) -> Result<Option<T>, SettingsError> {
        let Some(text) = self.text(variable) else { return Ok(None) };
        parse(&text).map(Some).map_err(|fault| {
            let mut shown: String = text.escape_debug().take(SHOWN_MAX_CHARS).collect();
            if shown.chars().count() == SHOWN_MAX_CHARS {
                shown.push('…');
            }
            let name = self.display_name(variable);
            SettingsError(format!("{name} is \"{shown}\", which {}; {}", fault.problem, fault.fix))
        })
    }

    /// Reads a value whose text is never repeated and whose spaces count.
    pub(super) fn read_secret<T>(
        &self,
        variable: &str,
        parse: impl Fn(&str) -> ParseResult<T>,
    ) -> Result<Option<T>, SettingsError> {
        let Some(text) = self.raw(variable).filter(|text| !text.is_empty()) else { return Ok(None) };
        let name = self.display_name(variable);
        parse(&text)
            .map(Some)
            .map_err(|fault| SettingsError(format!("{name} {}; {}", fault.problem, fault.fix)))
    }
}

/// The words that turn history and drafts off (manual 6.10 r3); any other text leaves them on.
pub(super) fn is_off(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "off" | "false" | "0" | "no")
}

/// A cap of a check: the default for anything but a positive number, else within its range.
pub(super) fn cap(text: Option<String>, default: u64, (least, most): (u64, u64)) -> u64 {
    let number =
        text.and_then(|text| text.parse::<f64>().ok()).filter(|number| number.is_finite() && *number > 0.0);
    // The cast rounds down and saturates; the range then holds either way.
    number.map_or(default, |number| (number as u64).clamp(least, most))
}

pub(super) fn switch(text: &str) -> ParseResult<bool> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "1" | "yes" => Ok(true),
        _ if is_off(text) => Ok(false),
        _ => parse_error("is neither on nor off", "write on or off"),
    }
}

pub(super) fn in_range(text: &str, (least, most): (u64, u64)) -> ParseResult<u64> {
    match text.parse::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => parse_error("is out of range", format!("give a whole number from {least} to {most}")),
    }
}

/// Names of environment variables that flows may read.
pub(super) fn variable_names(text: &str) -> ParseResult<Vec<String>> {
    let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let is_word = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !names.iter().all(is_word) {
        return parse_error(
            "is no list of names",
            "give names of environment variables, separated by commas",
        );
    }
    if names.iter().any(|name| FlowVariableAccess::is_own(name)) {
        return parse_error(
            "names a setting of the service itself",
            "leave out names that begin with SERVICE_ or OTEL_",
        );
    }
    Ok(names.into_iter().map(str::to_owned).collect())
}

pub(super) fn host(text: &str) -> ParseResult<IpAddr> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().or_else(|_| {
        parse_error(
            "is not an IP address",
            "give one, such as 127.0.0.1 for this machine only or 0.0.0.0 for every network",
        )
    })
}

pub(super) fn port(text: &str) -> ParseResult<u16> {
    text.parse().or_else(|_| {
        parse_error("is not a port", "give a number from 0 to 65535, where 0 takes any free port")
    })
}

pub(super) fn base_address(text: &str) -> ParseResult<String> {
    let fix = "write scheme and host only, such as https://flows.example.com";
    let lower = text.trim_end_matches('/').to_ascii_lowercase();
    let Some(rest) = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")) else {
        return parse_error("does not start with http:// or https://", fix);
    };
    if !is_host_and_port(rest) {
        return parse_error("is more or less than a host and a port", fix);
    }
    Ok(lower)
}

/// True for `host`, `host:port` and `[v6]:port`, lower case, with nothing before or behind.
pub(super) fn is_host_and_port(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) if address.parse::<std::net::Ipv6Addr>().is_ok() => {
            return rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        }
        Some(_) => return false,
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    is_host(host) && port.is_none_or(is_port)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}

fn is_host(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty() && text.len() <= 253 && text.chars().all(word)
}

fn split_entries(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\t', '\n']).filter(|part| !part.is_empty())
}

pub(super) fn origins(text: &str) -> ParseResult<Vec<String>> {
    split_entries(text).map(origin).collect()
}

/// Names of the service. Whoever pastes an address means its host.
pub(super) fn hosts(text: &str) -> ParseResult<Vec<String>> {
    let host = |part: &str| {
        let lower = part.trim_end_matches('/').to_ascii_lowercase();
        let bare = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")).unwrap_or(&lower);
        if is_host_and_port(bare) {
            return Ok(bare.to_owned());
        }
        parse_error(
            "holds an entry that is not a name",
            "separate names such as flows.example.com or flows.lan:3000 by commas",
        )
    };
    split_entries(text).map(host).collect()
}

fn origin(text: &str) -> ParseResult<String> {
    let lower = text.trim_end_matches('/').to_ascii_lowercase();
    let bare = lower.split_once("://").map_or(lower.as_str(), |(_, rest)| rest);
    if lower == "*" || (is_host_and_port(bare) && lower != "null") {
        return Ok(lower);
    }
    parse_error(
        "holds an entry that is not an origin",
        "separate origins such as https://shop.example.com by commas, or write *",
    )
}

pub(super) fn networks(text: &str) -> ParseResult<Vec<IpNet>> {
    let network = |part| {
        network(part).map_or_else(
            || {
                parse_error(
                    "holds an entry that is not an address or a network",
                    "separate entries such as 10.0.0.7 or 10.0.0.0/8 by commas",
                )
            },
            Ok,
        )
    };
    split_entries(text).map(network).collect()
}

fn network(text: &str) -> Option<IpNet> {
    text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

pub(super) fn allow_rules(text: &str) -> ParseResult<Vec<AllowRule>> {
    let rule = |part| {
        allow_rule(part).map_or_else(
            || {
                parse_error(
                    "holds an entry that is not host:port or network:port",
                    "separate entries such as localhost:11434, 10.0.0.0/8:443 or [fd00::1]:80 by commas",
                )
            },
            Ok,
        )
    };
    split_entries(text).map(rule).collect()
}

fn allow_rule(text: &str) -> Option<AllowRule> {
    let (host, port) = text.rsplit_once(':')?;
    let port = port.parse::<u16>().ok().filter(|port| *port > 0)?;
    if let Some(bracketed) = host.strip_prefix('[') {
        return network(bracketed.strip_suffix(']')?).map(|network| AllowRule::Network { network, port });
    }
    // A bare IPv6 address cannot be told from its port.
    match network(host).filter(|_| !host.contains(':')) {
        Some(network) => Some(AllowRule::Network { network, port }),
        None => is_host(host).then(|| AllowRule::Host { host: host.to_ascii_lowercase(), port }),
    }
}

pub(super) fn absolute_folder(text: &str) -> ParseResult<PathBuf> {
    if !Path::new(text).is_absolute() {
        return parse_error("is not an absolute path", "write the folder from the root");
    }
    Ok(PathBuf::from(text))
}

/// Folders whose names may hold spaces, so that only commas divide them.
pub(super) fn folders(text: &str) -> ParseResult<Vec<PathBuf>> {
    let fix = "separate folders such as /srv/handbook by commas, each written from the root and without ..";
    let folder = |part: &str| {
        let path = Path::new(part);
        let is_plain = path.is_absolute()
            && !path.components().any(|part| matches!(part, Component::ParentDir | Component::CurDir));
        if is_plain {
            Ok(path.to_owned())
        } else {
            parse_error("holds an entry that is not an absolute path", fix)
        }
    };
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(folder).collect()
}

pub(super) fn encryption_key(text: &str) -> ParseResult<[u8; 32]> {
    let text = text.trim();
    let bytes = if text.len() == 64 { from_hex(text) } else { from_base64(text) };
    let key = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    key.map_or_else(
        || parse_error("is not 32 bytes in hex or base64", "make one with: openssl rand -base64 32"),
        Ok,
    )
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let standard = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    STANDARD_NO_PAD.decode(standard).ok()
}

pub(super) fn email(text: &str) -> ParseResult<String> {
    let whole = text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if !whole || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return parse_error("is not an e-mail address", "write one such as owner@example.com");
    }
    Ok(text.to_owned())
}

pub(super) fn password(text: &str) -> ParseResult<String> {
    let (least, most) = (limits::PASSWORD_MIN_CHARS, limits::PASSWORD_MAX_CHARS);
    if !(least..=most).contains(&text.chars().count()) {
        return parse_error(
            "is too short or too long",
            format!("choose a password of {least} to {most} characters"),
        );
    }
    Ok(text.to_owned())
}

pub(super) fn commands(text: &str) -> ParseResult<Vec<AllowedProgram>> {
    let fix = r#"write a JSON list such as [["/usr/local/bin/files-server", "--read-only"], {"command": ["/usr/bin/search"], "env": {"REGION": "eu"}, "flowEnv": ["TOKEN"], "memoryMb": 512}]"#;
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    AllowedProgram::parse_list(text).or_else(|problem| parse_error(problem, fix))
}

pub(super) fn log_filter(text: &str) -> ParseResult<LogFilter> {
    let fix = "write off, error, warn, info, debug or trace, and modules such as info,flowkeep::net=debug";
    LogFilter::parse(text)
        .or_else(|row| parse_error(format!("holds the unreadable row \"{}\"", row.escape_debug()), fix))
}

pub(super) fn log_format(text: &str) -> ParseResult<LogFormat> {
    LogFormat::parse(text).map_or_else(|| parse_error("is not a log format", "write auto, human or json"), Ok)
}
