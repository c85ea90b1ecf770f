//! A check from its start to its end (manual 18.2).

use super::answer::Answer;
use super::case::{CaseAnswers, Expectation};
use super::kept::ExpectationRow;
use super::sides::{Comparison, SideNames};
use super::summary::CheckSummary;
use super::verdict::{JudgeOptions, Judgement};
use crate::domain::ids::{CheckId, FlowId};
use jiff::Timestamp;
use serde::Serialize;
use std::time::Duration;

/// Where a check stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckStatus {
    Running,
    /// Every question was answered.
    Done,
    Stopped(StopReason),
    /// It could not run; says why.
    Failed(String),
}

/// What stopped a check before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum StopReason {
    Tokens,
    Time,
    // A person, or the end of what it asked.
    Stopped,
}

/// How much a check may ask and use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckLimits {
    pub questions_max: usize,
    pub question_chars_max: usize,
    /// Tokens of both sides together.
    pub tokens_max: u64,
    pub seconds_max: u64,
}

/// Most questions of one check (manual 14.4).
pub const CHECK_QUESTIONS_MAX: usize = 10;
/// Longest question of a check, in characters (manual 14.4).
pub const CHECK_QUESTION_CHARS_MAX: usize = 2_000;
/// Most answers of the draft to one question, but for what is asked again (manual 14.4).
pub const CHECK_REPEAT_MAX: usize = 5;

impl CheckLimits {
    #[must_use]
    pub const fn new(tokens_max: u64, seconds_max: u64) -> Self {
        Self {
            questions_max: CHECK_QUESTIONS_MAX,
            question_chars_max: CHECK_QUESTION_CHARS_MAX,
            tokens_max,
            seconds_max,
        }
    }
}

/// How often each side is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOptions {
    /// Live is asked once more than the draft, so that the check knows how much Live differs from itself.
    pub control: bool,
    /// How often the draft is asked each question.
    pub repeat: usize,
    /// What differs in a hard fact is asked once more before it counts.
    pub confirms: bool,
}

impl CheckOptions {
    /// How often a side is asked each question.
    #[must_use]
    pub fn answers(self, side: CheckSide) -> usize {
        match side {
            CheckSide::Live => self.repeat + usize::from(self.control),
            CheckSide::Draft => self.repeat,
        }
    }
}

/// One of the two sides of a check: what stands, and what is to take its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckSide {
    Live,
    Draft,
}

impl CheckSide {
    pub const BOTH: [Self; 2] = [Self::Live, Self::Draft];
}

/// What a check runs.
#[derive(Debug, Clone)]
pub struct NewCheck {
    pub flow: FlowId,
    pub sides: SideNames,
    pub started: Timestamp,
    pub questions: Vec<AskedQuestion>,
    pub options: CheckOptions,
    pub limits: CheckLimits,
    pub include_risky_steps: bool,
    /// Live has no cards: only the draft is asked.
    pub live_empty: bool,
    /// When the draft was saved, where it is one of the sides.
    pub draft_saved: Option<Timestamp>,
}

/// A question of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
    pub text: String,
    /// What a kept question expects of its answers.
    pub expect: Vec<Expectation>,
}

impl AskedQuestion {
    /// Expects that as well, once.
    pub(super) fn expect(&mut self, expectation: Expectation) {
        if !self.expect.contains(&expectation) {
            self.expect.push(expectation);
        }
    }
}

/// A question as a caller sends it; what is expected of its answers is not judged yet.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionRow {
    pub text: String,
    pub expect: Vec<ExpectationRow>,
}

/// A side of a check, as a caller says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedSide {
    /// `live`, `draft` or the id of a version.
    Named(String),
    /// A canvas that the caller brings, JSON text.
    Canvas(String),
}

/// What a caller wants to be checked.
#[derive(Debug, Default)]
pub struct CheckRequest {
    /// What stands, where it is not Live.
    pub left: Option<WantedSide>,
    /// What is to take its place, where it is not the draft.
    pub right: Option<WantedSide>,
    pub questions: Vec<QuestionRow>,
    pub include_risky_steps: bool,
    pub control: Option<bool>,
    /// How often the draft answers each question.
    pub repeat: Option<u64>,
    pub use_kept: Option<bool>,
    /// Less than the server lets a check use.
    pub tokens_max: Option<u64>,
    pub seconds_max: Option<u64>,
}

/// One question of a check, as far as it came.
#[derive(Debug, Clone)]
pub struct CheckCase {
    pub answers: CaseAnswers,
    /// Each side was asked as often as it was to be.
    pub is_complete: bool,
}

/// A check, as far as it came.
#[derive(Debug, Clone)]
pub struct Check {
    pub id: CheckId,
    pub flow: FlowId,
    pub sides: SideNames,
    pub status: CheckStatus,
    pub started: Timestamp,
    pub finished: Option<Timestamp>,
    pub options: CheckOptions,
    pub limits: CheckLimits,
    pub include_risky_steps: bool,
    pub live_empty: bool,
    pub draft_saved: Option<Timestamp>,
    pub cases: Vec<CheckCase>,
    /// What is said of the questions that are complete, which are the first ones.
    pub judgement: Judgement,
}

impl Check {
    #[must_use]
    pub fn new(new: NewCheck) -> Self {
        let NewCheck {
            flow,
            sides,
            started,
            questions,
            options,
            limits,
            include_risky_steps,
            live_empty,
            draft_saved,
        } = new;
        let case = |AskedQuestion { text, expect }| CheckCase {
            answers: CaseAnswers { question: text, expect, ..CaseAnswers::default() },
            is_complete: false,
        };
        Self {
            id: CheckId::random(),
            flow,
            sides,
            status: CheckStatus::Running,
            started,
            finished: None,
            options,
            limits,
            include_risky_steps,
            live_empty,
            draft_saved,
            cases: questions.into_iter().map(case).collect(),
            judgement: Judgement::default(),
        }
    }

    /// What it is told apart by from the other checks that are kept.
    #[must_use]
    pub fn key(&self) -> (FlowId, Comparison) {
        (self.flow, self.sides.comparison())
    }

    #[must_use]
    pub fn is_running(&self) -> bool {
        self.status == CheckStatus::Running
    }

    /// Takes an answer down. What comes after the end is too late.
    pub fn record(&mut self, case: usize, side: CheckSide, answer: Answer) {
        if !self.is_running() {
            return;
        }
        if let Some(case) = self.cases.get_mut(case) {
            match side {
                CheckSide::Live => case.answers.live.push(answer),
                CheckSide::Draft => case.answers.draft.push(answer),
            }
        }
    }

    /// Each side was asked as often as it was to be.
    pub fn complete(&mut self, case: usize) {
        if let Some(case) = self.cases.get_mut(case).filter(|_| self.status == CheckStatus::Running) {
            case.is_complete = true;
        }
    }

    /// How its answers are to be judged.
    #[must_use]
    pub const fn judge_options(&self) -> JudgeOptions {
        JudgeOptions { control: self.options.control, live_empty: self.live_empty, sides: self.sides }
    }

    /// Ends it. A check ends once: what came to its end before stays as it ended.
    pub fn end(&mut self, status: CheckStatus, now: Timestamp) {
        if self.is_running() {
            self.status = status;
            self.finished = Some(now);
            self.forget_details();
        }
    }

    /// Questions that both sides answered, or the only one that is asked.
    #[must_use]
    pub fn completed(&self) -> usize {
        self.cases.iter().filter(|case| case.is_complete).count()
    }

    /// Tokens of all answers so far.
    #[must_use]
    pub(crate) fn tokens(&self) -> u64 {
        let answers = self.cases.iter().flat_map(|case| case.answers.live.iter().chain(&case.answers.draft));
        answers.filter_map(|answer| answer.tokens).sum()
    }

    /// The cap that is reached `elapsed` after the start; asked before each run, so what is under way comes to its end.
    #[must_use]
    pub fn reached_cap(&self, elapsed: Duration) -> Option<StopReason> {
        if self.tokens() >= self.limits.tokens_max {
            return Some(StopReason::Tokens);
        }
        (elapsed >= Duration::from_secs(self.limits.seconds_max)).then_some(StopReason::Time)
    }

    #[must_use]
    pub fn summary(&self) -> CheckSummary {
        let counted = self.cases.iter().filter(|case| case.is_complete);
        CheckSummary::of(counted.map(|case| &case.answers), self.live_empty)
    }

    /// Lets go of what only the comparison read: from here on the check is only looked at.
    fn forget_details(&mut self) {
        for case in &mut self.cases {
            let CaseAnswers { live, draft, .. } = &mut case.answers;
            live.iter_mut().chain(draft).for_each(Answer::cut_to_shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tokens_max: u64, seconds_max: u64) -> Check {
        let question = |text: &str| AskedQuestion { text: text.to_owned(), expect: Vec::new() };
        Check::new(NewCheck {
            flow: FlowId::random(),
            sides: SideNames::LIVE_AND_DRAFT,
            started: Timestamp::UNIX_EPOCH,
            questions: vec![question("a"), question("b")],
            options: CheckOptions { control: false, repeat: 1, confirms: false },
            limits: CheckLimits::new(tokens_max, seconds_max),
            include_risky_steps: false,
            live_empty: false,
            draft_saved: None,
        })
    }

    fn spent(tokens: u64) -> Answer {
        Answer { tokens: Some(tokens), ..Answer::default() }
    }

    #[test]
    fn a_cap_is_reached_with_its_exact_value() {
        let mut check = check(10, 5);
        check.record(0, CheckSide::Live, spent(4));
        check.record(0, CheckSide::Draft, spent(5));
        assert_eq!(check.reached_cap(Duration::from_millis(4_999)), None);
        assert_eq!(check.reached_cap(Duration::from_secs(5)), Some(StopReason::Time));
        check.record(1, CheckSide::Live, spent(1));
        assert_eq!(check.reached_cap(Duration::ZERO), Some(StopReason::Tokens));
    }

    #[test]
    fn a_check_ends_once() {
        let mut check = check(10, 5);
        check.end(CheckStatus::Stopped(StopReason::Stopped), Timestamp::UNIX_EPOCH);
        check.end(CheckStatus::Done, Timestamp::MAX);
        check.record(0, CheckSide::Live, spent(1));
        check.complete(0);
        assert_eq!(check.status, CheckStatus::Stopped(StopReason::Stopped));
        assert_eq!((check.finished, check.tokens()), (Some(Timestamp::UNIX_EPOCH), 0));
        assert_eq!(check.completed(), 0);
    }

    #[test]
    fn live_is_asked_once_more_where_the_check_is_to_know_its_noise() {
        let options = CheckOptions { control: true, repeat: 3, confirms: true };
        assert_eq!((options.answers(CheckSide::Live), options.answers(CheckSide::Draft)), (4, 3));
    }
}
