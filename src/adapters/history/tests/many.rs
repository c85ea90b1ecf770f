//! Many at once, and many in a row.

use super::*;
use crate::base::cancel::CancelToken;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[test]
fn versions_stand_in_the_order_in_which_turns_were_taken() {
    let ground = Ground::new();
    let flows: Vec<FlowId> = (0..4).map(|_| FlowId::random()).collect();
    let order = Mutex::new(Vec::new());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (ground, flows, order) = (&ground, &flows, &order);
                scope.spawn(move || {
                    for round in 0..12 {
                        let flow = flows[(writer + round) % 4];
                        let recorder = ground.history.recorder();
                        let text = format!("{writer}-{round}");
                        order.lock().unwrap().push((flow, format!("Saved: {text}")));
                        recorder.record(&change(flow, VersionKind::Save, &text)).unwrap();
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                for flow in &flows {
                    let list = ground.history.list(flow).unwrap();
                    if let Some(version) = list.last() {
                        assert!(ground.history.content(flow, version).unwrap().is_some());
                    }
                }
            }
        });
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                ground.history.maintain_from(20, &CancelToken::new(None)).unwrap();
                ground.history.flush_index().unwrap();
            }
        });
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
    let order = order.into_inner().unwrap();
    for flow in &flows {
        let wanted: Vec<&str> =
            order.iter().rev().filter(|(own, _)| own == flow).map(|(_, title)| title.as_str()).collect();
        assert_eq!(titles(&ground.history.list(flow).unwrap()), wanted);
    }
    assert_eq!(ground.assert_sound().versions, 96);
}

#[test]
fn another_program_may_commit_all_the_time() {
    let ground = Ground::new();
    let flow = FlowId::random();
    ground.record(&change(flow, VersionKind::Create, "start"));
    let done = AtomicBool::new(false);
    let foreign = thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut made = 0;
            while !done.load(Ordering::SeqCst) {
                let tip = ground.git(&["rev-parse", "main"]);
                let tree = format!("{tip}^{{tree}}");
                let commit = ground.git(&["commit-tree", "-p", &tip, "-m", "theirs", &tree]);
                // The service may have moved the branch: then git refuses, as it must.
                let moved = Command::new("git")
                    .arg("-C")
                    .arg(ground.folder())
                    .args(["update-ref", "refs/heads/main", &commit, &tip])
                    .output()
                    .unwrap();
                made += usize::from(moved.status.success());
            }
            made
        });
        for round in 0..40 {
            ground.record(&change(flow, VersionKind::Save, &round.to_string()));
        }
        done.store(true, Ordering::SeqCst);
        other.join().unwrap()
    });
    assert_eq!(ground.history.list(&flow).unwrap().len(), 41);
    let count = ground.git(&["rev-list", "--count", "main"]);
    assert_eq!(count, (42 + foreign).to_string());
    ground.assert_sound();
}

#[test]
fn ten_thousand_commits_stay_few_files_and_quick_to_read() {
    const COMMITS: usize = 10_000;
    let mut ground = Ground::quick();
    ground.history.faults().without_flushing(true);
    let flows: Vec<FlowId> = (0..500).map(|_| FlowId::random()).collect();
    for at in 0..COMMITS {
        let flow = flows[at * 7 % flows.len()];
        ground.record(&change(flow, VersionKind::Save, &at.to_string()));
        if at % 500 == 0 {
            ground.history.maintain(&CancelToken::new(None)).unwrap();
        }
    }
    ground.history.maintain(&CancelToken::new(None)).unwrap();
    let (loose, packs) = ground.loose_and_packs();
    assert!(loose < 1_000 && packs < 12, "{loose} loose objects, {packs} packs");
    ground.restart();
    for flow in &flows {
        let list = ground.history.list(flow).unwrap();
        assert_eq!(list.len(), COMMITS / flows.len());
        let prefix = ShaPrefix::parse(&list[3].sha.short()).unwrap();
        assert_eq!(ground.history.find(flow, &prefix).unwrap().as_ref(), Some(&list[3]));
        assert_eq!(ground.history.previous(flow, &list[3].sha).unwrap().as_ref(), Some(&list[4]));
    }
    ground.history.clear_index().unwrap();
    assert_eq!(ground.history.list(&flows[0]).unwrap().len(), COMMITS / flows.len());
    assert_eq!(ground.git(&["rev-list", "--count", "main"]), (COMMITS + 1).to_string());
    ground.git(&["fsck", "--strict", "--connectivity-only"]);
}
