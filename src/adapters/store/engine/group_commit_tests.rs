//! The group commit by itself: every submitter hears once, whoever leads and whatever panics.

use super::*;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Eight threads, of which `hands_over` says who waits for nothing.
fn all_at_once(hands_over: impl Fn(usize) -> bool + Sync) {
    let combine = GroupCommit::new();
    let (runs, at_work, told) = (AtomicUsize::new(0), AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let work = |items: Vec<usize>| {
        assert_eq!(at_work.fetch_add(1, Ordering::SeqCst), 0, "one leads at a time");
        runs.fetch_add(1, Ordering::SeqCst);
        std::thread::yield_now();
        at_work.fetch_sub(1, Ordering::SeqCst);
        items.into_iter().map(|item| item * 2).collect()
    };
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (combine, work, hands_over, told) = (&combine, &work, &hands_over, &told);
            scope.spawn(move || {
                for round in 0..500 {
                    let item = thread * 1_000 + round;
                    if hands_over(item) {
                        let told = told.clone();
                        let done = move |result| {
                            assert_eq!(result, Ok(item * 2));
                            told.fetch_add(1, Ordering::SeqCst);
                        };
                        combine.submit(item, done, work);
                    } else {
                        assert_eq!(combine.submit_and_wait(item, work), Ok(item * 2));
                        told.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert_eq!(told.load(Ordering::SeqCst), 4_000, "everyone was told once");
    assert!((1..=4_000).contains(&runs.load(Ordering::SeqCst)));
    assert!(lock(&combine.queue).leader == Leader::Nobody);
}

#[test]
fn everyone_gets_the_result_of_their_own_item() {
    all_at_once(|_| false);
}

#[test]
fn everyone_who_does_not_wait_is_told_once() {
    all_at_once(|_| true);
}

#[test]
fn those_who_wait_and_those_who_do_not_share_the_work() {
    all_at_once(|item| item % 3 != 0);
    all_at_once(|item| item / 1_000 % 2 == 0);
}

#[test]
fn what_panics_for_those_who_do_not_wait_is_told_to_its_round_only() {
    let combine: GroupCommit<usize, usize> = GroupCommit::new();
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = |item: usize| {
        let told = told.clone();
        move |result: Result<usize, LeaderPanicked>| {
            lock(&told).push((item, result));
            assert_ne!(item, 1, "whoever is told may panic too");
        }
    };
    let work = |items: Vec<usize>| {
        if items.contains(&0) {
            // These come while the first round is worked on.
            combine.submit(1, note(1), |_| unreachable!("somebody leads"));
            combine.submit(2, note(2), |_| unreachable!("somebody leads"));
            panic!("on purpose");
        }
        items
    };
    combine.submit(0, note(0), work);
    assert_eq!(*lock(&told), [(0, Err(LeaderPanicked)), (1, Ok(1)), (2, Ok(2))]);
    assert_eq!(combine.submit_and_wait(7, |items| items), Ok(7));
}

#[test]
fn a_panic_loses_its_own_batch_and_no_other() {
    let combine: GroupCommit<usize, usize> = GroupCommit::new();
    let (begun, queued) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        let leader = scope.spawn(|| {
            combine.submit_and_wait(0, |_| {
                begun.wait();
                queued.wait();
                panic!("on purpose")
            })
        });
        begun.wait();
        let followers: Vec<_> = (1..5)
            .map(|item| {
                scope.spawn({
                    let combine = &combine;
                    move || combine.submit_and_wait(item, |items| items)
                })
            })
            .collect();
        while lock(&combine.queue).waiters.len() < 4 {
            std::thread::yield_now();
        }
        queued.wait();
        assert!(leader.join().is_err());
        for follower in followers {
            assert!(follower.join().unwrap().is_ok());
        }
    });
    assert_eq!(combine.submit_and_wait(7, |items| items), Ok(7));
}

#[test]
fn who_is_dismissed_has_a_result_and_leads_nothing() {
    let group: GroupCommit<(), usize> = GroupCommit::new();
    let (first, second) = (group.join((), false), group.join((), false));
    assert!(first.is_leader() && !second.is_leader());
    group.dismiss(&7);
    assert_eq!((first.try_result(), second.try_result()), (Some(Ok(7)), Some(Ok(7))));
    assert!(group.is_idle());
    assert_eq!(group.submit_and_wait((), |items| vec![8; items.len()]), Ok(8), "somebody else leads");
}

#[test]
fn who_comes_last_wakes_a_leader_that_waits_for_company() {
    let group: GroupCommit<usize, usize> = GroupCommit::new();
    let joined = Barrier::new(2);
    std::thread::scope(|scope| {
        let leader = scope.spawn(|| {
            let own = group.join(1, false);
            joined.wait();
            assert!(own.is_leader() && matches!(own.wait(), WakeSignal::Lead));
            let round = group.begin_round();
            let results: Vec<usize> = round.items.iter().map(|item| item * 2).collect();
            round.finish(&own, results)
        });
        joined.wait();
        let company = group.join(2, true);
        assert!(matches!(company.wait(), WakeSignal::Result(Ok(4))));
        assert_eq!(leader.join().unwrap(), Ok(2));
    });
    assert!(group.is_idle());
}
