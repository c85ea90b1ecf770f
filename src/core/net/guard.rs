//! Who may be called: address ranges, names, and what the operator allows (manual 12.5).

use super::{CallPurpose, NetError};
use crate::settings::AllowRule;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use ureq::http::Uri;
use url::{Host, Url};

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix))
}

const fn v6(first: u16, second: u16, third: u16, prefix: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(first, second, third, 0, 0, 0, 0, 0), prefix))
}

/// Never called unless allowed: what is not the public internet.
const DENIED: &[IpNet] = &[
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
    v4(168, 63, 129, 16, 32),
    v6(0, 0, 0, 96), // holds :: and ::1
    v6(0x100, 0, 0, 64),
    v6(0x2001, 0, 0, 23),
    v6(0x2001, 0xdb8, 0, 32),
    v6(0x3fff, 0, 0, 20),
    v6(0x5f00, 0, 0, 16),
    v6(0xfc00, 0, 0, 7),
    v6(0xfe80, 0, 0, 10),
    v6(0xfec0, 0, 0, 10),
    v6(0xff00, 0, 0, 8),
    v6(0x64, 0xff9b, 1, 48),
];

/// Of the denied ones, those on which an owner may run a model server of their own (manual 12.5 r3).
const PRIVATE: &[IpNet] = &[
    v4(10, 0, 0, 0, 8),
    v4(127, 0, 0, 0, 8),
    v4(172, 16, 0, 0, 12),
    v4(192, 168, 0, 0, 16),
    v6(0xfc00, 0, 0, 7),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
];

/// Where clouds hand out credentials: refused for all, whatever is allowed.
const METADATA_ADDRESSES: &[IpAddr] = &[
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

const METADATA_NAMES: &[&str] = &[
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.internal",
    "metadata.azure.com",
    "metadata.tencentyun.com",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "instance-data",
    "instance-data.ec2.internal",
];

/// The address that is meant: the IPv4 address inside an IPv6 form that only carries one.
fn embedded_ipv4(address: IpAddr) -> IpAddr {
    let IpAddr::V6(six) = address else { return address };
    let [a, b, c, d, e, f, g, h] = six.segments();
    let inner = |high: u16, low: u16| IpAddr::V4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => inner(g, h),
        (0x2002, high, low, ..) => inner(high, low),
        _ => address,
    }
}

fn is_metadata(address: IpAddr) -> bool {
    // The old IPv4-compatible form is denied as a range; here it matters because ranges can be allowed.
    let compatible = match address {
        IpAddr::V6(six) if six.segments()[..6] == [0; 6] => six.to_ipv4().map(IpAddr::V4),
        _ => None,
    };
    [Some(address), Some(embedded_ipv4(address)), compatible]
        .into_iter()
        .flatten()
        .any(|form| METADATA_ADDRESSES.contains(&form))
}

fn is_in_ranges(ranges: &[IpNet], address: IpAddr) -> bool {
    let address = embedded_ipv4(address);
    ranges.iter().any(|range| range.contains(&address))
}

/// True for an address of this machine: the system then answers from that address itself. Nothing is sent.
fn is_own(address: IpAddr) -> bool {
    let from: IpAddr =
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let local = UdpSocket::bind((from, 0)).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    local.is_ok_and(|local| local.ip() == address)
}

/// Host and port, the only part of an address that errors show.
pub(super) fn label(uri: &Uri) -> String {
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
    format!("{}:{port}", uri.host().unwrap_or_default())
}

/// The host of an address, without the brackets of an IPv6 one.
pub(super) fn bare_host(uri: &Uri) -> &str {
    uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
}

/// Endings of names that mean nothing, or something else, outside the network one is in.
const INNER_ENDINGS: &[&str] = &[
    "local",
    "localhost",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "arpa",
    "test",
    "invalid",
    "onion",
];

/// True for a name of the public network, as far as a name tells: all there is to judge where only the proxy can look
/// names up.
pub(super) fn is_public_name(host: &str) -> bool {
    let Some((_, ending)) = host.trim_end_matches('.').rsplit_once('.') else { return false };
    let ending = ending.to_ascii_lowercase();
    ending.chars().any(|c| c.is_ascii_alphabetic()) && !INNER_ENDINGS.contains(&ending.as_str())
}

/// True for a host of the network one is in, as far as its name or number tells: nothing is looked up.
pub(super) fn is_inner_host(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => is_in_ranges(DENIED, address) || is_metadata(address),
        Err(_) => !is_public_name(host),
    }
}

/// Reads an address once, into the one form that is judged and called. A thread mostly calls where it called last.
pub(super) fn parse(text: &str) -> Result<Uri, NetError> {
    thread_local! {
        static LAST: RefCell<Option<(String, Uri)>> = const { RefCell::new(None) };
    }
    let known = LAST.with_borrow(|last| match last {
        Some((known, uri)) if known == text => Some(uri.clone()),
        _ => None,
    });
    if let Some(uri) = known {
        return Ok(uri);
    }
    let uri = parse_uri(text)?;
    LAST.set(Some((text.to_owned(), uri.clone())));
    Ok(uri)
}

fn parse_uri(text: &str) -> Result<Uri, NetError> {
    let bad = |why: &str| NetError::BadAddress(why.to_owned());
    let mut url = Url::parse(text.trim()).map_err(|_| bad("it is not an address"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it must start with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad("it must not hold a user name or password"));
    }
    let host = match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_owned();
            let ascii = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'));
            if name.is_empty() || name.len() > 253 || !ascii {
                return Err(bad("its host is not a host name"));
            }
            Some(name)
        }
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => None,
        None => return Err(bad("it has no host")),
    };
    if let Some(name) = host {
        url.set_host(Some(&name)).map_err(|_| bad("its host is not a host name"))?;
    }
    if url.port() == Some(0) {
        return Err(bad("port 0 cannot be called"));
    }
    url.set_fragment(None);
    let uri: Uri = url.as_str().parse().map_err(|_| bad("it is not an address"))?;
    // What is judged must be what is called: the two readers have to agree on the host.
    if uri.host() != url.host_str() || uri.port_u16() != url.port() {
        return Err(bad("it is not an address"));
    }
    Ok(uri)
}

/// Reads the name or number of a host into the one form that is judged and called, without brackets.
pub(super) fn host(text: &str) -> Result<String, NetError> {
    let bad = || NetError::BadAddress("the host is not a host name".to_owned());
    let text = text.trim().trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(ip.to_string());
    }
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
    {
        return Err(bad());
    }
    let uri = parse(&format!("http://{text}/"))?;
    uri.host().map(str::to_owned).ok_or_else(bad)
}

/// The rules for one purpose.
#[derive(Debug)]
pub(super) struct AddressGuard {
    pub purpose: CallPurpose,
    pub allow: Vec<AllowRule>,
    pub loopback_service: bool,
}

impl AddressGuard {
    /// Judges a name before it is looked up.
    pub(super) fn allows_name(&self, name: &str) -> bool {
        !METADATA_NAMES.contains(&name)
    }

    /// True when the operator named this host and port, be it as one of a network.
    pub(super) fn is_named(&self, host: &str, port: u16) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let ip = host.parse().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        self.allow.iter().any(|rule| rule_allows(rule, host, ip, port))
    }

    /// Judges one address `name` stands for. `name` is lower case, without a final dot or brackets.
    pub(super) fn allows_address(&self, name: &str, address: SocketAddr) -> bool {
        let (ip, port) = (address.ip(), address.port());
        if !self.allows_name(name) || is_metadata(ip) {
            return false;
        }
        if self.allow.iter().any(|rule| heeds(self.purpose, rule) && rule_allows(rule, name, ip, port)) {
            return true;
        }
        let beside_us = self.purpose == CallPurpose::Provider && self.loopback_service;
        let local_name = name == "localhost" || name.ends_with(".localhost");
        if beside_us && (is_in_ranges(PRIVATE, ip) || is_own(embedded_ipv4(ip))) {
            return true;
        }
        !local_name && !is_in_ranges(DENIED, ip) && !is_own(embedded_ipv4(ip))
    }
}

/// True when what the operator named counts for calls of this purpose.
fn heeds(purpose: CallPurpose, rule: &AllowRule) -> bool {
    match purpose {
        CallPurpose::Provider | CallPurpose::Reachable => true,
        CallPurpose::WrittenOut => match rule {
            AllowRule::Host { .. } => true,
            // An address alone is a network of one.
            AllowRule::Network { network, .. } => network.prefix_len() == network.max_prefix_len(),
        },
        CallPurpose::Assembled => false,
    }
}

fn rule_allows(rule: &AllowRule, name: &str, ip: IpAddr, port: u16) -> bool {
    match rule {
        AllowRule::Host { host, port: allowed } => {
            let host = host.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']');
            let same_address =
                || host.parse::<IpAddr>().is_ok_and(|host| embedded_ipv4(host) == embedded_ipv4(ip));
            *allowed == port && (host.eq_ignore_ascii_case(name) || same_address())
        }
        AllowRule::Network { network, port: allowed } => {
            *allowed == port && (network.contains(&ip) || network.contains(&embedded_ipv4(ip)))
        }
    }
}

#[cfg(test)]
mod tests;
