//! A fault at every step: a full disk, a process that is gone, a lock nobody holds.

use super::*;
use crate::history::repository::refs;
use std::fs;
use std::io::ErrorKind;
use std::time::Duration;

/// Files a crash may leave and a start must remove.
fn left_overs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".lock") || name.starts_with("tmp_") || name.starts_with(".tmp") {
            found.push(path);
        } else if path.is_dir() {
            found.extend(left_overs(&path));
        }
    }
    found
}

fn steps_of(ground: &Ground, change: &NewVersion) -> u32 {
    ground.history.faults().clear();
    ground.record(change);
    ground.history.faults().steps()
}

#[test]
fn a_process_that_dies_at_any_step_records_a_version_once() {
    let flow = FlowId::random();
    // The first version makes the repository too.
    let steps = steps_of(&Ground::new(), &change(flow, VersionKind::Create, "a"));
    assert!(steps > 24, "{steps}");
    for step in 0..=steps {
        let mut ground = Ground::new();
        let lost = change(flow, VersionKind::Create, "a");
        ground.history.faults().crash_at(step);
        let answer = ground.history.recorder().record(&lost);
        // Some steps more or less: objects whose names begin alike share a folder.
        assert!(answer.is_err() || step + 18 > steps, "step {step}");
        ground.restart();
        let completed = ground.history.recorder().record_once(&lost).unwrap();
        let again = ground.history.recorder().record_once(&lost).unwrap();
        assert_eq!(completed, again);
        assert_eq!(ground.history.list(&flow).unwrap(), [completed]);
        assert_eq!(ground.git(&["rev-list", "--count", "main"]), "2", "step {step}");
        assert_eq!(left_overs(&ground.folder()), Vec::<PathBuf>::new(), "step {step}");
        ground.assert_sound();
    }
}

#[test]
fn a_process_that_dies_while_a_long_history_grows_loses_nothing() {
    let flow = FlowId::random();
    let mut ground = Ground::new();
    let mut texts = vec!["first".to_owned()];
    ground.record(&change(flow, VersionKind::Create, "first"));
    let steps = steps_of(&ground, &change(FlowId::random(), VersionKind::Save, "b"));
    for step in 0..steps {
        let text = format!("step {step}");
        let lost = change(flow, VersionKind::Save, &text);
        ground.history.faults().crash_at(step);
        // A step more or less: some objects need a new folder.
        let _lost = ground.history.recorder().record(&lost);
        ground.restart();
        ground.history.recorder().record_once(&lost).unwrap();
        texts.push(text);
        let wanted: Vec<String> = texts.iter().rev().map(|text| format!("Saved: {text}")).collect();
        assert_eq!(titles(&ground.history.list(&flow).unwrap()), wanted);
    }
    ground.assert_sound();
}

#[test]
fn after_a_full_disk_the_history_heals_without_a_restart() {
    let flow = FlowId::random();
    let ground = Ground::new();
    let steps = steps_of(&Ground::new(), &change(flow, VersionKind::Create, "a"));
    for step in 0..steps {
        let lost = change(flow, VersionKind::Save, &format!("step {step}"));
        ground.history.faults().fail_at(step, ErrorKind::StorageFull);
        // Later rounds find the repository made and have fewer steps.
        if let Err(fault) = ground.history.recorder().record(&lost) {
            assert_eq!(fault.to_string(), "The disk of the version history is full.");
            assert_eq!(ground.history.last_error(&flow), Some(fault.to_string()));
        }
        let completed = ground.history.recorder().record_once(&lost).unwrap();
        assert_eq!(ground.history.newest(&flow).unwrap(), Some(completed));
        assert_eq!(ground.history.list(&flow).unwrap().len(), step as usize + 1);
    }
    assert_eq!(left_overs(&ground.folder()), Vec::<PathBuf>::new());
    ground.assert_sound();
}

#[test]
fn a_version_on_a_branch_that_was_not_flushed_counts_once_the_branch_is_written_anew() {
    let flow = FlowId::random();
    let steps = steps_of(&Ground::new(), &change(flow, VersionKind::Create, "a"));
    let mut seen = 0;
    // Objects whose names happen to begin alike share a folder and save the steps that make one. Where the last flush stands
    // thus differs from round to round by a few steps, and the rounds go over the last steps until some of them met it.
    for step in (steps - 8..=steps + 4).cycle().take(400) {
        if seen == 3 {
            break;
        }
        let ground = Ground::new();
        let lost = change(flow, VersionKind::Create, "a");
        ground.history.faults().crash_at(step);
        let answer = ground.history.recorder().record(&lost);
        ground.history.faults().clear();
        let Err(HistoryError::Unconfirmed(_)) = answer else { continue };
        seen += 1;
        let main = || fs::File::open(ground.folder().join("refs/heads/main")).unwrap();
        let before = main();
        let version = ground.history.recorder().find_recorded(&lost.intent).unwrap().unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            assert_ne!(main().metadata().unwrap().ino(), before.metadata().unwrap().ino(), "step {step}");
        }
        drop(before);
        assert_eq!(ground.history.recorder().record_once(&lost).unwrap(), version);
        ground.assert_sound();
    }
    assert_eq!(seen, 3, "no step was the last flush");
}

#[test]
fn the_last_error_is_told_for_the_flow_it_was_about() {
    let ground = Ground::new();
    let (flow, other) = (FlowId::random(), FlowId::random());
    let fail = |flow| {
        ground.history.faults().fail_at(3, ErrorKind::PermissionDenied);
        ground.history.recorder().record(&change(flow, VersionKind::Save, "x")).unwrap_err();
    };
    assert_eq!(ground.history.last_error(&flow), None);
    fail(flow);
    ground.record(&change(flow, VersionKind::Save, "y"));
    let told = ground.history.last_error(&flow).unwrap();
    assert_eq!(told, "The service may not write its version history.");
    fail(other);
    assert_eq!(ground.history.last_error(&flow), None);
}

#[test]
fn a_lock_left_behind_ends_with_a_restart_or_when_it_is_old() {
    let mut ground = Ground::new();
    let flow = FlowId::random();
    ground.record(&change(flow, VersionKind::Create, "a"));
    let lock = ground.folder().join("refs/heads/main.lock");
    fs::write(&lock, "").unwrap();
    let refused = ground.history.recorder().record(&change(flow, VersionKind::Save, "b"));
    assert!(matches!(refused, Err(HistoryError::Busy)), "{refused:?}");
    assert!(lock.exists(), "it may be another program's");
    let old = std::time::SystemTime::now() - refs::LOCK_STALE - Duration::from_secs(1);
    fs::File::options().write(true).open(&lock).unwrap().set_modified(old).unwrap();
    ground.record(&change(flow, VersionKind::Save, "c"));
    fs::write(&lock, "").unwrap();
    fs::write(ground.folder().join("packed-refs.lock"), "").unwrap();
    ground.restart();
    ground.record(&change(flow, VersionKind::Save, "d"));
    assert_eq!(left_overs(&ground.folder()), Vec::<PathBuf>::new());
    ground.assert_sound();
}

#[test]
fn a_leftover_object_that_is_cut_short_is_written_anew() {
    let ground = Ground::new();
    let flow = FlowId::random();
    let twin = Ground::new();
    twin.record(&change(flow, VersionKind::Create, "a"));
    let [flows, shard, id] = layout::path(&flow);
    let object = twin.git(&["rev-parse", &format!("main:{flows}/{shard}/{id}/canvas.json")]);
    ground.history.list(&flow).unwrap();
    let place = ground.folder().join("objects").join(&object[..2]).join(&object[2..]);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, "").unwrap();
    ground.record(&change(flow, VersionKind::Create, "a"));
    ground.assert_sound();
}
