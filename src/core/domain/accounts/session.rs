//! Sign-in sessions, and how a person recognises their own (manual 8.2 r2).

use crate::domain::ids::{SessionId, UserId, WorkspaceId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// A session ends when it was not used for this long.
const IDLE_HOURS_MAX: i64 = 24;
/// A session ends this long after the sign-in, however much it is used.
pub const SESSION_DAYS_MAX: i64 = 30;
/// Use of a session is noted at most this often: a write for each request would cost more than the request.
const SEEN_EVERY_MINUTES: i64 = 10;
/// Longest name of a program that is none of the known browsers, in characters.
const AGENT_CHARACTERS_MAX: usize = 60;

/// A sign-in, found by the hash of its cookie value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Names it in lists. Sessions of earlier builds share one, so they are ended together.
    #[serde(default = "nameless")]
    pub id: SessionId,
    /// Who signed in.
    pub user: UserId,
    pub workspace: WorkspaceId,
    /// When they signed in.
    pub created: Timestamp,
    /// When it was last used, to within ten minutes.
    pub last_seen: Timestamp,
    /// Where they signed in from.
    #[serde(default)]
    pub address: Option<IpAddr>,
    /// With which program, shortened.
    #[serde(default)]
    pub agent: Option<String>,
}

/// A session as its owner sees it in a list.
#[derive(Debug, Clone)]
pub struct SessionEntry {
    pub session: Session,
    /// True for the one that asks.
    pub is_current: bool,
    /// The name of the workspace it acts in, while there is one.
    pub workspace: Option<String>,
}

const fn nameless() -> SessionId {
    SessionId::from_bytes([0; 16])
}

impl Session {
    /// True while it may be used.
    #[must_use]
    pub fn is_alive(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.created);
        let idle = now.duration_since(self.last_seen);
        age < SignedDuration::from_hours(24 * SESSION_DAYS_MAX)
            && idle < SignedDuration::from_hours(IDLE_HOURS_MAX)
    }

    /// True when its use should be noted again.
    #[must_use]
    pub fn is_due(&self, now: Timestamp) -> bool {
        now.duration_since(self.last_seen) >= SignedDuration::from_mins(SEEN_EVERY_MINUTES)
    }
}

/// Browsers by the word that tells them apart. Each also says the words of those below it.
const BROWSERS: &[(&str, &str)] = &[
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: &[(&str, &str)] = &[
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// What a person recognises in a `User-Agent`: browser and system, else the first word.
#[must_use]
pub fn shorten_agent(text: &str) -> Option<String> {
    let find = |list: &[(&str, &'static str)]| {
        list.iter().find(|(word, _)| text.contains(word)).map(|(_, name)| *name)
    };
    match (find(BROWSERS), find(SYSTEMS)) {
        (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
        (Some(browser), None) => Some(browser.to_owned()),
        (None, _) => {
            let first = text.split_whitespace().next()?;
            Some(first.chars().filter(|c| !c.is_control()).take(AGENT_CHARACTERS_MAX).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_by_rest_and_by_age() {
        let start = Timestamp::from_second(1_000_000).unwrap();
        let session = Session {
            id: SessionId::random(),
            user: UserId::random(),
            workspace: WorkspaceId::random(),
            created: start,
            last_seen: start,
            address: None,
            agent: None,
        };
        let after = |hours: i64| start + SignedDuration::from_hours(hours);
        assert!(session.is_alive(after(23)) && !session.is_alive(after(24)));
        let used = |hours| Session { last_seen: after(hours), ..session.clone() };
        assert!(used(719).is_alive(after(719)) && !used(719).is_alive(after(720)));
        assert!(!session.is_due(start + SignedDuration::from_mins(9)));
        assert!(session.is_due(start + SignedDuration::from_mins(10)));
    }

    #[test]
    fn programs_are_told_by_name() {
        let cases = [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1",
                "Safari on iOS",
            ),
            ("curl/8.9.1", "curl/8.9.1"),
        ];
        for (agent, expected) in cases {
            assert_eq!(shorten_agent(agent).as_deref(), Some(expected));
        }
        assert_eq!(shorten_agent(" "), None);
        assert_eq!(shorten_agent(&"x".repeat(500)).unwrap().len(), 60);
    }
}
