//! The server that takes the mail of the service, and who sends it (manual 13.18).

use super::SettingsError;
use super::base_url::BaseUrl;
use super::parse::{self, ParseResult, SettingsReader, parse_error};
use crate::domain::service::mail::address::MailSender;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

/// Where mail goes and how. There are none of them without a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailSettings {
    /// `SERVICE_MAIL_SERVER`: its host, a name or an address without brackets.
    pub host: String,
    /// The port of `SERVICE_MAIL_SERVER`, or the usual one.
    pub port: u16,
    /// `SERVICE_MAIL_TLS`, or what the port and the host lead to.
    pub security: MailSecurity,
    /// `SERVICE_MAIL_USER` with a password; `None` signs in nowhere.
    pub sign_in: Option<MailSignIn>,
    /// `SERVICE_MAIL_FROM`: who sends.
    pub from: MailSender,
    /// `SERVICE_BASE_URL`: the links in messages begin with it. No request chooses it.
    pub base_url: BaseUrl,
}

/// How a connection to the server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSecurity {
    /// TLS from the first byte.
    Tls,
    /// STARTTLS, without which nothing is sent.
    StartTls,
    /// Not at all.
    Plain,
}

/// Who signs in at the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailSignIn {
    pub user: String,
    pub password: MailPassword,
}

/// Where the password is.
#[derive(Clone, PartialEq, Eq)]
pub enum MailPassword {
    /// `SERVICE_MAIL_PASSWORD`.
    Text(String),
    /// `SERVICE_MAIL_PASSWORD_FILE`: read for each connection.
    File(PathBuf),
}

/// Shows no secret.
impl fmt::Debug for MailPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MailPassword")
    }
}

impl MailSecurity {
    /// The word of `SERVICE_MAIL_TLS`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tls => "tls",
            Self::StartTls => "starttls",
            Self::Plain => "off",
        }
    }

    const fn usual_port(self) -> u16 {
        match self {
            Self::Tls => IMPLICIT_TLS_PORT,
            Self::StartTls => 587,
            Self::Plain => 25,
        }
    }

    fn parse(text: &str) -> ParseResult<Self> {
        let known = [Self::Tls, Self::StartTls, Self::Plain];
        known
            .into_iter()
            .find(|known| text.eq_ignore_ascii_case(known.as_str()))
            .map_or_else(|| parse_error("is no way to encrypt", "write tls, starttls or off"), Ok)
    }
}

impl MailSettings {
    /// Host and port.
    #[must_use]
    pub fn server(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

/// The port on which TLS begins with the first byte (RFC 8314).
const IMPLICIT_TLS_PORT: u16 = 465;

const SERVER: &str = "SERVICE_MAIL_SERVER";
const TLS: &str = "SERVICE_MAIL_TLS";
const USER: &str = "SERVICE_MAIL_USER";
const PASSWORD: &str = "SERVICE_MAIL_PASSWORD";
const PASSWORD_FILE: &str = "SERVICE_MAIL_PASSWORD_FILE";
const FROM: &str = "SERVICE_MAIL_FROM";

/// `None` where no server is named.
pub(super) fn read(
    reader: &SettingsReader<'_>,
    base_url: Option<&BaseUrl>,
) -> Result<Option<MailSettings>, SettingsError> {
    let Some((host, port)) = reader.read(SERVER, host_and_port)? else {
        let without =
            [TLS, USER, PASSWORD, PASSWORD_FILE, FROM].into_iter().find(|name| is_set(reader, name));
        return without.map_or(Ok(None), |name| {
            Err(SettingsError(format!(
                "{name} is set without {SERVER}; name the server, or take {name} away"
            )))
        });
    };
    let from = reader.read(FROM, sender)?.ok_or_else(|| {
        SettingsError(format!("{SERVER} is set without {FROM}; set the address that mail comes from"))
    })?;
    let base_url = base_url.cloned().ok_or_else(|| {
        SettingsError(format!(
            "{SERVER} is set without SERVICE_BASE_URL; mail holds links, so set the address that people use"
        ))
    })?;
    let security = security(reader, &host, port)?;
    let sign_in = sign_in(reader)?;
    if sign_in.is_some() && security == MailSecurity::Plain && !is_loopback(&host) {
        return Err(SettingsError(format!(
            "{TLS} is off and {USER} is set, so the password would travel readably; write starttls or tls, or take {USER} away"
        )));
    }
    let port = port.unwrap_or(security.usual_port());
    Ok(Some(MailSettings { host, port, security, sign_in, from, base_url }))
}

fn is_set(reader: &SettingsReader<'_>, name: &str) -> bool {
    reader.text(name).is_some()
}

fn security(
    reader: &SettingsReader<'_>,
    host: &str,
    port: Option<u16>,
) -> Result<MailSecurity, SettingsError> {
    let begins_with_tls = port == Some(IMPLICIT_TLS_PORT);
    match reader.read(TLS, MailSecurity::parse)? {
        Some(MailSecurity::Tls) => Ok(MailSecurity::Tls),
        Some(other) if begins_with_tls => Err(SettingsError(format!(
            "{TLS} is {} and the port of {SERVER} is {IMPLICIT_TLS_PORT}, where a connection begins with TLS; write tls, or \
             another port",
            other.as_str()
        ))),
        Some(other) => Ok(other),
        None if begins_with_tls => Ok(MailSecurity::Tls),
        None if is_loopback(host) => Ok(MailSecurity::Plain),
        None => Ok(MailSecurity::StartTls),
    }
}

fn sign_in(reader: &SettingsReader<'_>) -> Result<Option<MailSignIn>, SettingsError> {
    let user = reader.read(USER, one_line)?;
    let text = reader.read_secret(PASSWORD, one_line)?;
    let password = match (text, reader.text(PASSWORD_FILE)) {
        (Some(_), Some(_)) => {
            return Err(SettingsError(format!(
                "{PASSWORD} and {PASSWORD_FILE} are both set; keep one of them"
            )));
        }
        (Some(text), None) => Some((PASSWORD, MailPassword::Text(text))),
        (None, Some(file)) => Some((PASSWORD_FILE, MailPassword::File(PathBuf::from(file)))),
        (None, None) => None,
    };
    match (user, password) {
        (Some(user), Some((_, password))) => Ok(Some(MailSignIn { user, password })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(SettingsError(format!(
            "{USER} is set without {PASSWORD} or {PASSWORD_FILE}; set one of the two, or take {USER} away"
        ))),
        (None, Some((name, _))) => {
            Err(SettingsError(format!("{name} is set without {USER}; set both, or neither")))
        }
    }
}

fn one_line(text: &str) -> ParseResult<String> {
    if text.chars().any(char::is_control) {
        return parse_error("holds more than one line of text", "write it in one line");
    }
    Ok(text.to_owned())
}

fn sender(text: &str) -> ParseResult<MailSender> {
    MailSender::parse(text).map_or_else(
        || {
            parse_error(
                "is no address that mail can come from",
                "write one such as flows@example.org, or Flows <flows@example.org>",
            )
        },
        Ok,
    )
}

/// A host, and a port where one is written.
fn host_and_port(text: &str) -> ParseResult<(String, Option<u16>)> {
    let lower = text.to_ascii_lowercase();
    if !parse::is_host_and_port(&lower) {
        return parse_error(
            "is more or less than a host and a port",
            "write one such as smtp.example.org:587",
        );
    }
    let (host, rest) = match lower.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => (address, rest.strip_prefix(':')),
        None => lower.split_once(':').map_or((lower.as_str(), None), |(host, port)| (host, Some(port))),
    };
    Ok((host.to_owned(), rest.and_then(|port| port.parse().ok())))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Flags, Settings};

    const FULL: &[(&str, &str)] = &[
        (SERVER, "smtp.example.org"),
        (FROM, "Flows <flows@example.org>"),
        ("SERVICE_BASE_URL", "https://flows.example.org"),
    ];

    fn read(extra: &[(&str, &str)]) -> Result<Option<MailSettings>, String> {
        let vars: Vec<(&str, &str)> = FULL.iter().chain(extra).copied().collect();
        read_only(&vars)
    }

    /// A later value counts; an empty one is none.
    fn read_only(vars: &[(&str, &str)]) -> Result<Option<MailSettings>, String> {
        let look_up = |name: &str| {
            let found = vars.iter().rev().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned()).or((name == "HOME").then(|| "/home/ann".to_owned()))
        };
        Settings::from_vars(look_up, Flags::default())
            .map(|settings| settings.mail)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_set_sends_no_mail() {
        assert_eq!(read_only(&[]), Ok(None));
    }

    #[test]
    fn port_and_host_choose_how_a_connection_is_encrypted() {
        for (server, tls, expected) in [
            ("smtp.example.org", "", ("smtp.example.org:587", MailSecurity::StartTls)),
            ("smtp.example.org:25", "", ("smtp.example.org:25", MailSecurity::StartTls)),
            ("SMTP.Example.org:465", "", ("smtp.example.org:465", MailSecurity::Tls)),
            ("smtp.example.org", "TLS", ("smtp.example.org:465", MailSecurity::Tls)),
            ("smtp.example.org:2465", "tls", ("smtp.example.org:2465", MailSecurity::Tls)),
            ("smtp.example.org", "off", ("smtp.example.org:25", MailSecurity::Plain)),
            ("localhost", "", ("localhost:25", MailSecurity::Plain)),
            ("127.0.0.1:2525", "", ("127.0.0.1:2525", MailSecurity::Plain)),
            ("127.0.0.1:2525", "starttls", ("127.0.0.1:2525", MailSecurity::StartTls)),
            ("[::1]:2525", "", ("[::1]:2525", MailSecurity::Plain)),
            ("[2001:db8::1]", "", ("[2001:db8::1]:587", MailSecurity::StartTls)),
        ] {
            let mail = read(&[(SERVER, server), (TLS, tls)]).unwrap().unwrap();
            assert_eq!((mail.server().as_str(), mail.security), expected, "{server} {tls}");
        }
    }

    #[test]
    fn a_contradiction_is_refused_in_one_sentence() {
        for (vars, told) in [
            (vec![(FROM, "")], "SERVICE_MAIL_SERVER is set without SERVICE_MAIL_FROM"),
            (vec![("SERVICE_BASE_URL", "")], "SERVICE_MAIL_SERVER is set without SERVICE_BASE_URL"),
            (vec![(SERVER, "")], "SERVICE_MAIL_FROM is set without SERVICE_MAIL_SERVER"),
            (vec![(SERVER, "smtp://x")], "is more or less than a host and a port"),
            (vec![(SERVER, "x:465"), (TLS, "starttls")], "where a connection begins with TLS"),
            (vec![(TLS, "maybe")], "write tls, starttls or off"),
            (vec![(USER, "a")], "SERVICE_MAIL_USER is set without SERVICE_MAIL_PASSWORD or"),
            (vec![(PASSWORD, "hush")], "SERVICE_MAIL_PASSWORD is set without SERVICE_MAIL_USER"),
            (vec![(PASSWORD_FILE, "/x")], "SERVICE_MAIL_PASSWORD_FILE is set without SERVICE_MAIL_USER"),
            (vec![(USER, "a"), (PASSWORD, "hush"), (PASSWORD_FILE, "/x")], "are both set; keep one"),
            (vec![(USER, "a"), (PASSWORD, "hush"), (TLS, "off")], "the password would travel readably"),
            (vec![(USER, "a"), (PASSWORD, "hu\nsh")], "SERVICE_MAIL_PASSWORD holds more than one line"),
            (vec![(FROM, "nobody")], "is no address that mail can come from"),
        ] {
            let refused = read(&vars).unwrap_err();
            assert!(refused.contains(told) && !refused.contains('\n'), "{vars:?}: {refused}");
            assert!(!refused.contains("hush"), "{refused}");
        }
    }

    #[test]
    fn a_password_is_given_or_lies_in_a_file_and_is_not_shown() {
        let given = read(&[(USER, "a"), (PASSWORD, " hush ")]).unwrap().unwrap();
        let sign_in = given.sign_in.clone().unwrap();
        assert_eq!(sign_in.password, MailPassword::Text(" hush ".to_owned()), "its spaces count");
        assert!(!format!("{given:?}").contains("hush"));
        let file = read(&[(USER, "a"), (PASSWORD_FILE, "/run/secrets/mail")]).unwrap().unwrap();
        assert_eq!(file.sign_in.unwrap().password, MailPassword::File("/run/secrets/mail".into()));
        let local = [(SERVER, "localhost"), (USER, "a"), (PASSWORD, "hush")];
        assert_eq!(
            read(&local).unwrap().unwrap().security,
            MailSecurity::Plain,
            "nothing leaves this machine"
        );
    }
}
