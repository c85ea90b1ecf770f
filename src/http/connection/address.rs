//! The client's address: the socket's peer, unless a trusted proxy says whose request it forwards.

use hyper::HeaderMap;
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// Finds the client. `x-forwarded-for` is walked from the right, where the nearest proxy writes, for as long as
/// each address is a trusted proxy; the first that is not is the client (manual 12.2 r2).
pub(in crate::http) fn client_address(peer: SocketAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut nearest = peer.ip().to_canonical();
    if !is_trusted(nearest, trusted) {
        return nearest;
    }
    let lines: Vec<&str> =
        headers.get_all("x-forwarded-for").iter().filter_map(|line| line.to_str().ok()).collect();
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        let Some(address) = parse(hop.trim()) else { return nearest };
        nearest = address;
        if !is_trusted(nearest, trusted) {
            return nearest;
        }
    }
    nearest
}

fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address))
}

/// Some proxies add the port.
fn parse(text: &str) -> Option<IpAddr> {
    let plain = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = plain.parse::<IpAddr>().or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn forwarding_counts_only_from_trusted_proxies() {
        let proxies = &["10.0.0.0/8", "::1/128"][..];
        for (peer, forwarded, trusted, expected) in [
            ("203.0.113.9:1", &["1.2.3.4"][..], &[][..], "203.0.113.9"),
            ("203.0.113.9:1", &["1.2.3.4"], proxies, "203.0.113.9"),
            ("10.0.0.1:1", &["1.2.3.4"], proxies, "1.2.3.4"),
            ("10.0.0.1:1", &["6.6.6.6, 1.2.3.4, 10.0.0.2"], proxies, "1.2.3.4"),
            ("10.0.0.1:1", &["6.6.6.6", "1.2.3.4:99"], proxies, "1.2.3.4"),
            ("[::1]:1", &["[2001:db8::1]:80"], proxies, "2001:db8::1"),
            ("[::ffff:10.0.0.1]:1", &["::ffff:1.2.3.4"], proxies, "1.2.3.4"),
            ("10.0.0.1:1", &["1.2.3.4, unknown"], proxies, "10.0.0.1"),
            ("10.0.0.1:1", &[], proxies, "10.0.0.1"),
            ("10.0.0.1:1", &["10.0.0.3, 10.0.0.2"], proxies, "10.0.0.3"),
        ] {
            assert_eq!(found(peer, forwarded, trusted), expected, "{peer} {forwarded:?}");
        }
    }
}
