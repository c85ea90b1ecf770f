//! What a push brings over, and what it tells.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn an_empty_repository_gets_everything_and_later_only_what_is_new() {
    let pair = Pair::new();
    assert_eq!(pair.inspect().unwrap(), RemoteContent::Empty);
    assert_eq!(pair.ground.history.count_waiting().unwrap(), Some(0));
    let flow = FlowId::random();
    for text in ["a", "b", "c"] {
        pair.ground.record(&change(flow, VersionKind::Save, text));
    }
    assert_eq!(pair.ground.history.count_waiting().unwrap(), Some(3));
    let done = pair.push().unwrap();
    assert_eq!((done.versions, done.tip.to_string()), (3, pair.here()));
    assert_eq!(pair.there(), Some(pair.here()));
    assert_eq!(pair.inspect().unwrap(), RemoteContent::Main { tip: done.tip, is_known: true });
    assert_eq!(pair.ground.history.copied().unwrap(), Some(done.tip));
    assert_eq!(pair.ground.git(&["rev-parse", "refs/versions/github"]), pair.here());
    assert_eq!(pair.push().unwrap(), PushResult { tip: done.tip, versions: 0 });
    pair.ground.record(&deletion(flow));
    pair.record("another flow");
    assert_eq!(pair.ground.history.count_waiting().unwrap(), Some(2));
    assert_eq!(pair.push().unwrap().versions, 2);
    assert_eq!(pair.ground.history.count_waiting().unwrap(), Some(0));
    assert_eq!(pair.there(), Some(pair.here()));
    pair.assert_sound();
}

#[test]
fn a_later_push_is_small_because_it_leans_on_what_the_host_has() {
    let pair = Pair::new();
    let flow = FlowId::random();
    let long: String = (0..20_000).map(|number| format!("{:x} ", number * 7919_u64)).collect();
    pair.ground.record(&change(flow, VersionKind::Save, &format!("{long} one")));
    pair.push().unwrap();
    pair.ground.record(&change(flow, VersionKind::Save, &format!("{long} two")));
    pair.push().unwrap();
    let upload = pair.host.requests().pop().unwrap();
    assert!(upload.target.ends_with("/git-receive-pack"));
    let length: usize = upload.header("content-length").unwrap().parse().unwrap();
    assert!(length < 4_000, "{length}");
    assert_eq!(pair.there(), Some(pair.here()));
    pair.assert_sound();
}

#[test]
fn a_push_of_packed_and_merged_commits_of_other_tools_is_whole() {
    let pair = Pair::copied();
    let tip = pair.here();
    let tree = pair.ground.git(&["rev-parse", "main^{tree}"]);
    let readme = pair.ground.git(&["rev-parse", "main:README.md"]);
    let side_tree = {
        let listed = format!("100644 blob {readme}\tNOTES.md\n");
        let folder = pair.ground.folder();
        let mut child = git_host::git_command(&folder)
            .args(["mktree"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), listed.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let stranger = pair.ground.git(&["commit-tree", "-m", "from elsewhere", &side_tree]);
    let side = pair.ground.git(&["commit-tree", "-p", &tip, "-p", &stranger, "-m", "side", &side_tree]);
    let merge = pair.ground.git(&["commit-tree", "-p", &tip, "-p", &side, "-m", "merge", &tree]);
    pair.ground.git(&["update-ref", "refs/heads/main", &merge, &tip]);
    pair.record("on top");
    pair.ground.history.maintain_from(1, &never()).unwrap();
    pair.push().unwrap();
    assert_eq!(pair.there(), Some(pair.here()));
    assert_eq!(
        pair.host.git(NAME, &["rev-list", "--count", "main"]),
        pair.ground.git(&["rev-list", "--count", "main"])
    );
    pair.assert_sound();
}

#[test]
fn every_commit_and_file_that_goes_over_is_judged_once_and_a_secret_stops_it() {
    let pair = Pair::new();
    let flow = FlowId::random();
    let versions: Vec<Version> =
        ["a", "b"].iter().map(|text| pair.ground.record(&change(flow, VersionKind::Save, text))).collect();
    let (commits, files) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut judge = |item: CopyItem<'_>| match item {
        CopyItem::Commit(_, bytes) => {
            commits.fetch_add(1, Ordering::SeqCst);
            assert!(bytes.starts_with(b"tree "));
            None
        }
        CopyItem::File(sha, path, bytes) => {
            files.fetch_add(1, Ordering::SeqCst);
            let is_second = path.ends_with("canvas.json") && String::from_utf8_lossy(bytes).contains("\"b\"");
            is_second.then(|| {
                assert_eq!(sha, versions[1].sha);
                assert!(path.starts_with(&format!("flows/{}/{flow}/", &flow.to_string()[..2])), "{path}");
                "a test key"
            })
        }
    };
    let refused = pair.ground.history.push(&pair.remote(), &mut judge, &never()).unwrap_err();
    let text = refused.to_string();
    assert!(matches!(refused, RemoteError::Secret(found) if found.version == versions[1].sha));
    assert!(text.contains(&versions[1].sha.short()) && text.contains("a test key"), "{text}");
    assert_eq!((pair.there(), pair.ground.history.copied().unwrap()), (None, None));
    assert_eq!(commits.load(Ordering::SeqCst), 3);
    pair.push().unwrap();
    files.store(0, Ordering::SeqCst);
    pair.ground.record(&change(flow, VersionKind::Save, "c"));
    let mut judge = |item: CopyItem<'_>| {
        files.fetch_add(usize::from(matches!(item, CopyItem::File(..))), Ordering::SeqCst);
        None
    };
    pair.ground.history.push(&pair.remote(), &mut judge, &never()).unwrap();
    assert_eq!(files.load(Ordering::SeqCst), 1, "only the canvas is new");
}

#[test]
fn a_repository_with_other_content_is_never_pushed_to() {
    let pair = Pair::new();
    pair.record("ours");
    let other = Pair::copied();
    let folder = other.host.folder(NAME);
    pair.host.git(NAME, &["fetch", "--quiet", folder.to_str().unwrap(), "main:refs/heads/main"]);
    let there = pair.there();
    let RemoteContent::Main { tip, is_known: false } = pair.inspect().unwrap() else { panic!() };
    assert!(matches!(pair.push(), Err(RemoteError::Foreign(found)) if found == tip));
    assert_eq!(pair.there(), there);
    pair.host.git(NAME, &["branch", "-m", "main", "other"]);
    assert_eq!(pair.inspect().unwrap(), RemoteContent::OtherReferences);
    assert!(matches!(pair.push(), Err(RemoteError::OtherReferences)));
    assert!(matches!(pair.fetch(), Err(RemoteError::OtherReferences)));
    assert_eq!(pair.there(), None);
    pair.host.create_as("owner/new", "sha256");
    let remote = remote(&pair.host, "owner/new");
    assert!(matches!(push(&pair.ground, &remote), Err(RemoteError::ObjectFormat)));
    assert!(matches!(pair.ground.history.inspect(&remote, &never()), Err(RemoteError::ObjectFormat)));
    assert!(matches!(pair.ground.history.fetch(&remote, &never()), Err(RemoteError::ObjectFormat)));
}

#[test]
fn hooks_that_decline_are_quoted_in_one_clean_line() {
    let pair = Pair::copied();
    let before = pair.there();
    pair.record("new");
    for (hook, script) in [
        ("pre-receive", format!("echo 'No pushes\ton Fridays.'; echo '{TOKEN}'; exit 1")),
        ("update", "echo \"$1 is protected\" >&2; exit 1".to_owned()),
    ] {
        pair.host.hook(NAME, hook, &script);
        let Err(RemoteError::Declined(reason)) = pair.push() else { panic!("{hook}") };
        assert!(reason.contains("Fridays.") || reason.contains("refs/heads/main is protected"), "{reason}");
        assert!(reason.contains("hook declined"), "{reason}");
        assert!(
            !reason.contains(TOKEN) && !reason.contains('\n') && reason.chars().count() <= 200,
            "{reason}"
        );
        assert_eq!(pair.there(), before);
        assert_ne!(pair.ground.history.copied().unwrap().map(|sha| sha.to_string()), Some(pair.here()));
        std::fs::remove_file(pair.host.folder(NAME).join("hooks").join(hook)).unwrap();
    }
    pair.push().unwrap();
    assert_eq!(pair.there(), Some(pair.here()));
}

#[test]
fn a_main_that_moves_under_a_push_is_told_and_not_overwritten() {
    let pair = Pair::copied();
    pair.record("ours");
    let folder = pair.host.folder(NAME);
    let moved = move |_: &git_host::GitRequest| {
        let tree = git_host::git(&folder, &["rev-parse", "main^{tree}"]);
        let commit = git_host::git(&folder, &["commit-tree", "-p", "main", "-m", "theirs", &tree]);
        git_host::git(&folder, &["update-ref", "refs/heads/main", &commit]);
    };
    pair.host.before(Requests::PackUpload, moved);
    let refused = pair.push().unwrap_err();
    let theirs = pair.there().unwrap();
    assert!(matches!(refused, RemoteError::Foreign(tip) if tip.to_string() == theirs), "{refused:?}");
    pair.host.behave_well();
    assert!(matches!(pair.push(), Err(RemoteError::Foreign(_))));
    assert_eq!(pair.there(), Some(theirs));
}

#[test]
fn another_copy_of_the_same_history_that_was_quicker_is_no_foreign_one() {
    let pair = Pair::copied();
    pair.record("first");
    let middle = pair.here();
    pair.record("second");
    let (ours, theirs) = (pair.ground.folder(), pair.host.folder(NAME));
    pair.host.before(Requests::PackUpload, move |_| {
        let from = ours.to_str().unwrap();
        git_host::git(&theirs, &["fetch", "--quiet", from, &middle.to_string()]);
        git_host::git(&theirs, &["update-ref", "refs/heads/main", &middle]);
    });
    pair.ground.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    assert!(matches!(pair.push(), Err(RemoteError::Moved)));
    pair.host.behave_well();
    assert_eq!(pair.push().unwrap().versions, 1);
    assert_eq!(pair.there(), Some(pair.here()));
}

#[test]
fn a_push_that_is_cancelled_ends_and_the_next_one_is_whole() {
    let pair = Pair::copied();
    pair.record("new");
    pair.host.behave(Requests::PackUpload, Behavior::Slow(std::time::Duration::from_secs(5)));
    let cancel = never();
    let other = cancel.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        other.cancel(crate::base::cancel::CancelReason::Shutdown);
    });
    let started = std::time::Instant::now();
    let stopped = pair.ground.history.push(&pair.remote(), &mut |_| None, &cancel);
    assert!(matches!(stopped, Err(RemoteError::Cancelled)), "{stopped:?}");
    assert!(started.elapsed() < std::time::Duration::from_secs(3));
    setter.join().unwrap();
    pair.host.behave_well();
    pair.push().unwrap();
    assert_eq!(pair.there(), Some(pair.here()));
}

#[test]
fn a_folder_on_this_machine_is_pushed_to_as_a_host_is() {
    let pair = Pair::new();
    let folder = pair.host.folder(NAME);
    let remote = Remote::Folder(folder.clone());
    let history = &pair.ground.history;
    assert_eq!(history.inspect(&remote, &never()).unwrap(), RemoteContent::Empty);
    assert_eq!(history.fetch(&remote, &never()).unwrap(), None);
    pair.record("a");
    assert_eq!(push(&pair.ground, &remote).unwrap().versions, 1);
    assert_eq!(pair.there(), Some(pair.here()));
    pair.record("b");
    git_host::write_hook(&folder, "pre-receive", "read line; echo \"not $line\"; exit 1");
    let Err(RemoteError::Declined(reason)) = push(&pair.ground, &remote) else { panic!() };
    assert!(
        reason.starts_with("pre-receive hook declined: not ") && reason.contains("refs/heads/main"),
        "{reason}"
    );
    std::fs::remove_file(folder.join("hooks/pre-receive")).unwrap();
    assert_eq!(push(&pair.ground, &remote).unwrap().versions, 1);
    assert_eq!(pair.there(), Some(pair.here()));
    let prod = Ground::new();
    let read = prod.history.fetch(&remote, &never()).unwrap().unwrap();
    assert_eq!(read.to_string(), pair.here());
    pair.assert_sound();
    let missing = Remote::Folder(folder.join("nothing"));
    assert!(matches!(history.inspect(&missing, &never()), Err(RemoteError::NoRepository)));
    let sha256 = Remote::Folder(pair.host.create_as("owner/new", "sha256"));
    assert!(matches!(history.inspect(&sha256, &never()), Err(RemoteError::ObjectFormat)));
}
