//! The names this service answers to, and the origins that are its own (manual 12.4).
//!
//! A name that leads to a loopback address makes a browser take a stranger's page for a page of this service. So a service
//! that listens on loopback answers to no name but `localhost` and those its operator lists, and an address cannot be led
//! elsewhere.

use super::origin::Origin;
use crate::settings::Settings;
use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

/// So many refused names and origins are logged; whoever makes up more fills no log.
const LOGGED_MAX: usize = 100;
/// Longest part of a name or an origin that is repeated.
const SHOWN_MAX_CHARS: usize = 200;

/// Which names and origins are the service's own.
pub(in crate::http) struct HostNames {
    /// `SERVICE_BASE_URL`.
    base: Option<String>,
    /// `SERVICE_HOSTS`.
    listed: Vec<String>,
    listener: SocketAddr,
    /// What the log has named already.
    logged: Mutex<HashSet<String>>,
}

impl HostNames {
    /// The names of a service with these settings, for callers of one of its listeners.
    pub(in crate::http) fn new(settings: &Settings, listener: SocketAddr) -> Self {
        Self {
            base: settings.base_url.as_ref().map(|base| base.origin().to_owned()),
            listed: settings.hosts.clone(),
            listener,
            logged: Mutex::default(),
        }
    }

    /// True when a request with this `Host` is meant for this service. A request without one comes from no browser.
    pub(in crate::http) fn is_known_host(&self, host: Option<&str>) -> bool {
        let on_loopback = self.listener.ip().to_canonical().is_loopback();
        let (true, Some(host)) = (on_loopback, host) else { return true };
        let Some(name) = Origin::parse_host(host) else { return false };
        parse_address(&name.host).is_some() || is_localhost(&name.host) || self.is_listed_name(&name)
    }

    /// The origins of the service's own pages, for a request with this `Host`.
    pub(in crate::http) fn own_origins<'a>(&'a self, host: Option<&'a str>) -> Vec<&'a str> {
        let listed = self.base.iter().chain(&self.listed).map(String::as_str);
        listed.chain(host.filter(|host| self.is_own_origin(host))).collect()
    }

    /// True when pages at this `Host` are the service's own: it is this machine itself, a listed name, or any name as long
    /// as nobody said which there are.
    fn is_own_origin(&self, host: &str) -> bool {
        let unnamed = self.base.is_none() && self.listed.is_empty();
        Origin::parse_host(host).is_some_and(|name| {
            is_loopback_host(&name.host) || self.is_listed(&name) || unnamed && self.is_known_host(Some(host))
        })
    }

    /// True when `SERVICE_HOSTS` holds this host. The base address says its scheme too, so it speaks for itself.
    fn is_listed(&self, name: &Origin) -> bool {
        let mut listed = self.listed.iter().filter_map(|entry| Origin::parse_entry(entry));
        listed.any(|entry| entry.host == name.host && (entry.port.is_none() || entry.port == name.port))
    }

    /// True when a setting names this host.
    fn is_listed_name(&self, name: &Origin) -> bool {
        let listed = self.base.iter().chain(&self.listed).filter_map(|entry| Origin::parse_entry(entry));
        listed.into_iter().any(|entry| entry.host == name.host)
    }

    /// True for the origin of the address people use.
    pub(in crate::http) fn is_base(&self, origin: &Origin) -> bool {
        let base = self.base.as_deref().and_then(Origin::parse_entry);
        base.is_some_and(|base| base.covers(origin))
    }

    /// Where people are expected, in words.
    pub(in crate::http) fn expected_address(&self, host: Option<&str>) -> String {
        let set = self.base.as_ref().or_else(|| self.listed.first()).map(String::as_str);
        match (set, host) {
            (Some(set), _) => set.to_owned(),
            (None, Some(host)) if self.is_known_host(Some(host)) => format!("http://{}", sanitize(host)),
            (None, _) => format!("http://localhost:{}", self.listener.port()),
        }
    }

    /// What somebody who runs the service can do so that pages of `origin` are its own.
    pub(in crate::http) fn remedy(&self, origin: &str) -> String {
        let origin = sanitize(origin);
        let name = origin.split_once("://").map_or(origin.as_str(), |(_, name)| name);
        if self.base.is_none() {
            format!(
                "If people open this service at {origin}, set SERVICE_BASE_URL={origin} and start it again."
            )
        } else {
            format!(
                "If people open this service at {origin} too, list it with SERVICE_HOSTS={name}; if they open it there only, set SERVICE_BASE_URL={origin}. Then start it again."
            )
        }
    }

    /// Logs a page that may not change anything here, once for each origin.
    pub(in crate::http) fn log_refused_origin(&self, origin: &str, host: Option<&str>) {
        if self.note_refused(origin) {
            tracing::warn!(
                origin = %sanitize(origin), expected = %self.expected_address(host),
                "pages of this origin are refused; if people open the service there, set SERVICE_BASE_URL to it"
            );
        }
    }

    /// Logs a name this service does not answer to, once for each.
    pub(in crate::http) fn log_refused_host(&self, host: &str) {
        if self.note_refused(host) {
            tracing::warn!(
                host = %sanitize(host),
                "requests for this name are refused; if it is a name of this service, list it in SERVICE_HOSTS"
            );
        }
    }

    fn note_refused(&self, name: &str) -> bool {
        let mut told = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < LOGGED_MAX && told.insert(sanitize(name))
    }
}

/// As much of what a caller sent as is repeated.
pub(in crate::http) fn sanitize(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).take(SHOWN_MAX_CHARS).collect()
}

/// The address that a host is, brackets of an IPv6 address removed.
fn parse_address(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    bare.parse().ok()
}

/// Names that every system leads to itself (RFC 6761).
fn is_localhost(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    host == "localhost" || host.ends_with(".localhost")
}

/// True for a host that always means the machine it is said on.
pub(in crate::http) fn is_loopback_host(host: &str) -> bool {
    is_localhost(host) || parse_address(host).is_some_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Flags;
    use std::net::{Ipv4Addr, Ipv6Addr};

    fn names(listener: impl Into<IpAddr>, base: Option<&str>, hosts: Option<&str>) -> HostNames {
        let flags = Flags::default()
            .with("SERVICE_DATA_DIR", "--data-dir", Some("/nowhere"))
            .with("SERVICE_BASE_URL", "--base-url", base)
            .with("SERVICE_HOSTS", "--hosts", hosts);
        HostNames::new(&Settings::from_vars(|_| None, flags).unwrap(), SocketAddr::new(listener.into(), 3000))
    }

    #[test]
    fn on_loopback_only_addresses_localhost_and_listed_names_are_answered() {
        let plain = names(Ipv4Addr::LOCALHOST, None, None);
        for host in [
            "localhost",
            "LOCALHOST:3000",
            "flows.localhost:3000",
            "localhost.:3000",
            "127.0.0.1:3000",
            "127.9.9.9",
            "[::1]:3000",
            "192.168.1.4:3000",
            "[fe80::1]",
        ] {
            assert!(plain.is_known_host(Some(host)), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:3000",
            "localhost.evil.example",
            "notlocalhost",
            "127.0.0.1.evil.example",
            "127.0.0.1@evil.example",
            "[::1",
            "a b",
        ] {
            assert!(!plain.is_known_host(Some(host)), "{host}");
        }
        assert!(plain.is_known_host(None));
        let listed = names(Ipv6Addr::LOCALHOST, Some("https://flows.example"), Some("flows.lan, box:8443"));
        for (host, answered) in [
            ("flows.example", true),
            ("Flows.Example:443", true),
            ("flows.lan:3000", true),
            ("box", true),
            ("localhost", true),
            ("evil.example", false),
            ("flows.example.evil.example", false),
        ] {
            assert_eq!(listed.is_known_host(Some(host)), answered, "{host}");
        }
        assert!(names(Ipv4Addr::UNSPECIFIED, None, None).is_known_host(Some("evil.example")));
    }

    #[test]
    fn a_host_is_an_own_origin_until_the_names_are_set() {
        let everywhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        for (listener, base, hosts, host, counts) in [
            (everywhere, None, None, "any.example:3000", true),
            (everywhere, Some("https://flows.example"), None, "any.example", false),
            (everywhere, None, Some("flows.lan"), "any.example", false),
            (everywhere, None, Some("flows.lan"), "flows.lan:3000", true),
            (everywhere, None, Some("flows.lan:3000"), "flows.lan:3001", false),
            (everywhere, Some("https://flows.example"), None, "flows.example", false),
            (everywhere, Some("https://flows.example"), None, "192.168.1.4:3000", false),
            (everywhere, Some("https://flows.example"), None, "127.0.0.1:3000", true),
            (loopback, None, None, "127.0.0.1:3000", true),
            (loopback, None, None, "192.168.1.4:3000", true),
            (loopback, None, None, "evil.example", false),
            (loopback, Some("https://flows.example"), None, "localhost:3000", true),
            (loopback, Some("https://flows.example"), None, "[::1]:3000", true),
            (loopback, Some("https://flows.example"), None, "evil.example", false),
        ] {
            let own = names(listener, base, hosts);
            assert_eq!(own.own_origins(Some(host)).contains(&host), counts, "{base:?} {hosts:?} {host}");
        }
        let both = names(loopback, Some("https://flows.example"), Some("flows.lan"));
        assert_eq!(both.own_origins(None), ["https://flows.example", "flows.lan"]);
    }

    #[test]
    fn only_so_many_strangers_are_news() {
        let names = names(Ipv4Addr::LOCALHOST, None, None);
        assert!(names.note_refused("https://a.example") && !names.note_refused("https://a.example"));
        assert_eq!(
            (0..1_000).filter(|number| names.note_refused(&number.to_string())).count(),
            LOGGED_MAX - 1
        );
    }
}
