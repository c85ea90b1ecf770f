//! How the answers of the sides differ beside facts: length, lists, sources, steps and words. None of it reports a change;
//! it says what a change consists of.

use super::answer::Answer;
use super::evidence::{list, other_items};
use super::facts::lists;
use super::facts::structure::parse_json;
use super::sides::SideNames;
use super::verdict::{StepChange, StepDifference, Why, WhyCode};
use super::words::{quote, split_words};
use std::collections::{BTreeSet, HashSet};

/// How much longer than every answer of Live an answer must be to be called longer.
const MUCH_LONGER: f64 = 1.6;
/// Words that a sentence names of each side.
const WORDS_NAMED: usize = 5;

/// What sets the good answers of the draft apart from Live's.
#[must_use]
pub(crate) fn describe(
    live: &[&Answer],
    draft: &[&Answer],
    steps: &[StepChange],
    sides: SideNames,
) -> Vec<Why> {
    if live.is_empty() || draft.is_empty() {
        return Vec::new();
    }
    let found = [
        length(live, draft, sides),
        items(live, draft, sides),
        json(live, draft, sides),
        sources(live, draft, sides),
        path(steps, sides),
    ];
    found.into_iter().flatten().chain(words(live, draft, sides)).collect()
}

fn length(live: &[&Answer], draft: &[&Answer], SideNames { left, right }: SideNames) -> Option<Why> {
    let lengths = |side: &[&Answer]| {
        let mut lengths: Vec<usize> = side.iter().map(|answer| split_words(&answer.text).len()).collect();
        lengths.sort_unstable();
        lengths
    };
    let (live, draft) = (lengths(live), lengths(draft));
    let (least, most, middle) = (*live.first()?, *live.last()?, draft[draft.len() / 2]);
    let is_far = |short: usize, long: usize| long as f64 > short as f64 * MUCH_LONGER && long - short > 5;
    let of_live = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let word = match (is_far(most, middle), is_far(middle, least)) {
        (true, _) => "longer",
        (_, true) => "shorter",
        _ => return None,
    };
    let message =
        format!("{}'s answer is much {word}: {middle} words, where {left}'s has {of_live}.", right.opening());
    Some(Why::new(WhyCode::Length, message))
}

fn items(live: &[&Answer], draft: &[&Answer], SideNames { left, right }: SideNames) -> Option<Why> {
    let items =
        |side: &[&Answer]| side.iter().map(|answer| lists::items(&answer.text)).collect::<Vec<Vec<String>>>();
    let (of_live, of_draft) = (items(live), items(draft));
    let counts = |side: &[Vec<String>]| -> BTreeSet<usize> { side.iter().map(Vec::len).collect() };
    let (live, draft) = (counts(&of_live), counts(&of_draft));
    let shown = |counts: &BTreeSet<usize>| list(counts.iter().map(ToString::to_string));
    if !live.is_disjoint(&draft) {
        let (live, draft) = other_items(&of_live, &of_draft)?;
        let message = format!("{} lists {live}, {right} lists {draft}.", left.opening());
        return Some(Why::new(WhyCode::List, message));
    }
    let has_none = |counts: &BTreeSet<usize>| counts.len() == 1 && counts.contains(&0);
    let message = if has_none(&live) {
        format!("{} answers with a list of {} items, {left} without one.", right.opening(), shown(&draft))
    } else if has_none(&draft) {
        format!("{} answers with a list of {} items, {right} without one.", left.opening(), shown(&live))
    } else {
        format!("{} lists {} items, {right} {}.", left.opening(), shown(&live), shown(&draft))
    };
    Some(Why::new(WhyCode::List, message))
}

fn json(live: &[&Answer], draft: &[&Answer], SideNames { left, right }: SideNames) -> Option<Why> {
    let is_json = |answer: &&Answer| answer.json.is_some() || parse_json(&answer.text).is_some();
    // Where a shape is declared, this is a hard fact and told as one.
    if live.iter().chain(draft).any(|answer| answer.structured.is_some()) {
        return None;
    }
    let (with, without) = if live.iter().all(is_json) && !draft.iter().any(is_json) {
        (left, right)
    } else if draft.iter().all(is_json) && !live.iter().any(is_json) {
        (right, left)
    } else {
        return None;
    };
    let message = format!("{} answers with JSON, {without} with text.", with.opening());
    Some(Why::new(WhyCode::Structure, message))
}

fn sources(live: &[&Answer], draft: &[&Answer], SideNames { left, right }: SideNames) -> Option<Why> {
    let of = |answer: &Answer| answer.sources.iter().cloned().collect::<BTreeSet<String>>();
    let seen: BTreeSet<String> = live.iter().flat_map(|answer| of(answer)).collect();
    let found: BTreeSet<String> = draft.iter().flat_map(|answer| of(answer)).collect();
    let always = live.iter().map(|answer| of(answer)).reduce(|one, other| &one & &other).unwrap_or_default();
    let (lost, new) = (always.difference(&found).count(), found.difference(&seen).count());
    let message = match (seen.len(), found.len(), lost, new) {
        (_, _, 0, 0) => return None,
        (all, 0, ..) => {
            format!("{} answers from {all} pieces of its sources, {right} from none.", left.opening())
        }
        (0, all, ..) => {
            format!("{} answers from {all} pieces of its sources, {left} from none.", right.opening())
        }
        _ => format!(
            "{} answers from other pieces of its sources: {lost} that {left} uses are missing, {new} are new.",
            right.opening()
        ),
    };
    Some(Why::new(WhyCode::Sources, message))
}

fn path(steps: &[StepChange], SideNames { left, right }: SideNames) -> Option<Why> {
    let labels = |difference: StepDifference| {
        let of_kind: Vec<String> = steps
            .iter()
            .filter(|step| step.difference == difference)
            .map(|step| quote(&step.node_label))
            .collect();
        (!of_kind.is_empty()).then(|| list(of_kind.into_iter()))
    };
    let parts = [
        (StepDifference::OnlyLive, format!("only {left} ran")),
        (StepDifference::OnlyDraft, format!("only {right} ran")),
        (StepDifference::Status, "ended otherwise:".to_owned()),
        (StepDifference::ToolCalls, "called other tools:".to_owned()),
        (StepDifference::Output, "gave something else:".to_owned()),
    ];
    let told: Vec<String> = parts
        .into_iter()
        .filter_map(|(difference, words)| Some(format!("{words} {}", labels(difference)?)))
        .collect();
    let message = format!("Steps differ: {}.", told.join("; "));
    (!told.is_empty()).then(|| Why::new(WhyCode::Steps, message))
}

/// Words that all answers of a side have and none of the other.
fn words(live: &[&Answer], draft: &[&Answer], SideNames { left, right }: SideNames) -> Option<Why> {
    let sets = |side: &[&Answer]| -> Vec<HashSet<String>> {
        side.iter().map(|answer| split_words(&answer.text).into_iter().collect()).collect()
    };
    let (of_live, of_draft) = (sets(live), sets(draft));
    let only = |first: &Answer, of: &[HashSet<String>], not_of: &[HashSet<String>]| {
        let mut seen = HashSet::new();
        let telling = split_words(&first.text).into_iter().filter(|word| {
            let is_long = word.chars().count() > 3 || !word.is_ascii();
            is_long && of.iter().all(|set| set.contains(word)) && !not_of.iter().any(|set| set.contains(word))
        });
        let telling: Vec<String> =
            telling.filter(|word| seen.insert(word.clone())).take(WORDS_NAMED).collect();
        (!telling.is_empty()).then(|| quote(&telling.join(", ")))
    };
    let message = match (only(live[0], &of_live, &of_draft), only(draft[0], &of_draft, &of_live)) {
        (Some(live), Some(draft)) => format!("Only {left} says {live}, only {right} says {draft}."),
        (Some(live), None) => format!("Only {left} says {live}."),
        (None, Some(draft)) => format!("Only {right} says {draft}."),
        (None, None) => return None,
    };
    Some(Why::new(WhyCode::Wording, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, sources: &[&str]) -> Answer {
        let sources = sources.iter().map(|one| (*one).to_owned()).collect();
        Answer { text: text.to_owned(), sources, ..Answer::default() }
    }

    fn found(live: &[Answer], draft: &Answer) -> Vec<(WhyCode, String)> {
        let live: Vec<&Answer> = live.iter().collect();
        describe(&live, &[draft], &[], SideNames::default())
            .into_iter()
            .map(|why| (why.code, why.message))
            .collect()
    }

    #[test]
    fn length_is_told_where_no_answer_of_live_is_near() {
        let live = [said(&"word ".repeat(20), &[]), said(&"word ".repeat(30), &[])];
        let draft = said(&"word ".repeat(60), &[]);
        let message = "The draft's answer is much longer: 60 words, where Live's has 20 to 30.".to_owned();
        assert_eq!(found(&live, &draft), [(WhyCode::Length, message)]);
        assert_eq!(found(&live, &said(&"word ".repeat(40), &[])), []);
    }

    #[test]
    fn lists_sources_and_words_are_told() {
        let live = [said("Bring:\n- the passport\n- the ticket", &["a", "b"])];
        let told = found(&live, &said("Bring the voucher", &[]));
        let codes: Vec<WhyCode> = told.iter().map(|why| why.0).collect();
        assert_eq!(codes, [WhyCode::List, WhyCode::Sources, WhyCode::Wording]);
        assert_eq!(told[0].1, "Live answers with a list of 2 items, the draft without one.");
        assert_eq!(told[1].1, "Live answers from 2 pieces of its sources, the draft from none.");
        assert_eq!(told[2].1, "Only Live says \"passport, ticket\", only the draft says \"voucher\".");
    }

    #[test]
    fn items_of_lists_are_named_where_each_side_has_others() {
        let live = [said("- the passport\n- the ticket", &[]), said("- The  Ticket\n- the passport", &[])];
        let told = found(&live, &said("- the passport\n- the voucher", &[]));
        let message = "Live lists \"the ticket\", the draft lists \"the voucher\".".to_owned();
        assert_eq!(told[0], (WhyCode::List, message));
        assert!(
            !found(&live, &said("- the ticket\n- the passport", &[]))
                .iter()
                .any(|why| why.0 == WhyCode::List)
        );
    }

    #[test]
    fn other_sources_are_counted() {
        let live = [said("", &["a", "b"]), said("", &["a", "c"])];
        let told = found(&live, &said("", &["b", "d"]));
        assert!(told[0].1.contains("1 that Live uses are missing, 1 are new"), "{told:?}");
        assert_eq!(found(&live, &said("", &["a"])), []);
    }
}
