//! What the engine promises whatever happens: every caller's wait ends, a closure runs no more often than it is said, and
//! opening does not walk through the database.

use super::memtable::{chat, flow, home, settle_in};
use super::messages::message;
use super::wal::killed;
use crate::domain::error::Error;
use crate::domain::ids::UserId;
use crate::store::engine::database::StorageEngine;
use crate::store::engine::recovery::LogPaths;
use crate::store::queries::messages::{self, MessageBatch};
use crate::store::tables::{LEADS, META, USER_BY_EMAIL};
use crate::store::wal::segment::SEGMENT_BYTES;
use crate::store::*;
use proptest::prelude::*;
use redb::{Database, StorageBackend};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// Longer than anything takes that ends.
const ENDS_WITHIN: Duration = Duration::from_secs(120);

/// A database file whose disk can be full.
#[derive(Debug, Clone)]
struct DatabaseFile {
    file: Arc<Mutex<File>>,
    is_full: Arc<AtomicBool>,
}

impl DatabaseFile {
    fn new(path: &Path) -> Self {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).unwrap();
        Self { file: Arc::new(Mutex::new(file)), is_full: Arc::default() }
    }

    /// The store in this file, with a log beside it or without one.
    fn open(&self, log: Option<&Path>) -> Store {
        let file = self.clone();
        let opener = move || Database::builder().create_with_backend(file.clone());
        Store::new(StorageEngine::new(opener().unwrap(), Box::new(opener), log.map(LogPaths::new)).unwrap())
            .unwrap()
    }

    fn at(&self, offset: u64) -> io::Result<std::sync::MutexGuard<'_, File>> {
        let mut file = self.file.lock().unwrap();
        file.seek(SeekFrom::Start(offset))?;
        Ok(file)
    }

    fn check_space(&self) -> io::Result<()> {
        if self.is_full.load(Ordering::SeqCst) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl StorageBackend for DatabaseFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.lock().unwrap().metadata()?.len())
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.at(offset)?.read_exact(out)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check_space()?;
        self.file.lock().unwrap().set_len(len)
    }
    fn sync_data(&self) -> io::Result<()> {
        self.check_space()
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check_space()?;
        self.at(offset)?.write_all(data)
    }
}

/// What is left to read at a start is in the log. Whether redb would have to walk through all of its pages it says itself;
/// counting what it reads would not tell, because a debug build of it always does.
#[test]
fn opening_reads_at_most_two_segments() {
    let row = vec![7; 50_000];
    for rows in [20_u32, 200] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("test.redb")).unwrap();
        for number in 0..rows {
            store.write(|tx| tx.put(META, &number.to_be_bytes(), &row)).unwrap();
        }
        let copy = killed(folder.path());
        let path = copy.path().join("test.redb");
        let [_, logs @ ..] = Store::files(&path);
        let log_bytes: u64 = logs.iter().filter_map(|log| Some(std::fs::metadata(log).ok()?.len())).sum();
        assert!(log_bytes <= 2 * SEGMENT_BYTES, "{log_bytes} bytes of log after {rows} rows");
        let is_walked = Arc::new(AtomicBool::new(false));
        let opener = {
            let (path, is_walked) = (path.clone(), is_walked.clone());
            move || {
                let is_walked = is_walked.clone();
                let mut builder = Database::builder();
                builder.set_repair_callback(move |_| is_walked.store(true, Ordering::SeqCst));
                builder.open(&path)
            }
        };
        let database = opener().unwrap();
        let opened =
            Store::new(StorageEngine::new(database, Box::new(opener), Some(LogPaths::new(&path))).unwrap())
                .unwrap();
        assert!(!is_walked.load(Ordering::SeqCst), "the whole database was read after {rows} rows");
        for number in 0..rows {
            assert!(opened.read(|tx| tx.has(META, &number.to_be_bytes())).unwrap(), "row {number}");
        }
    }
}

/// What a thread may want of the store.
#[derive(Debug, Clone, Copy)]
enum Call {
    Put,
    PutAndFail,
    PutAndPanic,
    FailBeforeWriting,
    TakePlace,
    Look,
    Checkpoint,
    Append,
    AppendToNoFlow,
    AppendThen,
    AppendThenPanic,
    Read,
    ReadMessages,
    FillDisk,
    FreeDisk,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        6 => Just(Call::Put),
        2 => Just(Call::PutAndFail),
        1 => Just(Call::PutAndPanic),
        1 => Just(Call::FailBeforeWriting),
        3 => Just(Call::TakePlace),
        1 => Just(Call::Look),
        1 => Just(Call::Checkpoint),
        4 => Just(Call::Append),
        1 => Just(Call::AppendToNoFlow),
        4 => Just(Call::AppendThen),
        1 => Just(Call::AppendThenPanic),
        1 => Just(Call::Read),
        2 => Just(Call::ReadMessages),
        1 => Just(Call::FillDisk),
        2 => Just(Call::FreeDisk),
    ]
}

fn quiet_panic() -> ! {
    resume_unwind(Box::new("a panic that prints nothing"))
}

/// Takes one of so many places, and fails after it wrote that it did when there is none.
fn take_place(store: &Store, places: usize, number: u8) -> Result<()> {
    store.write(|tx| {
        tx.put(LEADS, &[number], b"mine")?;
        let mut taken = 0;
        tx.scan(LEADS, &KeyRange::all(), Order::Ascending, |_, _| {
            taken += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        if taken > places { Err(Error::invalid("there is no place")) } else { Ok(()) }
    })
}

/// Runs the call and tells of its end; a callback tells of its own.
fn run(store: &Store, disk: &DatabaseFile, call: Call, number: u8, ended: &mpsc::Sender<Call>) {
    let batch = |to| MessageBatch::new(&home(), &[message(flow(to), chat(number), "Hi")]).unwrap();
    let put = |tx: &WriteTx| tx.put(META, &[number], b"1");
    match call {
        Call::Put => drop(store.write(put)),
        Call::PutAndFail => {
            let failed = store.write(|tx| put(tx).and_then(|()| Err::<(), _>(Error::invalid("no"))));
            assert!(failed.is_err());
        }
        Call::PutAndPanic => {
            let write = || {
                store.write(|tx| -> Result<()> {
                    put(tx)?;
                    quiet_panic()
                })
            };
            assert!(!matches!(catch_unwind(AssertUnwindSafe(write)), Ok(Ok(()))));
        }
        Call::FailBeforeWriting => assert!(store.write(|_| Err::<(), _>(Error::invalid("no"))).is_err()),
        Call::TakePlace => {
            if take_place(store, 2, number).is_ok() {
                drop(store.write(|tx| tx.remove(LEADS, &[number])));
            }
        }
        Call::Look => drop(store.write(|tx| tx.has(META, &[number]))),
        Call::Checkpoint => drop(store.write_group.checkpoint(&store.engine)),
        Call::Append => drop(store.append(batch(1))),
        Call::AppendToNoFlow => assert!(store.append(batch(9)).is_err()),
        Call::AppendThen | Call::AppendThenPanic => {
            let told = ended.clone();
            store.append_then(batch(1), move |_| {
                told.send(call).unwrap();
                if matches!(call, Call::AppendThenPanic) {
                    quiet_panic();
                }
            });
            return;
        }
        Call::Read => drop(store.read(|tx| tx.has(META, &[number]))),
        Call::ReadMessages => {
            drop(store.read_messages(|tx| messages::of_chat(tx, &home(), &flow(1), &chat(number), 9)));
        }
        Call::FillDisk => disk.is_full.store(true, Ordering::SeqCst),
        Call::FreeDisk => disk.is_full.store(false, Ordering::SeqCst),
    }
    ended.send(call).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whoever submits something hears of its end, whatever others do at the same moment: they fail, they panic, they make
    /// checkpoints, and the disk fills up under them. And when it is over the store is as good as new.
    #[test]
    fn no_thread_waits_for_ever(
        threads in prop::collection::vec(prop::collection::vec(call(), 1..25), 2..8),
        has_log: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.redb");
        let disk = DatabaseFile::new(&path);
        let store = Arc::new(disk.open(Some(path.as_path()).filter(|_| has_log)));
        settle_in(&store, 1);
        let (tell, ended) = mpsc::channel();
        let expected: usize = threads.iter().map(Vec::len).sum();
        let start = Arc::new(Barrier::new(threads.len()));
        let callers: Vec<_> = (0_u8..).zip(threads.clone()).map(|(number, calls)| {
            let (store, disk, start, tell) = (store.clone(), disk.clone(), start.clone(), tell.clone());
            thread::spawn(move || {
                start.wait();
                calls.into_iter().for_each(|call| run(&store, &disk, call, number, &tell));
            })
        }).collect();
        drop(tell);
        for count in 0..expected {
            // Threads that wait for ever cannot be joined, so they are left behind.
            prop_assert!(ended.recv_timeout(ENDS_WITHIN).is_ok(), "{count} of {expected} calls ended");
        }
        for caller in callers {
            prop_assert!(caller.join().is_ok());
        }
        disk.is_full.store(false, Ordering::SeqCst);
        prop_assert!(store.write(|tx| tx.put(META, b"after", b"1")).is_ok());
        prop_assert!(store.append(MessageBatch::new(&home(), &[message(flow(1), chat(1), "Hi")]).unwrap()).is_ok());
    }

    /// A closure runs once, and again only where another one failed or panicked after it had written: once at the most for
    /// each of those. One that fails itself runs at most twice, one that panics once.
    #[test]
    fn a_closure_runs_as_often_as_promised(
        calls in prop::collection::vec(
            prop_oneof![
                6 => Just(Call::Put),
                2 => Just(Call::PutAndFail),
                1 => Just(Call::PutAndPanic),
                1 => Just(Call::FailBeforeWriting),
            ],
            1..24,
        ),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("test.redb")).unwrap();
        let start = Barrier::new(calls.len());
        let counts: Vec<usize> = thread::scope(|scope| {
            let callers: Vec<_> = calls.iter().enumerate().map(|(number, call)| {
                let (store, start) = (&store, &start);
                scope.spawn(move || {
                    let runs = AtomicUsize::new(0);
                    let closure = |tx: &WriteTx| {
                        runs.fetch_add(1, Ordering::SeqCst);
                        if !matches!(call, Call::FailBeforeWriting) {
                            USER_BY_EMAIL.put(tx, number.to_string().as_str(), &UserId::random())?;
                        }
                        match call {
                            Call::Put => Ok(()),
                            Call::PutAndPanic => quiet_panic(),
                            _ => Err(Error::invalid("no")),
                        }
                    };
                    start.wait();
                    let result = catch_unwind(AssertUnwindSafe(|| store.write(closure)));
                    assert_eq!(matches!(result, Ok(Ok(()))), matches!(call, Call::Put));
                    runs.into_inner()
                })
            }).collect();
            callers.into_iter().map(|caller| caller.join().unwrap()).collect()
        });
        let aborts = calls.iter().filter(|call| matches!(call, Call::PutAndFail | Call::PutAndPanic)).count();
        for (call, runs) in calls.iter().zip(&counts) {
            let most = match call {
                Call::PutAndFail => 2,
                Call::PutAndPanic => 1,
                _ => 1 + aborts,
            };
            prop_assert!((1..=most).contains(runs), "{call:?} ran {runs} times beside {aborts} that failed");
        }
        let kept = calls.iter().filter(|call| matches!(call, Call::Put)).count();
        prop_assert_eq!(store.read(|tx| Ok(USER_BY_EMAIL.list(tx)?.len())).unwrap(), kept);
    }
}

/// Whoever fails behind others has them run again, and it may not fail itself then: it must not be the next that others fail behind.
#[test]
fn changes_that_refuse_one_another_come_to_an_end() {
    let (rivals, places) = (12, 3);
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&folder.path().join("test.redb")).unwrap());
    for round in 0..20 {
        let (tell, ended) = mpsc::channel();
        let start = Arc::new(Barrier::new(usize::from(rivals)));
        for number in 0..rivals {
            let (store, start, tell) = (store.clone(), start.clone(), tell.clone());
            thread::spawn(move || {
                start.wait();
                tell.send(take_place(&store, places, number).is_ok()).unwrap();
            });
        }
        // Threads that run for ever cannot be joined, so they are left behind.
        let results =
            (0..rivals).map(|_| ended.recv_timeout(ENDS_WITHIN).expect("a change that comes to its end"));
        assert_eq!(results.filter(|is_done| *is_done).count(), places, "round {round}");
        store.write(|tx| (0..rivals).try_for_each(|number| tx.remove(LEADS, &[number]).map(drop))).unwrap();
    }
}

#[test]
fn a_closure_whose_commit_fails_does_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let disk = DatabaseFile::new(&folder.path().join("test.redb"));
    let store = disk.open(None);
    disk.is_full.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        for number in 0..8_u8 {
            let store = &store;
            scope.spawn(move || {
                let runs = AtomicUsize::new(0);
                let failed = store.write(|tx| {
                    runs.fetch_add(1, Ordering::SeqCst);
                    tx.put(META, &[number], b"1")
                });
                assert!(matches!(failed, Err(Error::Internal(_))), "{failed:?}");
                assert!(runs.into_inner() <= 1, "nobody else failed");
            });
        }
    });
}
