//! Runs again from a step: with the same outcomes the story is the same, and nothing runs that stays.

use super::drive::Driver;
use super::fates::{Entry, Odds, Random, drop_begun};
use super::random::{draw, drawings};
use crate::engine::agentflow::drawing::Drawing;
use crate::engine::agentflow::graph::Graph;
use crate::engine::agentflow::walk::{StepEnd, StepPlace, Takeover};
use std::collections::HashSet;
use std::sync::Arc;

/// A run, one again from some step of it, and what stayed.
struct Reruns {
    first: Vec<Entry>,
    /// Of the steps of the first.
    places: Vec<StepPlace>,
    again: Vec<Entry>,
    ran: Vec<StepPlace>,
    taken: Takeover,
    /// The place in the record of the step from which it ran again.
    from: usize,
}

/// `None` where what had begun beside a failure is meant, which another run may not reach.
fn rerun(drawing: &Drawing, odds: Odds, random: &mut Random) -> Option<Reruns> {
    let graph = Arc::new(Graph::compile(&drawing.canvas()).unwrap());
    let mut first = Driver::new(drawing, graph.clone(), odds, 8);
    first.run();
    let (entries, places, told) = (first.entries(), first.places(), first.told());
    let sure = drop_begun(entries.clone());
    let key = sure[random.below(sure.len())].key.clone();
    let is_meant = |place: &StepPlace| {
        place.node.at() == key.node && place.visit == key.visit && is_within(place, &key.path)
    };
    let chosen = places.iter().find(|place| is_meant(place))?;
    let node = chosen.node;
    let item = chosen.within.last().map(|around| around.item).filter(|_| random.percent(50));
    let of_item =
        |place: &StepPlace| item.is_none_or(|item| place.within.last().is_some_and(|of| of.item == item));
    let from = (0..places.len())
        .filter(|&at| places[at].node == node && of_item(&places[at]))
        .max_by_key(|&at| (places[at].within.clone(), places[at].visit))
        .unwrap();
    let taken = Takeover::choose(&graph, &told, node, item)?;
    let mut again = Driver::new(drawing, graph, odds, 3).rerun(taken.clone(), told);
    again.run();
    Some(Reruns { first: entries, places, again: again.entries(), ran: again.ran, taken, from })
}

fn is_within(place: &StepPlace, path: &[(usize, usize, usize)]) -> bool {
    let around = place.within.iter().map(|around| (around.node.at(), around.visit, around.item));
    around.eq(path.iter().copied())
}

fn for_each_rerun(failures: usize, check: impl Fn(u64, &Drawing, &Reruns)) {
    for seed in 0..drawings() {
        let mut random = Random(seed * 7 + failures as u64);
        let drawing = draw(&mut random);
        let odds = Odds { seed: random.number(), failures, pauses: 0 };
        match rerun(&drawing, odds, &mut random) {
            Some(runs) => check(seed, &drawing, &runs),
            None => assert!(failures > 0, "drawing {seed}: {drawing:?}"),
        }
    }
}

#[test]
fn a_run_again_with_the_same_outcomes_tells_the_same_story() {
    for_each_rerun(0, |seed, drawing, runs| {
        assert_eq!(runs.again, runs.first, "drawing {seed}: {drawing:?}");
    });
}

#[test]
fn a_run_again_that_fails_again_tells_the_same_story_up_to_there() {
    for_each_rerun(6, |seed, drawing, runs| {
        let (first, again) = (drop_begun(runs.first.clone()), drop_begun(runs.again.clone()));
        assert_eq!(again, first, "drawing {seed}: {drawing:?}");
    });
}

#[test]
fn what_came_before_the_step_stays_and_what_came_after_it_runs() {
    for_each_rerun(0, |seed, drawing, runs| {
        let ran: HashSet<&StepPlace> = runs.ran.iter().collect();
        let entered = |place: &StepPlace| runs.taken.entered.contains(place);
        assert!(ran.contains(&runs.places[runs.from]), "drawing {seed}: {drawing:?}");
        for &before in &runs.first[runs.from].past {
            assert!(!ran.contains(&runs.places[before]), "drawing {seed}: {drawing:?}");
        }
        for (at, entry) in runs.first.iter().enumerate() {
            let place = &runs.places[at];
            let follows = entry.past.contains(&runs.from);
            assert!(
                !follows || ran.contains(place) || entered(place),
                "drawing {seed}, {place:?}: {drawing:?}"
            );
            // What stays ended as it did.
            let stays = runs.taken.kept.contains(place);
            assert!(stays != ran.contains(place) || entered(place), "drawing {seed}, {place:?}: {drawing:?}");
        }
    });
}

fn followers(drawing: &Drawing, card: usize) -> impl Iterator<Item = usize> {
    drawing.edges.iter().filter(move |(from, _)| from.card() == card).map(|&(_, to)| to)
}

/// Where loops go back to that repeat the card: what they repeat comes after all of it.
fn loops_over(drawing: &Drawing, card: usize) -> Vec<usize> {
    let mut targets = Vec::new();
    for back in drawing.cards.iter().filter_map(|drawn| drawn.back) {
        // A Loop to Start repeats what follows it.
        let begins: Vec<usize> = if back == 0 { followers(drawing, 0).collect() } else { vec![back] };
        let mut region = begins.clone();
        let mut at = 0;
        while let Some(&repeated) = region.get(at) {
            let more: Vec<usize> =
                followers(drawing, repeated).filter(|card| !region.contains(card)).collect();
            region.extend(more);
            at += 1;
        }
        if region.contains(&card) {
            targets.extend(begins);
        }
    }
    targets
}

#[test]
fn what_nothing_leads_to_from_the_step_stays() {
    for_each_rerun(0, |seed, drawing, runs| {
        let again = runs.places[runs.from].node.at();
        // Iterations lead to what is inside of them, and what is inside on to what follows them.
        let mut reached = vec![again];
        let mut at = 0;
        while let Some(&card) = reached.get(at) {
            let inside = (0..drawing.cards.len()).filter(|&other| drawing.cards[other].parent == Some(card));
            let back = loops_over(drawing, card).into_iter();
            let more: Vec<usize> = inside
                .chain(followers(drawing, card))
                .chain(back)
                .chain(drawing.cards[card].parent)
                .collect();
            reached.extend(more.into_iter().filter(|card| !reached.contains(card)).collect::<HashSet<_>>());
            at += 1;
        }
        for place in &runs.ran {
            assert!(reached.contains(&place.node.at()), "drawing {seed}, {place:?}: {drawing:?}");
        }
    });
}

#[test]
fn a_step_that_failed_its_run_is_run_again_whatever_is_meant() {
    for_each_rerun(8, |seed, drawing, runs| {
        let failed =
            runs.first.iter().position(|entry| entry.end == StepEnd::Failed && entry.key.path.is_empty());
        let stays = failed.is_some_and(|at| runs.taken.kept.contains(&runs.places[at]));
        assert!(!stays, "drawing {seed}: {drawing:?}");
    });
}
