//! The specialists of a run, at work at the same time: each on a thread and with a time limit of its own.

use super::plan::SpecialistPlan;
use super::run::{TeamScene, millis};
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::harness::lead::Lead;
use crate::cards::harness::specialist::{self, SpecialistWork};
use crate::cards::kit::{PartHost, RunContext, StreamClosed, TokenSink};
use crate::domain::error::{Error, Result};
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::predictions::prediction::Usage;
use crate::domain::predictions::team::{SpecialistStatus, TeamEvent};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tracing::dispatcher;

/// What one specialist writes is told no more often than this (manual 22.5).
const PARTIAL_EVERY: Duration = Duration::from_millis(50);

/// A task of a specialist.
pub(super) struct Job<'p> {
    /// The place of its card in the plan.
    pub(super) step: usize,
    pub(super) specialist: &'p SpecialistPlan,
    pub(super) task: &'p str,
    /// The text of the question's files, where the task is not the question itself: without them it could not do what is asked
    /// about them.
    pub(super) files: &'p str,
}

impl Job<'_> {
    pub(super) fn name(&self) -> &HarnessName {
        &self.specialist.name
    }

    /// What the specialist is asked.
    fn question(&self) -> String {
        if self.files.is_empty() {
            self.task.to_owned()
        } else {
            format!("{}\n\n{}", self.files.trim_end(), self.task)
        }
    }
}

/// How a specialist's work ended.
pub(super) struct SpecialistEnd {
    pub(super) work: Result<SpecialistWork>,
    pub(super) status: SpecialistStatus,
    pub(super) ms: u64,
    /// The name of its model; empty where it had none yet.
    pub(super) model: String,
    pub(super) usage: Option<Usage>,
}

/// What the threads of specialists tell the one that asked.
enum Signal {
    /// It wrote something, which lies on the board.
    Wrote(usize),
    Ended(usize, Box<SpecialistEnd>),
}

/// What specialists wrote and nobody was told yet.
struct Board(Vec<Mutex<String>>);

impl Board {
    fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::default()).collect())
    }

    /// True where nothing lay there before.
    fn add(&self, at: usize, text: &str) -> bool {
        let mut written = self.0[at].lock().unwrap_or_else(PoisonError::into_inner);
        let was_empty = written.is_empty();
        written.push_str(text);
        was_empty
    }

    fn take(&self, at: usize) -> String {
        std::mem::take(&mut *self.0[at].lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Takes what a specialist writes.
struct PartialSink<'b> {
    at: usize,
    board: &'b Board,
    signals: Sender<Signal>,
}

impl TokenSink for PartialSink<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        if !text.is_empty() && self.board.add(self.at, text) {
            self.signals.send(Signal::Wrote(self.at)).map_err(|_| StreamClosed)?;
        }
        Ok(())
    }
}

/// What the specialists came to, in the order of the jobs. Each ends by itself, late, or with the run; the thread that calls
/// tells `sink` of it meanwhile.
pub(super) fn work_on(
    scene: &TeamScene<'_>,
    lead: &Lead<'_>,
    jobs: &[Job<'_>],
    limit: Duration,
    sink: &mut dyn TokenSink,
) -> Vec<SpecialistEnd> {
    // Whoever listens may leave before the run knows of it, so the specialists have a token of their own.
    let all = scene.run.turn.host.cancel().child();
    let board = Board::new(jobs.len());
    let (sender, signals) = channel();
    let mut watch = Watch { jobs, board: &board, told: vec![None; jobs.len()], sink };
    thread::scope(|scope| {
        let span = tracing::Span::current();
        // A run that nobody is to hear of is not heard of from its other threads either.
        let listener = dispatcher::get_default(Clone::clone);
        for (at, job) in jobs.iter().enumerate() {
            if watch.tell(&TeamEvent::Begin { name: job.name(), task: job.task }).is_err() {
                all.token.cancel(CancelReason::CallerLeft);
            }
            let (signals, board, all) = (sender.clone(), &board, &all.token);
            let (span, listener) = (span.clone(), listener.clone());
            let work = move || {
                let partial = PartialSink { at, board, signals: signals.clone() };
                let perform = || span.in_scope(|| Desk { scene, lead, job, limit, all }.perform(partial));
                let end = dispatcher::with_default(&listener, perform);
                // Who asked waits for it until it came.
                let _ = signals.send(Signal::Ended(at, Box::new(end)));
            };
            let started = thread::Builder::new().name("specialist".to_owned()).spawn_scoped(scope, work);
            if let Err(fault) = started {
                let end = SpecialistEnd::not_begun(Error::internal(fault));
                let _ = sender.send(Signal::Ended(at, Box::new(end)));
            }
        }
        drop(sender);
        watch.follow(&signals, &all.token)
    })
}

/// A specialist at its job.
struct Desk<'a> {
    scene: &'a TeamScene<'a>,
    lead: &'a Lead<'a>,
    job: &'a Job<'a>,
    limit: Duration,
    /// Ends all specialists of the run.
    all: &'a CancelToken,
}

impl Desk<'_> {
    /// One that panics has failed like any other.
    fn perform(&self, mut sink: PartialSink<'_>) -> SpecialistEnd {
        let began = Instant::now();
        let own = self.all.child_within(self.limit);
        let host = PartHost::new(self.scene.run.turn.host, own.token.clone());
        let mut model = String::new();
        let work = catch_unwind(AssertUnwindSafe(|| self.work(&host, &mut model, &mut sink)));
        let work = work.unwrap_or_else(|_| Err(Error::internal("a specialist panicked; the log says where")));
        let (work, status) = self.judge(work, &own.token);
        SpecialistEnd { work, status, ms: millis(began.elapsed()), model, usage: host.usage() }
    }

    fn work(
        &self,
        host: &PartHost<'_>,
        model: &mut String,
        sink: &mut PartialSink<'_>,
    ) -> Result<SpecialistWork> {
        let card = &self.job.specialist.card;
        let inputs = self.scene.inputs(card, self.job.step, host)?;
        let own = specialist::model_of(&inputs, self.lead.model())?;
        own.name().unwrap_or_else(|| own.label()).clone_into(model);
        let question = self.job.question();
        let turn = RunContext { question: &question, host, ..*self.scene.run.turn };
        let context = self.scene.context(card, &turn);
        specialist::work(&inputs, &context, (&own, self.lead.inputs()), sink)
    }

    /// Why a specialist that brought nothing brought nothing: its own failure, its time, or the end of the run.
    fn judge(
        &self,
        work: Result<SpecialistWork>,
        own: &CancelToken,
    ) -> (Result<SpecialistWork>, SpecialistStatus) {
        let Err(fault) = work else { return (work, SpecialistStatus::Completed) };
        if self.all.reason().is_some() {
            return (Err(Error::Cancelled), SpecialistStatus::Cancelled);
        }
        if own.reason() == Some(CancelReason::TimedOut) {
            let told = format!(
                "{}: it took longer than the {} seconds that a specialist of this team may take",
                self.job.specialist.card.label,
                self.limit.as_secs()
            );
            return (Err(Error::RunFailed(told)), SpecialistStatus::Timeout);
        }
        (Err(fault), SpecialistStatus::Failed)
    }
}

impl SpecialistEnd {
    fn not_begun(fault: Error) -> Self {
        Self { work: Err(fault), status: SpecialistStatus::Failed, ms: 0, model: String::new(), usage: None }
    }
}

/// Tells what specialists do, in the order in which it comes.
struct Watch<'a> {
    jobs: &'a [Job<'a>],
    board: &'a Board,
    /// When each was told of last.
    told: Vec<Option<Instant>>,
    sink: &'a mut dyn TokenSink,
}

impl Watch<'_> {
    fn tell(&mut self, event: &TeamEvent<'_>) -> Result<(), StreamClosed> {
        self.sink.team(event)
    }

    /// Waits until all have ended. Nobody is told any more once nobody listens.
    fn follow(&mut self, signals: &Receiver<Signal>, all: &CancelToken) -> Vec<SpecialistEnd> {
        let mut ends: Vec<Option<SpecialistEnd>> = self.jobs.iter().map(|_| None).collect();
        let mut due: Vec<(Instant, usize)> = Vec::new();
        while ends.iter().any(Option::is_none) {
            let next = due.iter().min().copied();
            let signal = match next {
                None => signals.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some((when, _)) => signals.recv_timeout(when.saturating_duration_since(Instant::now())),
            };
            let told = match signal {
                Ok(Signal::Wrote(at)) => {
                    let now = Instant::now();
                    due.push((self.told[at].map_or(now, |told| told + PARTIAL_EVERY), at));
                    Ok(())
                }
                Ok(Signal::Ended(at, end)) => {
                    due.retain(|(_, waiting)| *waiting != at);
                    let told = self.tell_written(at).and_then(|()| self.tell_end(at, &end));
                    ends[at] = Some(*end);
                    told
                }
                Err(RecvTimeoutError::Timeout) => match next {
                    Some((_, at)) => {
                        due.retain(|(_, waiting)| *waiting != at);
                        self.tell_written(at)
                    }
                    None => Ok(()),
                },
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if told.is_err() {
                all.cancel(CancelReason::CallerLeft);
            }
        }
        let lost = || SpecialistEnd::not_begun(Error::internal("a specialist ended without a word"));
        ends.into_iter().map(|end| end.unwrap_or_else(lost)).collect()
    }

    fn tell_written(&mut self, at: usize) -> Result<(), StreamClosed> {
        let text = self.board.take(at);
        self.told[at] = Some(Instant::now());
        if text.is_empty() {
            return Ok(());
        }
        self.sink.team(&TeamEvent::Partial { name: self.jobs[at].name(), text: &text })
    }

    fn tell_end(&mut self, at: usize, end: &SpecialistEnd) -> Result<(), StreamClosed> {
        let error = end.work.as_ref().err().map(ToString::to_string);
        self.sink.team(&TeamEvent::End {
            name: self.jobs[at].name(),
            status: end.status,
            ms: end.ms,
            error: error.as_deref(),
        })
    }
}
