//! Which pages may call: origins compared by scheme, host and port (manual 2.4, 12.4).

use crate::domain::flows::settings::AllowedOrigins;
use std::fmt;

/// An origin as a browser sends it, or an entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Scheme in lower case; an entry of a list may have none.
    pub scheme: Option<String>,
    /// Host in lower case, brackets of an IPv6 address included.
    pub host: String,
    /// The port, when it is written.
    pub port: Option<u16>,
}

/// What a page's origin may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    Refused,
    /// Ask, without cookies: the list admits everybody.
    Anyone,
    /// Ask, cookies included: a list names it.
    Listed,
    /// It is the service's own page.
    Own,
}

impl Origin {
    /// Reads an `Origin` header: `scheme://host[:port]` and nothing else. `null` is no origin.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let mut origin = Self::parse_host(rest)?;
        origin.scheme = Some(parse_scheme(scheme)?);
        Some(origin)
    }

    /// Reads an entry that an owner typed: the scheme may be missing, a path after the host does not count.
    #[must_use]
    pub(crate) fn parse_entry(text: &str) -> Option<Self> {
        let text = text.trim();
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(parse_scheme(scheme)?), rest),
            None => (None, text),
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        Some(Self { scheme, ..Self::parse_host(authority)? })
    }

    /// Reads a `Host` header: a host, and a port where there is one.
    pub(in crate::http) fn parse_host(text: &str) -> Option<Self> {
        let host_end =
            if text.starts_with('[') { text.find(']')? + 1 } else { text.find(':').unwrap_or(text.len()) };
        let (host, port) = text.split_at(host_end);
        let port = match port.strip_prefix(':') {
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            None if port.is_empty() => None,
            Some(_) | None => return None,
        };
        let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let known = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
        let whole = !plain.is_empty() && plain.chars().all(known);
        whole.then(|| Self { scheme: None, host: host.to_lowercase(), port })
    }

    /// The port it means, written or not.
    fn effective_port(&self, scheme: Option<&str>) -> Option<u16> {
        self.port.or(match scheme {
            Some("http" | "ws") => Some(80),
            Some("https" | "wss") => Some(443),
            _ => None,
        })
    }

    /// True when this entry of a list covers `origin`.
    #[must_use]
    pub(crate) fn covers(&self, origin: &Self) -> bool {
        let scheme = origin.scheme.as_deref();
        let same_scheme = self.scheme.is_none() || self.scheme == origin.scheme;
        same_scheme
            && self.host == origin.host
            && self.effective_port(scheme) == origin.effective_port(scheme)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}://")?;
        }
        f.write_str(&self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

fn parse_scheme(text: &str) -> Option<String> {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let whole = starts && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    whole.then(|| text.to_ascii_lowercase())
}

fn is_listed<'a>(entries: impl IntoIterator<Item = &'a str>, origin: &Origin) -> bool {
    entries.into_iter().filter_map(Origin::parse_entry).any(|entry| entry.covers(origin))
}

/// Judges the value of an `Origin` header.
///
/// `allowed` are the flow's Allowed Domains; none where there is no flow whose list could admit anybody. `cors` are the
/// entries of `CORS_ORIGINS`; `own` are the service's own addresses.
#[must_use]
pub(crate) fn judge_origin(
    allowed: &AllowedOrigins,
    cors: &[String],
    own: &[&str],
    origin: &str,
) -> Admission {
    let Some(origin) = Origin::parse(origin) else { return Admission::Refused };
    if is_listed(own.iter().copied(), &origin) {
        return Admission::Own;
    }
    let wildcard = cors.iter().any(|entry| entry.trim() == "*");
    let listed = match allowed {
        AllowedOrigins::Every => &[][..],
        AllowedOrigins::Only(entries) => entries,
    };
    if !wildcard && is_listed(cors.iter().chain(listed).map(String::as_str), &origin) {
        return Admission::Listed;
    }
    if wildcard || *allowed == AllowedOrigins::Every { Admission::Anyone } else { Admission::Refused }
}

/// True when a page of `origin` may ask a flow with this list. See [`judge_origin`].
#[must_use]
pub(crate) fn is_admitted(allowed: &AllowedOrigins, cors: &[String], own: &[&str], origin: &str) -> bool {
    judge_origin(allowed, cors, own, origin) != Admission::Refused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(entry: &str) -> AllowedOrigins {
        AllowedOrigins::Only(vec![entry.to_owned()])
    }

    #[test]
    fn only_whole_origins_are_origins() {
        for good in
            ["https://a.example", "http://LOCALHOST:3000", "http://[::1]:80", "chrome-extension://abcdef"]
        {
            assert!(Origin::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "null",
            "a.example",
            "https://",
            "https://a.example/",
            "https://a.example/x",
            "https://u@a.example",
            "https://a.example:99999",
            "https://a.example:8x",
            "https://a.example:",
            "//a.example",
            "https://a b",
            "https://[::1",
            "https://[::1]x",
        ] {
            assert_eq!(Origin::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn entries_compare_with_or_without_a_scheme() {
        for (entry, origin, covered) in [
            ("https://a.example", "https://a.example", true),
            ("https://a.example", "https://a.example:443", true),
            ("https://A.Example/", "https://a.example", true),
            ("https://a.example", "http://a.example", false),
            ("https://a.example", "https://a.example:8443", false),
            ("a.example", "http://a.example", true),
            ("a.example", "https://a.example", true),
            ("a.example", "https://a.example:8443", false),
            ("a.example:8443", "https://a.example:8443", true),
            ("localhost:3000", "http://localhost:3000", true),
            ("a.example", "https://evil-a.example", false),
            ("a.example", "https://a.example.evil", false),
            ("a.example", "https://sub.a.example", false),
            ("[::1]:3000", "http://[::1]:3000", true),
        ] {
            assert_eq!(is_admitted(&only(entry), &[], &[], origin), covered, "{entry} {origin}");
        }
    }

    #[test]
    fn wildcards_and_empty_lists_never_bring_cookies() {
        let listed = ["https://a.example".to_owned()];
        let wildcard = ["*".to_owned(), "https://a.example".to_owned()];
        let page = "https://a.example";
        let b = only("b.example");
        for (allowed, cors, own, origin, expected) in [
            (&AllowedOrigins::Every, &[][..], &[][..], page, Admission::Anyone),
            (&AllowedOrigins::Every, &[], &[], "null", Admission::Refused),
            (&AllowedOrigins::Every, &listed, &[], page, Admission::Listed),
            (&b, &listed, &[], page, Admission::Listed),
            (&b, &[], &[], page, Admission::Refused),
            (&b, &wildcard, &[], page, Admission::Anyone),
            (&b, &[], &["a.example"], page, Admission::Own),
            (&only("*"), &[], &[], page, Admission::Refused),
            (&AllowedOrigins::NONE, &[], &[], page, Admission::Refused),
            (&AllowedOrigins::NONE, &listed, &[], page, Admission::Listed),
            (&AllowedOrigins::NONE, &wildcard, &[], "https://c.example", Admission::Anyone),
        ] {
            assert_eq!(
                judge_origin(allowed, cors, own, origin),
                expected,
                "{allowed:?} {cors:?} {own:?} {origin}"
            );
        }
    }
}
