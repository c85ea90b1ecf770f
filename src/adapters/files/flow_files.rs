//! The files of flows on disk: `files/<workspace>/<flow>/<name>`. Names are made by the server, so no caller's text
//! becomes a path (manual 4.7).

use super::integrity::{self, ReadError};
use super::removals::RemovalLock;
use crate::base::checksum::Checksum;
use crate::base::hex::to_hex;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::durable::{Entry, EntryKind, Tree};
use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// What marks a file of a draft: Live files are never replaced (manual 4.7 r2).
const DRAFT: &str = "draft-";
/// Hex digits of a name that are by chance.
const RANDOM_CHARS: usize = 16;
/// Hex digits of the checksum behind them; names from before there were checksums have none.
const SUM_CHARS: usize = 8;
/// The most of a caller's file name that is kept.
const NAME_CHARS_MAX: usize = 100;

/// The folder of all flows' files.
pub struct FlowFiles {
    tree: Tree,
    /// Those who store hold it together; who clears up what nobody needs holds it alone.
    store_lock: RwLock<()>,
    /// Held by who gives files of a draft their Live names, until Live has them or they are gone again.
    promotion: Mutex<()>,
    removals: RemovalLock,
}

/// The name of a stored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowFileName(String);

impl FlowFileName {
    /// A fresh name of a draft's file with these bytes: `draft-<random and checksum>-<name>`.
    #[must_use]
    pub fn new_draft(label: &str, bytes: &[u8]) -> Self {
        Self(format!("{DRAFT}{}", Self::new_live(label, bytes).0))
    }

    /// A fresh name of a Live file with these bytes.
    #[must_use]
    pub fn new_live(label: &str, bytes: &[u8]) -> Self {
        let mut sum = Checksum::default();
        sum.add(bytes);
        Self(format!("{}{:08x}-{}", random(), sum.sum(), sanitize(label)))
    }

    /// The checksum of what is in the file; `None` where the name is from before there were checksums.
    #[must_use]
    pub fn sum(&self) -> Option<u32> {
        let (stem, _) = self.0.strip_prefix(DRAFT).unwrap_or(&self.0).split_once('-')?;
        u32::from_str_radix(stem.get(RANDOM_CHARS..).filter(|sum| sum.len() == SUM_CHARS)?, 16).ok()
    }

    /// Reads a name a canvas holds; `None` for one that this server did not make, which so never becomes a path.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (stem, label) = text.strip_prefix(DRAFT).unwrap_or(text).split_once('-')?;
        let made_here = [RANDOM_CHARS, RANDOM_CHARS + SUM_CHARS].contains(&stem.len())
            && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
            && sanitize(label) == label;
        made_here.then(|| Self(text.to_owned()))
    }

    /// The name of this draft's file once it is Live; `None` when it is no draft's.
    #[must_use]
    pub fn to_live(&self) -> Option<Self> {
        self.0.strip_prefix(DRAFT).map(|name| Self(name.to_owned()))
    }

    /// The name its owner knows it by.
    #[must_use]
    pub fn label(&self) -> &str {
        let name = self.0.strip_prefix(DRAFT).unwrap_or(&self.0);
        name.split_once('-').map_or(name, |(_, label)| label)
    }

    /// As a canvas holds it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn random() -> String {
    let id = uuid::Uuid::new_v4();
    to_hex(&id.as_bytes()[..RANDOM_CHARS / 2])
}

/// A caller's name as a label: letters, digits, dots and dashes of its last part.
fn sanitize(label: &str) -> String {
    let last = label.rsplit(['/', '\\']).next().unwrap_or_default().trim_start_matches('.');
    let kept =
        last.chars().map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' });
    let text: String = kept.take(NAME_CHARS_MAX).collect();
    if text.is_empty() { "file".to_owned() } else { text }
}

impl FlowFiles {
    /// The files below the root of this tree, which is made when the first file comes.
    #[must_use]
    pub const fn new(tree: Tree, removals: RemovalLock) -> Self {
        Self { tree, store_lock: RwLock::new(()), promotion: Mutex::new(()), removals }
    }

    fn folder(&self, workspace: &WorkspaceId, flow: &FlowId) -> PathBuf {
        self.tree.root().join(workspace.to_string()).join(flow.to_string())
    }

    /// Stores a file; it is on disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        name: &FlowFileName,
        bytes: &[u8],
    ) -> io::Result<()> {
        let _turn = self.store_lock.read().unwrap_or_else(PoisonError::into_inner);
        self.tree.make(&[&workspace.to_string(), &flow.to_string()])?.write(name.as_str(), bytes)
    }

    /// The bytes of a file; `None` when it is gone, or longer than a file may be.
    ///
    /// # Errors
    /// When it cannot be read, or is not what was stored.
    pub fn get(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        name: &FlowFileName,
        bytes_max: u64,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(file) = self.open(workspace, flow, name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = file.take(bytes_max + 1).read_to_end(&mut bytes)? as u64;
        if read > bytes_max {
            return Ok(None);
        }
        integrity::verify_checksum(&mut bytes.as_slice(), name.sum(), || {
            integrity::flow_file_damage(workspace, flow, name)
        })?;
        Ok(Some(bytes))
    }

    /// Whether the flow has a file of this name.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn has(&self, workspace: &WorkspaceId, flow: &FlowId, name: &FlowFileName) -> io::Result<bool> {
        Ok(self.open(workspace, flow, name)?.is_some())
    }

    /// A draft's file that was published meanwhile is found under the name that Live has for it: an editor may hold the old one.
    fn open(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        name: &FlowFileName,
    ) -> io::Result<Option<fs::File>> {
        let Some(folder) = self.tree.open(&[&workspace.to_string(), &flow.to_string()])? else {
            return Ok(None);
        };
        match (folder.file(name.as_str())?, name.to_live()) {
            (None, Some(live)) => folder.file(live.as_str()),
            (found, _) => Ok(found),
        }
    }

    /// Waits until nobody else gives files of drafts their Live names. Two publishes of one draft give the same names, and the
    /// one that is refused must not take them from the other.
    pub fn promotion_turn(&self) -> MutexGuard<'_, ()> {
        self.promotion.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a file be found under another name too; it is on disk under that when this returns. False where it could be
    /// found so before.
    ///
    /// # Errors
    /// When neither name leads to a file, or the folder cannot be written.
    pub fn link(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        from: &FlowFileName,
        to: &FlowFileName,
    ) -> io::Result<bool> {
        let _turn = self.store_lock.read().unwrap_or_else(PoisonError::into_inner);
        let folder = self.tree.make(&[&workspace.to_string(), &flow.to_string()])?;
        let is_new = folder.file(to.as_str())?.is_none();
        folder.link(from.as_str(), to.as_str())?;
        Ok(is_new)
    }

    /// Bytes of the files of all flows and document stores of a workspace. A file that Live has from a draft counts once.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn bytes_of(&self, workspace: &WorkspaceId) -> io::Result<u64> {
        let Some(root) = self.tree.open(&[&workspace.to_string()])? else { return Ok(0) };
        let mut bytes = 0;
        for flow in root.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
            let Some(folder) = root.child(&flow.name)? else { continue };
            let entries = folder.entries()?;
            let names: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            let is_double = |entry: &&Entry| {
                let live = entry.name.strip_prefix(DRAFT);
                live.is_some_and(|live| names.contains(live))
            };
            bytes +=
                entries.iter().filter(|entry| !is_double(entry)).map(|entry| entry.kind.bytes()).sum::<u64>();
        }
        Ok(bytes)
    }

    /// Removes a file; one that is gone already is no error.
    pub fn remove(&self, workspace: &WorkspaceId, flow: &FlowId, name: &FlowFileName) {
        let path = self.folder(workspace, flow).join(name.as_str());
        let _turn = self.removals.turn();
        if let Err(error) = fs::remove_file(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(
                target: "flowkeep::files::flow_files",
                %flow, %error,
                "a file could not be removed"
            );
        }
    }

    /// Does something while no file of a flow is being stored.
    pub fn run_exclusive<T>(&self, work: impl FnOnce() -> T) -> T {
        let _turn = self.store_lock.write().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    pub(super) const fn removals(&self) -> &RemovalLock {
        &self.removals
    }

    pub(super) const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Removes all files of a flow that was deleted.
    pub fn remove_flow(&self, workspace: &WorkspaceId, flow: &FlowId) {
        let _turn = self.removals.turn();
        if let Err(error) = fs::remove_dir_all(self.folder(workspace, flow))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(
                target: "flowkeep::files::flow_files",
                %flow, %error,
                "the files of a deleted flow could not be removed"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::Access;

    #[test]
    fn only_names_of_this_server_become_paths() {
        let name = FlowFileName::new_draft("../../etc/pass wd.txt", b"");
        assert!(name.as_str().starts_with(DRAFT) && name.as_str().ends_with("-pass_wd.txt"), "{name:?}");
        assert_eq!(FlowFileName::parse(name.as_str()), Some(name.clone()));
        let live = name.to_live().unwrap();
        assert_eq!((FlowFileName::parse(live.as_str()), live.to_live()), (Some(live.clone()), None));
        for bad in [
            "",
            "a.txt",
            "../x",
            "draft-../x",
            "0123456789abcdef-../../x",
            "0123456789abcdef-",
            "0123456789abcdeg-a",
        ] {
            assert_eq!(FlowFileName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_file_is_stored_linked_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            FlowFiles::new(Tree::new(folder.path().join("files"), Access::Owner), RemovalLock::default());
        let (workspace, flow) = (WorkspaceId::random(), FlowId::random());
        let draft = FlowFileName::new_draft("a.txt", b"hello");
        let live = draft.to_live().unwrap();
        files.put(&workspace, &flow, &draft, b"hello").unwrap();
        assert!(files.link(&workspace, &flow, &draft, &live).unwrap());
        let read = |name| files.get(&workspace, &flow, name, 10);
        assert!(files.has(&workspace, &flow, &live).unwrap());
        assert!(!files.has(&workspace, &FlowId::random(), &live).unwrap());
        assert_eq!(read(&live).unwrap().unwrap(), b"hello");
        assert!(!files.link(&workspace, &flow, &draft, &live).unwrap());
        files.remove(&workspace, &flow, &draft);
        files.remove(&workspace, &flow, &draft);
        // Who still has the name of the draft is led to Live's.
        assert_eq!(read(&draft).unwrap().unwrap(), b"hello");
        assert!(!files.link(&workspace, &flow, &draft, &live).unwrap());
        let gone = FlowFileName::new_draft("a.txt", b"hello");
        assert!(read(&gone).unwrap().is_none());
        assert!(files.link(&workspace, &flow, &gone, &gone.to_live().unwrap()).is_err());
        let left: Vec<_> = fs::read_dir(files.folder(&workspace, &flow))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, [live.as_str()]);
        fs::write(files.folder(&workspace, &flow).join(live.as_str()), b"hellp").unwrap();
        assert!(matches!(read(&live), Err(ReadError::Damaged(_))));
        let before = FlowFileName::parse("0123456789abcdef-a.txt").unwrap();
        files.put(&workspace, &flow, &before, b"stored by an earlier program").unwrap();
        assert!(files.get(&workspace, &flow, &before, 100).unwrap().is_some());
        files.remove_flow(&workspace, &flow);
        assert!(!files.folder(&workspace, &flow).exists());
    }
}
