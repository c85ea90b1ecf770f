//! Asks both sides of a check, in turns, until every question is answered or something stops it (manual 18.2). Who answers is
//! not its concern: a canvas of this server, or a file.

use crate::base::cancel::CancelToken;
use crate::clock::Clock;
use crate::domain::checks::answer::Answer;
use crate::domain::checks::check::{Check, CheckOptions, CheckSide, CheckStatus, StopReason};
use crate::domain::checks::{Judge, asks_again};
use crate::domain::error::Error;
use crate::state::checks::CheckEntry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};
use tracing::dispatcher;

/// Seconds that one run of a check may take (manual 14.4).
const CHECK_RUN_SECONDS: u64 = 60;

/// As a time.
pub(super) const CHECK_RUN: Duration = Duration::from_secs(CHECK_RUN_SECONDS);

/// What is said of a run that took longer.
pub(crate) fn timed_out() -> String {
    format!(
        "The flow took longer than {CHECK_RUN_SECONDS} seconds to answer, so the check stopped waiting for it."
    )
}

/// Answers questions, each as if it were the first one ever.
pub(crate) trait Respondent: Sync {
    /// The answer, or the failure as one. How long it took is measured by whoever asks.
    fn ask(&self, question: &str, cancel: &CancelToken) -> Answer;
}

/// How long a check takes for itself: while it lets others go first, its time stands still.
struct OwnTime {
    began: Instant,
    waited: Duration,
}

impl OwnTime {
    fn start() -> Self {
        Self { began: Instant::now(), waited: Duration::ZERO }
    }

    fn wait(&mut self, for_others: impl FnOnce()) {
        let from = Instant::now();
        for_others();
        self.waited += from.elapsed();
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.waited)
    }
}

/// Which sides are asked once.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// Live, and the draft.
    sides: [bool; 2],
    /// Because of what differed before.
    again: bool,
}

/// A check, and who answers it.
pub(crate) struct CheckDrive<'a> {
    pub(crate) entry: &'a CheckEntry,
    /// `None` where Live has nothing that could answer.
    pub(crate) live: Option<&'a dyn Respondent>,
    pub(crate) draft: &'a dyn Respondent,
    /// How long one run may take.
    pub(crate) run_limit: Duration,
    /// Waits before each turn for what goes first.
    pub(crate) make_way: &'a (dyn Fn(&CancelToken) + Sync),
    pub(crate) clock: &'a Clock,
}

impl CheckDrive<'_> {
    /// Asks until the end, and ends the check.
    pub(crate) fn run(&self) {
        let mut judge = Judge::new(self.entry.check().judge_options());
        let status = self.ask_all(&mut judge, &mut OwnTime::start());
        let judgement = judge.judge();
        let mut check = self.entry.check();
        check.judgement = judgement;
        check.end(status, self.clock.now());
    }

    fn ask_all(&self, judge: &mut Judge, time: &mut OwnTime) -> CheckStatus {
        let (cases, options) = {
            let check = self.entry.check();
            (check.cases.len(), check.options)
        };
        for case in 0..cases {
            if let Err(reason) = self.ask_case(case, options, time) {
                return CheckStatus::Stopped(reason);
            }
            // Judging takes a while, in which others look at the check.
            let answers = self.entry.check().cases[case].answers.clone();
            judge.hear(answers);
            let judgement = judge.judge_so_far();
            let mut check = self.entry.check();
            check.complete(case);
            check.judgement = judgement;
        }
        CheckStatus::Done
    }

    fn ask_case(&self, case: usize, options: CheckOptions, time: &mut OwnTime) -> Result<(), StopReason> {
        let turns = CheckSide::BOTH.map(|side| self.answers(options, side)).into_iter().max().unwrap_or(0);
        for turn in 0..turns {
            let sides = CheckSide::BOTH.map(|side| turn < self.answers(options, side));
            self.ask_turn(case, Turn { sides, again: false }, time)?;
        }
        self.confirm(case, options, time)
    }

    /// Asks both sides once more, where something differs that chance may have brought and there is room to find out.
    fn confirm(&self, case: usize, options: CheckOptions, time: &mut OwnTime) -> Result<(), StopReason> {
        let wants = options.confirms && {
            let answers = self.entry.check().cases[case].answers.clone();
            asks_again(answers)
        };
        if !wants {
            return Ok(());
        }
        match self.ask_turn(case, Turn { sides: [true, true], again: true }, time) {
            // What differs counts without having been seen again, then.
            Err(StopReason::Tokens | StopReason::Time) => Ok(()),
            asked => asked,
        }
    }

    fn answers(&self, options: CheckOptions, side: CheckSide) -> usize {
        match (side, self.live) {
            (CheckSide::Live, None) => 0,
            _ => options.answers(side),
        }
    }

    /// Asks each of these sides once. Both may be under way at the same time; each answer counts as soon as it is there.
    fn ask_turn(&self, case: usize, turn: Turn, time: &mut OwnTime) -> Result<(), StopReason> {
        time.wait(|| (self.make_way)(&self.entry.cancel));
        let question = {
            let check = self.entry.check();
            self.require_room(&check, time)?;
            check.cases[case].answers.question.clone()
        };
        let [asks_live, asks_draft] = turn.sides;
        let live = self.live.filter(|_| asks_live);
        let ask_live = || {
            live.into_iter().for_each(|live| self.ask((case, CheckSide::Live, turn.again), live, &question));
        };
        if !asks_draft {
            ask_live();
        } else {
            let listener = dispatcher::get_default(Clone::clone);
            let ask_draft = || self.ask((case, CheckSide::Draft, turn.again), self.draft, &question);
            thread::scope(|scope| {
                let beside = move || dispatcher::with_default(&listener, ask_draft);
                let started = thread::Builder::new().name("check".to_owned()).spawn_scoped(scope, beside);
                ask_live();
                // Without a thread of its own the draft is asked after Live.
                if started.is_err() {
                    ask_draft();
                }
            });
        }
        if self.entry.cancel.reason().is_some() { Err(StopReason::Stopped) } else { Ok(()) }
    }

    fn require_room(&self, check: &Check, time: &OwnTime) -> Result<(), StopReason> {
        if self.entry.cancel.reason().is_some() {
            return Err(StopReason::Stopped);
        }
        check.reached_cap(time.elapsed()).map_or(Ok(()), Err)
    }

    fn ask(
        &self,
        (case, side, again): (usize, CheckSide, bool),
        respondent: &dyn Respondent,
        question: &str,
    ) {
        let own = self.entry.cancel.child_within(self.run_limit);
        let began = Instant::now();
        // This answer is what tells of a panic: nobody hears what the log would say of a check.
        let answered = catch_unwind(AssertUnwindSafe(|| respondent.ask(question, &own.token)));
        let answer = answered.unwrap_or_else(|_| Answer::from_error(Error::internal("a panic").to_string()));
        // What was cut off by a stop is no answer.
        if self.entry.cancel.reason().is_none() {
            let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.entry.check().record(case, side, Answer { ms, again, ..answer });
        }
    }
}
