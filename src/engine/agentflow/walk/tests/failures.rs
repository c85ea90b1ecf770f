//! What a failure and a stop leave of a run.

use super::rules::{cards, one_child, pass_by, record, start, start_all, walk};
use crate::engine::agentflow::drawing::Drawing;
use crate::engine::agentflow::walk::{Next, Standing, StepEnd};

/// Start 0 leads to 1, 2 and 3, which lead to 4, 5 and 6.
fn three_branches() -> Drawing {
    (1..4).fold(Drawing::begin().steps(6), |drawing, at| drawing.edge(0, at).edge(at, at + 3))
}

#[test]
fn what_stands_behind_a_failure_is_cancelled_and_what_stands_before_goes_on() {
    let mut walk = walk(&three_branches(), 64);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    walk.end(started[1].1, StepEnd::Failed).unwrap();
    assert_eq!(walk.take_cancelled(), [started[2].1]);
    assert!(walk.take_cancelled().is_empty());
    assert!(!walk.is_cancelled(started[0].1));
    walk.end(started[0].1, StepEnd::Done).unwrap();
    assert_eq!(walk.next(), None, "what follows the first comes behind the failure");
    assert_eq!(record(&mut walk), [0, 1, 2]);
    assert_eq!(walk.standing(), Standing::Open);
    walk.end(started[2].1, StepEnd::Cancelled).unwrap();
    assert_eq!(record(&mut walk), [3]);
    assert_eq!(walk.standing(), Standing::Failed(started[1].1));
}

#[test]
fn what_is_ready_before_a_failure_still_starts() {
    let mut walk = walk(&three_branches(), 2);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    assert_eq!(cards(&started), [1, 2]);
    walk.end(started[1].1, StepEnd::Done).unwrap();
    let third = start(&mut walk, 3);
    walk.end(third, StepEnd::Done).unwrap();
    let fifth = start(&mut walk, 5);
    walk.end(fifth, StepEnd::Failed).unwrap();
    assert_eq!(walk.next(), None);
    walk.end(started[0].1, StepEnd::Done).unwrap();
    pass_by(&mut walk, 4);
    assert_eq!(record(&mut walk), [0, 1, 2, 3, 4, 5]);
    assert_eq!(walk.standing(), Standing::Failed(fifth));
}

#[test]
fn of_several_failures_the_first_of_the_record_is_the_runs() {
    let mut walk = walk(&three_branches(), 64);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    walk.end(started[2].1, StepEnd::Failed).unwrap();
    assert!(walk.take_cancelled().is_empty());
    walk.end(started[0].1, StepEnd::Failed).unwrap();
    assert_eq!(walk.take_cancelled(), [started[1].1]);
    walk.end(started[1].1, StepEnd::Done).unwrap();
    assert_eq!(walk.standing(), Standing::Failed(started[0].1));
    assert_eq!(record(&mut walk), [0, 1, 2, 3]);
}

#[test]
fn a_step_that_is_cancelled_unasked_fails() {
    let mut walk = walk(&three_branches(), 64);
    let begin = start(&mut walk, 0);
    walk.end(begin, StepEnd::Cancelled).unwrap();
    assert_eq!(walk.standing(), Standing::Failed(begin));
}

#[test]
fn an_error_output_is_taken_instead_of_all_others() {
    for (end, follower) in [(StepEnd::ErrorOutput, 2), (StepEnd::Done, 3)] {
        let mut walk = walk(&Drawing::begin().steps(3).edge(0, 1).error(1, 2).edge(1, 3), 8);
        pass_by(&mut walk, 0);
        let branching = start(&mut walk, 1);
        walk.end(branching, end).unwrap();
        pass_by(&mut walk, follower);
        assert_eq!(walk.standing(), Standing::Complete);
    }
}

#[test]
fn a_failed_item_ends_alone() {
    let mut walk = walk(&one_child(), 8);
    pass_by(&mut walk, 0);
    let iteration = start(&mut walk, 1);
    walk.open(iteration, 2, 2).unwrap();
    let children = start_all(&mut walk);
    walk.end(children[0].1, StepEnd::Failed).unwrap();
    assert!(walk.take_cancelled().is_empty());
    walk.end(children[1].1, StepEnd::Done).unwrap();
    assert_eq!(walk.next(), Some(Next::Close(iteration)));
    assert_eq!(walk.item_failure(iteration, 0), Some(children[0].1));
    assert_eq!(walk.item_failure(iteration, 1), None);
    walk.end(iteration, StepEnd::Done).unwrap();
    assert_eq!(walk.standing(), Standing::Complete);
}

#[test]
fn a_failure_ends_the_iterations_behind_it_with_all_inside() {
    let mut walk = walk(&Drawing::begin().steps(1).iteration().steps(1).inside(2).edge(0, 1).edge(0, 2), 8);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    assert_eq!(cards(&started), [1, 2]);
    let (failing, iteration) = (started[0].1, started[1].1);
    walk.open(iteration, 3, 2).unwrap();
    let children = start_all(&mut walk);
    walk.end(failing, StepEnd::Failed).unwrap();
    assert_eq!(walk.take_cancelled(), [children[0].1, children[1].1]);
    walk.end(children[1].1, StepEnd::Done).unwrap();
    assert_eq!(walk.next(), None);
    walk.end(children[0].1, StepEnd::Cancelled).unwrap();
    assert_eq!(walk.next(), Some(Next::Close(iteration)));
    walk.end(iteration, StepEnd::Cancelled).unwrap();
    assert_eq!(record(&mut walk), [0, 1, 3, 3, 2]);
    assert_eq!(walk.standing(), Standing::Failed(failing));
}

#[test]
fn an_iteration_that_is_cancelled_before_it_is_opened_begins_nothing() {
    let mut walk = walk(&Drawing::begin().steps(1).iteration().steps(1).inside(2).edge(0, 1).edge(0, 2), 8);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    walk.end(started[0].1, StepEnd::Failed).unwrap();
    assert_eq!(walk.take_cancelled(), [started[1].1]);
    walk.open(started[1].1, 3, 1).unwrap();
    assert_eq!(walk.next(), Some(Next::Close(started[1].1)));
}

#[test]
fn a_run_that_fails_has_no_open_pause_and_ends_what_a_pause_held() {
    let mut walk = walk(&one_child().steps(2).edge(0, 3).edge(3, 4), 8);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    let (iteration, other) = (started[0].1, started[1].1);
    walk.open(iteration, 1, 1).unwrap();
    let child = start(&mut walk, 2);
    walk.end(child, StepEnd::Paused).unwrap();
    assert_eq!(walk.pauses(), [child]);
    walk.end(other, StepEnd::Failed).unwrap();
    assert!(walk.pauses().is_empty());
    assert_eq!(walk.next(), Some(Next::Close(iteration)));
    walk.end(iteration, StepEnd::Cancelled).unwrap();
    assert_eq!(record(&mut walk), [0, 2, 3, 1]);
    assert_eq!(walk.standing(), Standing::Failed(other));
}

#[test]
fn a_stop_keeps_what_had_begun_and_starts_nothing_more() {
    let mut walk = walk(&three_branches(), 2);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    walk.stop();
    assert_eq!(walk.take_cancelled(), [started[0].1, started[1].1]);
    assert_eq!(walk.under_way().len(), 2);
    walk.end(started[1].1, StepEnd::Done).unwrap();
    walk.end(started[0].1, StepEnd::Cancelled).unwrap();
    assert_eq!(walk.next(), None);
    assert_eq!(record(&mut walk), [0, 1, 2]);
    assert_eq!(walk.standing(), Standing::Stopped);
}

#[test]
fn a_stop_ends_a_run_that_is_paused() {
    let mut walk = walk(&three_branches(), 1);
    let begin = start(&mut walk, 0);
    walk.end(begin, StepEnd::Paused).unwrap();
    assert_eq!(walk.standing(), Standing::Paused);
    walk.stop();
    assert!(walk.pauses().is_empty());
    assert_eq!(walk.standing(), Standing::Stopped);
}
