//! The proxies of a company network: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as other programs read them.

use super::SettingsError;
use super::parse::{ParseResult, SettingsReader, parse_error};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ipnet::IpNet;
use percent_encoding::percent_decode_str;
use std::net::IpAddr;
use url::{Host, Url};

/// Which proxy a request goes through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// `HTTPS_PROXY`, for addresses with https.
    pub https: Option<Proxy>,
    /// `HTTP_PROXY`, for addresses with http.
    pub http: Option<Proxy>,
    /// `NO_PROXY`: what is called without one.
    pub bypasses: Vec<ProxyBypass>,
}

/// A proxy that speaks HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    pub host: String,
    pub port: u16,
    /// What it is sent as `Proxy-Authorization`: a secret.
    pub authorization: Option<String>,
}

/// Shows no secret.
impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// An entry of `NO_PROXY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyBypass {
    /// `*`: everything.
    All,
    /// A name, and every name that ends with a dot and it.
    Domain {
        /// Lower case, without a dot in front.
        name: String,
        /// The one port; `None` is every port.
        port: Option<u16>,
    },
    Network {
        /// A single address is a network of one.
        network: IpNet,
        /// The one port; `None` is every port.
        port: Option<u16>,
    },
}

impl Proxies {
    /// The proxy for a host, which has these addresses as far as they are known. This machine is called without one.
    #[must_use]
    pub(crate) fn proxy_for(
        &self,
        https: bool,
        host: &str,
        port: u16,
        addresses: &[IpAddr],
    ) -> Option<&Proxy> {
        let proxy = if https { self.https.as_ref() } else { self.http.as_ref() }?;
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let literal = host.parse::<IpAddr>().ok();
        let is_here = host == "localhost"
            || host.ends_with(".localhost")
            || literal.is_some_and(|address| address.to_canonical().is_loopback());
        let bypassed = self.bypasses.iter().any(|entry| match entry {
            ProxyBypass::All => true,
            ProxyBypass::Domain { name, port: only } => {
                let below = host.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('.'));
                (host == *name || below) && only.is_none_or(|only| only == port)
            }
            ProxyBypass::Network { network, port: only } => {
                let within = |address: &IpAddr| network.contains(&address.to_canonical());
                let known = literal.as_ref().map_or(addresses, std::slice::from_ref);
                !known.is_empty() && known.iter().all(within) && only.is_none_or(|only| only == port)
            }
        });
        (!is_here && !bypassed).then_some(proxy)
    }
}

/// Reads the three variables, in capitals or in small letters.
pub(super) fn read(reader: &SettingsReader<'_>) -> Result<Proxies, SettingsError> {
    let either = |capitals: &str, small: &str| match reader.read_secret(capitals, parse_proxy)?.flatten() {
        Some(found) => Ok::<_, SettingsError>(Some(found)),
        None => Ok(reader.read_secret(small, parse_proxy)?.flatten()),
    };
    let without = match reader.read("NO_PROXY", parse_bypasses)? {
        Some(entries) => entries,
        None => reader.read("no_proxy", parse_bypasses)?.unwrap_or_default(),
    };
    Ok(Proxies {
        https: either("HTTPS_PROXY", "https_proxy")?,
        http: either("HTTP_PROXY", "http_proxy")?,
        bypasses: without,
    })
}

/// `http://user:password@host:port`, or without the scheme. Blank text is none.
fn parse_proxy(text: &str) -> ParseResult<Option<Proxy>> {
    const FIX: &str = "write http://host:port, or http://user:password@host:port, or unset it";
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let Ok(url) = Url::parse(&whole) else { return parse_error("is no address of a proxy", FIX) };
    if url.scheme() != "http" {
        return parse_error("is a proxy that does not speak plain HTTP", FIX);
    }
    let host = match url.host() {
        Some(Host::Domain(name)) => name.to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => return parse_error("names no host", FIX),
    };
    let plain = |text: &str| percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned);
    let authorization = if url.username().is_empty() && url.password().is_none() {
        None
    } else {
        let (Some(user), Some(password)) = (plain(url.username()), plain(url.password().unwrap_or_default()))
        else {
            return parse_error("holds a user or a password that is no text", FIX);
        };
        Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
    };
    // The port that the scheme stands for is left out of an address that was read.
    Ok(Some(Proxy { host, port: url.port().unwrap_or(80), authorization }))
}

/// Entries that cannot be read count for nothing, as in other programs, which share the variable.
fn parse_bypasses(text: &str) -> ParseResult<Vec<ProxyBypass>> {
    Ok(text.split([',', ' ', '\t', '\n']).map(str::trim).filter_map(parse_bypass).collect())
}

fn parse_bypass(entry: &str) -> Option<ProxyBypass> {
    if entry == "*" {
        return Some(ProxyBypass::All);
    }
    let network = |text: &str| {
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        bare.parse::<IpNet>().ok().or_else(|| bare.parse::<IpAddr>().ok().map(|ip| ip.to_canonical().into()))
    };
    if let Some(network) = network(entry) {
        return Some(ProxyBypass::Network { network, port: None });
    }
    let (host, port) = match entry.rsplit_once(':') {
        Some((host, port)) => (host, Some(port.parse().ok()?)),
        None => (entry, None),
    };
    if let Some(network) = network(host) {
        return Some(ProxyBypass::Network { network, port });
    }
    let name = host.strip_prefix('*').unwrap_or(host).trim_matches('.').to_ascii_lowercase();
    let fits =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    fits.then_some(ProxyBypass::Domain { name, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_from(vars: &[(&str, &str)]) -> Result<Proxies, SettingsError> {
        let look =
            |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        read(&SettingsReader::new(&look, &[]))
    }

    #[test]
    fn each_scheme_has_its_proxy_in_capitals_or_small_letters() {
        let proxies = read_from(&[
            ("HTTPS_PROXY", "http://us%65r:p%40ss@Proxy.Corp:3128/"),
            ("http_proxy", "10.0.0.9"),
        ])
        .unwrap();
        let https = proxies.proxy_for(true, "api.example", 443, &[]).unwrap();
        assert_eq!((https.host.as_str(), https.port), ("proxy.corp", 3128));
        assert_eq!(https.authorization.as_deref(), Some("Basic dXNlcjpwQHNz"));
        assert_eq!(proxies.proxy_for(false, "api.example", 80, &[]).map(|proxy| proxy.port), Some(80));
        assert!(!format!("{https:?}").contains("dXNl"));
        assert_eq!(read_from(&[("HTTPS_PROXY", " ")]).unwrap(), Proxies::default());
        for bad in ["socks5://p:1", "https://p:1", "http://", "http://p:99999"] {
            let said = read_from(&[("HTTPS_PROXY", bad)]).unwrap_err().to_string();
            assert!(
                said.starts_with("HTTPS_PROXY ")
                    && said.contains("http://host:port")
                    && !said.contains("//p:"),
                "{said}"
            );
        }
    }

    #[test]
    fn every_form_of_no_proxy_is_read() {
        let listed = "localhost, .internal.example,plain.example *.star.example,one.example:8443,10.0.0.0/8,192.0.2.7,[fd00::1]:443,fe80::/10,b@d";
        let proxies = read_from(&[("HTTPS_PROXY", "p:1"), ("no_proxy", listed)]).unwrap();
        let goes = |host: &str, port: u16, addresses: &[&str]| {
            let addresses: Vec<IpAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
            proxies.proxy_for(true, host, port, &addresses).is_some()
        };
        for (host, port) in [
            ("localhost", 443),
            ("x.localhost", 443),
            ("127.0.0.1", 8),
            ("::1", 8),
            ("a.internal.example", 443),
            ("internal.example", 443),
            ("PLAIN.example.", 443),
            ("a.plain.example", 1),
            ("a.b.star.example", 443),
            ("one.example", 8443),
            ("10.1.2.3", 443),
            ("192.0.2.7", 443),
            ("fd00::1", 443),
            ("fe80::5", 1),
        ] {
            assert!(!goes(host, port, &[]), "{host}:{port}");
        }
        for (host, port) in [
            ("example", 443),
            ("notplain.example", 443),
            ("one.example", 443),
            ("11.0.0.1", 443),
            ("fd00::1", 80),
        ] {
            assert!(goes(host, port, &[]), "{host}:{port}");
        }
        assert!(
            !goes("model.example", 443, &["10.3.3.3"])
                && goes("model.example", 443, &["10.3.3.3", "8.8.8.8"])
        );
        let all = read_from(&[("HTTPS_PROXY", "p:1"), ("NO_PROXY", "*")]).unwrap();
        assert!(all.proxy_for(true, "any.example", 443, &[]).is_none());
    }
}
