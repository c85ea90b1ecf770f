//! What people call a repository, and where it lies.

use super::git_host::GitHost;
use crate::domain::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Longest owner and longest name of a repository, in characters (manual 14.16).
const NAME_PART_CHARACTERS_MAX: usize = 100;

/// `owner/name` of a repository. It can stand in an address and in a path as it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepositoryName {
    owner: String,
    name: String,
}

impl RepositoryName {
    /// Reads `owner/name` (manual 19.1 r2); `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        (is_part(owner) && is_part(name)).then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bare repository of this name in a folder of such.
    #[must_use]
    pub fn folder_in(&self, root: &Path) -> PathBuf {
        root.join(&self.owner).join(format!("{}.git", self.name))
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

impl TryFrom<String> for RepositoryName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("no name of a repository")
    }
}

impl From<RepositoryName> for String {
    fn from(name: RepositoryName) -> Self {
        name.to_string()
    }
}

/// The name of a repository that is to be made, without its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRepositoryName(String);

impl NewRepositoryName {
    /// Reads it (manual 19.1 r2).
    ///
    /// # Errors
    /// 400 for what is no name.
    pub fn parse(text: &str) -> Result<Self> {
        let name = text.trim();
        if is_part(name) {
            return Ok(Self(name.to_owned()));
        }
        Err(Error::invalid(
            "Invalid repository name: use 1 to 100 letters, digits, '.', '_' and '-', not beginning with '.' or '-', and \
             without '..' or '.git'.",
        ))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `.git` is what addresses and folders of repositories end in, so it is no part of a name.
fn is_part(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=NAME_PART_CHARACTERS_MAX).contains(&text.len())
        && text.chars().all(plain)
        && !text.starts_with(['-', '.'])
        && !text.contains("..")
        && !text.to_ascii_lowercase().contains(".git")
}

/// What a caller names as the repository to connect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepositoryChoice {
    Named(RepositoryName),
    /// A bare repository on this machine; whether that is allowed is a setting (manual 19.9).
    Folder(PathBuf),
}

impl RepositoryChoice {
    /// Reads `owner/name`, the address of a repository at `host`, or `file:///absolute/path`.
    ///
    /// # Errors
    /// 400 for everything else.
    pub fn parse(text: &str, host: &GitHost) -> Result<Self> {
        let text = text.trim();
        if let Some(path) = text.strip_prefix("file://") {
            return bare_folder(path).map(Self::Folder).ok_or_else(|| wrong_name(host));
        }
        let at_host = text.strip_prefix(host.web()).and_then(|rest| rest.strip_prefix('/'));
        let name = match at_host {
            Some(rest) => rest.strip_suffix('/').unwrap_or(rest),
            None => text,
        };
        // The address that a person copies to clone ends so.
        let name = if at_host.is_some() { name.strip_suffix(".git").unwrap_or(name) } else { name };
        RepositoryName::parse(name).map(Self::Named).ok_or_else(|| wrong_name(host))
    }
}

fn wrong_name(host: &GitHost) -> Error {
    Error::invalid(format!(
        "Invalid repository: write owner/name, or the address of a repository such as {}/owner/name.",
        host.web()
    ))
}

fn bare_folder(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(path);
    let mut parts = path.components();
    let is_absolute = parts.next() == Some(Component::RootDir) && path.components().count() > 1;
    let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
    (is_absolute && is_plain && !path.as_os_str().to_string_lossy().chars().any(char::is_control))
        .then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> Option<RepositoryChoice> {
        RepositoryChoice::parse(text, &GitHost::new("https://github.com", "https://api.github.com")).ok()
    }

    #[test]
    fn a_name_and_the_address_of_the_host_are_read() {
        let named = |text| Some(RepositoryChoice::Named(RepositoryName::parse(text).unwrap()));
        for (text, name) in [
            ("acme/flows", "acme/flows"),
            (" acme/flows ", "acme/flows"),
            ("a/b", "a/b"),
            ("Acme-1/flows_2.backup", "Acme-1/flows_2.backup"),
            ("https://github.com/acme/flows", "acme/flows"),
            ("https://github.com/acme/flows/", "acme/flows"),
            ("https://github.com/acme/flows.git", "acme/flows"),
        ] {
            assert_eq!(choice(text), named(name), "{text}");
        }
        let longest = format!("{}/{}", "o".repeat(100), "n".repeat(100));
        assert_eq!(choice(&longest), named(&longest));
        let folder = RepositoryChoice::Folder(PathBuf::from("/srv/git/flows.git"));
        assert_eq!(choice("file:///srv/git/flows.git"), Some(folder));
    }

    #[test]
    fn every_other_form_is_refused() {
        let long = "x".repeat(101);
        let too_long = [format!("{long}/flows"), format!("acme/{long}")];
        let wrong = [
            "",
            " ",
            "flows",
            "/",
            "/flows",
            "acme/",
            "acme/flows/more",
            "acme//flows",
            "acme/ flows",
            "-acme/flows",
            "acme/-flows",
            ".acme/flows",
            "acme/.flows",
            "acme/..",
            "../flows",
            "acme/fl..ows",
            "acme/flows.git",
            "acme/flows.GIT",
            "acme/.git",
            "acme/a.gitb",
            "acme/fl\u{f6}ws",
            "acme/fl\nows",
            "acme/fl\0ows",
            "acme\\flows",
            "acme/flows?x=1",
            "acme/flows#a",
            "acme/fl%20ows",
            "http://github.com/acme/flows",
            "https://github.com:443/acme/flows",
            "https://github.com.evil.example/acme/flows",
            "https://user@github.com/acme/flows",
            "https://user:pw@github.com/acme/flows",
            "https://gitlab.com/acme/flows",
            "https://github.com/acme",
            "https://github.com/acme/flows/tree/main",
            "https://github.com//acme/flows",
            "https://github.com/",
            "git@github.com:acme/flows.git",
            "ssh://git@github.com/acme/flows",
            "github.com/acme/flows",
            "HTTPS://GITHUB.COM/acme/flows",
            "file://relative/flows.git",
            "file:///",
            "file:///srv/../etc",
            "file://host/srv/x",
            "--upload-pack=x/y",
            "ext::sh/x",
        ];
        for text in wrong.into_iter().chain(too_long.iter().map(String::as_str)) {
            assert_eq!(choice(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_name_of_a_new_repository_follows_the_same_rules() {
        assert_eq!(NewRepositoryName::parse(" flows ").unwrap().as_str(), "flows");
        for wrong in ["", "a/b", ".a", "-a", "a..b", "a.git", "a b", &"x".repeat(101)] {
            assert!(NewRepositoryName::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
