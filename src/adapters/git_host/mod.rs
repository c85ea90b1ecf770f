//! The API of a git host, as GitHub made it and Gitea and Forgejo follow it: whose a token is, which repositories it reaches, and
//! making one. The repositories themselves are read and written by `history/remote/`.

mod error;
mod repository;

use crate::base::cancel::CancelToken;
use crate::domain::remote::git_host::GitHost;
use crate::domain::remote::repository::NewRepositoryName;
use crate::domain::remote::status::{HostRepository, RepositoryList};
use crate::domain::remote::token::HostToken;
use crate::net::{
    AuthoritiesError, CallPurpose, Incoming, Method, Outgoing, ResponseLimits, parse_retry_after,
};
use crate::settings::{AllowRule, Settings};
pub use error::GitHostError;
use repository::{AccountRow, RepositoryRow};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::time::Duration;
use url::Url;

/// Repositories that are listed (manual 14.16).
const REPOSITORIES_MAX: usize = 1_000;
/// Repositories that a page is asked to hold. GitHub reads `per_page`, Gitea and Forgejo read `limit`.
const PAGE_ROWS: usize = 100;
/// Pages that are read, however many the host says there are (manual 14.16).
const PAGES_MAX: usize = 200;
/// Largest answer of the host's API (manual 14.16).
const ANSWER_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// Time until the host's API begins an answer, and between two pieces of it (manual 14.16).
const ANSWER_SECONDS: u64 = 30;

/// The client of the configured host.
#[derive(Debug)]
pub struct GitHostClient {
    host: GitHost,
    outgoing: Outgoing,
}

impl GitHostClient {
    /// As the operator set it. A host that the operator named may be one of their network, and no other private address is
    /// reached from here, whatever else may be.
    ///
    /// # Errors
    /// When `SERVICE_CA_FILE` cannot be used.
    pub fn from_settings(settings: &Settings) -> Result<Self, AuthoritiesError> {
        let git_host = &settings.git_host;
        let host = git_host.host.clone();
        let named = [
            Some(host.web()).filter(|_| git_host.is_named),
            Some(host.api()).filter(|_| git_host.is_named || git_host.is_stand_in),
        ];
        let allow = named.into_iter().flatten().filter_map(allow_rule).collect();
        Ok(Self { outgoing: Outgoing::for_hosts(settings, allow)?, host })
    }

    #[must_use]
    pub const fn host(&self) -> &GitHost {
        &self.host
    }

    /// The client that may call the host.
    #[must_use]
    pub const fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    /// The repositories that a token reaches, most recently changed first, without archived ones.
    ///
    /// # Errors
    /// As [`GitHostError`].
    pub fn repositories(
        &self,
        token: &HostToken,
        cancel: &CancelToken,
    ) -> Result<RepositoryList, GitHostError> {
        let AccountRow { login } = read(self.get(&format!("{}/user", self.host.api()), token, cancel)?)?;
        // GitHub sorts on request; others are sorted below.
        let mut next = Some(format!(
            "{}/user/repos?per_page={PAGE_ROWS}&limit={PAGE_ROWS}&sort=pushed&direction=desc",
            self.host.api()
        ));
        let mut found = Vec::new();
        for _ in 0..PAGES_MAX {
            let Some(url) = next.take() else { break };
            let answer = self.get(&url, token, cancel)?;
            let link = answer.header("link").and_then(next_link).map(str::to_owned);
            let rows: Vec<RepositoryRow> = read(answer)?;
            found.extend(rows.into_iter().filter_map(RepositoryRow::into_listed));
            if found.len() >= REPOSITORIES_MAX {
                break;
            }
            next = link.map(|link| self.same_host(&url, &link)).transpose()?;
        }
        found.sort_by_key(|one| std::cmp::Reverse(one.pushed));
        found.truncate(REPOSITORIES_MAX);
        Ok(RepositoryList { account: login, repositories: found })
    }

    /// Makes a private, empty repository in the account of the token.
    ///
    /// # Errors
    /// As [`GitHostError`].
    pub fn create(
        &self,
        name: &NewRepositoryName,
        token: &HostToken,
        cancel: &CancelToken,
    ) -> Result<HostRepository, GitHostError> {
        let body = json!({ "name": name.as_str(), "private": true, "auto_init": false }).to_string();
        let url = format!("{}/user/repos", self.host.api());
        let answer = self.send(Method::POST, &url, token, Some(&body), cancel)?;
        match answer.status() {
            403 if wait_of(&answer).is_none() => Err(GitHostError::MayNotCreate),
            404 => Err(GitHostError::MayNotCreate),
            409 | 422 => Err(GitHostError::NameTaken),
            _ => Ok(read::<RepositoryRow>(judge(answer)?)?.into_repository()),
        }
    }

    fn get(&self, url: &str, token: &HostToken, cancel: &CancelToken) -> Result<Incoming, GitHostError> {
        judge(self.send(Method::GET, url, token, None, cancel)?)
    }

    fn send(
        &self,
        method: Method,
        url: &str,
        token: &HostToken,
        body: Option<&str>,
        cancel: &CancelToken,
    ) -> Result<Incoming, GitHostError> {
        let bearer = format!("Bearer {}", token.as_str());
        let mut headers = vec![("authorization", bearer.as_str()), ("accept", "application/json")];
        headers.extend(body.map(|_| ("content-type", "application/json")));
        let wait = Duration::from_secs(ANSWER_SECONDS);
        let limits = ResponseLimits { first_byte: wait, stall: wait, body_bytes: ANSWER_BYTES_MAX };
        let body = body.map(str::as_bytes);
        Ok(self.outgoing.send(CallPurpose::Reachable, method, url, &headers, body, cancel, limits)?)
    }

    /// The next page of a list, which must be where the list is: the token goes along.
    fn same_host(&self, from: &str, link: &str) -> Result<String, GitHostError> {
        let parsed = Url::parse(from).and_then(|base| Ok((base.join(link)?, base)));
        let (next, base) = parsed.map_err(|_| GitHostError::NotAnApi)?;
        let is_bare = next.username().is_empty() && next.password().is_none();
        if next.origin() != base.origin() || !is_bare {
            return Err(GitHostError::LinkElsewhere);
        }
        Ok(next.into())
    }
}

/// The rule that lets this address be called although it may be private.
fn allow_rule(address: &str) -> Option<AllowRule> {
    let url = Url::parse(address).ok()?;
    let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']').to_owned();
    Some(AllowRule::Host { host, port: url.port_or_known_default()? })
}

/// Lets a good answer pass.
fn judge(answer: Incoming) -> Result<Incoming, GitHostError> {
    match answer.status() {
        200..=299 => Ok(answer),
        300..=399 => Err(GitHostError::Redirected),
        401 => Err(GitHostError::TokenRefused),
        403 | 429 => match wait_of(&answer) {
            Some(seconds) => Err(GitHostError::Throttled { seconds }),
            None if answer.status() == 429 => Err(GitHostError::Throttled { seconds: 0 }),
            None => Err(GitHostError::TokenRefused),
        },
        status => Err(GitHostError::Status(status)),
    }
}

/// How long the host asks to wait; `None` when it does not.
fn wait_of(answer: &Incoming) -> Option<u64> {
    answer
        .header("retry-after")
        .and_then(parse_retry_after)
        .or_else(|| (answer.header("x-ratelimit-remaining") == Some("0")).then_some(0))
}

fn read<T: DeserializeOwned>(mut answer: Incoming) -> Result<T, GitHostError> {
    let text = answer.read_to_string(ANSWER_BYTES_MAX)?;
    serde_json::from_str(&text).map_err(|_| GitHostError::NotAnApi)
}

/// The address with `rel="next"` in a header `Link` (RFC 8288).
fn next_link(header: &str) -> Option<&str> {
    let mut rest = header;
    loop {
        let (_, from) = rest.split_once('<')?;
        let (address, from) = from.split_once('>')?;
        let end = from.find('<').unwrap_or(from.len());
        let (parameters, after) = from.split_at(end);
        let is_next = parameters.split([';', ',']).any(|one| {
            let one = one.trim();
            let value = one.strip_prefix("rel=").or_else(|| one.strip_prefix("REL="));
            value.is_some_and(|value| value.trim_matches('"').split(' ').any(|rel| rel == "next"))
        });
        if is_next {
            return Some(address);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_links() {
        for (header, next) in [
            (
                r#"<https://h/a?page=2>; rel="next", <https://h/a?page=9>; rel="last""#,
                Some("https://h/a?page=2"),
            ),
            (
                r#"<https://h/a?page=1>; rel="prev", <https://h/a?x=1,2&page=3>; rel="next""#,
                Some("https://h/a?x=1,2&page=3"),
            ),
            (r"</a?page=2>;rel=next", Some("/a?page=2")),
            (r#"<https://h/a>; rel="first last""#, None),
            (r#"<https://h/a>; rel="nextish""#, None),
            ("", None),
            ("<broken", None),
        ] {
            assert_eq!(next_link(header), next, "{header}");
        }
    }

    #[test]
    fn a_page_elsewhere_is_not_asked_for() {
        let settings = Settings::from_vars(
            |_| None,
            crate::settings::Flags::default().with("SERVICE_DATA_DIR", "-", Some("/x")),
        );
        let client = GitHostClient::from_settings(&settings.unwrap()).unwrap();
        let from = "https://git.example.org/api/v1/user/repos?page=1";
        let next = |link| client.same_host(from, link).ok();
        assert_eq!(
            next("/api/v1/user/repos?page=2").as_deref(),
            Some("https://git.example.org/api/v1/user/repos?page=2")
        );
        assert!(next("https://git.example.org:443/b").is_some());
        for elsewhere in [
            "https://evil.example/b",
            "http://git.example.org/b",
            "https://git.example.org:8443/b",
            "//evil.example/b",
            "https://x@git.example.org/b",
            "https://git.example.org.evil.example/b",
            "ftp://git.example.org/b",
        ] {
            assert_eq!(next(elsewhere), None, "{elsewhere}");
        }
    }
}
