//! One question of a check with what its answers say: its facts, and what was expected of them. What it says is known once the
//! question is answered, whatever becomes of the others.

use super::answer::Answer;
use super::case::CaseAnswers;
use super::evidence::{Evidence, Finding};
use super::sides::SideNames;
use super::verdict::{Why, WhyCode};
use super::wording::is_same_text;
use super::words::quote;

/// The answers of one side to one question.
pub(super) struct SideAnswers<'a> {
    /// All answers but second asks.
    pub all: Vec<&'a Answer>,
    /// Those of them that did not fail.
    pub good: Vec<&'a Answer>,
    pub again: Vec<&'a Answer>,
}

impl<'a> SideAnswers<'a> {
    pub(super) fn of(answers: &'a [Answer]) -> Self {
        let (again, all): (Vec<&Answer>, Vec<&Answer>) = answers.iter().partition(|answer| answer.again);
        let good = all.iter().filter(|answer| answer.error.is_none()).copied().collect();
        Self { all, good, again }
    }

    /// Its first answer is a failure, or more than half of them are.
    pub(super) fn failed(&self) -> bool {
        let first = self.all.first().is_some_and(|answer| answer.error.is_some());
        first || (self.all.len() - self.good.len()) * 2 > self.all.len()
    }

    /// The good answers, second asks too.
    fn good_and_again(&self) -> Vec<&'a Answer> {
        let again = self.again.iter().filter(|answer| answer.error.is_none());
        self.good.iter().chain(again).copied().collect()
    }

    pub(super) fn error(&self) -> Option<&'a str> {
        self.all.iter().chain(&self.again).find_map(|answer| answer.error.as_deref())
    }
}

/// A question with the facts of its answers.
pub(super) struct Reading {
    pub case: CaseAnswers,
    pub evidence: Evidence,
    pub findings: Vec<Finding>,
    /// A side failed.
    pub failed: bool,
    pub was_asked_again: bool,
    pub sides: SideNames,
}

impl Reading {
    pub(super) fn read(case: CaseAnswers, sides: SideNames) -> Self {
        let (live, draft) = (SideAnswers::of(&case.live), SideAnswers::of(&case.draft));
        let evidence = Evidence::read(&live.good_and_again(), &draft.good_and_again(), &case.question, sides);
        let failed = live.failed() || draft.failed();
        let was_asked_again = !live.again.is_empty() && !draft.again.is_empty();
        let repeated = live.again.iter().chain(&draft.again).all(|answer| answer.error.is_none());
        // A fact that was asked for again and met a failure was not seen again.
        let findings = if failed || !repeated { Vec::new() } else { evidence.findings() };
        Self { evidence, findings, failed, was_asked_again, sides, case }
    }

    pub(super) fn live(&self) -> SideAnswers<'_> {
        SideAnswers::of(&self.case.live)
    }

    pub(super) fn draft(&self) -> SideAnswers<'_> {
        SideAnswers::of(&self.case.draft)
    }

    pub(super) fn is_same(&self) -> Option<bool> {
        let (live, draft) = (self.live(), self.draft());
        let (live, draft) = (live.all.first()?, draft.all.first()?);
        Some(live.error.is_none() && draft.error.is_none() && is_same_text(live, draft))
    }

    /// The draft failed, and no answer of Live did.
    pub(super) fn draft_alone_fails(&self) -> bool {
        let (live, draft) = (self.live(), self.draft());
        draft.all.iter().any(|answer| answer.error.is_some())
            && live.error().is_none()
            && !live.all.is_empty()
    }

    /// Whether a fact differs that would count if it came again.
    pub(super) fn differs_once(&self, control: bool) -> bool {
        let is_readable = !self.failed && !self.live().good.is_empty() && !self.draft().good.is_empty();
        let counts = |finding: &Finding| finding.is_strong || !control;
        is_readable && self.evidence.as_if_again().findings().iter().any(counts)
    }

    /// The expectations that the draft fails and Live meets.
    pub(super) fn failed_expectations(&self) -> Vec<String> {
        if self.failed {
            return Vec::new();
        }
        let (live, draft) = (self.live(), self.draft());
        let fails = self.case.expect.iter().filter(|one| {
            let again = !self.was_asked_again || (one.fails(&draft.again) && !one.fails(&live.again));
            one.fails(&draft.all) && !one.fails(&live.all) && again
        });
        let SideNames { left, right } = self.sides;
        fails
            .map(|one| {
                format!("The answer was expected to {}: {left}'s does, {right}'s does not.", one.describe())
            })
            .collect()
    }

    /// Expectations that both sides fail.
    pub(super) fn fails_too(&self) -> Vec<Why> {
        let (live, draft) = (self.live(), self.draft());
        let both = self.case.expect.iter().filter(|one| {
            !self.failed && !draft.all.is_empty() && one.fails(&draft.all) && one.fails(&live.all)
        });
        let SideNames { left, right } = self.sides;
        let message = |expected: String| {
            format!("The answer was expected to {expected}: {right}'s does not, and {left} fails it too.")
        };
        both.map(|one| Why::new(WhyCode::Expectation, message(one.describe()))).collect()
    }

    /// The failure of the draft where Live answered, as long as it was not seen to go away.
    pub(super) fn new_failure(&self) -> Option<Why> {
        let draft = self.draft();
        let again_failed = draft.again.iter().any(|answer| answer.error.is_some());
        let is_new = self.draft_alone_fails() && (!self.was_asked_again || again_failed);
        let message = || {
            let error = draft.error().unwrap_or_default();
            let SideNames { left, right } = self.sides;
            format!("{} failed, where {left} answered: {}.", right.opening(), quote(error))
        };
        is_new.then(|| Why::new(WhyCode::Error, message()))
    }

    /// Why a side failed where that reports nothing.
    pub(super) fn failure(&self) -> Why {
        let (live, draft) = (self.live().error().map(quote), self.draft().error().map(quote));
        let SideNames { left, right } = self.sides;
        let message = match (live, draft) {
            (Some(live), Some(draft)) => {
                format!("Both sides failed: {left} with {live}, {right} with {draft}.")
            }
            (Some(live), None) => format!("{} failed: {live}.", left.opening()),
            (None, Some(draft)) => {
                format!("{} failed, and answered when it was asked again: {draft}.", right.opening())
            }
            (None, None) => "A side failed.".to_owned(),
        };
        Why::new(WhyCode::Error, message)
    }

    /// What the draft alone fails, where there is no Live to compare it with.
    pub(super) fn draft_failures(&self) -> (Vec<Why>, Option<Why>) {
        let draft = self.draft();
        let failed = self.case.expect.iter().filter(|one| one.fails(&draft.all));
        let right = self.sides.right;
        let message =
            |expected: String| format!("The answer was expected to {expected}, and {right}'s does not.");
        let failed = failed.map(|one| Why::new(WhyCode::Expectation, message(one.describe())));
        let error = draft.error().map(|error| format!("{} failed: {}.", right.opening(), quote(error)));
        (failed.collect(), error.map(|message| Why::new(WhyCode::Error, message)))
    }
}
