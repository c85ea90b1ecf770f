//! What git says about a history, and what history says about other people's commits.

use super::*;
use crate::domain::flows::version::AuthorKind;
use std::fs;

#[test]
fn git_reads_clones_and_approves_what_was_recorded() {
    let ground = Ground::new();
    let (flow, other) = (FlowId::random(), FlowId::random());
    let first = ground.record(&change(flow, VersionKind::Create, "one"));
    ground.record(&change(other, VersionKind::Save, "elsewhere"));
    let mut publish = change(flow, VersionKind::Publish, "two");
    publish.author = Author::person("Grace <g@h>\n\u{202e}Hopper", UserId::random());
    publish.title = "Published: \n two".into();
    publish.hidden_secrets = 2;
    let second = ground.record(&publish);
    let system = NewVersion { author: Author::system(), ..deletion(flow) };
    let third = ground.record(&system);
    ground.assert_sound();

    let log = ground.git(&["log", "--format=%H|%an|%cn|%s", "main"]);
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], format!("{}|Flowkeep|Flowkeep|Saved:", third.sha));
    assert_eq!(lines[1], format!("{}|Grace g@h Hopper|Flowkeep|Published: two", second.sha));
    assert!(lines[4].ends_with("|Flowkeep|Flowkeep|Start version history"), "{}", lines[4]);
    let trailers = ground.git(&["log", "-1", "--format=%(trailers:only)", &second.sha.to_string()]);
    for line in [
        format!("Flow-Id: {flow}"),
        "Version-Kind: publish".into(),
        "Hidden-Secrets: 2".into(),
        format!("Author-Id: {}", publish.author.id.unwrap()),
        format!("Intent-Id: {}", publish.intent),
    ] {
        assert!(trailers.lines().any(|own| own == line), "{line} in {trailers}");
    }

    let id = flow.to_string();
    let path = format!("{}:flows/{}/{id}/canvas.json", first.sha, &id[..2]);
    let shown = ground.git(&["show", &path]);
    assert_eq!(shown, canvas("one"));
    ground.git(&["clone", "--quiet", ".", "../copy"]);
    let copy = ground.root.path().join("copy");
    assert!(fs::read_to_string(copy.join("README.md")).unwrap().starts_with("# Version history"));
    assert!(!copy.join("flows").join(&id[..2]).join(&id).exists(), "a deleted flow has no folder");
    assert_eq!(git(&copy, &["rev-parse", "HEAD"]), third.sha.to_string());
    assert_eq!(ground.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(ground.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
}

#[test]
fn versions_are_listed_found_and_read() {
    let ground = Ground::new();
    let flow = FlowId::random();
    let mut made = Vec::new();
    for (kind, text) in [(VersionKind::Create, "a"), (VersionKind::Publish, "b"), (VersionKind::Save, "c")] {
        made.push(ground.record(&change(flow, kind, text)));
        ground.record(&change(FlowId::random(), VersionKind::Rollback, "other"));
    }
    let gone = ground.record(&deletion(flow));
    let list = ground.history.list(&flow).unwrap();
    assert_eq!(titles(&list), ["Saved: ", "Saved: c", "Saved: b", "Saved: a"].map(str::trim));
    assert_eq!(list[1], made[2]);
    assert_eq!(ground.history.newest(&flow).unwrap(), Some(gone.clone()));
    assert_eq!(ground.history.last_published(&flow).unwrap().unwrap().sha, made[1].sha);
    assert_eq!(ground.history.previous(&flow, &made[1].sha).unwrap().unwrap().sha, made[0].sha);
    assert_eq!(ground.history.previous(&flow, &made[0].sha).unwrap(), None);
    assert_eq!(ground.history.list(&FlowId::random()).unwrap(), []);
    for length in [7, 8, 39, 40] {
        let prefix = ShaPrefix::parse(&made[1].sha.to_string()[..length]).unwrap();
        assert_eq!(ground.history.find(&flow, &prefix).unwrap().unwrap(), made[1]);
        assert_eq!(ground.history.find(&FlowId::random(), &prefix).unwrap(), None);
    }
    let content = ground.history.content(&flow, &made[1]).unwrap().unwrap();
    let VersionContent::Flow(back) = content else { panic!("a flow") };
    assert_eq!(back, snapshot(flow, "b"));
    let gone = ground.history.content(&flow, &gone).unwrap().unwrap();
    assert_eq!(gone, VersionContent::Deleted { id: flow, name: "Help desk".into() });
    let log = ground.history.log(3).unwrap();
    assert_eq!((log.len(), log[0].0), (3, flow));
}

#[test]
fn a_flow_that_comes_back_and_foreign_files_beside_it_are_kept() {
    let ground = Ground::new();
    let flow = FlowId::random();
    ground.record(&change(flow, VersionKind::Create, "a"));
    ground.git(&["clone", "--quiet", ".", "../copy"]);
    let copy = ground.root.path().join("copy");
    let [flows, shard, id] = layout::path(&flow);
    fs::write(copy.join(&flows).join(&shard).join(&id).join("notes.md"), "mine").unwrap();
    fs::write(copy.join("CODEOWNERS"), "me").unwrap();
    git(&copy, &["add", "."]);
    git(&copy, &["commit", "--quiet", "-m", "Add notes\n\nwith a reason"]);
    git(&copy, &["push", "--quiet", "origin", "main"]);

    let newest = ground.history.newest(&flow).unwrap().unwrap();
    assert_eq!((newest.kind, newest.title.as_str()), (VersionKind::Unknown, "Add notes"));
    assert_eq!(
        (newest.details.as_slice(), newest.name.as_str()),
        (["with a reason".to_owned()].as_slice(), "Help desk")
    );
    assert_eq!((newest.author.name.as_str(), newest.author.kind()), ("Someone Else", AuthorKind::System));
    let next = ground.record(&change(flow, VersionKind::Save, "b"));
    assert_eq!(ground.history.previous(&flow, &next.sha).unwrap().unwrap().sha, newest.sha);
    let files = ground.git(&["ls-tree", "-r", "--name-only", "main"]);
    assert!(files.contains("notes.md") && files.contains("CODEOWNERS"), "{files}");
    ground.record(&deletion(flow));
    ground.record(&change(flow, VersionKind::Create, "again"));
    assert_eq!(ground.history.list(&flow).unwrap().len(), 5);
    ground.assert_sound();
}

#[test]
fn commits_of_other_tools_are_listed_for_the_flows_they_touched() {
    let ground = Ground::new();
    let (one, two, quiet) = (FlowId::random(), FlowId::random(), FlowId::random());
    for flow in [one, two, quiet] {
        ground.record(&change(flow, VersionKind::Create, "a"));
    }
    ground.git(&["clone", "--quiet", ".", "../copy"]);
    let copy = ground.root.path().join("copy");
    // A copied message does not make it one of ours.
    let ours = ground.git(&["log", "-1", "--format=%B", "main"]);
    for flow in [one, two] {
        let [flows, shard, id] = layout::path(&flow);
        fs::write(copy.join(flows).join(shard).join(id).join("canvas.json"), "{ broken").unwrap();
    }
    git(&copy, &["commit", "--quiet", "-a", "-m", &ours]);
    git(&copy, &["push", "--quiet", "origin", "main"]);
    // The service meets the new tip only when it records.
    ground.record(&change(quiet, VersionKind::Save, "b"));
    for flow in [one, two] {
        let newest = ground.history.newest(&flow).unwrap().unwrap();
        assert_eq!(newest.kind, VersionKind::Unknown);
        assert_eq!(ground.history.content(&flow, &newest).unwrap(), None, "no flow can be read from it");
        assert_eq!(ground.history.list(&flow).unwrap().len(), 2);
    }
    assert_eq!(ground.history.list(&quiet).unwrap().len(), 2);
    // A merge is a version of what it brought in.
    git(&copy, &["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    let [flows, shard, id] = layout::path(&one);
    fs::write(copy.join(flows).join(shard).join(id).join("flow.json"), "{\"name\":\"Renamed\"}").unwrap();
    git(&copy, &["commit", "--quiet", "-a", "-m", "side"]);
    git(&copy, &["fetch", "--quiet"]);
    git(&copy, &["checkout", "--quiet", "-B", "main", "origin/main"]);
    git(&copy, &["merge", "--quiet", "--no-ff", "-m", "Bring in the side", "side"]);
    git(&copy, &["push", "--quiet", "origin", "main"]);
    let newest = ground.history.newest(&one).unwrap().unwrap();
    assert_eq!((newest.title.as_str(), newest.name.as_str()), ("Bring in the side", "Renamed"));
    assert_eq!(ground.history.list(&two).unwrap().len(), 2);
    ground.assert_sound();
}

#[test]
fn collecting_and_packing_by_git_in_between_changes_nothing() {
    let mut ground = Ground::new();
    let flow = FlowId::random();
    let chores: [&[&str]; 6] = [
        &["gc", "--quiet", "--prune=now"],
        &["pack-refs", "--all"],
        &["repack", "-a", "-d", "--quiet", "-f"],
        &["multi-pack-index", "write"],
        &["commit-graph", "write", "--reachable"],
        &["prune-packed", "--quiet"],
    ];
    for (round, chore) in chores.iter().cycle().take(18).enumerate() {
        ground.record(&change(flow, VersionKind::Save, &round.to_string()));
        ground.git(chore);
        let list = ground.history.list(&flow).unwrap();
        assert_eq!(list.len(), round + 1);
        for version in list {
            assert!(
                matches!(ground.history.content(&flow, &version), Ok(Some(VersionContent::Flow(_)))),
                "{chore:?}"
            );
        }
        if round % 5 == 4 {
            ground.restart();
        }
    }
    assert_eq!(ground.assert_sound().versions, 18);
}

#[test]
fn a_rewritten_history_is_read_anew_and_a_vanished_one_is_begun_anew_by_nobody_but_the_operator() {
    let ground = Ground::new();
    let flow = FlowId::random();
    let [_, _, last] = ["a", "b", "c"].map(|text| ground.record(&change(flow, VersionKind::Save, text)));
    ground.git(&["update-ref", "refs/heads/main", "main~2"]);
    assert_eq!(titles(&ground.history.list(&flow).unwrap()), ["Saved: a"]);
    ground.record(&change(flow, VersionKind::Save, "d"));
    assert_eq!(titles(&ground.history.list(&flow).unwrap()), ["Saved: d", "Saved: a"]);
    let lost = format!("version {} was recorded and is not in the history", last.sha);
    assert_eq!(ground.faults(), [lost]);
    assert_eq!(ground.history.restart().unwrap(), RestartResult::Existing);
    ground.assert_sound();

    fs::remove_dir_all(ground.folder()).unwrap();
    for _ in 0..2 {
        let refused = ground.history.recorder().record(&change(flow, VersionKind::Save, "e"));
        assert!(matches!(refused, Err(HistoryError::Missing)), "{refused:?}");
        assert!(matches!(ground.history.list(&flow), Err(HistoryError::Missing)));
    }
    assert!(!ground.folder().exists(), "nothing is made");
    assert_eq!(titles(&ground.history.known_versions(&flow).unwrap()), ["Saved: d", "Saved: a"]);
    assert_eq!(ground.history.restart().unwrap(), RestartResult::NewHistory);
    ground.record(&change(flow, VersionKind::Save, "f"));
    assert_eq!(titles(&ground.history.list(&flow).unwrap()), ["Saved: f"]);
    ground.assert_sound();
}

#[test]
fn with_history_off_nothing_is_touched() {
    let ground = Ground::new();
    let flow = FlowId::random();
    let kept = ground.record(&change(flow, VersionKind::Save, "a"));
    let off = History::open(ground.folder(), false);
    let prefix = ShaPrefix::parse(&kept.sha.short()).unwrap();
    assert!(!off.is_enabled());
    assert_eq!(off.list(&flow).unwrap(), []);
    assert_eq!(off.find(&flow, &prefix).unwrap(), None);
    assert!(matches!(off.recorder().record(&change(flow, VersionKind::Save, "b")), Err(HistoryError::Off)));
    let nowhere = ground.root.path().join("nowhere");
    let off = History::open(nowhere.clone(), false);
    assert_eq!(off.list(&flow).unwrap(), []);
    assert!(!nowhere.exists());
    let on = History::open(nowhere.clone(), true);
    assert_eq!((on.newest(&flow).unwrap(), nowhere.exists()), (None, false));
    assert_eq!((on.list(&flow).unwrap(), nowhere.exists()), (vec![], true));
    assert_eq!(git(&nowhere, &["log", "--format=%s"]), "Start version history");
}
