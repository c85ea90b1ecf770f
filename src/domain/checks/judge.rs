//! The verdicts of a check: a pure function of questions and answers, without a model, a clock or a network.

use super::answer::Answer;
use super::case::CaseAnswers;
use super::evidence::{Evidence, Finding};
use super::relabeling::{self, Group, TestResult};
use super::verdict::{CaseJudgement, JudgeOptions, Judgement, Verdict, VerdictCounts, Why, WhyCode};
use super::wording::{Wording, is_same_text};
use super::words::{Vocabulary, quote};
use super::{form, steps};

/// The test reports up to this value, so that test and facts together raise at most one false alarm in twenty checks.
const REPORTS_UP_TO: f64 = 0.04;
/// Questions that it takes for one of them to stand out.
const OUTLIER_QUESTIONS_MIN: usize = 3;
/// Distances this near count as the same.
const TIE: f64 = 1e-9;

/// Judges the questions that have all their answers.
#[must_use]
pub fn judge(cases: &[&CaseAnswers], options: JudgeOptions) -> Judgement {
    let mut vocabulary = Vocabulary::default();
    let readings: Vec<Reading<'_>> = cases.iter().map(|case| Reading::read(case, &mut vocabulary)).collect();
    if options.live_empty {
        return judge_draft_alone(&readings);
    }
    let test = if options.control { test(&readings) } else { None };
    let by_test = test.is_some_and(|found| found.p <= REPORTS_UP_TO);
    let threshold = if by_test { outlier_threshold(&readings) } else { None };
    let trust = Trust::new(&readings, options.control);
    let mut judgement = Judgement::default();
    for reading in &readings {
        let case = reading.judge(&trust, by_test, threshold);
        judgement.verdicts.add(case.verdict);
        judgement.reports_change |= case.reports;
        judgement.cases.push(case);
    }
    judgement.reports_change |= by_test;
    judgement.test_can_report = test.is_some_and(|found| found.least <= REPORTS_UP_TO);
    judgement.p_value = test.map(|found| found.p);
    judgement.test = test.map(name);
    judgement.note = note(&judgement, test, options.control, by_test);
    judgement
}

/// Whether a question is asked once more on each side before what differs in it counts: a hard fact, an error that only the draft
/// has, or an expectation that only the draft fails. What would not count if it came again is not asked again.
#[must_use]
pub fn asks_again(case: &CaseAnswers) -> bool {
    let reading = Reading::read(case, &mut Vocabulary::default());
    if reading.live.all.is_empty() || reading.draft.all.is_empty() || reading.was_asked_again {
        return false;
    }
    let control = reading.live.all.len() > reading.draft.all.len();
    if reading.draft_alone_fails() || !reading.failed_expectations().is_empty() {
        return true;
    }
    if reading.failed || reading.live.good.is_empty() || reading.draft.good.is_empty() {
        return false;
    }
    let [live, draft] =
        [&reading.live, &reading.draft].map(|side| [&side.good[..], &side.good[..1]].concat());
    let evidence = Evidence::read(&live, &draft, &case.question);
    evidence.findings().iter().any(|finding| finding.is_strong || !control)
}

/// One side of a question.
struct Side<'a> {
    /// All answers but second asks.
    all: Vec<&'a Answer>,
    /// Those of them that did not fail.
    good: Vec<&'a Answer>,
    again: Vec<&'a Answer>,
    /// The words of the good answers.
    wordings: Vec<Wording>,
}

impl<'a> Side<'a> {
    fn read(answers: &'a [Answer], vocabulary: &mut Vocabulary) -> Self {
        let (again, all): (Vec<&Answer>, Vec<&Answer>) = answers.iter().partition(|answer| answer.again);
        let good: Vec<&Answer> = all.iter().filter(|answer| answer.error.is_none()).copied().collect();
        let wordings = good.iter().map(|answer| Wording::read(&answer.text, vocabulary)).collect();
        Self { all, good, again, wordings }
    }

    /// Its first answer is a failure, or more than half of them are.
    fn failed(&self) -> bool {
        let first = self.all.first().is_some_and(|answer| answer.error.is_some());
        first || (self.all.len() - self.good.len()) * 2 > self.all.len()
    }

    /// The good answers, second asks too.
    fn good_and_again(&self) -> Vec<&'a Answer> {
        let again = self.again.iter().filter(|answer| answer.error.is_none());
        self.good.iter().chain(again).copied().collect()
    }

    fn error(&self) -> Option<&'a str> {
        self.all.iter().chain(&self.again).find_map(|answer| answer.error.as_deref())
    }
}

/// A question with everything that its judgement is made of.
struct Reading<'a> {
    case: &'a CaseAnswers,
    live: Side<'a>,
    draft: Side<'a>,
    evidence: Evidence,
    findings: Vec<Finding>,
    failed: bool,
    was_asked_again: bool,
}

impl<'a> Reading<'a> {
    fn read(case: &'a CaseAnswers, vocabulary: &mut Vocabulary) -> Self {
        let live = Side::read(&case.live, vocabulary);
        let draft = Side::read(&case.draft, vocabulary);
        let evidence = Evidence::read(&live.good_and_again(), &draft.good_and_again(), &case.question);
        let failed = live.failed() || draft.failed();
        let was_asked_again = !live.again.is_empty() && !draft.again.is_empty();
        let repeated = live.again.iter().chain(&draft.again).all(|answer| answer.error.is_none());
        // A fact that was asked for again and met a failure was not seen again.
        let findings = if failed || !repeated { Vec::new() } else { evidence.findings() };
        Self { case, live, draft, evidence, findings, failed, was_asked_again }
    }

    fn is_same(&self) -> Option<bool> {
        let (live, draft) = (self.live.all.first()?, self.draft.all.first()?);
        Some(live.error.is_none() && draft.error.is_none() && is_same_text(live, draft))
    }

    /// Mean likeness between the sides.
    fn similarity(&self) -> Option<f64> {
        let pairs = self
            .live
            .wordings
            .iter()
            .flat_map(|one| self.draft.wordings.iter().map(move |other| (one, other)));
        if self.failed { None } else { mean(pairs.map(|(one, other)| one.similarity(other))) }
    }

    fn similarities_within_live(&self) -> impl Iterator<Item = f64> + '_ {
        let wordings = &self.live.wordings;
        (0..wordings.len())
            .flat_map(move |at| wordings[..at].iter().map(move |one| one.similarity(&wordings[at])))
    }

    /// The draft failed, and no answer of Live did.
    fn draft_alone_fails(&self) -> bool {
        self.draft.all.iter().any(|answer| answer.error.is_some())
            && self.live.error().is_none()
            && !self.live.all.is_empty()
    }

    /// The expectations that the draft fails and Live meets.
    fn failed_expectations(&self) -> Vec<String> {
        if self.failed {
            return Vec::new();
        }
        let fails = self.case.expect.iter().filter(|one| {
            let again =
                !self.was_asked_again || (one.fails(&self.draft.again) && !one.fails(&self.live.again));
            one.fails(&self.draft.all) && !one.fails(&self.live.all) && again
        });
        fails
            .map(|one| {
                format!("The answer was expected to {}: Live's does, the draft's does not.", one.describe())
            })
            .collect()
    }

    fn judge(&self, trust: &Trust, by_test: bool, threshold: Option<f64>) -> CaseJudgement {
        let steps = if self.failed { Vec::new() } else { self.steps() };
        let reported = self.reported(trust);
        let similarity = self.similarity();
        let stands_out = threshold.zip(similarity).is_some_and(|(bound, one)| 1.0 - one > bound + TIE);
        let failed = self.failed || reported.iter().any(|why| why.code == WhyCode::Error);
        let verdict = match self.is_same() {
            None => None,
            Some(_) if failed => Some(Verdict::Error),
            Some(_) if !reported.is_empty() || stands_out => Some(Verdict::Changed),
            Some(true) => Some(Verdict::Same),
            Some(false) => Some(Verdict::Noise),
        };
        let reports = !reported.is_empty();
        let mut why = reported;
        why.extend(self.fails_too());
        match verdict {
            Some(Verdict::Error) if why.iter().all(|one| one.code != WhyCode::Error) => {
                why.push(self.failure());
            }
            Some(Verdict::Changed) => self.describe(&steps, &mut why),
            Some(Verdict::Noise) if by_test => self.describe(&steps, &mut why),
            Some(Verdict::Noise) => why.push(noise(trust.control)),
            _ => {}
        }
        CaseJudgement {
            same: self.is_same(),
            similarity,
            control_similarity: mean(self.similarities_within_live()).filter(|_| !self.live.failed()),
            verdict,
            confirmed: reports.then_some(self.was_asked_again),
            why,
            steps,
            reports,
        }
    }

    fn steps(&self) -> Vec<super::verdict::StepChange> {
        steps::compare(&self.live.good, &self.draft.good)
    }

    /// What reports a change by itself.
    fn reported(&self, trust: &Trust) -> Vec<Why> {
        let mut reported = Vec::new();
        let again_failed = self.draft.again.iter().any(|answer| answer.error.is_some());
        if self.draft_alone_fails() && (!self.was_asked_again || again_failed) {
            let error = self.draft.error().unwrap_or_default();
            let message = format!("The draft failed, where Live answered: {}.", quote(error));
            reported.push(Why::new(WhyCode::Error, message));
        }
        reported.extend(self.findings.iter().filter(|one| trust.counts(one)).map(|one| one.why.clone()));
        let failed = self.failed_expectations().into_iter();
        reported.extend(failed.map(|message| Why::new(WhyCode::Expectation, message)));
        reported
    }

    /// Expectations that both sides fail.
    fn fails_too(&self) -> Vec<Why> {
        let both = self.case.expect.iter().filter(|one| {
            !self.failed
                && !self.draft.all.is_empty()
                && one.fails(&self.draft.all)
                && one.fails(&self.live.all)
        });
        let message = |expected: String| {
            format!("The answer was expected to {expected}: the draft's does not, and Live fails it too.")
        };
        both.map(|one| Why::new(WhyCode::Expectation, message(one.describe()))).collect()
    }

    /// Why a side failed where that reports nothing.
    fn failure(&self) -> Why {
        let (live, draft) = (self.live.error().map(quote), self.draft.error().map(quote));
        let message = match (live, draft) {
            (Some(live), Some(draft)) => {
                format!("Both sides failed: Live with {live}, the draft with {draft}.")
            }
            (Some(live), None) => format!("Live failed: {live}."),
            (None, Some(draft)) => {
                format!("The draft failed, and answered when it was asked again: {draft}.")
            }
            (None, None) => "A side failed.".to_owned(),
        };
        Why::new(WhyCode::Error, message)
    }

    /// Everything that differs, facts first.
    fn describe(&self, steps: &[super::verdict::StepChange], why: &mut Vec<Why>) {
        let facts = self.findings.iter().map(|finding| finding.why.clone());
        for one in facts.chain(form::describe(&self.live.good, &self.draft.good, steps)) {
            if !why.iter().any(|known| known.code == one.code) {
                why.push(one);
            }
        }
        if why.is_empty() {
            why.push(Why::new(WhyCode::Wording, "The wording differs more than that of Live's own answers."));
        }
    }

    /// The answers of a question that the test can use.
    fn group(&self) -> Option<Group> {
        let (live, draft) = (self.live.wordings.len(), self.draft.wordings.len());
        let all: Vec<&Wording> = self.live.wordings.iter().chain(&self.draft.wordings).collect();
        let row = |one: &&Wording| all.iter().map(|other| 1.0 - one.similarity(other)).collect();
        (live >= 2 && draft >= 1).then(|| Group { live, draft, distances: all.iter().map(row).collect() })
    }
}

fn noise(control: bool) -> Why {
    let message = match control {
        true => "The wording differs, and Live's own answers differ from one another too.",
        false => {
            "Not measured: the wording differs, and without a control nobody knows how much Live differs from itself."
        }
    };
    Why::new(WhyCode::Wording, message)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

/// Which facts count, seen over all questions.
struct Trust {
    control: bool,
    /// The kinds of facts that differ between the sides in no more questions than within Live.
    doubted: Vec<(WhyCode, bool)>,
}

impl Trust {
    fn new(readings: &[Reading<'_>], control: bool) -> Self {
        let codes = [
            WhyCode::Number,
            WhyCode::Date,
            WhyCode::ToolCalls,
            WhyCode::Refusal,
            WhyCode::Language,
            WhyCode::Structure,
        ];
        let is_doubted = |(code, replaced): &(WhyCode, bool)| {
            let of_kind =
                |one: &&Finding| one.why.code == *code && one.is_strong && (one.is_replacement || !replaced);
            let between =
                readings.iter().filter(|reading| reading.findings.iter().any(|one| of_kind(&one))).count();
            let within =
                readings.iter().filter(|reading| reading.evidence.live_varies(*code, *replaced)).count();
            between <= within
        };
        let kinds = codes.into_iter().flat_map(|code| [(code, false), (code, true)]);
        Self { control, doubted: kinds.filter(is_doubted).collect() }
    }

    fn counts(&self, finding: &Finding) -> bool {
        let kind = (finding.why.code, finding.is_replacement);
        !self.control || (finding.is_strong && !self.doubted.contains(&kind))
    }
}

fn test(readings: &[Reading<'_>]) -> Option<TestResult> {
    let (mut groups, mut wordings, mut seed) = (Vec::new(), Vec::new(), Vec::new());
    for reading in readings {
        let Some(group) = reading.group() else { continue };
        groups.push(group);
        wordings.extend(reading.live.wordings.iter().chain(&reading.draft.wordings));
        seed.push(reading.case.question.as_str());
        seed.extend(reading.live.good.iter().chain(&reading.draft.good).map(|answer| answer.text.as_str()));
    }
    let kernel: Vec<Vec<f64>> =
        wordings.iter().map(|one| wordings.iter().map(|other| one.product(other)).collect()).collect();
    relabeling::test(&groups, &kernel, &seed)
}

/// The distance beyond which a question stands out from what Live does by itself.
fn outlier_threshold(readings: &[Reading<'_>]) -> Option<f64> {
    let with_both = readings.iter().filter(|reading| reading.group().is_some()).count();
    if with_both < OUTLIER_QUESTIONS_MIN {
        return None;
    }
    let distances: Vec<f64> =
        readings.iter().flat_map(|reading| reading.similarities_within_live().map(|one| 1.0 - one)).collect();
    let middle = mean(distances.iter().copied())?;
    let spread = mean(distances.iter().map(|one| (one - middle).powi(2)))?.sqrt();
    distances.iter().copied().fold(middle + 3.0 * spread, f64::max).into()
}

fn name(found: TestResult) -> String {
    let ways = match found.exact {
        true => format!("all {} of them", found.labelings),
        false => format!("{} of them, drawn at random", found.labelings - 1),
    };
    format!("permutation of the labels Live and draft within each question: {ways}")
}

/// What whoever reads the result has to know.
fn note(judgement: &Judgement, test: Option<TestResult>, control: bool, by_test: bool) -> Option<String> {
    let stands_out =
        judgement.cases.iter().any(|case| matches!(case.verdict, Some(Verdict::Changed | Verdict::Error)));
    if by_test && !stands_out {
        return Some(
            "All questions together differ more than Live differs from itself, but no single one stands out. Each says what differs in it."
                .to_owned(),
        );
    }
    if !control || judgement.test_can_report {
        return None;
    }
    Some(match test {
        None => "No question has two answers of Live and one of the draft, so the test over all questions had nothing to compare.".to_owned(),
        Some(found) => format!(
            "With so few questions the test over all of them cannot report a change: its smallest value is {:.2}. Numbers and other facts, errors and expectations still can.",
            found.least
        ),
    })
}

/// Live had no cards: only expectations say something.
fn judge_draft_alone(readings: &[Reading<'_>]) -> Judgement {
    let case = |reading: &Reading<'_>| {
        let failed = reading.case.expect.iter().filter(|one| one.fails(&reading.draft.all));
        let message =
            |expected: String| format!("The answer was expected to {expected}, and the draft's does not.");
        let mut why: Vec<Why> =
            failed.map(|one| Why::new(WhyCode::Expectation, message(one.describe()))).collect();
        let reports = !why.is_empty();
        why.extend(
            reading
                .draft
                .error()
                .map(|error| Why::new(WhyCode::Error, format!("The draft failed: {}.", quote(error)))),
        );
        CaseJudgement { why, reports, confirmed: reports.then_some(false), ..CaseJudgement::default() }
    };
    let cases: Vec<CaseJudgement> = readings.iter().map(case).collect();
    let reports_change = cases.iter().any(|case| case.reports);
    Judgement { cases, reports_change, ..Judgement::default() }
}

impl VerdictCounts {
    const fn add(&mut self, verdict: Option<Verdict>) {
        match verdict {
            Some(Verdict::Same) => self.same += 1,
            Some(Verdict::Noise) => self.noise += 1,
            Some(Verdict::Changed) => self.changed += 1,
            Some(Verdict::Error) => self.error += 1,
            None => {}
        }
    }
}
