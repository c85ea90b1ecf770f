//! How the flows of a file run here: what validation says of each, ordered by what is to be done about it.

use super::ItemKind;
use super::flow;
use super::import::renamed_cards;
use super::parse::{ImportItem, display_name};
use super::plan::ImportStep;
use crate::canvas::Canvas;
use crate::domain::flows::card_problems::{CardProblems, can_run};
use crate::ops::flows::validation::unknown_cards;
use crate::wire::workspace::coverage::{Coverage, CoveredFlow, MissingCard};
use std::collections::BTreeMap;

/// The flows that are written, or would be.
pub(super) fn of_flows(
    items: &[ImportItem],
    steps: &[ImportStep],
    problems: &[Vec<CardProblems>],
) -> Coverage {
    let mut found = Coverage::default();
    let mut missing: BTreeMap<String, MissingCard> = BTreeMap::new();
    for ((item, step), problems) in items.iter().zip(steps).zip(problems) {
        let ItemKind::Flow(kind) = item.kind else { continue };
        if !step.is_written() {
            continue;
        }
        let mut notes: Vec<String> = problems.iter().flat_map(told).collect();
        notes.extend(item.notes.iter().cloned());
        notes.extend(renamed_cards(item));
        let place = if !can_run(problems) {
            &mut found.waits
        } else if notes.is_empty() {
            &mut found.runs
        } else {
            &mut found.differs
        };
        place.push(CoveredFlow { id: step.id, name: item.name.clone(), r#type: kind, notes });
        note_missing(item, &mut missing);
    }
    found.missing_cards = missing.into_values().collect();
    found
}

/// What is wrong with a card, each with the card's label before it.
fn told(card: &CardProblems) -> impl Iterator<Item = String> {
    let label = display_name(&card.label);
    card.issues.iter().map(move |issue| format!("{label}: {issue}"))
}

fn note_missing(item: &ImportItem, missing: &mut BTreeMap<String, MissingCard>) {
    let Ok(canvas) = Canvas::parse(flow::canvas_of(item)) else { return };
    for name in unknown_cards(&canvas) {
        let name = display_name(name);
        let card = missing.entry(name.clone()).or_insert(MissingCard { name, count: 0, flows: Vec::new() });
        card.count += 1;
        if card.flows.last() != Some(&item.name) {
            card.flows.push(item.name.clone());
        }
    }
}
