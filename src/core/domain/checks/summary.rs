//! A check in numbers (manual 18.4).

use super::answer::Answer;
use super::case::CaseAnswers;

/// What both sides came to, over the questions that both answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckSummary {
    pub ran: usize,
    pub same: usize,
    pub changed: usize,
    pub errors: usize,
    pub live_tokens: u64,
    pub draft_tokens: u64,
    pub live_median_ms: Option<u64>,
    pub draft_median_ms: Option<u64>,
}

impl CheckSummary {
    /// Over these questions. Tokens are those of all answers, everything else is by the first of a side.
    pub(crate) fn of<'a>(cases: impl Iterator<Item = &'a CaseAnswers>, live_empty: bool) -> Self {
        let mut summary = Self::default();
        let (mut live_ms, mut draft_ms) = (Vec::new(), Vec::new());
        for case in cases {
            summary.ran += 1;
            match case.is_same() {
                _ if case.failed() => summary.errors += 1,
                Some(true) => summary.same += 1,
                Some(false) => summary.changed += 1,
                None => {}
            }
            summary.live_tokens += tokens(&case.live);
            summary.draft_tokens += tokens(&case.draft);
            live_ms.extend(case.live.first().filter(|_| !live_empty).map(|answer| answer.ms));
            draft_ms.extend(case.draft.first().map(|answer| answer.ms));
        }
        summary.live_median_ms = median(live_ms);
        summary.draft_median_ms = median(draft_ms);
        summary
    }
}

fn tokens(answers: &[Answer]) -> u64 {
    answers.iter().filter_map(|answer| answer.tokens).sum()
}

/// The one in the middle; of an even number the mean of the two there. `None` of none.
pub(crate) fn median(mut numbers: Vec<u64>) -> Option<u64> {
    numbers.sort_unstable();
    let middle = numbers.len() / 2;
    let upper = *numbers.get(middle)?;
    if numbers.len() % 2 == 1 {
        return Some(upper);
    }
    Some(numbers[middle - 1].midpoint(upper))
}

impl CaseAnswers {
    /// The first answers match but for case and spacing; false when one of them failed; `None` until both sides have run.
    #[must_use]
    pub fn is_same(&self) -> Option<bool> {
        let (live, draft) = (self.live.first()?, self.draft.first()?);
        Some(live.error.is_none() && draft.error.is_none() && live.digest == draft.digest)
    }

    /// The first answer of a side is a failure.
    #[must_use]
    pub(crate) fn failed(&self) -> bool {
        self.live.first().into_iter().chain(self.draft.first()).any(|answer| answer.error.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, ms: u64) -> Answer {
        Answer { ms, tokens: Some(3), ..Answer::from_text(text) }
    }

    fn failed() -> Answer {
        Answer { error: Some("No.".to_owned()), ..Answer::default() }
    }

    fn case(live: Vec<Answer>, draft: Vec<Answer>) -> CaseAnswers {
        CaseAnswers { live, draft, ..CaseAnswers::default() }
    }

    #[test]
    fn what_differs_in_case_and_spacing_alone_is_the_same() {
        let one = case(vec![said("Hello  World\n", 1)], vec![said(" hello world", 2)]);
        assert_eq!(one.is_same(), Some(true));
        assert_eq!(case(vec![said("a", 1)], vec![said("b", 1)]).is_same(), Some(false));
        assert_eq!(case(vec![failed()], vec![failed()]).is_same(), Some(false));
        assert_eq!(case(vec![said("a", 1)], vec![]).is_same(), None);
    }

    #[test]
    fn same_changed_and_errors_make_up_what_ran() {
        let cases = [
            case(vec![said("a", 10), said("x", 90)], vec![said("A", 30)]),
            case(vec![said("a", 20)], vec![said("b", 50)]),
            case(vec![failed()], vec![said("b", 40)]),
        ];
        let summary = CheckSummary::of(cases.iter(), false);
        let counts = (summary.ran, summary.same, summary.changed, summary.errors);
        assert_eq!(counts, (3, 1, 1, 1));
        assert_eq!((summary.live_tokens, summary.draft_tokens), (9, 9));
        assert_eq!((summary.live_median_ms, summary.draft_median_ms), (Some(10), Some(40)));
    }

    #[test]
    fn an_empty_live_has_no_time_and_no_tokens() {
        let cases = [case(vec![], vec![said("a", 7)]), case(vec![], vec![failed()])];
        let summary = CheckSummary::of(cases.iter(), true);
        assert_eq!((summary.ran, summary.same, summary.changed, summary.errors), (2, 0, 0, 1));
        assert_eq!(
            (summary.live_tokens, summary.live_median_ms, summary.draft_median_ms),
            (0, None, Some(3))
        );
    }

    #[test]
    fn a_median_is_the_middle_one_or_the_mean_of_two() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![9, 1, 5]), Some(5));
        assert_eq!(median(vec![4, 1, 9, 6]), Some(5));
    }
}
