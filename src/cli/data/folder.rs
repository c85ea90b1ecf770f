//! A data folder that this user cannot use: whose it is, who asks, and what to type.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Who wants to use the folder, which decides what helps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Audience {
    Service,
    /// A command of an operator, who may be another user than the service.
    Operator,
}

/// Why the folder cannot be used; `None` when nothing about it stands in the way.
pub(in crate::cli) fn folder_problem(folder: &Path, asker: Audience) -> Option<String> {
    let shown = folder.display();
    match std::fs::metadata(folder) {
        Ok(found) if !found.is_dir() => Some(format!(
            "{shown} is a file and no folder; choose another with --data-dir or SERVICE_DATA_DIR, or move the file away"
        )),
        Ok(_) => {
            let database = folder.join("flowkeep.redb");
            let place = if database.exists() && access_problem(folder).is_none() {
                database
            } else {
                folder.to_owned()
            };
            let why = access_problem(&place)?;
            Some(format!(
                "the data folder cannot be used: {why}; {}",
                ownership_remedy(&place, folder, asker)
            ))
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            let above = nearest_existing(folder)?;
            if !std::fs::metadata(&above).is_ok_and(|found| found.is_dir()) {
                let above = above.display();
                return Some(format!(
                    "{shown} cannot be made, because {above} is a file; choose another folder with --data-dir"
                ));
            }
            let why = access_problem(&above)?;
            Some(format!("the data folder {shown} cannot be made: {why}; {}", creation_remedy(folder)))
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            let above = nearest_existing(folder)?;
            Some(format!(
                "{shown} cannot be made, because {} is a file; choose another folder with --data-dir",
                above.display()
            ))
        }
        Err(_) => None,
    }
}

/// The part of a path that can be looked at.
fn nearest_existing(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(folder).ok()?;
    absolute.ancestors().skip(1).find(|above| std::fs::metadata(above).is_ok()).map(Path::to_owned)
}

/// Why this process may not read and write there.
#[cfg(unix)]
fn access_problem(place: &Path) -> Option<String> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(place).ok()?;
    let mut wanted = Access::READ_OK | Access::WRITE_OK;
    if found.is_dir() {
        wanted |= Access::EXEC_OK;
    }
    let error = accessat(CWD, place, wanted, AtFlags::EACCESS).err()?;
    if error == rustix::io::Errno::ROFS {
        return Some(format!("{} lies on a file system that can only be read", place.display()));
    }
    Some(describe_owner(place, (found.uid(), found.gid(), found.mode() & 0o7777), user()))
}

#[cfg(not(unix))]
fn access_problem(_: &Path) -> Option<String> {
    None
}

#[cfg(unix)]
fn user() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}

#[cfg(unix)]
fn describe_owner(
    place: &Path,
    (owner, group, mode): (u32, u32, u32),
    (user, of_group): (u32, u32),
) -> String {
    format!(
        "{} belongs to user {owner} and group {group} with mode {mode:04o}, and this runs as user {user} and group {of_group}",
        place.display()
    )
}

/// What helps where this user may not use `place` in the folder. Who owns it needs no other owner: it lacks the mode.
#[cfg(unix)]
fn ownership_remedy(place: &Path, folder: &Path, asker: Audience) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let (user, group) = user();
    if std::fs::metadata(place).is_ok_and(|found| found.uid() == user) {
        return format!("let this user read and write it with: chmod -R u+rwX {}", shell_quote(folder));
    }
    if asker == Audience::Operator {
        return "run this as the user who runs the service".to_owned();
    }
    format!("give it to this user with: chown -R {user}:{group} {}", shell_quote(folder))
}

#[cfg(unix)]
fn creation_remedy(folder: &Path) -> String {
    let (user, group) = user();
    format!("make it once as root with: install -d -m 700 -o {user} -g {group} {}", shell_quote(folder))
}

#[cfg(not(unix))]
fn ownership_remedy(_: &Path, _: &Path, _: Audience) -> String {
    "choose another with --data-dir".to_owned()
}

#[cfg(not(unix))]
fn creation_remedy(_: &Path) -> String {
    "choose another with --data-dir".to_owned()
}

/// A path as a shell reads it.
#[cfg(unix)]
fn shell_quote(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_in_place_of_a_folder_is_named() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("data");
        fs::write(&file, "").unwrap();
        assert!(folder_problem(&file, Audience::Service).unwrap().contains("is a file and no folder"));
        assert!(
            folder_problem(&file.join("below"), Audience::Operator).unwrap().contains("because"),
            "nor can one be made below it"
        );
        assert_eq!(folder_problem(root.path(), Audience::Service), None);
        assert_eq!(folder_problem(&root.path().join("new/deep"), Audience::Service), None, "it can be made");
    }

    #[test]
    fn a_folder_of_another_user_is_told_with_owner_mode_and_what_to_type() {
        let text = describe_owner(Path::new("/data"), (0, 0, 0o700), (1000, 1001));
        assert_eq!(
            text,
            "/data belongs to user 0 and group 0 with mode 0700, and this runs as user 1000 and group 1001"
        );
        let (user, group) = user();
        let folder = Path::new("/my data");
        assert!(
            ownership_remedy(Path::new("/nobody's"), folder, Audience::Service)
                .ends_with(&format!("chown -R {user}:{group} '/my data'"))
        );
    }

    #[test]
    fn who_owns_the_folder_is_told_to_change_its_mode() {
        let root = tempfile::tempdir().unwrap();
        for asker in [Audience::Service, Audience::Operator] {
            let remedy = ownership_remedy(root.path(), Path::new("/my data"), asker);
            assert!(remedy.ends_with("chmod -R u+rwX '/my data'"), "{remedy}");
        }
    }
}
