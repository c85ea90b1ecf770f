//! Folders of the server that the operator lets flows read (`SERVICE_DOCUMENT_FOLDERS`, manual 4.8). Whoever draws a flow
//! names a folder; what is not below a listed one is not there.

use crate::domain::knowledge::server_folder::{FileVisitor, FolderError, FolderQuery};
use crate::durable::{EntryKind, Folder};
use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// Folders within folders that are read.
const DEPTH_MAX: usize = 32;
/// Entries that are looked at, whatever they are: beside the files that a card reads at most, as many folders and other files.
const ENTRIES_MAX: usize = 200_000;

/// Hands each file to `each`, with its path below the folder, in the order of these paths. What begins with a dot, links
/// and everything else that is no plain file are passed over.
///
/// # Errors
/// Why it is not read, or not to its end.
pub fn read(
    listed: &[PathBuf],
    data: &Path,
    wanted: &FolderQuery<'_>,
    each: FileVisitor<'_>,
) -> Result<(), FolderError> {
    let (root, parts) = locate(listed, Path::new(wanted.path)).ok_or(FolderError::NotListed)?;
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let folder = Folder::open(root, &parts)?.ok_or(FolderError::NotListed)?;
    // Only now, so that a link does not tell where it leads.
    if overlaps(root, &parts, data) {
        return Err(FolderError::OwnData);
    }
    let mut walk = FolderWalk { wanted, files: Vec::new(), entries_seen: 0 };
    walk.visit(&folder, &mut Vec::new())?;
    walk.files.sort();
    let from: Vec<&str> = wanted.from.map(|from| from.split('/').collect()).unwrap_or_default();
    let is_left = |path: &&Vec<String>| path.iter().map(String::as_str).ge(from.iter().copied());
    for path in walk.files.iter().filter(is_left) {
        if let Some(bytes) = open(&folder, path, wanted.bytes_max).transpose() {
            each(&path.join("/"), bytes).map_err(FolderError::Stopped)?;
        }
    }
    Ok(())
}

/// The listed folder that `wanted` lies in, and the way down from there. Nothing is asked of the disk.
fn locate<'l>(listed: &'l [PathBuf], wanted: &Path) -> Option<(&'l Path, Vec<String>)> {
    let deepest = listed.iter().filter(|root| wanted.starts_with(root));
    let root = deepest.max_by_key(|root| root.components().count())?;
    let rest = wanted.strip_prefix(root).ok()?;
    let part = |part: Component<'_>| match part {
        Component::Normal(name) => {
            name.to_str().filter(|name| !name.starts_with('.') && !name.contains('\0')).map(str::to_owned)
        }
        _ => None,
    };
    Some((root, rest.components().map(part).collect::<Option<_>>()?))
}

/// True when one of the folders holds the other: secrets and databases of everybody lie in the data folder.
fn overlaps(root: &Path, parts: &[&str], data: &Path) -> bool {
    let folder = parts.iter().fold(root.to_owned(), |path, part| path.join(part));
    match (fs::canonicalize(folder), fs::canonicalize(data)) {
        (Ok(folder), Ok(data)) => folder.starts_with(&data) || data.starts_with(&folder),
        // Where nobody can tell, nothing is read.
        _ => true,
    }
}

struct FolderWalk<'a> {
    wanted: &'a FolderQuery<'a>,
    files: Vec<Vec<String>>,
    entries_seen: usize,
}

impl FolderWalk<'_> {
    fn visit(&mut self, folder: &Folder, at: &mut Vec<String>) -> Result<(), FolderError> {
        for entry in folder.entries()? {
            self.entries_seen += 1;
            if self.entries_seen > ENTRIES_MAX {
                return Err(FolderError::TooManyFiles);
            }
            if entry.name.starts_with('.') {
                continue;
            }
            match entry.kind {
                EntryKind::File(_) if (self.wanted.is_read)(&entry.name) => {
                    self.files.push(at.iter().cloned().chain([entry.name]).collect());
                    if self.files.len() > self.wanted.files_max {
                        return Err(FolderError::TooManyFiles);
                    }
                }
                EntryKind::Folder if self.wanted.recursive => {
                    if at.len() >= DEPTH_MAX {
                        return Err(FolderError::TooManyFiles);
                    }
                    if let Some(child) = folder.child(&entry.name)? {
                        at.push(entry.name);
                        self.visit(&child, at)?;
                        at.pop();
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A file by the way down to it, each step from the handle of the one above; `None` when it is gone meanwhile.
fn open(folder: &Folder, path: &[String], bytes_max: usize) -> Result<Option<Vec<u8>>, FolderError> {
    let Some((name, folders)) = path.split_last() else { return Ok(None) };
    let mut deeper: Option<Folder> = None;
    for part in folders {
        let Some(next) = deeper.as_ref().unwrap_or(folder).child(part)? else { return Ok(None) };
        deeper = Some(next);
    }
    let Some(file) = deeper.as_ref().unwrap_or(folder).file(name)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max { Err(FolderError::TooLarge(path.join("/"))) } else { Ok(Some(bytes)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        _guard: tempfile::TempDir,
        root: PathBuf,
    }

    /// `docs` is listed; `secret.txt` and `data` are not.
    fn place() -> Place {
        let guard = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(guard.path()).unwrap();
        for folder in ["docs/deep/.git", "docs-more", "data"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in [
            ("docs/b.txt", "b"),
            ("docs/a.md", "a"),
            ("docs/x.bin", "x"),
            ("docs/.env", "KEY"),
            ("docs/deep/c.txt", "c"),
            ("docs/deep/.git/config.txt", "KEY"),
            ("docs-more/d.txt", "d"),
            ("secret.txt", "KEY"),
            ("data/e.txt", "KEY"),
        ] {
            fs::write(root.join(file), text).unwrap();
        }
        #[cfg(unix)]
        for (target, link) in
            [("secret.txt", "docs/link.txt"), ("data", "docs/linked"), ("docs-more", "docs/deep/more")]
        {
            std::os::unix::fs::symlink(root.join(target), root.join(link)).unwrap();
        }
        Place { _guard: guard, root }
    }

    fn found(
        place: &Place,
        listed: &[&str],
        path: &str,
        recursive: bool,
    ) -> Result<Vec<String>, FolderError> {
        found_from(place, listed, path, recursive, None)
    }

    fn found_from(
        place: &Place,
        listed: &[&str],
        path: &str,
        recursive: bool,
        from: Option<&str>,
    ) -> Result<Vec<String>, FolderError> {
        let listed: Vec<PathBuf> = listed.iter().map(|folder| place.root.join(folder)).collect();
        let path = place.root.join(path);
        let is_read = |name: &str| !name.ends_with(".bin");
        let wanted = FolderQuery {
            path: path.to_str().unwrap(),
            recursive,
            from,
            is_read: &is_read,
            files_max: 3,
            bytes_max: 10,
        };
        let mut found = Vec::new();
        read(&listed, &place.root.join("data"), &wanted, &mut |name, bytes| {
            let bytes = match bytes {
                Err(FolderError::TooLarge(_)) => b"too large".to_vec(),
                bytes => bytes.unwrap(),
            };
            found.push(format!("{name}={}", String::from_utf8(bytes).unwrap()));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn reading_goes_on_from_a_file_in_the_order_of_paths() {
        let place = place();
        let from = |from| found_from(&place, &["docs"], "docs", true, Some(from)).unwrap();
        assert_eq!(from("b.txt"), ["b.txt=b", "deep/c.txt=c"]);
        assert_eq!(from("deep/c.txt"), ["deep/c.txt=c"]);
        assert_eq!(from("deep/d.txt"), [""; 0], "a file that is gone is passed by");
    }

    #[test]
    fn a_listed_folder_is_read_and_nothing_that_links_or_dots_lead_to() {
        let place = place();
        assert_eq!(found(&place, &["docs"], "docs", false).unwrap(), ["a.md=a", "b.txt=b"]);
        assert_eq!(found(&place, &["docs"], "docs/", true).unwrap(), ["a.md=a", "b.txt=b", "deep/c.txt=c"]);
        assert_eq!(found(&place, &["docs"], "docs/deep", true).unwrap(), ["c.txt=c"]);
    }

    #[test]
    fn what_is_not_below_a_listed_folder_is_not_there() {
        let place = place();
        for path in [
            "docs-more",
            "",
            "docs/../data",
            "docs/deep/../../data",
            "docs/linked",
            "docs/deep/more",
            "docs/deep/.git",
            "docs/none",
            "docs/a.md",
            "docs/../docs-more",
            "/etc",
            "..",
            "docs/\0",
        ] {
            let found = found(&place, &["docs"], path, true);
            assert!(matches!(found, Err(FolderError::NotListed)), "{path}: {found:?}");
        }
        assert!(matches!(found(&place, &[], "docs", true), Err(FolderError::NotListed)));
        let wanted = FolderQuery {
            path: "docs",
            recursive: true,
            from: None,
            is_read: &|_| true,
            files_max: 9,
            bytes_max: 9,
        };
        let read = read(&[place.root.join("docs")], &place.root, &wanted, &mut |_, _| Ok(()));
        assert!(matches!(read, Err(FolderError::NotListed)), "a path that is not from the root");
    }

    #[test]
    fn the_data_folder_is_never_read() {
        let place = place();
        for (listed, path) in [("data", "data"), ("", ""), ("", "data")] {
            let found = found(&place, &[listed], path, true);
            assert!(matches!(found, Err(FolderError::OwnData)), "{path}: {found:?}");
        }
        assert_eq!(found(&place, &[""], "docs-more", true).unwrap(), ["d.txt=d"]);
    }

    #[test]
    fn number_and_size_are_bounded() {
        let place = place();
        fs::write(place.root.join("docs/d.txt"), "d").unwrap();
        assert!(matches!(found(&place, &["docs"], "docs", true), Err(FolderError::TooManyFiles)));
        fs::write(place.root.join("docs/d.txt"), "12345678901").unwrap();
        let found = found(&place, &["docs"], "docs", false).unwrap();
        assert_eq!(found.last().map(String::as_str), Some("d.txt=too large"), "{found:?}");
    }
}
