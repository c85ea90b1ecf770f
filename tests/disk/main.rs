//! The power goes while the service works, and comes back: nothing that was acknowledged may be missing, and whatever is
//! left of the rest, the service starts.
//!
//! The real program is stopped at each of its system calls, so what it writes, flushes and names below the data folder is
//! known in its order, with no help of its own (`tracer.rs`, `recorder.rs`). A disk that keeps what was flushed, and of the
//! rest any part (`model.rs`), then says what may be there at any moment; each such folder is opened and asked for
//! everything that was promised by then (`session.rs`). `FLOWKEEP_DISK_STATES` says how many folders are opened: some
//! hundred by default, tens of thousands for a long run, which also lets every single flush fail.

#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#![allow(missing_docs, clippy::unwrap_used, reason = "a test may stop at what it does not expect")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "registers hold what calls declare"
)]

#[path = "../support/canvases.rs"]
mod canvases;
mod model;
mod recorder;
mod session;
mod tracer;
#[path = "../support/wire.rs"]
mod wire;

use flowkeep::app::{App, AppOpenError};
use flowkeep::settings::{Environment, Flags, Settings};
use model::{Disk, DiskOp, ForgottenFlushes, Rng, SURVIVALS, SurvivalPolicy};
use session::{Promise, Session, broken_promise};
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// False while a database that was not yet made whole, in which nothing is, may be refused.
const DATABASE_COMES_WHOLE: bool = true;

/// So many states are a long run.
const LONG: usize = 2_000;

/// Processes of one test must not be taken for those of another.
static TURN: Mutex<()> = Mutex::new(());

fn lock_tests() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many folders are opened for each of the tests.
fn states() -> usize {
    std::env::var("FLOWKEEP_DISK_STATES").ok().and_then(|text| text.parse().ok()).unwrap_or(240)
}

/// A folder that is gone with the power: in memory where that can be.
fn folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

fn open(home: &Path) -> Result<App, AppOpenError> {
    let data = home.join("data");
    let flags = Flags::default().with("SERVICE_DATA_DIR", "--data-dir", data.to_str());
    App::open(Settings::from_vars(|_| None, flags).unwrap(), Environment::new(|_| None))
}

/// What is wrong with the folder that is left.
fn find_fault(home: &Path, promises: &[(usize, Promise)], cut: usize, ready_at: usize) -> Option<String> {
    // A database that no disk ever held may be too much for the library that reads it.
    let Ok(opened) = catch_unwind(|| open(home)) else { return Some("it ends in a panic".to_owned()) };
    match opened {
        Ok(app) => promises
            .iter()
            .filter(|(at, _)| *at <= cut)
            .find_map(|(_, promise)| broken_promise(&app, promise)),
        Err(AppOpenError::Store(_) | AppOpenError::NoDatabase) if !DATABASE_COMES_WHOLE && cut < ready_at => {
            None
        }
        Err(error) => Some(format!("not opened: {error}")),
    }
}

/// Places at which the power goes: anywhere from `from` on, and often just after something was promised.
fn cuts(
    record: &[DiskOp],
    promises: &[(usize, Promise)],
    from: usize,
    count: usize,
    dice: &mut Rng,
) -> Vec<usize> {
    let mut cut = |number: usize| match promises.get(dice.random_below(promises.len())) {
        Some((at, _)) if number.is_multiple_of(2) => (at + dice.random_below(8)).clamp(from, record.len()),
        _ => from + dice.random_below(record.len() + 1 - from),
    };
    (0..count).map(&mut cut).collect()
}

/// Opens so many folders that a record may leave from `from` on. What is wrong with them.
fn check_cuts(
    record: &[DiskOp],
    promises: &[(usize, Promise)],
    from: usize,
    count: usize,
    seed: u64,
    forget: ForgottenFlushes,
) -> Vec<String> {
    let dice = &mut Rng::new(seed);
    let ready = promises.iter().find(|(_, promise)| matches!(promise, Promise::Ready));
    let ready_at = ready.map_or(usize::MAX, |(at, _)| *at);
    let mut bad = Vec::new();
    for cut in cuts(record, promises, from, count.div_ceil(SURVIVALS.len()), dice) {
        let disk = Disk::after(record, cut, forget);
        for survival in SURVIVALS {
            let home = folder();
            disk.restore(home.path(), survival, dice);
            if let Some(wrong) = find_fault(home.path(), promises, cut, ready_at) {
                bad.push(format!("after {cut} of {} with {survival:?}: {wrong}", record.len()));
            }
        }
    }
    bad
}

#[track_caller]
fn is_good(bad: &[String]) {
    assert!(bad.is_empty(), "{} bad folders:\n{}", bad.len(), bad[..bad.len().min(20)].join("\n"));
}

#[test]
fn nothing_is_lost_when_the_power_goes_and_a_flush_that_is_forgotten_shows() {
    let _turn = lock_tests();
    let mut session = Session::new();
    // A long run fills the journal, so that there is a checkpoint while others write.
    session.run(if states() > LONG { 150 } else { 4 }, None);
    // The second life finds what the first one left when it was killed.
    session.run(2, None);
    let (record, promises) = (session.ops(), session.promises());
    let has_sent = promises.iter().any(|(_, promise)| matches!(promise, Promise::Sent(..)));
    assert!(promises.len() > 20 && has_sent, "{promises:?}");
    is_good(&check_cuts(&record, promises, 0, states(), 1, ForgottenFlushes::Nothing));
    for forget in [ForgottenFlushes::Files, ForgottenFlushes::Folders] {
        let bad = check_cuts(&record, promises, 0, 48, 2, forget);
        assert!(bad.len() > 5, "forgetting the flushes of {forget:?} was caught {} times", bad.len());
    }
}

#[test]
fn nothing_is_lost_when_the_power_goes_again_at_the_next_start() {
    let _turn = lock_tests();
    let mut first = Session::new();
    first.run(2, None);
    let (record, ready_at) = (first.ops(), first.ready_at());
    let dice = &mut Rng::new(3);
    for number in 0..(states() / 120).max(1) {
        let cut = ready_at + dice.random_below(record.len() - ready_at);
        let kept = first.promises().iter().filter(|(at, _)| *at <= cut).map(|(_, promise)| promise.clone());
        let home = folder();
        let survival =
            if number.is_multiple_of(2) { SurvivalPolicy::Chance } else { SurvivalPolicy::Sectors };
        Disk::after(&record, cut, ForgottenFlushes::Nothing).restore(home.path(), survival, dice);
        let mut second = Session::resume(home, kept, first.number());
        let before = second.ops().len();
        assert!(second.run(1, None).1, "the service does not start again");
        let record = second.ops();
        // What is before the start is the first disk, which is whole.
        let seed = 4 + number as u64;
        is_good(&check_cuts(
            &record,
            second.promises(),
            before,
            states() / 4,
            seed,
            ForgottenFlushes::Nothing,
        ));
    }
}

#[test]
fn nothing_is_lost_when_a_flush_fails() {
    let _turn = lock_tests();
    let flushes = Session::new().run(2, None).0;
    assert!(flushes > 40, "{flushes}");
    let count = (states() / 80).clamp(2, flushes);
    for number in 0..count {
        let fails_at = number * flushes / count
            + if count == flushes { 0 } else { Rng::new(number as u64 + 9).random_below(flushes / count) };
        let mut session = Session::new();
        session.run(2, Some(fails_at));
        let is_ready = session.run(1, None).1;
        assert!(
            is_ready || !DATABASE_COMES_WHOLE,
            "flush {fails_at} failed, and the service does not start again"
        );
        let bad = check_cuts(
            &session.ops(),
            session.promises(),
            0,
            states() / count.min(4),
            5,
            ForgottenFlushes::Nothing,
        );
        is_good(&bad.into_iter().map(|bad| format!("flush {fails_at} failed, {bad}")).collect::<Vec<_>>());
    }
}
