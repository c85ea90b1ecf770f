//! The rules of a walk, one by one.

use crate::engine::agentflow::drawing::Drawing;
use crate::engine::agentflow::graph::Graph;
use crate::engine::agentflow::walk::past::Past;
use crate::engine::agentflow::walk::{
    Event, ITEMS_MAX, Misfit, Next, STEPS_MAX, Standing, StepEnd, StepId, Walk,
};
use std::sync::Arc;

pub(super) fn walk(drawing: &Drawing, branches: usize) -> Walk {
    Walk::new(Arc::new(Graph::compile(&drawing.canvas()).unwrap()), branches)
}

/// Starts all that can start, and gives the steps with their cards.
pub(super) fn start_all(walk: &mut Walk) -> Vec<(usize, StepId)> {
    let mut started = Vec::new();
    while let Some(next) = walk.next() {
        let Next::Start(step) = next else { panic!("{next:?}") };
        started.push((walk.node(step).at(), step));
    }
    started
}

/// Starts the one step that can start.
pub(super) fn start(walk: &mut Walk, card: usize) -> StepId {
    let started = start_all(walk);
    assert_eq!(started.len(), 1, "{started:?}");
    assert_eq!(started[0].0, card);
    started[0].1
}

/// Runs the one step that can start to its end.
pub(super) fn pass_by(walk: &mut Walk, card: usize) -> StepId {
    let step = start(walk, card);
    walk.end(step, StepEnd::Done).unwrap();
    step
}

pub(super) fn cards(started: &[(usize, StepId)]) -> Vec<usize> {
    started.iter().map(|(card, _)| *card).collect()
}

pub(super) fn record(walk: &mut Walk) -> Vec<usize> {
    let steps: Vec<StepId> = std::iter::from_fn(|| walk.next_entry()).collect();
    steps.into_iter().map(|step| walk.node(step).at()).collect()
}

/// Start 0, iteration 1 with its one child 2.
pub(super) fn one_child() -> Drawing {
    Drawing::begin().iteration().steps(1).inside(1).edge(0, 1)
}

#[test]
fn no_more_steps_start_than_there_are_places_and_the_first_of_the_record_starts_first() {
    let drawing = Drawing::begin().steps(5).edge(0, 1).edge(0, 2).edge(0, 3).edge(1, 4).edge(2, 5);
    let mut walk = walk(&drawing, 2);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    assert_eq!(cards(&started), [1, 2]);
    walk.end(started[1].1, StepEnd::Done).unwrap();
    let third = start(&mut walk, 3);
    walk.end(started[0].1, StepEnd::Done).unwrap();
    walk.end(third, StepEnd::Done).unwrap();
    assert_eq!(cards(&start_all(&mut walk)), [4, 5]);
}

#[test]
fn a_step_that_only_waits_takes_no_place() {
    let mut walk = walk(&Drawing::begin().steps(2).edge(0, 1).edge(0, 2), 1);
    pass_by(&mut walk, 0);
    let first = start(&mut walk, 1);
    assert_eq!(walk.next(), None);
    walk.release_place(first);
    start(&mut walk, 2);
    walk.end(first, StepEnd::Done).unwrap();
    assert_eq!(walk.next(), None);
}

#[test]
fn an_iteration_takes_no_place_and_is_closed_after_its_items() {
    let mut walk = walk(&one_child(), 1);
    pass_by(&mut walk, 0);
    let iteration = start(&mut walk, 1);
    walk.open(iteration, 2, 1).unwrap();
    assert_eq!(walk.end(iteration, StepEnd::Done), Err(Misfit::ItemsLeft));
    let first = pass_by(&mut walk, 2);
    let second = pass_by_in_item(&mut walk, 1);
    assert_eq!([walk.item(first), walk.item(second)], [Some((iteration, 0)), Some((iteration, 1))]);
    assert_eq!(walk.next(), Some(Next::Close(iteration)));
    assert_eq!(walk.next(), None);
    walk.end(iteration, StepEnd::Done).unwrap();
    assert_eq!(record(&mut walk), [0, 2, 2, 1]);
    assert_eq!(walk.item_steps(iteration, 1), [second]);
    assert_eq!(walk.standing(), Standing::Complete);
}

fn pass_by_in_item(walk: &mut Walk, item: usize) -> StepId {
    let step = pass_by(walk, 2);
    assert_eq!(walk.item(step).map(|(_, item)| item), Some(item));
    step
}

#[test]
fn an_iteration_without_items_is_closed_at_once() {
    let mut walk = walk(&one_child(), 1);
    pass_by(&mut walk, 0);
    let iteration = start(&mut walk, 1);
    walk.open(iteration, 0, 1).unwrap();
    assert_eq!(walk.next(), Some(Next::Close(iteration)));
}

#[test]
fn only_an_iteration_that_is_under_way_is_opened_and_not_with_too_many_items() {
    let mut walk = walk(&one_child(), 1);
    let begin = start(&mut walk, 0);
    assert_eq!(walk.open(begin, 1, 1), Err(Misfit::NotAnIteration));
    walk.end(begin, StepEnd::Done).unwrap();
    let iteration = start(&mut walk, 1);
    assert_eq!(walk.open(iteration, ITEMS_MAX + 1, 1), Err(Misfit::TooManyItems));
    walk.open(iteration, ITEMS_MAX, 16).unwrap();
    assert_eq!(walk.open(iteration, 1, 1), Err(Misfit::NotUnderWay));
}

#[test]
fn items_one_after_another_wait_for_a_pause_and_items_at_once_go_on() {
    for (concurrency, items_run) in [(1, 0), (2, 2)] {
        let mut walk = walk(&one_child(), 8);
        pass_by(&mut walk, 0);
        let iteration = start(&mut walk, 1);
        walk.open(iteration, 3, concurrency).unwrap();
        let mut started = start_all(&mut walk);
        assert_eq!(started.len(), concurrency);
        let paused = started.remove(0).1;
        walk.end(paused, StepEnd::Paused).unwrap();
        started.extend(start_all(&mut walk));
        assert_eq!(started.len(), items_run);
        started.into_iter().for_each(|(_, step)| walk.end(step, StepEnd::Done).unwrap());
        assert_eq!(walk.standing(), Standing::Paused);
        assert_eq!(walk.pauses(), [paused]);
        let again = walk.resume(paused).unwrap();
        assert_eq!(walk.standing(), Standing::Open);
        assert_eq!(start(&mut walk, 2), again);
        assert_eq!(walk.past(again).own(), [paused]);
    }
}

#[test]
fn a_pause_is_answered_once_and_when_nothing_else_runs() {
    let mut walk = walk(&Drawing::begin().steps(2).edge(0, 1).edge(0, 2), 8);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    let (paused, other) = (started[0].1, started[1].1);
    walk.end(paused, StepEnd::Paused).unwrap();
    assert_eq!(walk.resume(paused), Err(Misfit::RunUnderWay));
    assert_eq!(walk.resume(other), Err(Misfit::NotPaused));
    walk.end(other, StepEnd::Done).unwrap();
    walk.resume(paused).unwrap();
    assert_eq!(walk.resume(paused), Err(Misfit::NotPaused));
    pass_by(&mut walk, 1);
    assert_eq!(record(&mut walk), [0, 1, 2, 1]);
}

#[test]
fn a_loop_goes_back_until_its_rounds_are_over_in_each_item_anew() {
    let drawing = Drawing::begin().iteration().edge(0, 1).steps(1).inside(1).back_to(2, 3).inside(1);
    let mut walk = walk(&drawing.edge(2, 3), 1);
    pass_by(&mut walk, 0);
    let iteration = start(&mut walk, 1);
    walk.open(iteration, 2, 1).unwrap();
    for (round, may_jump) in [true, true, false, true, true, false].into_iter().enumerate() {
        let repeated = pass_by(&mut walk, 2);
        let back = start(&mut walk, 3);
        assert_eq!((walk.may_jump(back), walk.jumps(back)), (may_jump, round as u32 % 3));
        assert_eq!(walk.parents(back), [repeated]);
        walk.end(back, StepEnd::Jump).unwrap();
    }
    assert_eq!(walk.next(), Some(Next::Close(iteration)));
}

#[test]
fn what_comes_after_an_iteration_has_its_children_in_its_past() {
    let drawing = one_child().steps(1).edge(1, 3);
    let mut walk = walk(&drawing, 1);
    let begin = pass_by(&mut walk, 0);
    let iteration = start(&mut walk, 1);
    walk.open(iteration, 2, 1).unwrap();
    let children = [pass_by(&mut walk, 2), pass_by(&mut walk, 2)];
    assert_eq!(walk.past(children[1]).iter().collect::<Vec<_>>(), [begin]);
    walk.next();
    walk.end(iteration, StepEnd::Done).unwrap();
    let last = start(&mut walk, 3);
    assert_eq!(walk.past(last).own(), [begin, children[0], children[1], iteration]);
    assert_eq!(walk.past(last).newest_first().next(), Some(iteration));
}

#[test]
fn the_steps_of_an_iteration_share_what_comes_before_it() {
    let mut walk = walk(&one_child(), 8);
    pass_by(&mut walk, 0);
    let iteration = start(&mut walk, 1);
    walk.open(iteration, 2, 2).unwrap();
    let pasts: Vec<Past> = start_all(&mut walk).into_iter().map(|(_, step)| walk.past(step)).collect();
    assert!(Arc::ptr_eq(pasts[0].outer().unwrap(), pasts[1].outer().unwrap()));
}

/// A chain of `steps` cards behind Start that is repeated as often as a Loop can.
fn long_chain(steps: usize) -> Drawing {
    let cards: Vec<usize> = (0..=steps + 1).collect();
    Drawing::begin().steps(steps).back_to(1, 100).chain(&cards)
}

#[test]
fn one_step_more_than_a_run_may_have_fails_it() {
    let mut walk = walk(&long_chain(10), 64);
    let mut count = 0;
    let breach = loop {
        match walk.next().unwrap() {
            Next::Start(step) => walk.end(step, StepEnd::Jump).unwrap(),
            Next::Breach(step) => break step,
            Next::Close(step) => panic!("{step:?}"),
        }
        count += 1;
    };
    assert_eq!(count, STEPS_MAX);
    walk.end(breach, StepEnd::Done).unwrap();
    assert_eq!(walk.standing(), Standing::Failed(breach));
    assert_eq!(record(&mut walk).len(), STEPS_MAX + 1);
}

#[test]
fn a_step_is_one_too_many_only_when_all_before_it_have_ended() {
    let drawing = (1..=STEPS_MAX).fold(Drawing::begin().steps(STEPS_MAX), |drawing, at| drawing.edge(0, at));
    let mut walk = walk(&drawing, STEPS_MAX);
    pass_by(&mut walk, 0);
    let started = start_all(&mut walk);
    assert_eq!(started.len(), STEPS_MAX - 1);
    for (_, step) in started {
        assert_eq!(walk.next(), None);
        walk.end(step, StepEnd::Done).unwrap();
    }
    assert!(matches!(walk.next(), Some(Next::Breach(_))));
}

#[test]
fn one_step_more_than_an_item_may_have_fails_the_item_alone() {
    let drawing = Drawing::begin().iteration().edge(0, 1);
    let drawing = (2..13).fold(drawing, |drawing, _| drawing.steps(1).inside(1)).back_to(2, 100).inside(1);
    let mut walk = walk(&drawing.chain(&(2..14).collect::<Vec<_>>()), 64);
    pass_by(&mut walk, 0);
    let iteration = start(&mut walk, 1);
    walk.open(iteration, 2, 1).unwrap();
    let mut breaches = 0;
    while let Some(next) = walk.next() {
        match next {
            Next::Start(step) => walk.end(step, StepEnd::Jump).unwrap(),
            Next::Breach(step) => {
                breaches += 1;
                walk.end(step, StepEnd::Failed).unwrap();
            }
            Next::Close(step) => walk.end(step, StepEnd::Done).unwrap(),
        }
    }
    assert_eq!(breaches, 2);
    assert!(walk.item_failure(iteration, 1).is_some());
    assert_eq!(walk.standing(), Standing::Complete);
}

#[test]
fn a_journal_of_another_graph_is_refused() {
    let step = StepId::new(7);
    let graph = Arc::new(Graph::compile(&one_child().canvas()).unwrap());
    for event in [Event::Started { step }, Event::Ended { step: StepId::new(0), end: StepEnd::Done }] {
        assert!(Walk::replay(graph.clone(), 1, &[event]).is_err());
    }
}
