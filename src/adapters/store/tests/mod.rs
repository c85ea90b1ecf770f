//! The store as a whole: shared commits under load, failures, panics, a failing disk, and reopening.

mod answers;
mod append;
mod checkpoints;
#[cfg(unix)]
mod compaction;
mod damage;
mod memtable;
mod messages;
mod promises;
mod runs;
mod wal;

use super::engine::create;
use super::engine::database::StorageEngine;
use super::queries::audit;
use super::tables::{FLOW_WORKSPACE, META, SESSIONS, USER_BY_EMAIL, VARIABLES, WORKSPACES};
use super::*;
use crate::domain::accounts::user::Workspace;
use crate::domain::error::Error;
use crate::domain::ids::{FlowId, OrganizationId, UserId, VariableId, WorkspaceId};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditRing, ENTRIES_MAX};
use crate::domain::workspace::variable::{Variable, VariableKind};
use jiff::Timestamp;
use redb::{Database, StorageBackend};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

fn temporary() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("test.redb")).unwrap();
    (folder, store)
}

fn variable(workspace: WorkspaceId, name: &str) -> Variable {
    let now = Timestamp::from_second(1).unwrap();
    let (id, kind, value) = (VariableId::random(), VariableKind::Static, String::new());
    Variable { id, workspace, name: name.to_owned(), value, kind, created: now, updated: now }
}

fn emails(store: &Store) -> usize {
    store.read(|tx| Ok(USER_BY_EMAIL.list(tx)?.len())).unwrap()
}

#[test]
fn a_record_is_seen_in_its_own_workspace_only() {
    let (_folder, store) = temporary();
    let (here, there) = (WorkspaceId::random(), WorkspaceId::random());
    let kept = variable(here, "a");
    store.write(|tx| VARIABLES.put(tx, &here, &kept.id, &kept)).unwrap();
    store
        .read(|tx| {
            assert_eq!(VARIABLES.get(tx, &here, &kept.id)?, Some(kept.clone()));
            assert_eq!(VARIABLES.get(tx, &there, &kept.id)?, None);
            assert!(VARIABLES.has(tx, &here, &kept.id)?);
            assert_eq!(VARIABLES.list(tx, &there)?, []);
            Ok(())
        })
        .unwrap();
    assert!(!store.write(|tx| VARIABLES.remove(tx, &there, &kept.id)).unwrap());
    assert!(store.write(|tx| VARIABLES.remove(tx, &here, &kept.id)).unwrap());
}

#[test]
fn a_failed_write_leaves_nothing() {
    let (_folder, store) = temporary();
    let result: Result<()> = store.write(|tx| {
        USER_BY_EMAIL.put(tx, "a", &UserId::random())?;
        Err(Error::invalid("no"))
    });
    assert!(matches!(result, Err(Error::Invalid(_))));
    assert_eq!(emails(&store), 0);
}

/// Every acknowledged write is there, no refused one is, whatever failed or panicked beside it.
#[test]
fn shared_commits_keep_every_promise() {
    const THREADS: usize = 24;
    const ROUNDS: usize = 40;
    let (folder, store) = temporary();
    let acknowledged = Mutex::new(HashSet::new());
    let refused = Mutex::new(HashSet::new());
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, acknowledged, refused, start) = (&store, &acknowledged, &refused, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..ROUNDS {
                    let name = format!("{thread}-{round}");
                    let fate = (thread * 7 + round * 3) % 11;
                    let ran = catch_unwind(AssertUnwindSafe(|| {
                        store.write(|tx| {
                            if fate == 0 {
                                return Err(Error::invalid("before it wrote"));
                            }
                            USER_BY_EMAIL.put(tx, name.as_str(), &UserId::random())?;
                            if fate == 1 {
                                std::panic::resume_unwind(Box::new("a panic that prints nothing"));
                            }
                            if fate == 2 { Err(Error::invalid("after it wrote")) } else { Ok(()) }
                        })
                    }));
                    let list = if matches!(ran, Ok(Ok(()))) { acknowledged } else { refused };
                    assert_eq!(matches!(ran, Ok(Ok(()))), fate > 2);
                    list.lock().unwrap().insert(name);
                }
            });
        }
    });
    let check = |store: &Store| {
        store
            .read(|tx| {
                for name in acknowledged.lock().unwrap().iter() {
                    assert!(USER_BY_EMAIL.get(tx, name.as_str())?.is_some(), "{name} was lost");
                }
                for name in refused.lock().unwrap().iter() {
                    assert!(USER_BY_EMAIL.get(tx, name.as_str())?.is_none(), "{name} should not be there");
                }
                Ok(())
            })
            .unwrap();
    };
    check(&store);
    drop(store);
    check(&Store::open(&folder.path().join("test.redb")).unwrap());
}

/// Read, compare, write: nothing is lost between closures of one batch.
#[test]
fn members_of_a_batch_see_each_other() {
    let (_folder, store) = temporary();
    let id = WorkspaceId::random();
    let workspace = |count: usize| {
        let created = Timestamp::from_second(1).unwrap();
        Workspace {
            id,
            organization: OrganizationId::random(),
            name: count.to_string(),
            description: String::new(),
            created,
            updated: None,
            quota: None,
        }
    };
    let runs = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let add = |tx: &WriteTx| {
                        runs.fetch_add(1, Ordering::Relaxed);
                        let count = WORKSPACES.get(tx, &id)?.map_or(0, |found| found.name.parse().unwrap());
                        WORKSPACES.put(tx, &id, &workspace(count + 1))
                    };
                    store.write(add).unwrap();
                }
            });
        }
    });
    let count = store.read(|tx| WORKSPACES.get(tx, &id)).unwrap().unwrap().name;
    assert_eq!(count, "800");
    assert_eq!(runs.into_inner(), 800, "nothing failed, so nothing ran twice");
}

/// Of many who want the same thing exactly one gets it, also when its rivals fail after writing.
#[test]
fn one_of_many_rivals_wins() {
    let (_folder, store) = temporary();
    for round in 0..20 {
        let name = format!("owner-{round}");
        let won = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for rival in 0..12 {
                let (store, name, won) = (&store, &name, &won);
                scope.spawn(move || {
                    let result = store.write(|tx| {
                        if rival % 3 == 0 {
                            FLOW_WORKSPACE.put(tx, &FlowId::random(), &WorkspaceId::random())?;
                        }
                        if USER_BY_EMAIL.get(tx, name.as_str())?.is_some() {
                            return Err(Error::invalid("taken"));
                        }
                        USER_BY_EMAIL.put(tx, name.as_str(), &UserId::random())
                    });
                    won.fetch_add(usize::from(result.is_ok()), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(won.into_inner(), 1);
    }
}

#[test]
#[should_panic(expected = "a write inside a write")]
fn a_write_inside_a_write_is_refused() {
    let (_folder, store) = temporary();
    let _ = store.write(|_| store.write(|_| Ok(())));
}

#[test]
fn a_read_inside_a_write_sees_what_was_committed() {
    let (_folder, store) = temporary();
    let inside = store.write(|tx| {
        USER_BY_EMAIL.put(tx, "a", &UserId::random())?;
        store.read(|tx| Ok(USER_BY_EMAIL.list(tx)?.len()))
    });
    assert_eq!((inside.unwrap(), emails(&store)), (0, 1));
}

#[test]
fn a_second_process_is_told_who_is_in_the_way() {
    let (folder, _store) = temporary();
    let second = Store::open(&folder.path().join("test.redb"));
    assert!(matches!(second, Err(OpenError::InUse)));
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let (folder, store) = temporary();
    let path = folder.path().join("test.redb");
    store.write(|tx| tx.put(META, b"schema", b"77")).unwrap();
    drop(store);
    for _ in 0..2 {
        let refused = Store::open(&path).err().unwrap();
        assert!(matches!(refused, OpenError::NewerFormat { found: 77, .. }), "{refused}");
    }
}

#[test]
fn a_database_of_a_newer_program_is_refused_and_one_of_an_older_is_taken() {
    let (folder, store) = temporary();
    let path = folder.path().join("test.redb");
    store.write(|tx| tx.put(META, b"program", b"77.0.1")).unwrap();
    drop(store);
    let refused = Store::open(&path).err().unwrap();
    assert!(matches!(&refused, OpenError::NewerProgram(version) if version == "77.0.1"), "{refused}");
    assert!(matches!(Store::open_read_only(&path), Err(OpenError::NewerProgram(_))));
    assert!(matches!(Store::upgrade_state(&path), Err(OpenError::NewerProgram(_))));

    let (folder, store) = temporary();
    let path = folder.path().join("test.redb");
    store.write(|tx| tx.put(META, b"program", b"0.0.1")).unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    let program = store.read(|tx| tx.get_with(META, b"program", |value| Ok(value.to_vec()))).unwrap();
    assert_eq!(program.as_deref(), Some(env!("CARGO_PKG_VERSION").as_bytes()));
    assert!(!Store::upgrade_copy(&path).exists(), "nothing of its form changed");
}

#[test]
fn a_file_that_is_no_database_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.redb");
    for content in [vec![7; 10], vec![7; 100_000]] {
        std::fs::write(&path, &content).unwrap();
        assert!(matches!(Store::open(&path), Err(OpenError::Damaged(_))), "{} bytes", content.len());
        assert_eq!(std::fs::read(&path).unwrap(), content, "it must be left for whoever can read it");
    }
    let missing = Store::open(&folder.path().join("no/such/folder.redb"));
    assert!(matches!(missing, Err(OpenError::Io(_))));
}

#[test]
fn a_database_that_was_never_finished_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.redb");
    let left = folder.path().join("test.redb.new-x1y2z3");
    let mut begun = vec![0; 9];
    begun.extend([1; 4_000]);
    for half_made in [vec![], vec![0; 3], vec![0; 1 << 20], begun] {
        std::fs::write(&path, &half_made).unwrap();
        std::fs::write(&left, "x").unwrap();
        assert!(!Store::exists(&path).unwrap());
        let store = Store::open(&path).unwrap();
        store.write(|tx| USER_BY_EMAIL.put(tx, "a", &UserId::random())).unwrap();
        drop(store);
        assert!(Store::exists(&path).unwrap() && !left.exists());
        assert_eq!(emails(&Store::open(&path).unwrap()), 1);
    }
    // What is larger than any database without rows is nobody's first start.
    std::fs::write(&path, vec![0; 17 << 20]).unwrap();
    assert!(matches!(Store::open(&path), Err(OpenError::Damaged(_))));
}

#[test]
fn a_file_gets_the_name_of_the_database_when_it_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.redb");
    let killed = create::create_if_missing(&path, |_| Err(OpenError::Damaged("killed".to_owned())));
    assert!(killed.is_err() && !path.exists());
    drop(Store::open(&path).unwrap());
    let is_made_again =
        create::create_if_missing(&path, |_| Err(OpenError::Damaged("made again".to_owned())));
    assert!(is_made_again.is_ok());
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, _store) = temporary();
    let mode = std::fs::metadata(folder.path().join("test.redb")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// Memory that can refuse to be written, as a full disk does, and survives the database above it.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    bytes: Arc<Mutex<Vec<u8>>>,
    pub(super) full: Arc<AtomicBool>,
    /// The names of the threads that had it flushed.
    pub(super) flushers: Arc<Mutex<Vec<String>>>,
}

impl Disk {
    fn check(&self) -> std::io::Result<()> {
        if self.full.load(Ordering::SeqCst) { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> std::io::Result<u64> {
        Ok(self.bytes.lock().unwrap().len() as u64)
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> std::io::Result<()> {
        let bytes = self.bytes.lock().unwrap();
        let from = offset as usize;
        let found = bytes.get(from..from + out.len()).ok_or(std::io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }
    fn set_len(&self, len: u64) -> std::io::Result<()> {
        self.check()?;
        self.bytes.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }
    fn sync_data(&self) -> std::io::Result<()> {
        let thread = std::thread::current();
        self.flushers.lock().unwrap().push(thread.name().unwrap_or_default().to_owned());
        self.check()
    }
    fn write(&self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.check()?;
        let from = offset as usize;
        self.bytes.lock().unwrap()[from..from + data.len()].copy_from_slice(data);
        Ok(())
    }
}

#[test]
fn a_full_disk_heals_without_a_restart() {
    let disk = Disk::default();
    let under = disk.clone();
    let opener = move || Database::builder().create_with_backend(under.clone());
    let handle = StorageEngine::new(opener().unwrap(), Box::new(opener), None).unwrap();
    let store = Store::new(handle).unwrap();
    let add = |name: &str| store.write(|tx| USER_BY_EMAIL.put(tx, name, &UserId::random()));
    add("before").unwrap();
    for _ in 0..3 {
        disk.full.store(true, Ordering::SeqCst);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || {
                    let failed = add(&format!("lost-{thread}")).unwrap_err();
                    assert!(matches!(failed, Error::Internal(_)), "{failed:?}");
                });
            }
        });
        disk.full.store(false, Ordering::SeqCst);
        assert!(store.read(|tx| USER_BY_EMAIL.get(tx, "before")).unwrap().is_some());
        add("after").unwrap();
    }
    let names = store.read(|tx| {
        Ok((
            USER_BY_EMAIL.get(tx, "after")?.is_some(),
            USER_BY_EMAIL.list(tx)?.len(),
            SESSIONS.list(tx)?.len(),
        ))
    });
    assert_eq!(names.unwrap(), (true, 2, 0));
}

#[test]
fn a_flood_of_sign_ins_pushes_out_sign_ins_only() {
    let (_folder, store) = temporary();
    let entry = |action, second| AuditEntry::by_nobody(None, action, Timestamp::from_second(second).unwrap());
    let most = i64::try_from(ENTRIES_MAX).unwrap();
    let add = |action, seconds: std::ops::RangeInclusive<i64>| {
        let append = |tx: &WriteTx, second| audit::append(tx, &entry(action, second));
        store.write(|tx| seconds.clone().try_for_each(|second| append(tx, second))).unwrap();
    };
    add(AuditAction::FlowDeleted, 1..=2);
    add(AuditAction::SignInRefused, 3..=most + 5);
    add(AuditAction::RoleChanged, most + 6..=most + 6);
    let listed = |rings: &[AuditRing]| {
        let mut found = Vec::new();
        let note = |number, entry: AuditEntry| {
            found.push((number, entry.date.as_second()));
            Ok(())
        };
        store.read(|tx| audit::walk(tx, rings, note)).unwrap();
        found
    };
    assert_eq!(listed(&[AuditRing::Actions]), [(10_006, 10_006), (2, 2), (1, 1)]);
    let sign_ins = listed(&[AuditRing::SignIns]);
    assert_eq!((sign_ins.len(), sign_ins[0], sign_ins[9_999]), (10_000, (10_005, 10_005), (6, 6)));
    let all = listed(&AuditRing::ALL);
    assert_eq!(all.len(), 10_003);
    assert!(all.is_sorted_by(|one, next| one > next), "the newest first, whatever its ring");
}
