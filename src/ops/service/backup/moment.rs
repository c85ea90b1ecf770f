//! The moment that a backup holds.
//!
//! Locks, in this order: packing of the history, the turn to record a version, removing files. With all of them nothing is between
//! database and history, and no file goes that the database of that moment names: a deletion removes records first and files after,
//! so what is removed later was there. Files that come later are in no record, and a start removes them as what a crash left.

use super::BackupError;
use crate::app::App;
use crate::backup::writer::ArchiveWriter;
use crate::backup::{self, DATABASE, DATABASES, FILES, SECRETS, VERSIONS};
use crate::base::cancel::CancelToken;
use crate::domain::error::Error;
use crate::domain::flows::version::Sha;
use crate::domain::service::backup::BackupHead;
use crate::durable::{Folder, Scratch};
use crate::files::copy::{self, RemovalHold};
use crate::files::secrets::NAMES;
use crate::history::{PackingHold, RepositoryFiles};
use crate::ops::flows::outbox;
use crate::store::Snapshot;
use jiff::Timestamp;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom};
use std::path::Path;

/// Bytes that a backup leaves free on the disk of the data folder (manual 14.9).
const BACKUP_FREE_BYTES_MIN: u64 = 64 * 1024 * 1024;

/// What was there at one moment, and is held until it was written.
pub(super) struct Moment {
    created: Timestamp,
    snapshot: Snapshot,
    history: RepositoryFiles,
    files: Scratch,
    secrets: Vec<(String, Vec<u8>)>,
}

impl Moment {
    pub(super) fn take(
        app: &App,
        packing: &PackingHold<'_>,
        with_secrets: bool,
    ) -> Result<Self, BackupError> {
        let recorder = outbox::lock_recorder(app);
        let removals = RemovalHold::take(&app.files);
        let created = app.clock.monotonic_now();
        let snapshot = app.store.snapshot()?;
        let history = packing.list().map_err(|fault| BackupError::Unreadable(fault.to_string()))?;
        // Versions may go on being recorded: they add to what was listed.
        drop(recorder);
        let files = removals.link_all()?;
        drop(removals);
        let secrets = if with_secrets { read_secrets(&app.settings.data_dir)? } else { Vec::new() };
        Ok(Self { created, snapshot, history, files, secrets })
    }

    /// Copies the database, so that whoever takes the backup slowly does not make the service's own grow.
    pub(super) fn prepare(self, app: &App, cancel: &CancelToken) -> Result<PreparedMoment, BackupError> {
        let (file, free) = copy::spool(&app.files)?;
        let taken = fs::metadata(app.settings.data_dir.join(DATABASE))?.len();
        let needed = taken.saturating_add(BACKUP_FREE_BYTES_MIN);
        if free < needed {
            return Err(BackupError::NoRoom { needed, free });
        }
        self.snapshot.copy_into(file.try_clone()?, &|| Error::check_cancelled(cancel))?;
        let Self { created, history, files, secrets, .. } = self;
        Ok(PreparedMoment { created, database: file, history, files, secrets })
    }
}

/// The moment, of which the database is a file.
pub(super) struct PreparedMoment {
    created: Timestamp,
    database: File,
    history: RepositoryFiles,
    files: Scratch,
    secrets: Vec<(String, Vec<u8>)>,
}

impl PreparedMoment {
    pub(super) fn head(&self, has_secrets: bool) -> BackupHead {
        BackupHead {
            service: env!("CARGO_PKG_VERSION").to_owned(),
            created: self.created,
            newest_version: newest_version(&self.history),
            has_secrets,
        }
    }

    pub(super) fn spool(&self, app: &App) -> io::Result<File> {
        Ok(copy::spool(&app.files)?.0)
    }

    pub(super) fn add_to(
        mut self,
        archive: &mut ArchiveWriter<'_>,
        repository: &Path,
        data: &Path,
    ) -> Result<(), BackupError> {
        let length = self.database.seek(SeekFrom::End(0))?;
        self.database.seek(SeekFrom::Start(0))?;
        archive.add(DATABASE, length, &mut self.database)?;
        for (name, bytes) in &self.history.small {
            if let Some(name) = storable(VERSIONS, name) {
                archive.add(&name, bytes.len() as u64, &mut bytes.as_slice())?;
            }
        }
        for (name, length) in &self.history.fixed {
            if let Some(stored) = storable(VERSIONS, name) {
                archive.add(&stored, *length, &mut File::open(repository.join(name))?)?;
            }
        }
        if let Some(links) = Folder::open(self.files.path(), &[])? {
            copy::walk::<BackupError>(&links, FILES, &mut |name, length, mut file| {
                Ok(archive.add(&name, length, &mut file)?)
            })?;
        }
        if let Some(databases) = Folder::open(&data.join(DATABASES), &[])? {
            copy::walk::<BackupError>(
                &databases,
                DATABASES,
                &mut |name, length, mut file| match known(name) {
                    Some(name) => Ok(archive.add(&name, length, &mut file)?),
                    None => Ok(()),
                },
            )?;
        }
        for (name, bytes) in &self.secrets {
            archive.add(&format!("{SECRETS}/{name}"), bytes.len() as u64, &mut bytes.as_slice())?;
        }
        Ok(())
    }
}

fn storable(part: &str, name: &str) -> Option<String> {
    known(format!("{part}/{name}"))
}

/// What somebody put there under a name that no other system takes stays here.
fn known(name: String) -> Option<String> {
    let is_storable = backup::parts_of(&name).is_some();
    if !is_storable {
        tracing::warn!("a file is in no backup, because its name cannot be restored everywhere");
    }
    is_storable.then_some(name)
}

fn read_secrets(data: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for name in NAMES {
        match fs::read(data.join(SECRETS).join(name)) {
            Ok(bytes) => found.push((name.to_owned(), bytes)),
            // The key of credentials may be a setting.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Where the branch was.
fn newest_version(history: &RepositoryFiles) -> Option<Sha> {
    const BRANCH: &str = "refs/heads/main";
    let text = |wanted: &str| {
        let found = history.small.iter().find(|(name, _)| name == wanted)?;
        std::str::from_utf8(&found.1).ok()
    };
    let packed = || text("packed-refs")?.lines().find_map(|line| line.strip_suffix(BRANCH).map(str::trim));
    Sha::parse(text(BRANCH).map(str::trim).or_else(packed)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::reader::extract;
    use crate::domain::flows::flow_change::FlowChange;
    use crate::files::flow_files::FlowFileName;
    use crate::ops::flows;
    use crate::store::Store;
    use crate::store::tables::FLOWS;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    #[test]
    fn what_goes_and_what_comes_after_the_moment_changes_nothing_of_the_backup() {
        let (folder, app, caller) = App::with_owner();
        let here = caller.workspace;
        let flow = flows::create(&app, &caller, &FlowChange::chatflow("f")).unwrap().flow.id;
        let name = FlowFileName::new_live("a.txt", b"text");
        app.files.put(&here, &flow, &name, b"text").unwrap();
        let packing = app.history.hold_packing();
        let moment = Moment::take(&app, &packing, true).unwrap();
        let newest = app.history.newest(&flow).unwrap().unwrap().sha;
        flows::delete(&app, &caller, &flow).unwrap();
        assert!(app.files.get(&here, &flow, &name, 10).unwrap().is_none());
        let late = flows::create(&app, &caller, &FlowChange::chatflow("late")).unwrap().flow.id;
        app.history.maintain(&CancelToken::new(None)).unwrap();

        let ready = moment.prepare(&app, &CancelToken::new(None)).unwrap();
        let head = ready.head(true);
        assert_eq!(head.newest_version, Some(newest));
        let mut tar = Vec::new();
        let mut archive = ArchiveWriter::begin(&mut tar, head, ready.spool(&app).unwrap()).unwrap();
        ready.add_to(&mut archive, packing.folder(), folder.path()).unwrap();
        archive.finish().unwrap();
        let place = Scratch::create(folder.path(), "unpacked").unwrap();
        extract(tar.as_slice(), None, &place).unwrap();
        let store = Store::open(&place.path().join(DATABASE)).unwrap();
        let has = |id| store.read(|tx| FLOWS.has(tx, &here, id)).unwrap();
        assert!(has(&flow) && !has(&late));
        let file = place.path().join(FILES).join(here.to_string()).join(flow.to_string()).join(name.as_str());
        assert_eq!(fs::read(file).unwrap(), b"text");
        let main = fs::read_to_string(place.path().join("versions/refs/heads/main")).unwrap();
        assert_eq!(main.trim(), newest.to_string());
        let links = |name: &str| name.starts_with(".backup-");
        let left = fs::read_dir(folder.path().join(FILES)).unwrap();
        assert!(left.into_iter().all(|entry| !links(entry.unwrap().file_name().to_str().unwrap())));
    }

    #[test]
    fn nobody_removes_a_file_while_the_files_are_linked() {
        let (_folder, app, caller) = App::with_owner();
        let flow = flows::create(&app, &caller, &FlowChange::chatflow("f")).unwrap().flow.id;
        let removed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let hold = RemovalHold::take(&app.files);
            scope.spawn(|| {
                app.files.remove_flow(&caller.workspace, &flow);
                removed.store(true, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(100));
            assert!(!removed.load(Ordering::SeqCst));
            drop(hold);
        });
        assert!(removed.load(Ordering::SeqCst));
    }

    #[test]
    fn the_newest_version_is_found_in_packed_references_too() {
        let sha = "0123456789abcdef0123456789abcdef01234567";
        let packed = format!("# pack-refs with: peeled\n{sha} refs/heads/main\n");
        let small = vec![("packed-refs".to_owned(), packed.into_bytes())];
        let found = newest_version(&RepositoryFiles { small, fixed: Vec::new() });
        assert_eq!(found.map(|sha| sha.to_string()).as_deref(), Some(sha));
    }
}
