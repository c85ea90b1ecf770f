//! What a host sends that it should not: histories that were rewritten or are no histories, and packs beyond every limit.

use super::*;
use crate::history::remote::{LIMITS, Limits};
use std::io::Write as _;
use std::process::Stdio;

/// A server that has read what the host has.
fn reader(pair: &Pair) -> Ground {
    let prod = Ground::new();
    prod.history.fetch(&pair.remote(), &never()).unwrap();
    prod
}

/// Writes an object into the host's repository, however wrong it is.
fn write_object(pair: &Pair, kind: &str, bytes: &[u8]) -> String {
    let mut child = git_host::git_command(&pair.host.folder(NAME))
        .args(["hash-object", "--literally", "-w", "-t", kind, "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

fn tree_entry(mode: &str, name: &str, id: &str) -> Vec<u8> {
    let id: Vec<u8> = (0..20).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()).collect();
    [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &id].concat()
}

/// Puts a commit of this folder on top of the host's `main`.
fn commit_tree(pair: &Pair, tree: &str, message: &str) {
    let commit = pair.host.git(NAME, &["commit-tree", "-p", "main", "-m", message, tree]);
    pair.host.git(NAME, &["update-ref", "refs/heads/main", &commit]);
}

#[track_caller]
fn refused(prod: &Ground, pair: &Pair, why: &str) {
    let before = (prod.history.incoming().unwrap(), prod.loose_and_packs());
    match prod.history.fetch(&pair.remote(), &never()) {
        Err(RemoteError::Refused(reason)) => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other:?} where it should be refused because {why}"),
    }
    assert_eq!((prod.history.incoming().unwrap(), prod.loose_and_packs()), before);
    prod.assert_sound();
}

#[test]
fn a_history_that_was_rewritten_truncated_or_removed_is_refused() {
    let pair = Pair::copied();
    pair.record("second");
    pair.push().unwrap();
    let prod = reader(&pair);
    let whole = pair.there().unwrap();
    pair.host.git(NAME, &["update-ref", "refs/heads/main", "main~1"]);
    refused(&prod, &pair, "rewritten");
    let tree = pair.host.git(NAME, &["rev-parse", "main^{tree}"]);
    commit_tree(&pair, &tree, "another second");
    refused(&prod, &pair, "rewritten");
    let root = pair.host.git(NAME, &["commit-tree", "-m", "Start version history", &tree]);
    pair.host.git(NAME, &["update-ref", "refs/heads/main", &root]);
    refused(&prod, &pair, "rewritten");
    pair.host.git(NAME, &["update-ref", "-d", "refs/heads/main"]);
    refused(&prod, &pair, "gone");
    pair.host.git(NAME, &["update-ref", "refs/heads/main", &whole]);
    assert_eq!(prod.history.fetch(&pair.remote(), &never()).unwrap().unwrap().to_string(), whole);
}

#[test]
fn a_repository_that_is_no_history_of_ours_is_refused() {
    let pair = Pair::new();
    let readme = write_object(&pair, "blob", b"hello");
    let tree = write_object(&pair, "tree", &tree_entry("100644", "README.md", &readme));
    let root = pair.host.git(NAME, &["commit-tree", "-m", "Initial commit", &tree]);
    pair.host.git(NAME, &["update-ref", "refs/heads/main", &root]);
    let prod = Ground::new();
    prod.record(&change(FlowId::random(), VersionKind::Create, "own"));
    refused(&prod, &pair, "not a version history of Flowkeep");
}

#[test]
fn objects_that_git_would_complain_about_are_never_taken_in() {
    let pair = Pair::copied();
    let prod = reader(&pair);
    let (good, blob) = (pair.there().unwrap(), write_object(&pair, "blob", b"x"));
    let tree = pair.host.git(NAME, &["rev-parse", "main^{tree}"]);
    for (entries, why) in [
        (vec![("40000", ".git", &tree)], "name"),
        (vec![("100644", "..", &blob)], "name"),
        (vec![("100644", ".gitmodules", &blob)], "name"),
        (vec![("100664", "a", &blob)], "kind"),
        (vec![("100644", "b", &blob), ("100644", "a", &blob)], "order"),
        (vec![("100644", "a", &tree)], "another kind"),
        (vec![("40000", "a", &blob)], "another kind"),
    ] {
        let bytes: Vec<u8> = entries.iter().flat_map(|(mode, name, id)| tree_entry(mode, name, id)).collect();
        let tree = write_object(&pair, "tree", &bytes);
        commit_tree(&pair, &tree, "bad folder");
        // Git itself does not send a folder whose entries are of another kind than they say.
        if why == "another kind" {
            assert!(prod.history.fetch(&pair.remote(), &never()).is_err());
        } else {
            refused(&prod, &pair, why);
        }
        pair.host.git(NAME, &["update-ref", "refs/heads/main", &good]);
    }
    for (author, message) in
        [("No Address 1 +0000", "x"), ("Ada <a@b> 01 +0000", "x"), ("Ada <a@b> 1 +0000", "a\0b")]
    {
        let text =
            format!("tree {tree}\nparent {good}\nauthor {author}\ncommitter A <a@b> 1 +0000\n\n{message}\n");
        let commit = write_object(&pair, "commit", text.as_bytes());
        pair.host.git(NAME, &["update-ref", "refs/heads/main", &commit]);
        refused(&prod, &pair, "commit");
    }
}

#[test]
fn each_limit_is_kept() {
    let pair = Pair::copied();
    let prod = reader(&pair);
    let flow = FlowId::random();
    for round in 0..8 {
        pair.ground.record(&change(flow, VersionKind::Save, &format!("{round} {}", "words ".repeat(500))));
    }
    pair.ground.history.maintain_from(1, &never()).unwrap();
    pair.push().unwrap();
    pair.host.git(NAME, &["repack", "-adfq", "--depth=50", "--window=50"]);
    for (limits, why) in [
        (Limits { objects: 10, ..LIMITS }, "more new objects"),
        (Limits { pack_bytes: 500, ..LIMITS }, "too large to be sent"),
        (Limits { object_bytes: 1000, ..LIMITS }, "an object that is too large"),
        (Limits { decoded_bytes: 5000, ..LIMITS }, "too large together"),
        (Limits { delta_depth: 0, ..LIMITS }, "chains of deltas"),
        (Limits { tree_depth: 1, ..LIMITS }, "too deep"),
        (Limits { message_bytes: 30, ..LIMITS }, "message"),
    ] {
        match prod.history.fetch_within(&pair.remote(), &limits, &never()) {
            Err(RemoteError::Refused(reason)) => assert!(reason.contains(why), "{reason}"),
            other => panic!("{why}: {other:?}"),
        }
        let folder = Remote::Folder(pair.host.folder(NAME));
        // What is packed here has deltas of its own.
        if !why.contains("chains") {
            let fault = prod.history.fetch_within(&folder, &limits, &never());
            assert!(matches!(fault, Err(RemoteError::Refused(_))), "{why}: {fault:?}");
        }
    }
    assert_eq!(prod.loose_and_packs().1, 1);
    assert_eq!(prod.history.fetch(&pair.remote(), &never()).unwrap().unwrap().to_string(), pair.here());
    prod.assert_sound();
}

#[test]
fn a_byte_changed_anywhere_in_an_answer_never_reaches_the_repository() {
    let pair = Pair::copied();
    let prod = reader(&pair);
    for round in 0..3 {
        pair.record(&format!("{round}"));
    }
    pair.push().unwrap();
    let mut failures = 0;
    for at in (0..2_000).step_by(13) {
        pair.host.behave_well();
        pair.host.behave(Requests::Fetch, Behavior::FlipByte(at));
        match prod.history.fetch(&pair.remote(), &never()) {
            Ok(tip) => {
                assert_eq!(tip.map(|tip| tip.to_string()), pair.there());
                prod.history.forget_remote().unwrap();
                break;
            }
            Err(_) => failures += 1,
        }
    }
    assert!(failures > 50, "{failures}");
    pair.host.behave_well();
    prod.history.fetch(&pair.remote(), &never()).unwrap();
    prod.assert_sound();
}
