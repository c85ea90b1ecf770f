//! What is made, with which modes, and what becomes of it when a flush fails.
#![cfg(unix)]

use super::*;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use tempfile::TempDir;

fn ground() -> (TempDir, Tree) {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::new(folder.path().join("data"), Access::Owner);
    (folder, tree)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The inode, which says whether something is still the same.
fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

#[test]
fn folders_and_files_are_for_their_owner_or_the_group_too() {
    for (access, folder, file, fixed) in
        [(Access::Owner, 0o700, 0o600, 0o400), (Access::Group, 0o750, 0o640, 0o440)]
    {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("data");
        let made = Tree::new(&root, access).make(&["a", "b"]).unwrap();
        made.write("file", b"x").unwrap();
        made.create_temp_as("fixed", true).unwrap().flush().unwrap().rename_to("fixed").unwrap();
        for path in ["", "a", "a/b"] {
            assert_eq!(mode(&root.join(path)), folder, "{path}");
        }
        assert_eq!((mode(&root.join("a/b/file")), mode(&root.join("a/b/fixed"))), (file, fixed));
    }
}

#[test]
fn what_a_folder_hands_down_stays() {
    let (home, _) = ground();
    let root = home.path().join("data");
    fs::create_dir(&root).unwrap();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o2750)).unwrap();
    Tree::new(&root, Access::Group).make(&["a"]).unwrap();
    assert_eq!((mode(&root), mode(&root.join("a"))), (0o2750, 0o2750));
}

#[test]
fn a_fault_at_any_step_is_told_and_leaves_nothing_that_a_second_try_trusts() {
    for step in 0..1_000 {
        let (home, tree) = ground();
        let store = || tree.make(&["a", "b"])?.write("file", b"content");
        tree.faults().fail_at(step, ErrorKind::Other);
        let stored = store();
        let is_past = tree.faults().steps() <= step;
        tree.faults().clear();
        assert_eq!(stored.is_ok(), is_past, "step {step}");
        if is_past {
            assert!(step > 8, "{step}");
            return;
        }
        // What was being made is gone, but for a file whose name could not be flushed.
        let b = home.path().join("data/a/b");
        let left = if b.exists() { names(&b) } else { Vec::new() };
        assert!(left.is_empty() || left == ["file"], "step {step}: {left:?}");
        store().unwrap();
        assert_eq!(fs::read(b.join("file")).unwrap(), b"content", "step {step}");
        // And once more, now that all of it was seen on disk.
        store().unwrap();
    }
    panic!("no end of steps");
}

#[test]
fn an_empty_folder_of_another_process_is_made_anew_and_a_used_one_is_kept() {
    let (home, tree) = ground();
    let data = home.path().join("data");
    tree.make(&["empty"]).unwrap();
    tree.make(&["used"]).unwrap().write("file", b"x").unwrap();
    fs::set_permissions(data.join("empty"), fs::Permissions::from_mode(0o755)).unwrap();
    let used = inode(&data.join("used"));
    // Known to this process, so nothing is done.
    tree.make(&["empty"]).unwrap();
    assert_eq!(mode(&data.join("empty")), 0o755);
    let next = Tree::new(&data, Access::Owner);
    next.make(&["used"]).unwrap();
    let next = Tree::new(&data, Access::Owner);
    next.make(&["empty"]).unwrap();
    assert_eq!((mode(&data.join("empty")), inode(&data.join("used"))), (0o700, used));
}

#[test]
fn a_used_folder_in_doubt_is_refused_and_others_are_not() {
    let (home, tree) = ground();
    tree.make(&["used"]).unwrap().write("file", b"x").unwrap();
    // The next process finds it and cannot flush it.
    let next = Tree::new(home.path().join("data"), Access::Owner);
    next.make(&[]).unwrap();
    next.faults().fail_at(1, ErrorKind::Other);
    assert!(next.make(&["used"]).is_err());
    next.faults().clear();
    assert!(next.make(&["used"]).unwrap_err().to_string().contains("start the service again"));
    next.make(&["new"]).unwrap().write("file", b"x").unwrap();
    next.make(&["new"]).unwrap().write("file", b"x").unwrap();
    assert!(next.make(&["used"]).is_err());
    Tree::new(home.path().join("data"), Access::Owner).make(&["used"]).unwrap();
}

#[test]
fn a_folder_around_which_a_flush_failed_keeps_nothing_any_more() {
    let (_home, tree) = ground();
    let (first, second) = (tree.make(&["a"]).unwrap(), tree.make(&["a"]).unwrap());
    let mut file = first.create_temp().unwrap();
    file.write_all(b"x").unwrap();
    file.flush().unwrap().rename_to("first").unwrap();
    tree.faults().fail_at(0, ErrorKind::Other);
    assert!(second.flush().is_err());
    tree.faults().clear();
    // The failed flush was also one of the first file's name, and it said so to somebody else.
    assert!(first.flush().is_err());
    tree.make(&["a"]).unwrap().write("first", b"x").unwrap();
}

#[test]
fn a_flush_for_a_file_leaves_the_folders_beside_it_in_doubt_too() {
    let (home, tree) = ground();
    tree.make(&["a", "used"]).unwrap().write("file", b"x").unwrap();
    let next = Tree::new(home.path().join("data"), Access::Owner);
    let folder = next.make(&["a"]).unwrap();
    next.faults().fail_at(0, ErrorKind::Other);
    assert!(folder.flush().is_err());
    next.faults().clear();
    assert!(next.make(&["a", "used"]).is_err());
    next.make(&["a", "new"]).unwrap();
}

#[test]
fn a_file_that_is_not_finished_goes_away() {
    let (home, tree) = ground();
    let folder = tree.make(&[]).unwrap();
    let mut file = folder.create_temp().unwrap();
    file.write_all(b"x").unwrap();
    let [name] = &names(&home.path().join("data"))[..] else { panic!("one file") };
    assert!(is_unfinished(name), "{name}");
    drop(file);
    assert!(names(&home.path().join("data")).is_empty());
    let taken = folder.create_temp_as("lock", false).unwrap();
    assert_eq!(folder.create_temp_as("lock", false).unwrap_err().kind(), ErrorKind::AlreadyExists);
    drop(taken.flush().unwrap());
    assert!(names(&home.path().join("data")).is_empty());
}

#[test]
fn a_link_is_a_file_of_its_own_the_second_time() {
    let (home, tree) = ground();
    let (folder, data) = (tree.make(&[]).unwrap(), home.path().join("data"));
    folder.write("from", b"content").unwrap();
    folder.link("from", "to").unwrap();
    folder.link("from", "to").unwrap();
    assert_eq!(fs::read(data.join("to")).unwrap(), b"content");
    assert_ne!(inode(&data.join("from")), inode(&data.join("to")));
    folder.remove("from").unwrap();
    folder.link("from", "to").unwrap();
    assert_eq!(fs::read(data.join("to")).unwrap(), b"content");
    assert_eq!(folder.link("from", "other").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn modes_are_put_right_at_any_depth() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    fs::create_dir_all(data.join("a/b/c/d")).unwrap();
    fs::write(data.join("a/b/c/d/file"), "").unwrap();
    let all = ["", "a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/file"].map(|part| data.join(part));
    let loosen =
        || all.iter().for_each(|path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap());
    loosen();
    enforce(&data, Access::Owner, None).unwrap();
    assert!(all.iter().all(|path| mode(path) == 0o700));
    enforce(&data, Access::Group, None).unwrap();
    assert_eq!(all.each_ref().map(|path| mode(path)), [0o750, 0o750, 0o750, 0o750, 0o750, 0o740]);
    loosen();
    enforce(&data, Access::Traverse, Some(&data.join("a"))).unwrap();
    assert_eq!((mode(&data), mode(&data.join("a"))), (0o710, 0o755));
    enforce(&home.path().join("missing"), Access::Owner, None).unwrap();
}

#[test]
fn a_growing_file_goes_on_from_the_length_that_was_noted() {
    let (home, tree) = ground();
    let path = home.path().join("data/a/file");
    let open = |length| tree.make(&["a"]).unwrap().open_to_grow("file", length);
    let mut file = open(0).unwrap();
    file.write_all(b"one ").unwrap();
    file.flush_to_disk().unwrap();
    let noted = file.length();
    file.write_all(b"lost").unwrap();
    drop(file);
    let mut file = open(noted).unwrap();
    file.write_all(b"two").unwrap();
    file.flush_to_disk().unwrap();
    // What was left behind the length may stay there: nobody reads it.
    assert_eq!((&fs::read(&path).unwrap()[..7], file.length(), mode(&path)), (&b"one two"[..], 7, 0o600));
    assert_eq!(open(9).unwrap_err().kind(), ErrorKind::InvalidData);
    fs::remove_file(&path).unwrap();
    assert_eq!(open(4).unwrap_err().kind(), ErrorKind::InvalidData);
    std::os::unix::fs::symlink("/etc/hosts", &path).unwrap();
    assert!(open(0).is_err(), "a link leads nowhere");
}

#[test]
fn a_growing_file_that_a_disk_refused_once_counts_no_more() {
    for step in 0..100 {
        let (home, tree) = ground();
        let folder = tree.make(&["a"]).unwrap();
        tree.faults().fail_at(step, ErrorKind::StorageFull);
        let mut file = folder.open_to_grow("file", 0).ok();
        let written = file.as_mut().map(|file| file.write_all(b"text").and_then(|()| file.flush_to_disk()));
        let is_past = tree.faults().steps() <= step;
        tree.faults().clear();
        assert_eq!(matches!(written, Some(Ok(()))), is_past, "step {step}");
        if is_past {
            assert!(step > 3, "{step}");
            return;
        }
        if let Some(file) = &mut file {
            assert!(file.write_all(b"more").is_err() && file.flush_to_disk().is_err(), "step {step}");
        }
        // Whoever begins anew is not bound by it.
        let mut file = tree.make(&["a"]).unwrap().open_to_grow("file", 0).unwrap();
        file.write_all(b"text").unwrap();
        file.flush_to_disk().unwrap();
        assert_eq!(fs::read(home.path().join("data/a/file")).unwrap(), b"text", "step {step}");
    }
    panic!("no end of steps");
}
