//! Packs: made in the background, judged by git.

use super::*;
use crate::base::cancel::{CancelReason, CancelToken};
use std::fs;

fn grown(ground: &Ground, flow: FlowId, versions: usize) {
    for at in 0..versions {
        ground.record(&change(flow, VersionKind::Save, &format!("{at} {}", "a long prompt ".repeat(200))));
    }
}

#[test]
fn loose_objects_become_packs_and_small_packs_become_large_ones() {
    let ground = Ground::new();
    let flow = FlowId::random();
    ground.history.maintain(&CancelToken::new(None)).unwrap();
    assert!(!ground.folder().exists(), "upkeep does not make a repository");
    for round in 0..12 {
        grown(&ground, flow, 10);
        ground.history.maintain_from(10, &CancelToken::new(None)).unwrap();
        let (loose, packs) = ground.loose_and_packs();
        assert_eq!(loose, 0, "round {round}");
        assert!(packs <= 4, "{packs} packs in round {round}");
    }
    assert_eq!(ground.assert_sound().versions, 120);
    let bytes: u64 = fs::read_dir(ground.folder().join("objects/pack"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes < 150_000, "{bytes} bytes for 120 versions of nearly the same 3 kB");
    assert_eq!(ground.history.list(&flow).unwrap().len(), 120);
}

#[test]
fn nothing_is_packed_while_a_copy_is_made_of_what_is_there() {
    let ground = Ground::new();
    let flow = FlowId::random();
    grown(&ground, flow, 10);
    let hold = ground.history.hold_packing();
    let files = hold.list().unwrap();
    ground.history.maintain_from(10, &CancelToken::new(None)).unwrap();
    assert_eq!(ground.loose_and_packs().1, 0);
    grown(&ground, flow, 1);
    for (name, bytes) in &files.fixed {
        assert_eq!(fs::metadata(ground.folder().join(name)).unwrap().len(), *bytes, "{name}");
    }
    assert!(files.small.iter().any(|(name, _)| name == "refs/heads/main"));
    assert!(files.fixed.len() > 30, "each version brought its objects");
    drop(hold);
    ground.history.maintain_from(10, &CancelToken::new(None)).unwrap();
    assert_eq!(ground.loose_and_packs(), (0, 1));
}

#[test]
fn what_is_not_on_the_line_is_kept() {
    let ground = Ground::new();
    let flow = FlowId::random();
    grown(&ground, flow, 10);
    // The other side of a merge, an unreachable commit, and a pack of git's own with a multi-pack-index.
    let side = ground.git(&["commit-tree", "-p", "main~3", "-m", "side", "main~3^{tree}"]);
    let merge = ground.git(&["commit-tree", "-p", "main", "-p", &side, "-m", "merge", "main^{tree}"]);
    ground.git(&["update-ref", "refs/heads/main", &merge]);
    ground.git(&["repack", "--quiet"]);
    grown(&ground, flow, 10);
    ground.git(&["repack", "--quiet"]);
    ground.git(&["multi-pack-index", "write"]);
    grown(&ground, flow, 10);
    let lost = ground.git(&["commit-tree", "-m", "nobody's", "main^{tree}"]);
    ground.history.maintain_from(10, &CancelToken::new(None)).unwrap();
    assert_eq!(ground.git(&["cat-file", "-t", &side]), "commit");
    assert_eq!(ground.git(&["cat-file", "-t", &lost]), "commit");
    assert_eq!(ground.loose_and_packs(), (1, 1));
    ground.assert_sound();
    assert_eq!(ground.history.list(&flow).unwrap().len(), 30);
    // A pack that someone keeps on purpose stays.
    let pack = fs::read_dir(ground.folder().join("objects/pack")).unwrap().map(|entry| entry.unwrap().path());
    let pack = pack.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "pack")).unwrap();
    fs::write(pack.with_extension("keep"), "").unwrap();
    for _ in 0..4 {
        grown(&ground, flow, 10);
        ground.history.maintain_from(10, &CancelToken::new(None)).unwrap();
    }
    assert!(pack.exists());
    ground.assert_sound();
}

#[test]
fn upkeep_that_dies_at_any_step_loses_nothing() {
    let flow = FlowId::random();
    let mut ground = Ground::new();
    grown(&ground, flow, 3);
    for step in 0..200 {
        grown(&ground, flow, 1);
        ground.history.faults().crash_at(step);
        let ended = ground.history.maintain_from(2, &CancelToken::new(None));
        ground.restart();
        assert_eq!(ground.history.list(&flow).unwrap().len(), 4 + step as usize);
        if step % 7 == 0 {
            ground.assert_sound();
        }
        if ended.is_ok() {
            assert!(step > 20, "{step}");
            return;
        }
    }
    panic!("upkeep never came to its end");
}

#[test]
fn cancelled_upkeep_leaves_everything_as_it_was() {
    let ground = Ground::new();
    grown(&ground, FlowId::random(), 5);
    let before = ground.loose_and_packs();
    let cancel = CancelToken::new(None);
    cancel.cancel(CancelReason::Shutdown);
    ground.history.maintain_from(2, &cancel).unwrap();
    assert_eq!(ground.loose_and_packs(), before);
}

#[test]
fn verify_ends_where_it_is_when_it_is_cancelled() {
    let ground = Ground::new();
    for _ in 0..20 {
        ground.record(&change(FlowId::random(), VersionKind::Save, "the text"));
    }
    let cancel = CancelToken::new(None);
    let mut seen = 0;
    let ended = ground.history.verify(&cancel, &mut |_| {
        seen += 1;
        cancel.cancel(CancelReason::Shutdown);
    });
    assert!(matches!(ended, Err(HistoryError::Cancelled)), "{ended:?}");
    assert!(seen < 5, "{seen} of more than 60 texts");
}

#[test]
fn verify_shows_every_text_and_finds_damage() {
    let ground = Ground::new();
    let flow = FlowId::random();
    let version = ground.record(&change(flow, VersionKind::Save, "the text"));
    let (mut commits, mut files) = (0, Vec::new());
    let found = ground
        .history
        .verify(&CancelToken::new(None), &mut |found| match found {
            VerifyItem::Commit(..) => commits += 1,
            VerifyItem::File(sha, path, text) => files.push((sha, path.to_owned(), text.len())),
        })
        .unwrap();
    assert_eq!((commits, found.commits, found.versions, found.objects), (2, 2, 1, 10));
    assert_eq!(files.len(), 3);
    assert!(
        files.iter().any(|(sha, path, _)| *sha == version.sha && path.ends_with("/canvas.json")),
        "{files:?}"
    );

    let canvas = ground.git(&["rev-parse", &format!("main:{}/canvas.json", layout::path(&flow).join("/"))]);
    let place = ground.folder().join("objects").join(&canvas[..2]).join(&canvas[2..]);
    fs::remove_file(&place).unwrap();
    let faults = ground.history.verify(&CancelToken::new(None), &mut |_| {}).unwrap().faults;
    assert_eq!(faults, [format!("object {canvas} is missing or cannot be read")]);
    let readme = ground.git(&["rev-parse", "main:README.md"]);
    fs::copy(ground.folder().join("objects").join(&readme[..2]).join(&readme[2..]), &place).unwrap();
    ground.history.repository.close();
    let faults = ground.history.verify(&CancelToken::new(None), &mut |_| {}).unwrap().faults;
    assert_eq!(faults.len(), 1, "{faults:?}");
}
