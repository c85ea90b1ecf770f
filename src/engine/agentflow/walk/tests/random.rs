//! Thousands of drawings nobody drew: the walk tells what the interpreter tells. `FLOWKEEP_DRAWINGS` says how many for each
//! test; some hundreds by default.

use super::drive::Driver;
use super::fates::{Entry, Odds, Random, drop_begun};
use super::interpreter::Interpreter;
use crate::engine::agentflow::drawing::{Drawing, DrawnCard, From, STEP};
use crate::engine::agentflow::graph::{Graph, ITERATION, LOOP, START};
use crate::engine::agentflow::walk::Standing;
use serde_json::{Value, json};
use std::sync::Arc;

const DRAWINGS: u64 = 500;

pub(super) fn drawings() -> u64 {
    std::env::var("FLOWKEEP_DRAWINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(DRAWINGS)
}

const BRANCHES: [usize; 4] = [1, 2, 8, 64];
/// Answers that a run gets before its test ends.
const ANSWERS_MAX: usize = 6;

fn card(name: &'static str, parent: Option<usize>) -> DrawnCard {
    DrawnCard { name, parent, back: None, rounds: Value::Null }
}

/// A drawing without faults: edges lead from lower numbers to higher ones, a Loop back along them.
pub(super) fn draw(random: &mut Random) -> Drawing {
    let mut drawing = Drawing { cards: vec![card(START, None)], edges: Vec::new() };
    let count = 3 + random.below(10);
    while drawing.cards.len() < count {
        let iterations: Vec<usize> =
            (0..drawing.cards.len()).filter(|&at| drawing.cards[at].name == ITERATION).collect();
        let parent = (!iterations.is_empty() && random.percent(60))
            .then(|| iterations[random.below(iterations.len())]);
        let name = if iterations.len() < 3 && random.percent(20) { ITERATION } else { STEP };
        drawing.cards.push(card(name, parent));
        connect(&mut drawing, random);
        if random.percent(25) {
            add_loop(&mut drawing, random);
        }
    }
    for at in (1..drawing.edges.len()).rev() {
        drawing.edges.swap(at, random.below(at + 1));
    }
    drawing
}

/// Leads some edges to the last card.
fn connect(drawing: &mut Drawing, random: &mut Random) {
    let last = drawing.cards.len() - 1;
    let parent = drawing.cards[last].parent;
    let before: Vec<usize> = (0..last)
        .filter(|&at| drawing.cards[at].parent == parent && drawing.cards[at].name != LOOP)
        .collect();
    if before.is_empty() || (parent.is_some() && random.percent(20)) {
        return;
    }
    for _ in 0..1 + random.below(3) {
        let from = before[random.below(before.len())];
        let from = match random.below(10) {
            0 if from > 0 => From::Error(from),
            1..=4 if from > 0 && drawing.cards[from].name == STEP => From::Choice(from, random.below(3)),
            _ => From::Step(from),
        };
        drawing.edges.push((from, last));
    }
}

fn add_loop(drawing: &mut Drawing, random: &mut Random) {
    let parent = drawing.cards[drawing.cards.len() - 1].parent;
    drawing.cards.push(card(LOOP, parent));
    connect(drawing, random);
    let last = drawing.cards.len() - 1;
    let mut ancestors = vec![last];
    let mut at = 0;
    while at < ancestors.len() {
        let into = drawing.edges.iter().filter(|(_, to)| *to == ancestors[at]);
        let more: Vec<usize> =
            into.map(|(from, _)| from.card()).filter(|card| !ancestors.contains(card)).collect();
        ancestors.extend(more);
        at += 1;
    }
    let last = &mut drawing.cards[last];
    if ancestors.len() == 1 {
        last.name = STEP;
    } else {
        last.back = Some(ancestors[1 + random.below(ancestors.len() - 1)]);
        last.rounds = json!(1 + random.below(3));
    }
}

/// Which of so many pauses are answered at once.
fn answers(random: &mut Random, count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).filter(|_| random.percent(40)).collect();
    if places.is_empty() {
        places.push(random.below(count));
    }
    if random.percent(30) {
        places.reverse();
    }
    places
}

fn told(drawing: &Drawing, odds: Odds) -> Vec<Entry> {
    let mut run = Interpreter::run(drawing, odds);
    let mut random = Random(odds.seed);
    for _ in 0..ANSWERS_MAX {
        let pauses = run.pauses();
        if pauses.is_empty() {
            break;
        }
        let chosen: Vec<usize> =
            answers(&mut random, pauses.len()).into_iter().map(|place| pauses[place]).collect();
        run.resume(&chosen);
    }
    drop_begun(run.entries())
}

fn walked(drawing: &Drawing, graph: &Arc<Graph>, odds: Odds, branches: usize) -> Vec<Entry> {
    let mut driver = Driver::new(drawing, graph.clone(), odds, branches);
    let mut random = Random(odds.seed);
    driver.run();
    for _ in 0..ANSWERS_MAX {
        let pauses = driver.walk.pauses().len();
        assert_eq!(driver.walk.standing() == Standing::Paused, pauses > 0);
        if pauses == 0 {
            break;
        }
        driver.resume(&answers(&mut random, pauses));
        driver.run();
    }
    drop_begun(driver.entries())
}

fn compare(failures: usize, pauses: usize) {
    for seed in 0..drawings() {
        let mut random = Random(seed * 4 + (failures + pauses) as u64);
        let drawing = draw(&mut random);
        let odds = Odds { seed: random.number(), failures, pauses };
        let graph = Arc::new(Graph::compile(&drawing.canvas()).unwrap());
        let expected = told(&drawing, odds);
        for branches in BRANCHES {
            let found = walked(&drawing, &graph, odds, branches);
            let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            let first = differs.map(|at| (at, &found[at], &expected[at]));
            assert!(
                found == expected,
                "drawing {seed}, {branches} branches, {} and {} entries: {first:#?}\n{drawing:?}",
                found.len(),
                expected.len(),
            );
        }
    }
}

#[test]
fn every_order_of_ending_tells_the_same_story() {
    compare(0, 0);
}

#[test]
fn the_story_is_the_same_up_to_what_fails() {
    compare(8, 0);
}

#[test]
fn pauses_and_answers_tell_the_same_story() {
    compare(0, 15);
}

#[test]
fn failures_among_pauses_tell_the_same_story() {
    compare(4, 12);
}
