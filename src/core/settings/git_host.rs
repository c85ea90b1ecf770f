//! Which git host the copy of versions works with, and what stands in for it in tests (manual 19.7, 19.9).

use super::SettingsError;
use super::base_url::{self, BaseUrl};
use super::parse::{self, ParseResult, SettingsReader, parse_error};
use crate::domain::remote::git_host::GitHost;
use std::net::IpAddr;
use std::path::PathBuf;

/// The git host, and what stands in for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHostSettings {
    /// `SERVICE_GITHUB_URL` and `SERVICE_GITHUB_API`, or the provider; with `SERVICE_GITHUB_TEST_API` in place of its API.
    pub host: GitHost,
    /// The operator named the host, so that it may be one of their network.
    pub is_named: bool,
    /// The API is that of `SERVICE_GITHUB_TEST_API`.
    pub is_stand_in: bool,
    /// `SERVICE_GITHUB_ALLOW_FILE_REMOTES`: a repository of this machine may be connected; for tests.
    pub file_remotes: bool,
    /// `SERVICE_GITHUB_TEST_ROOT`: absolute folder of repositories that stand in for those of the host; only with the previous.
    pub test_root: Option<PathBuf>,
}

const URL: &str = "SERVICE_GITHUB_URL";
const API: &str = "SERVICE_GITHUB_API";
const TEST_ROOT: &str = "SERVICE_GITHUB_TEST_ROOT";
const TEST_API: &str = "SERVICE_GITHUB_TEST_API";

pub(super) fn read(reader: &SettingsReader<'_>) -> Result<GitHostSettings, SettingsError> {
    let file_remotes = reader.text("SERVICE_GITHUB_ALLOW_FILE_REMOTES").is_some_and(|text| text == "on");
    let host = read_host(reader, file_remotes)?;
    // The stand-ins mean nothing without file remotes, so a wrong value there must not stop a start either.
    let (test_root, test_api) = match file_remotes {
        true => (reader.read(TEST_ROOT, parse::absolute_folder)?, reader.read(TEST_API, base_url::parse)?),
        false => (None, None),
    };
    let (is_named, is_stand_in) = (host.is_some(), test_api.is_some());
    let stand_in = test_api.map(|api| GitHost::with_stand_in(&api.to_string()));
    let host = host.or(stand_in).unwrap_or_else(GitHost::provider);
    Ok(GitHostSettings { host, is_named, is_stand_in, file_remotes, test_root })
}

/// The host that the operator named. Its two addresses belong together: with one of them alone, tokens would go to two hosts.
fn read_host(reader: &SettingsReader<'_>, file_remotes: bool) -> Result<Option<GitHost>, SettingsError> {
    let is_set = |name: &str| reader.text(name).is_some();
    let (given, missing) = match (is_set(URL), is_set(API)) {
        (false, false) => return Ok(None),
        (true, true) => {
            if let Some(stand_in) = [TEST_ROOT, TEST_API].into_iter().find(|name| is_set(name)) {
                return Err(SettingsError(format!(
                    "{URL} and {API} are set together with {stand_in}; set the host, or what stands in for it"
                )));
            }
            let address = |text: &str| host_address(text, file_remotes);
            let (web, api) = (reader.read(URL, address)?, reader.read(API, address)?);
            return Ok(web.zip(api).map(|(web, api)| GitHost::new(&web.to_string(), &api.to_string())));
        }
        (true, false) => (URL, API),
        (false, true) => (API, URL),
    };
    Err(SettingsError(format!("{given} is set without {missing}; set both, or neither")))
}

/// Tokens travel there, so the connection is encrypted, but on this machine in a test.
fn host_address(text: &str, file_remotes: bool) -> ParseResult<BaseUrl> {
    let address = base_url::parse(text)?;
    let Some(host) = address.origin().strip_prefix("http://") else { return Ok(address) };
    if file_remotes && is_loopback(host) {
        return Ok(address);
    }
    parse_error(
        "does not begin with https://",
        "a token would travel readably; write https://, or an address of this machine with SERVICE_GITHUB_ALLOW_FILE_REMOTES=on",
    )
}

fn is_loopback(host_and_port: &str) -> bool {
    let host = match host_and_port.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host_and_port.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
