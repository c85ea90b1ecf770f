//! Copies to a git host and reads of one, with git's own `http-backend` as the host.

mod early_answers;
mod fetching;
mod hostile;
mod notes;
mod pushing;
mod refusals;

#[path = "../../../../../tests/support/git_host/mod.rs"]
#[allow(unreachable_pub, reason = "it is shared with the tests that stand outside")]
mod git_host;

use super::*;
use crate::history::remote::{CopyItem, PushResult, Remote, RemoteContent, RemoteError};
use crate::net::Outgoing;
use git_host::{Behavior, GitHost, Requests};

const TOKEN: &str = "ghp_notarealtoken123";
const NAME: &str = "owner/flows";

/// A history, and a host with an empty repository for it.
struct Pair {
    ground: Ground,
    host: GitHost,
}

impl Pair {
    fn new() -> Self {
        let host = GitHost::start(TOKEN);
        host.create(NAME);
        Self { ground: Ground::new(), host }
    }

    /// As [`Self::new`], with one version that is copied already.
    fn copied() -> Self {
        let pair = Self::new();
        pair.ground.record(&change(FlowId::random(), VersionKind::Create, "first"));
        pair.push().unwrap();
        pair
    }

    fn remote(&self) -> Remote {
        remote(&self.host, NAME)
    }

    fn inspect(&self) -> Result<RemoteContent, RemoteError> {
        self.ground.history.inspect(&self.remote(), &never())
    }

    fn push(&self) -> Result<PushResult, RemoteError> {
        push(&self.ground, &self.remote())
    }

    fn fetch(&self) -> Result<Option<Sha>, RemoteError> {
        self.ground.history.fetch(&self.remote(), &never())
    }

    fn record(&self, text: &str) -> Version {
        self.ground.record(&change(FlowId::random(), VersionKind::Save, text))
    }

    /// Where the host's `main` is.
    fn there(&self) -> Option<String> {
        self.host.tip(NAME, "main")
    }

    /// Where our own is.
    fn here(&self) -> String {
        self.ground.git(&["rev-parse", "main"])
    }

    fn assert_sound(&self) {
        self.ground.assert_sound();
        self.host.git(NAME, &["fsck", "--strict", "--full", "--no-dangling"]);
    }
}

fn remote(host: &GitHost, name: &str) -> Remote {
    Remote::Host {
        outgoing: Box::new(Outgoing::new(Vec::new(), true)),
        url: host.repository_url(name),
        token: TOKEN.into(),
    }
}

fn push(ground: &Ground, remote: &Remote) -> Result<PushResult, RemoteError> {
    ground.history.push(remote, &mut |_| None, &never())
}

fn never() -> CancelToken {
    CancelToken::new(None)
}
