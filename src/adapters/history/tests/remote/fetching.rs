//! What a read brings in, and how it is shown.

use super::*;

/// A second server, which reads what the first one copied.
fn prod() -> Ground {
    let prod = Ground::new();
    prod.record(&change(FlowId::random(), VersionKind::Create, "of this server"));
    prod
}

fn fetch(ground: &Ground, pair: &Pair) -> Result<Option<Sha>, RemoteError> {
    ground.history.fetch(&pair.remote(), &never())
}

#[test]
fn a_read_moves_the_incoming_reference_and_nothing_else() {
    let pair = Pair::new();
    let prod = prod();
    assert_eq!(fetch(&prod, &pair).unwrap(), None);
    assert_eq!(prod.history.incoming().unwrap(), None);
    let flow = FlowId::random();
    for text in ["a", "b"] {
        pair.ground.record(&change(flow, VersionKind::Publish, text));
    }
    pair.push().unwrap();
    let (main, list) = (prod.git(&["rev-parse", "main"]), prod.history.log(10).unwrap());
    let tip = fetch(&prod, &pair).unwrap().unwrap();
    assert_eq!(tip.to_string(), pair.here());
    assert_eq!(prod.history.incoming().unwrap(), Some(tip));
    assert_eq!(prod.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main\nrefs/versions/incoming");
    assert_eq!((prod.git(&["rev-parse", "main"]), prod.history.log(10).unwrap()), (main, list));
    assert!(prod.history.list(&flow).unwrap().is_empty());
    pair.ground.record(&change(flow, VersionKind::Publish, "c"));
    pair.push().unwrap();
    for _ in 0..2 {
        assert_eq!(fetch(&prod, &pair).unwrap().unwrap().to_string(), pair.here());
    }
    prod.assert_sound();
}

#[test]
fn what_was_read_is_listed_by_flow_and_goes_on_with_each_read_and_each_start() {
    let pair = Pair::new();
    let mut prod = prod();
    let (one, two, gone) = (FlowId::random(), FlowId::random(), FlowId::random());
    for (flow, text) in [(one, "a"), (two, "b"), (one, "c"), (gone, "d")] {
        pair.ground.record(&change(flow, VersionKind::Publish, text));
    }
    pair.ground.record(&deletion(gone));
    pair.push().unwrap();
    fetch(&prod, &pair).unwrap();
    let newest = |prod: &Ground| -> Vec<(FlowId, String)> {
        let found = prod.history.incoming_newest().unwrap();
        found.into_iter().map(|(flow, version)| (flow, version.title)).collect()
    };
    let wanted = vec![(gone, "Saved:".to_owned()), (one, "Saved: c".into()), (two, "Saved: b".into())];
    assert_eq!(newest(&prod), wanted);
    let versions = prod.history.incoming_versions(&one, 10).unwrap();
    assert_eq!(titles(&versions), ["Saved: c", "Saved: a"]);
    assert_eq!(prod.history.incoming_versions(&one, 1).unwrap().len(), 1);
    assert_eq!(versions, pair.ground.history.list(&one).unwrap());
    let Some(VersionContent::Flow(content)) = prod.history.incoming_content(&one, &versions[1]).unwrap()
    else {
        panic!()
    };
    assert!(content.canvas.contains("\"a\""));
    pair.ground.record(&change(two, VersionKind::Save, "e"));
    pair.push().unwrap();
    fetch(&prod, &pair).unwrap();
    assert_eq!(newest(&prod)[0], (two, "Saved: e".to_owned()));
    let before = newest(&prod);
    prod.restart();
    assert_eq!(newest(&prod), before);
    prod.history.forget_remote().unwrap();
    assert!(newest(&prod).is_empty());
    assert_eq!(prod.history.incoming().unwrap(), None);
    fetch(&prod, &pair).unwrap();
    assert_eq!(newest(&prod), before);
}

#[test]
fn commits_of_other_tools_are_versions_of_unknown_kind_and_strange_entries_are_passed_over() {
    let pair = Pair::copied();
    let flow = FlowId::random();
    pair.ground.record(&change(flow, VersionKind::Publish, "ours"));
    let folder = pair.ground.folder();
    let work = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| git_host::git(work.path(), arguments);
    git(&["clone", "--quiet", folder.to_str().unwrap(), "."]);
    let [flows, shard, id] = layout::path(&flow);
    let place = work.path().join(&flows).join(&shard).join(&id);
    // One whose file says that it is another flow's, one that is a link, and one under a name that is no id.
    let (posing, linked) = (FlowId::random(), FlowId::random());
    for (other, name) in [(posing, None), (linked, None), (flow, Some("not-an-id"))] {
        let [_, shard, id] = layout::path(&other);
        let to = work.path().join(&flows).join(&shard).join(name.unwrap_or(&id));
        std::fs::create_dir_all(&to).unwrap();
        for file in [layout::FLOW_FILE, layout::CANVAS_FILE] {
            if other == linked {
                std::os::unix::fs::symlink(place.join(file), to.join(file)).unwrap();
            } else {
                std::fs::copy(place.join(file), to.join(file)).unwrap();
            }
        }
    }
    git(&["add", "."]);
    git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},module", pair.here())]);
    git(&["commit", "--quiet", "-m", "Version-Kind: publish"]);
    git(&["push", "--quiet", "origin", "main"]);
    pair.push().unwrap();
    let prod = prod();
    fetch(&prod, &pair).unwrap();
    let newest = prod.history.incoming_newest().unwrap();
    let of = |wanted: FlowId| newest.iter().find(|(flow, _)| *flow == wanted).map(|(_, version)| version);
    assert_eq!(newest.len(), 4, "{newest:?}");
    assert_eq!(of(posing).unwrap().kind, VersionKind::Unknown);
    assert_eq!(prod.history.incoming_content(&posing, of(posing).unwrap()).unwrap(), None);
    let content = prod.history.incoming_content(&linked, of(linked).unwrap()).unwrap();
    assert!(!matches!(content, Some(VersionContent::Flow(_))), "{content:?}");
    let content = prod.history.incoming_content(&flow, of(flow).unwrap()).unwrap();
    assert!(matches!(content, Some(VersionContent::Flow(_))));
    prod.assert_sound();
}

#[test]
fn what_was_read_survives_upkeep_in_packs_of_deltas() {
    let pair = Pair::new();
    let prod = prod();
    let flow = FlowId::random();
    for round in 0..12 {
        pair.ground.record(&change(flow, VersionKind::Save, &format!("{round} {}", "x".repeat(3000))));
        pair.push().unwrap();
        fetch(&prod, &pair).unwrap();
        prod.history.maintain_from(1, &never()).unwrap();
    }
    let (_, packs) = prod.loose_and_packs();
    assert!(packs < 6, "{packs}");
    let deltas = prod.git(&["cat-file", "--batch-all-objects", "--batch-check=%(deltabase)"]);
    let deltas = deltas.lines().filter(|base| base.chars().any(|c| c != '0')).count();
    assert!(deltas > 20, "{deltas}");
    assert_eq!(prod.history.incoming_versions(&flow, 100).unwrap().len(), 12);
    prod.assert_sound();
    prod.git(&["rev-list", "--objects", "refs/versions/incoming"]);
}

#[test]
fn a_server_that_reads_its_own_copy_takes_in_nothing() {
    let pair = Pair::copied();
    let (loose, packs) = pair.ground.loose_and_packs();
    assert_eq!(pair.fetch().unwrap().unwrap().to_string(), pair.here());
    assert_eq!(pair.ground.loose_and_packs(), (loose, packs));
    pair.record("more");
    assert_eq!(pair.fetch().unwrap().map(|sha| sha.to_string()), pair.there());
    pair.assert_sound();
}
