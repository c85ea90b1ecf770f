//! The files that Flowise stored, below `storage/`: of a flow, of one of its conversations, or of a document store. Version 3 has a
//! folder for each organization around them.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder of all of them, and the folder in it that the files of document stores have.
const STORAGE: &str = "storage";
const STORES: &str = "docustore";

/// Whose file it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FileOwner<'a> {
    Flow(&'a str),
    Conversation { flow: &'a str, chat: &'a str },
    Store(&'a str),
}

/// A file of an owner; `None` when it is not there, is no file, or is larger than `bytes_max`.
pub(super) fn read(root: &Path, owner: FileOwner<'_>, name: &str, bytes_max: u64) -> Option<Vec<u8>> {
    let parts = match owner {
        FileOwner::Flow(flow) => vec![flow, name],
        FileOwner::Conversation { flow, chat } => vec![flow, chat, name],
        FileOwner::Store(store) => vec![STORES, store, name],
    };
    if !parts.iter().all(|part| is_plain(part)) {
        return None;
    }
    let storage = root.join(STORAGE);
    let organizations = fs::read_dir(&storage).into_iter().flatten().flatten().map(|entry| entry.path());
    let homes = std::iter::once(storage.clone()).chain(organizations);
    let path = homes.map(|home| parts.iter().fold(home, |path, part| path.join(part))).find(is_file)?;
    let length = fs::metadata(&path).ok()?.len();
    if length > bytes_max { None } else { fs::read(path).ok() }
}

/// True for one name that leads nowhere else.
fn is_plain(part: &str) -> bool {
    let mut parts = Path::new(part).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
        && !part.contains(['/', '\\', '\0'])
}

/// What a link leads to was not stored there.
fn is_file(path: &PathBuf) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_in_either_layout_and_nothing_outside() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["storage/f/a.txt", "storage/o/f/c/b.txt", "storage/docustore/s/c.txt", "secret.txt"] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "hello").unwrap();
        }
        let hello = Some(b"hello".to_vec());
        assert_eq!(read(root, FileOwner::Flow("f"), "a.txt", 5), hello);
        assert_eq!(read(root, FileOwner::Conversation { flow: "f", chat: "c" }, "b.txt", 5), hello);
        assert_eq!(read(root, FileOwner::Store("s"), "c.txt", 5), hello);
        assert_eq!(read(root, FileOwner::Flow("f"), "a.txt", 4), None);
        for name in ["../../secret.txt", "..", "", "/etc/passwd", "b.txt"] {
            assert_eq!(read(root, FileOwner::Flow("f"), name, 5), None, "{name}");
        }
        assert_eq!(read(root, FileOwner::Flow(".."), "secret.txt", 5), None);
    }
}
