//! The references and the label: written so that they last, and found again after a kill at any step.

use super::*;
use crate::domain::remote::environment::Environment;
use std::fs;
use std::io::ErrorKind;

#[test]
fn the_label_lasts_is_in_no_version_and_can_be_taken_off() {
    let mut ground = Ground::new();
    assert_eq!(ground.history.environment().unwrap(), None);
    ground.history.set_environment(None).unwrap();
    for label in [Environment::Prod, Environment::Dev] {
        ground.history.set_environment(Some(label)).unwrap();
        ground.restart();
        assert_eq!(ground.history.environment().unwrap(), Some(label));
    }
    assert_eq!(ground.git(&["ls-tree", "-r", "--name-only", "main"]), "README.md");
    ground.record(&change(FlowId::random(), VersionKind::Save, "x"));
    ground.assert_sound();
    let place = ground.folder().join("flowkeep/environment");
    fs::write(&place, "staging\n").unwrap();
    assert!(ground.history.environment().is_err(), "what cannot be read is not taken for no label");
    ground.history.set_environment(None).unwrap();
    assert_eq!(ground.history.environment().unwrap(), None);
    assert!(!place.exists());
    ground.assert_sound();
}

#[test]
fn a_label_that_a_crash_cut_off_is_the_old_or_the_new_one() {
    for step in 0..40 {
        let mut ground = Ground::new();
        ground.history.set_environment(Some(Environment::Dev)).unwrap();
        ground.history.faults().crash_at(step);
        let done = ground.history.set_environment(Some(Environment::Prod));
        ground.restart();
        let label = ground.history.environment().unwrap().unwrap();
        assert!(done.is_err() || label == Environment::Prod);
        ground.history.list(&FlowId::random()).unwrap();
        ground.assert_sound();
        if done.is_ok() {
            return;
        }
    }
    panic!("no end of steps");
}

#[test]
fn references_that_git_packed_are_read_moved_and_forgotten() {
    let pair = Pair::copied();
    pair.fetch().unwrap();
    pair.ground.git(&["pack-refs", "--all"]);
    assert!(!pair.ground.folder().join("refs/versions/github").exists());
    let copied = pair.ground.history.copied().unwrap();
    assert_eq!(copied.map(|sha| sha.to_string()), Some(pair.here()));
    pair.record("new");
    assert_eq!(pair.ground.history.count_waiting().unwrap(), Some(1));
    pair.push().unwrap();
    pair.ground.git(&["pack-refs", "--all"]);
    pair.ground.history.forget_remote().unwrap();
    assert_eq!(pair.ground.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
    let history = &pair.ground.history;
    assert_eq!((history.copied().unwrap(), history.incoming().unwrap()), (None, None));
    assert_eq!(history.count_waiting().unwrap(), Some(2));
    pair.assert_sound();
}

#[test]
fn waiting_versions_are_counted_on_and_a_lost_place_is_not_countable() {
    let pair = Pair::copied();
    let history = &pair.ground.history;
    for waiting in 1..4 {
        pair.record(&waiting.to_string());
        assert_eq!(history.count_waiting().unwrap(), Some(waiting));
        assert_eq!(history.count_waiting().unwrap(), Some(waiting));
    }
    let tree = pair.ground.git(&["rev-parse", "main^{tree}"]);
    let other = pair.ground.git(&["commit-tree", "-m", "Start version history", &tree]);
    pair.ground.git(&["update-ref", "refs/versions/github", &other]);
    assert_eq!(history.count_waiting().unwrap(), None);
    pair.ground.git(&["update-ref", "refs/versions/github", "main~1"]);
    assert_eq!(history.count_waiting().unwrap(), Some(1));
}

#[test]
fn a_process_that_dies_at_any_step_of_a_read_leaves_a_history_that_reads_it_again() {
    let pair = Pair::copied();
    pair.record("new");
    pair.push().unwrap();
    for step in 0..200 {
        let mut prod = Ground::new();
        prod.record(&change(FlowId::random(), VersionKind::Create, "own"));
        prod.history.faults().crash_at(step);
        let read = prod.history.fetch(&pair.remote(), &never());
        prod.restart();
        let before = prod.history.incoming().unwrap();
        assert!(before.is_none_or(|tip| tip.to_string() == pair.here()), "step {step}");
        prod.record(&change(FlowId::random(), VersionKind::Create, "goes on"));
        let left: Vec<_> = fs::read_dir(prod.folder().join("objects"))
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("tmp_"))
            .collect();
        assert!(left.is_empty(), "step {step}: {left:?}");
        prod.history.fetch(&pair.remote(), &never()).unwrap();
        assert_eq!(prod.history.incoming().unwrap().unwrap().to_string(), pair.here());
        prod.assert_sound();
        if read.is_ok() {
            assert!(step > 10, "{step}");
            return;
        }
    }
    panic!("no end of steps");
}

#[test]
fn a_full_disk_at_any_step_of_a_copy_is_an_error_that_the_next_one_makes_good() {
    for step in 0..60 {
        let pair = Pair::copied();
        pair.record("new");
        pair.ground.history.faults().fail_at(step, ErrorKind::StorageFull);
        let push = pair.push();
        let passed = pair.ground.history.faults().steps() <= step;
        pair.ground.history.faults().clear();
        if let Err(fault) = push {
            assert_eq!(fault.to_string(), "The disk of the version history is full.");
        }
        assert_eq!(pair.push().unwrap().tip.to_string(), pair.here());
        assert_eq!(pair.ground.history.copied().unwrap().map(|sha| sha.to_string()), pair.there());
        if passed {
            return pair.assert_sound();
        }
    }
    panic!("no end of steps");
}

#[test]
fn what_was_read_and_is_damaged_here_is_found_by_verify() {
    let pair = Pair::copied();
    let prod = Ground::new();
    prod.record(&change(FlowId::random(), VersionKind::Create, "own"));
    prod.history.fetch(&pair.remote(), &never()).unwrap();
    let sound = prod.assert_sound();
    assert_eq!((sound.commits, sound.versions), (2, 1), "only what is below main is counted");
    for entry in fs::read_dir(prod.folder().join("objects/pack")).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let mut prod = prod;
    prod.restart();
    assert!(!prod.faults().is_empty());
}

#[test]
fn a_history_that_is_off_copies_and_reads_nothing() {
    let pair = Pair::new();
    let off = History::open(pair.ground.folder(), false);
    let judged = off.push(&pair.remote(), &mut |_| None, &never());
    assert!(matches!(judged, Err(RemoteError::History(HistoryError::Off))));
    assert!(matches!(off.fetch(&pair.remote(), &never()), Err(RemoteError::History(HistoryError::Off))));
    assert!(matches!(off.inspect(&pair.remote(), &never()), Err(RemoteError::History(HistoryError::Off))));
    assert!(off.incoming_newest().unwrap().is_empty());
    assert_eq!(
        (off.copied().unwrap(), off.incoming().unwrap(), off.environment().unwrap()),
        (None, None, None)
    );
    assert!(pair.host.requests().is_empty());
}
