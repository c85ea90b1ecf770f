//! Which steps of an agentflow differ between the sides.

use super::answer::{Answer, StepTrace};
use super::verdict::{StepChange, StepDifference};
use std::collections::HashSet;

/// Everything that one answer says of one step, which may have run several times.
struct Step<'a> {
    label: &'a str,
    statuses: Vec<&'a str>,
    tools: Vec<&'a str>,
    outputs: Vec<&'a str>,
}

impl<'a> Step<'a> {
    fn read(steps: &'a [StepTrace], node: &str) -> Option<Self> {
        let mut runs = steps.iter().filter(|step| step.node_id == node).peekable();
        let label = runs.peek()?.node_label.as_str();
        let mut step = Self { label, statuses: Vec::new(), tools: Vec::new(), outputs: Vec::new() };
        for run in runs {
            step.statuses.push(&run.status);
            step.tools.extend(run.tools.iter().map(String::as_str));
            step.outputs.push(&run.output);
        }
        Some(step)
    }
}

/// How a step differs between two answers, what weighs most first.
fn differences(live: &[StepTrace], draft: &[StepTrace], node: &str) -> Vec<StepDifference> {
    let (one, other) = match (Step::read(live, node), Step::read(draft, node)) {
        (Some(one), Some(other)) => (one, other),
        (Some(_), None) => return vec![StepDifference::OnlyLive],
        (None, Some(_)) => return vec![StepDifference::OnlyDraft],
        (None, None) => return Vec::new(),
    };
    let mut found = Vec::new();
    if one.statuses.iter().collect::<HashSet<_>>() != other.statuses.iter().collect::<HashSet<_>>() {
        found.push(StepDifference::Status);
    }
    if one.tools != other.tools {
        found.push(StepDifference::ToolCalls);
    }
    if one.outputs != other.outputs {
        found.push(StepDifference::Output);
    }
    found
}

/// The nodes of answers, each once, in the order in which they ended first.
fn nodes<'a>(answers: impl Iterator<Item = &'a Answer>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    answers
        .flat_map(|answer| &answer.steps)
        .map(|step| step.node_id.as_str())
        .filter(|node| seen.insert(*node))
        .collect()
}

/// The steps that differ between the first answers of the sides, but for what differs between answers of Live too.
#[must_use]
pub(crate) fn compare(live: &[&Answer], draft: &[&Answer]) -> Vec<StepChange> {
    let (Some(first), Some(other)) = (live.first(), draft.first()) else { return Vec::new() };
    let mut changes = Vec::new();
    for node in nodes([*first, *other].into_iter()) {
        let varies = |difference: StepDifference| {
            live.iter().skip(1).any(|again| match difference {
                // A step that some answers of Live go through and others do not is noise in both directions.
                StepDifference::OnlyLive | StepDifference::OnlyDraft => {
                    Step::read(&again.steps, node).is_some() != Step::read(&first.steps, node).is_some()
                }
                other => differences(&first.steps, &again.steps, node).contains(&other),
            })
        };
        let found = differences(&first.steps, &other.steps, node).into_iter().find(|one| !varies(*one));
        let step = Step::read(&first.steps, node).or_else(|| Step::read(&other.steps, node));
        if let (Some(difference), Some(step)) = (found, step) {
            changes.push(StepChange {
                node_id: node.to_owned(),
                node_label: step.label.to_owned(),
                difference,
            });
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(steps: &[(&str, &str, &str)]) -> Answer {
        let step = |(node, output, tool): &(&str, &str, &str)| StepTrace {
            node_id: (*node).to_owned(),
            node_label: node.to_uppercase(),
            status: "FINISHED".to_owned(),
            output: (*output).to_owned(),
            tools: if tool.is_empty() { Vec::new() } else { vec![(*tool).to_owned()] },
        };
        Answer { steps: steps.iter().map(step).collect(), ..Answer::default() }
    }

    fn found(live: &[&Answer], draft: &Answer) -> Vec<(String, StepDifference)> {
        compare(live, &[draft]).into_iter().map(|change| (change.node_id, change.difference)).collect()
    }

    #[test]
    fn a_step_differs_by_what_weighs_most() {
        let live = answer(&[("start", "a", ""), ("billing", "b", ""), ("llm", "c", "search")]);
        let draft = answer(&[("start", "a", ""), ("sales", "b", ""), ("llm", "d", "")]);
        let expected = [
            ("billing".to_owned(), StepDifference::OnlyLive),
            ("llm".to_owned(), StepDifference::ToolCalls),
            ("sales".to_owned(), StepDifference::OnlyDraft),
        ];
        assert_eq!(found(&[&live], &draft), expected);
    }

    #[test]
    fn what_differs_within_live_is_not_told() {
        let live = answer(&[("start", "a", ""), ("llm", "c", "")]);
        let again = answer(&[("start", "a", ""), ("llm", "e", "")]);
        let draft = answer(&[("start", "x", ""), ("llm", "d", "")]);
        assert_eq!(found(&[&live, &again], &draft), [("start".to_owned(), StepDifference::Output)]);
        assert_eq!(found(&[&live, &again], &live), []);
    }
}
