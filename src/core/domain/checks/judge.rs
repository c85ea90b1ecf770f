//! The verdicts of a check: a pure function of questions and answers, without a model, a clock or a network. Each question is
//! read once, when it has its answers; the test over all of them is made once, when there are no more.

#[cfg(test)]
mod tests;

use super::case::CaseAnswers;
use super::evidence::Finding;
use super::reading::Reading;
use super::relabeling::{self, Group, TestResult};
use super::sides::SideNames;
use super::verdict::{
    CaseJudgement, JudgeOptions, Judgement, StepChange, Verdict, VerdictCounts, Why, WhyCode,
};
use super::wording::Wording;
use super::words::Vocabulary;
use super::{form, steps};

/// The test reports up to this value, so that test and facts together raise at most one false alarm in twenty checks.
const REPORTS_UP_TO: f64 = 0.04;
/// Questions that it takes for one of them to stand out.
const OUTLIER_QUESTIONS_MIN: usize = 3;
/// Distances this near count as the same.
const TIE: f64 = 1e-9;

/// Hears the questions of a check one after another, and says what there is to say.
pub struct Judge {
    options: JudgeOptions,
    vocabulary: Vocabulary,
    cases: Vec<HeardCase>,
}

impl Judge {
    #[must_use]
    pub fn new(options: JudgeOptions) -> Self {
        Self { options, vocabulary: Vocabulary::default(), cases: Vec::new() }
    }

    /// Takes in a question that has all its answers.
    pub fn hear(&mut self, case: CaseAnswers) {
        self.cases.push(HeardCase::new(case, self.options.sides, &mut self.vocabulary));
    }

    /// What is said of the questions heard so far, without the test over all of them: who looks at that after each question and
    /// believes the first low value is misled more often than one check in twenty.
    #[must_use]
    pub fn judge_so_far(&self) -> Judgement {
        self.judge_with(None)
    }

    /// What is said of all questions.
    #[must_use]
    pub fn judge(&self) -> Judgement {
        let Self { options, cases, .. } = self;
        let is_tested = options.control && !options.live_empty;
        let test = if is_tested { test(cases) } else { None };
        let mut judgement = self.judge_with(test);
        if !options.live_empty {
            judgement.note = note(&judgement, test, *options);
        }
        judgement
    }

    fn judge_with(&self, test: Option<TestResult>) -> Judgement {
        if self.options.live_empty {
            return judge_draft_alone(&self.cases);
        }
        let by_test = test.is_some_and(reports);
        let threshold = if by_test { outlier_threshold(&self.cases) } else { None };
        let trust = Trust::new(&self.cases, self.options.control);
        let mut judgement = Judgement::default();
        for case in &self.cases {
            let case = case.judge(&trust, by_test, threshold);
            judgement.verdicts.add(case.verdict);
            judgement.reports_change |= case.reports;
            judgement.cases.push(case);
        }
        judgement.reports_change |= by_test;
        judgement.test_can_report = test.is_some_and(|found| found.least <= REPORTS_UP_TO);
        judgement.p_value = test.map(|found| found.p);
        judgement.test = test.map(name);
        judgement
    }
}

fn reports(found: TestResult) -> bool {
    found.p <= REPORTS_UP_TO
}

/// Judges questions that have all their answers.
#[must_use]
pub fn judge(cases: impl IntoIterator<Item = CaseAnswers>, options: JudgeOptions) -> Judgement {
    let mut judge = Judge::new(options);
    cases.into_iter().for_each(|case| judge.hear(case));
    judge.judge()
}

/// Whether a question is asked once more on each side before what differs in it counts: a hard fact, an error that only the draft
/// has, or an expectation that only the draft fails. What would not count if it came again is not asked again.
#[must_use]
pub fn asks_again(case: CaseAnswers) -> bool {
    // Nobody reads its sentences yet.
    let reading = Reading::read(case, SideNames::default());
    let (live, draft) = (reading.live().all.len(), reading.draft().all.len());
    if live == 0 || draft == 0 || reading.was_asked_again {
        return false;
    }
    reading.draft_alone_fails()
        || !reading.failed_expectations().is_empty()
        || reading.differs_once(live > draft)
}

/// A question that was read, with everything that does not depend on the others.
struct HeardCase {
    reading: Reading,
    /// The words of the good answers of Live, then of the draft.
    wordings: Vec<Wording>,
    /// How many of them are Live's.
    of_live: usize,
    /// Mean likeness between the sides.
    similarity: Option<f64>,
    similarities_within_live: Vec<f64>,
    /// Steps that differ.
    steps: Vec<StepChange>,
}

impl HeardCase {
    fn new(case: CaseAnswers, sides: SideNames, vocabulary: &mut Vocabulary) -> Self {
        let reading = Reading::read(case, sides);
        let (live, draft) = (reading.live().good, reading.draft().good);
        let of_live = live.len();
        let wordings: Vec<Wording> =
            live.iter().chain(&draft).map(|answer| Wording::read(&answer.text, vocabulary)).collect();
        let steps = if reading.failed { Vec::new() } else { steps::compare(&live, &draft) };
        let (ours, theirs) = wordings.split_at(of_live);
        let pairs = ours.iter().flat_map(|one| theirs.iter().map(move |other| one.similarity(other)));
        let similarity = if reading.failed { None } else { mean(pairs) };
        let similarities_within_live =
            (0..of_live).flat_map(|at| ours[..at].iter().map(move |one| one.similarity(&ours[at]))).collect();
        Self { wordings, of_live, similarity, similarities_within_live, steps, reading }
    }

    fn judge(&self, trust: &Trust, by_test: bool, threshold: Option<f64>) -> CaseJudgement {
        let Self { reading, similarity, .. } = self;
        let reported = self.reported(trust);
        let stands_out = threshold.zip(*similarity).is_some_and(|(bound, one)| 1.0 - one > bound + TIE);
        let failed = reading.failed || reported.iter().any(|why| why.code == WhyCode::Error);
        let verdict = match reading.is_same() {
            None => None,
            Some(_) if failed => Some(Verdict::Error),
            Some(_) if !reported.is_empty() || stands_out => Some(Verdict::Changed),
            Some(true) => Some(Verdict::Same),
            Some(false) => Some(Verdict::Noise),
        };
        let reports = !reported.is_empty();
        let mut why = reported;
        why.extend(reading.fails_too());
        match verdict {
            Some(Verdict::Error) if why.iter().all(|one| one.code != WhyCode::Error) => {
                why.push(reading.failure());
            }
            Some(Verdict::Changed) => self.describe(&mut why),
            Some(Verdict::Noise) if by_test => self.describe(&mut why),
            Some(Verdict::Noise) => {
                why.push(self.noise(trust.control));
                // What was found and does not count by itself is told all the same.
                why.extend(self.reading.findings.iter().map(|finding| finding.why.clone()));
            }
            _ => {}
        }
        let within = mean(self.similarities_within_live.iter().copied());
        CaseJudgement {
            same: reading.is_same(),
            similarity: *similarity,
            control_similarity: within.filter(|_| !reading.live().failed()),
            verdict,
            confirmed: reports.then_some(reading.was_asked_again),
            why,
            steps: self.steps.clone(),
            reports,
        }
    }

    /// What reports a change by itself.
    fn reported(&self, trust: &Trust) -> Vec<Why> {
        let reading = &self.reading;
        let mut reported: Vec<Why> = reading.new_failure().into_iter().collect();
        reported.extend(reading.findings.iter().filter(|one| trust.counts(one)).map(|one| one.why.clone()));
        let failed = reading.failed_expectations().into_iter();
        reported.extend(failed.map(|message| Why::new(WhyCode::Expectation, message)));
        reported
    }

    /// Everything that differs, facts first.
    fn describe(&self, why: &mut Vec<Why>) {
        let (live, draft) = (self.reading.live().good, self.reading.draft().good);
        let facts = self.reading.findings.iter().map(|finding| finding.why.clone());
        for one in facts.chain(form::describe(&live, &draft, &self.steps, self.reading.sides)) {
            if !why.iter().any(|known| known.code == one.code) {
                why.push(one);
            }
        }
        if why.is_empty() {
            let message =
                format!("The wording differs more than that of {}'s own answers.", self.reading.sides.left);
            why.push(Why::new(WhyCode::Wording, message));
        }
    }

    /// Why a difference is taken for none of the flow.
    fn noise(&self, control: bool) -> Why {
        let varies = self.similarities_within_live.iter().any(|one| *one < 1.0 - TIE);
        let left = self.reading.sides.left;
        let message = match (control, varies) {
            (true, true) => {
                format!("The wording differs, and {left}'s own answers differ from one another too.")
            }
            (true, false) => format!(
                "The wording differs. {} said the same each time, and yet all questions together tell of no change.",
                left.opening()
            ),
            (false, _) => format!(
                "Not measured: the wording differs, and without a control nobody knows how much {left} differs from itself."
            ),
        };
        Why::new(WhyCode::Wording, message)
    }

    /// Whether the test can use its answers.
    const fn is_tested(&self) -> bool {
        self.of_live >= 2 && self.wordings.len() > self.of_live
    }

    /// The answers of a question for the test.
    fn group(&self) -> Group {
        let row = |one: &Wording| self.wordings.iter().map(|other| 1.0 - one.similarity(other)).collect();
        Group {
            live: self.of_live,
            draft: self.wordings.len() - self.of_live,
            distances: self.wordings.iter().map(row).collect(),
        }
    }
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
    fn new(cases: &[HeardCase], control: bool) -> Self {
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
                |one: &Finding| one.why.code == *code && one.is_strong && (one.is_replacement || !replaced);
            let readings = || cases.iter().map(|case| &case.reading);
            let between = readings().filter(|reading| reading.findings.iter().any(of_kind)).count();
            let within = readings().filter(|reading| reading.evidence.live_varies(*code, *replaced)).count();
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

fn test(cases: &[HeardCase]) -> Option<TestResult> {
    let tested: Vec<&HeardCase> = cases.iter().filter(|case| case.is_tested()).collect();
    let groups: Vec<Group> = tested.iter().map(|case| case.group()).collect();
    let wordings: Vec<&Wording> = tested.iter().flat_map(|case| &case.wordings).collect();
    let mut seed = Vec::new();
    for HeardCase { reading, .. } in tested {
        seed.push(reading.case.question.as_str());
        let (live, draft) = (reading.live().good, reading.draft().good);
        seed.extend(live.into_iter().chain(draft).map(|answer| answer.text.as_str()));
    }
    let kernel: Vec<Vec<f64>> =
        wordings.iter().map(|one| wordings.iter().map(|other| one.product(other)).collect()).collect();
    relabeling::test(&groups, &kernel, &seed)
}

/// The distance beyond which a question stands out from what Live does by itself.
fn outlier_threshold(cases: &[HeardCase]) -> Option<f64> {
    if cases.iter().filter(|case| case.is_tested()).count() < OUTLIER_QUESTIONS_MIN {
        return None;
    }
    let distances: Vec<f64> =
        cases.iter().flat_map(|case| case.similarities_within_live.iter().map(|one| 1.0 - one)).collect();
    let middle = mean(distances.iter().copied())?;
    let spread = mean(distances.iter().map(|one| (one - middle).powi(2)))?.sqrt();
    distances.iter().copied().fold(middle + 3.0 * spread, f64::max).into()
}

fn name(found: TestResult) -> String {
    let ways = match found.exact {
        true => format!("all {} of them", found.labelings),
        false => format!("{} of them, drawn at random", found.labelings - 1),
    };
    format!("permutation of the labels of both sides within each question: {ways}")
}

/// What whoever reads the result has to know.
fn note(judgement: &Judgement, test: Option<TestResult>, options: JudgeOptions) -> Option<String> {
    let JudgeOptions { control, sides: SideNames { left, right }, .. } = options;
    let stands_out =
        judgement.cases.iter().any(|case| matches!(case.verdict, Some(Verdict::Changed | Verdict::Error)));
    if test.is_some_and(reports) && !stands_out {
        return Some(format!(
            "All questions together differ more than {left} differs from itself, but no single one stands out. Each says what differs in it."
        ));
    }
    if !control || judgement.test_can_report {
        return None;
    }
    Some(match test {
        None => format!(
            "No question has two answers of {left} and one of {right}, so the test over all questions had nothing to compare."
        ),
        Some(found) => format!(
            "With so few questions the test over all of them cannot report a change: its smallest value is {:.2}. Numbers and other facts, errors and expectations still can.",
            found.least
        ),
    })
}

/// Live had no cards: only expectations say something.
fn judge_draft_alone(cases: &[HeardCase]) -> Judgement {
    let case = |case: &HeardCase| {
        let (mut why, error) = case.reading.draft_failures();
        let reports = !why.is_empty();
        why.extend(error);
        CaseJudgement { why, reports, confirmed: reports.then_some(false), ..CaseJudgement::default() }
    };
    let cases: Vec<CaseJudgement> = cases.iter().map(case).collect();
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
