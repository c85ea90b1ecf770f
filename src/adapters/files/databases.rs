//! Databases that the operator lets flows read: `databases/<workspace>/<name>` in the data folder. The service never
//! writes there; a flow names a file and never a path.

use crate::domain::ids::WorkspaceId;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const FOLDER: &str = "databases";
const NAME_CHARS_MAX: usize = 100;

/// The file of this name in the workspace's own folder, by a path without links; `None` when there is none.
///
/// # Errors
/// When the folder cannot be read.
pub fn find(data: &Path, workspace: &WorkspaceId, name: &str) -> io::Result<Option<PathBuf>> {
    if !is_name(name) {
        return Ok(None);
    }
    // Where the operator put the data folder may be reached through a link; what lies in it may not.
    let mut path = match fs::canonicalize(data) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let workspace = workspace.to_string();
    let parts = [FOLDER, workspace.as_str(), name];
    for (at, part) in parts.iter().enumerate() {
        path.push(part);
        let kind = match fs::symlink_metadata(&path) {
            Ok(found) => found.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let fits = if at + 1 == parts.len() { kind.is_file() } else { kind.is_dir() };
        if !fits {
            return Ok(None);
        }
    }
    Ok(Some(path))
}

/// A name that stays in its folder on every system.
fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | ' ');
    (1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(letter) && !name.starts_with(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_a_file_of_the_workspace_and_nowhere_else() {
        let data = tempfile::tempdir().unwrap();
        let (own, other) = (WorkspaceId::random(), WorkspaceId::random());
        let found = |workspace: &WorkspaceId, name: &str| find(data.path(), workspace, name).unwrap();
        assert_eq!(found(&own, "shop.db"), None, "there is no folder yet");
        for workspace in [&own, &other] {
            fs::create_dir_all(data.path().join(FOLDER).join(workspace.to_string()).join("folder.db"))
                .unwrap();
        }
        let folder = data.path().join(FOLDER).join(own.to_string());
        fs::write(folder.join("shop.db"), "x").unwrap();
        fs::write(data.path().join("flowkeep.redb"), "x").unwrap();
        let path = found(&own, "shop.db").unwrap();
        assert!(path.is_absolute() && fs::read(path).unwrap() == b"x");
        for name in [
            "",
            ".",
            "..",
            "../shop.db",
            "a/shop.db",
            "/etc/passwd",
            "..\\x",
            "c:x",
            "folder.db",
            "no.db",
            "shop.db\0",
            ".shop.db",
        ] {
            assert_eq!(found(&own, name), None, "{name}");
        }
        assert_eq!(found(&other, "shop.db"), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(data.path().join("flowkeep.redb"), folder.join("link.db")).unwrap();
            assert_eq!(found(&own, "link.db"), None);
        }
    }
}
