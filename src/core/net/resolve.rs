//! Name lookup, in which every address is judged before anything connects to it.

use super::NetError;
use super::guard;
use super::guard::AddressGuard;
use super::wait_limits::WaitLimits;
use crate::settings::Proxies;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// How long a lookup may take.
const LOOKUP_SECONDS_MAX: u64 = 5;
/// How long its judged result is used again. ureq asks before each request, also when it then uses an idle connection.
const CACHE_SECONDS: u64 = 15;
/// How many results are kept.
const CACHE_ENTRIES_MAX: usize = 256;
/// The system's lookup runs modules we do not know.
const LOOKUP_STACK_BYTES: usize = 512 * 1024;
/// Addresses looked at for one name.
const ADDRESSES_MAX: usize = 16;

/// Judged addresses, and until when they may be used again.
type CachedLookup = (Instant, Vec<SocketAddr>);

/// ureq's resolver for one purpose: what it returns is all the dialer can connect to.
#[derive(Debug)]
pub(super) struct GuardedResolver {
    guard: AddressGuard,
    proxies: Arc<Proxies>,
    cache: Mutex<HashMap<(String, u16), CachedLookup>>,
}

impl GuardedResolver {
    pub(super) fn new(guard: AddressGuard, proxies: Arc<Proxies>) -> Self {
        Self { guard, proxies, cache: Mutex::default() }
    }

    /// True when the operator named this host and port.
    pub(super) fn is_named(&self, host: &str, port: u16) -> bool {
        self.guard.is_named(host, port)
    }

    /// What a host stands for, judged.
    pub(super) fn resolve_host(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
        if let Ok(ip) = host.parse::<IpAddr>() {
            return self.check_addresses(host, vec![SocketAddr::new(ip, port)]);
        }
        if !self.guard.allows_name(host) {
            return Err(NetError::RefusedByPolicy);
        }
        let key = (host.to_owned(), port);
        if let Some((end, addresses)) = self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&key)
            && Instant::now() < *end
        {
            return Ok(addresses.clone());
        }
        let addresses = self.check_addresses(host, look_up(host, port)?)?;
        self.cache_addresses(key, &addresses);
        Ok(addresses)
    }

    fn cache_addresses(&self, key: (String, u16), addresses: &[SocketAddr]) {
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if kept.len() >= CACHE_ENTRIES_MAX {
            kept.retain(|_, (end, _)| *end > now);
        }
        if kept.len() < CACHE_ENTRIES_MAX {
            kept.insert(key, (now + Duration::from_secs(CACHE_SECONDS), addresses.to_vec()));
        }
    }

    /// As [`Self::resolve_host`], for a request that may go through a proxy. In many company networks only the proxy can
    /// look names up: then a name of the public network is let through to it, with no address of its own.
    fn resolve_host_or_proxy(&self, uri: &Uri, host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
        let https = uri.scheme_str() == Some("https");
        match self.resolve_host(host, port) {
            Err(NetError::Unreachable(_))
                if guard::is_public_name(host)
                    && self.proxies.proxy_for(https, host, port, &[]).is_some() =>
            {
                let nowhere = vec![SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))];
                self.cache_addresses((host.to_owned(), port), &nowhere);
                Ok(nowhere)
            }
            found => found,
        }
    }

    /// All or nothing: a name with one address that may not be called is a name somebody plays tricks with.
    fn check_addresses(&self, host: &str, addresses: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, NetError> {
        if addresses.iter().all(|address| self.guard.allows_address(host, *address)) {
            Ok(addresses)
        } else {
            Err(NetError::RefusedByPolicy)
        }
    }
}

/// Looks a name up, and judges nothing.
pub(super) fn look_up(host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
    let unknown = || NetError::Unreachable(format!("{host}:{port}"));
    let waiting = WaitLimits::current()?;
    let name = host.to_owned();
    let work = move || {
        (name.as_str(), port).to_socket_addrs().map(|found| found.take(ADDRESSES_MAX).collect::<Vec<_>>())
    };
    match waiting.run_abandonable(Duration::from_secs(LOOKUP_SECONDS_MAX), LOOKUP_STACK_BYTES, work) {
        Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
        Ok(_) => Err(unknown()),
        Err(NetError::TimedOut) if waiting.end_reason().is_none() => Err(unknown()),
        Err(error) => Err(error),
    }
}

impl Resolver for GuardedResolver {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = guard::bare_host(uri);
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        let mut resolved = self.empty();
        for address in self.resolve_host_or_proxy(uri, host, port)? {
            if resolved.try_push(address).is_err() {
                break;
            }
        }
        Ok(resolved)
    }
}
