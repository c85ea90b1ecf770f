//! What programs that are gone left in a repository.

use crate::durable::is_unfinished;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Removes locks and temporary files a process that is gone left in a repository. Only what has not been
/// touched for `age` goes; at start that is zero, because the one owner of the folder is just starting.
pub(in crate::history) fn sweep(repository: &Path, age: Duration) {
    let objects = repository.join("objects");
    let lock = |name: &str| name.ends_with(".lock");
    let temporary = |name: &str| name.starts_with("tmp_") || name.starts_with(".tmp");
    remove(repository, age, &|name| lock(name) || is_unfinished(name));
    sweep_locks(&repository.join("refs"), age, 0);
    remove(&objects, age, &temporary);
    remove(&objects.join("info"), age, &lock);
    remove(&objects.join("pack"), age, &|name| temporary(name) || lock(name));
    for folder in 0..=u8::MAX {
        remove(&objects.join(format!("{folder:02x}")), age, &temporary);
    }
}

fn sweep_locks(folder: &Path, age: Duration, depth: usize) {
    remove(folder, age, &|name| name.ends_with(".lock"));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|_| depth < 8) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sweep_locks(&entry.path(), age, depth + 1);
        }
    }
}

fn remove(folder: &Path, age: Duration, unwanted: &dyn Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_str().is_some_and(unwanted) || !is_untouched(&entry, age) {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let removed = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if let Err(fault) = removed {
            tracing::warn!(
                target: "flowkeep::history::repository::sweep",
                error = %fault,
                "a left-over file of the version history could not be removed"
            );
        }
    }
}

fn is_untouched(entry: &fs::DirEntry, age: Duration) -> bool {
    let touched = entry.metadata().and_then(|data| data.modified());
    let idle = touched.ok().and_then(|touched| SystemTime::now().duration_since(touched).ok());
    age.is_zero() || idle.is_some_and(|idle| idle >= age)
}
