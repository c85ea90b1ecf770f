//! A prepared question runs: its answer, and what is kept of it.

mod partial_answer;

use self::partial_answer::PartialAnswerSink;
use super::agentflow::{self, StoredPast};
use super::answer::answer_of;
use super::ask::PredictionRun;
use super::consumption;
use super::executions::RecordEnd;
use super::follow_ups;
use super::host::run_host::RunHost;
use super::host::run_notes::RunNotes;
use super::members;
use super::post_processing;
use super::record::{AnswerEnd, message_pair};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::{CardObserver, NullSink, RunContext, TokenSink};
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::consumption::QuestionEnd;
use crate::domain::predictions::prediction::{ChatType, RunOutput};
use crate::engine::agentflow::RunSink;
use crate::engine::harness::{self, TeamRun};
use crate::engine::{self, CompletedRun, FlowPlan, OpenRun, RunProgress};
use crate::llm::{ReplyStream, StreamEnd};
use crate::state::active_runs::RunGuard;
use crate::state::metrics;
use crate::store::queries::messages::MessageBatch;
use std::time::Instant;
use tracing::Span;

/// Runs a prepared question. When it returns, question and answer are stored. A run whose caller left or that
/// a shutdown ended keeps what was answered so far, marked stopped.
///
/// # Errors
/// What the flow failed with, or that the answer could not be stored.
pub fn run(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    sink: &mut dyn RunSink,
) -> Result<PredictionAnswer> {
    let (answer, said) = run_unstored(app, entry, cancel, sink)?;
    said.store_now(app, entry).map(|()| answer)
}

/// As [`run`], but the answer is not stored yet: it must not be acknowledged before [`PendingMessages::store`] says so.
///
/// # Errors
/// What the flow failed with.
pub fn run_unstored(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    sink: &mut dyn RunSink,
) -> Result<(PredictionAnswer, PendingMessages)> {
    let measure = Measure::new(entry);
    let finished = measure.span.in_scope(|| execute(app, entry, cancel, RunReaders { sink, cards: None }));
    measure.finish(app, entry, finished)
}

/// Question and answer that are not stored yet.
pub struct PendingMessages {
    said: RunMessages,
    measure: Measure,
}

/// What is stored of a run that has an answer.
struct RunMessages {
    messages: MessageBatch,
    /// Of an agentflow, whose record is to end in the same change.
    record: Option<RecordEnd>,
}

impl PendingMessages {
    /// Stores them, and returns when they are durable.
    fn store_now(self, app: &App, entry: &PredictionRun) -> Result<()> {
        let RunMessages { messages, record } = self.said;
        let stored = match record {
            Some(record) => record.store_now(messages),
            None => app.store.append(messages),
        };
        settle_files(entry, &stored);
        self.measure.end(app, entry, stored.as_ref().err());
        stored
    }

    /// Stores them and calls `done` when they are durable, in this thread or another.
    pub fn store(self, app: &App, entry: PredictionRun, done: impl FnOnce(Result<()>) + Send + 'static) {
        let (measure, house, RunMessages { messages, record }) = (self.measure, app.clone(), self.said);
        let done = move |stored: Result<()>| {
            settle_files(&entry, &stored);
            measure.end(&house, &entry, stored.as_ref().err());
            drop(entry);
            done(stored);
        };
        match record {
            Some(record) => record.store(messages, done),
            None => app.store.append_then(messages, done),
        }
    }
}

/// Nobody knows what became of messages that could not be stored, so nobody can say that nothing names their files.
fn settle_files(entry: &PredictionRun, stored: &Result<()>) {
    if !stored.as_ref().is_err_and(Error::is_refusal) {
        entry.files.keep_files();
    }
}

/// What is counted of a run.
struct Measure {
    began: Instant,
    span: Span,
}

impl Measure {
    fn new(entry: &PredictionRun) -> Self {
        let span = tracing::info_span!(
            target: "flowkeep::span", "flow", flowkeep.flow.id = %entry.flow.id, flowkeep.streams = entry.streams,
            gen_ai.conversation.id = %entry.ids.chat, error.type = tracing::field::Empty,
        );
        Self { began: Instant::now(), span }
    }

    /// The run is over; what was said is still to be stored.
    fn finish(
        self,
        app: &App,
        entry: &PredictionRun,
        finished: Result<(RunOutput, RunMessages)>,
    ) -> Result<(PredictionAnswer, PendingMessages)> {
        match finished {
            Ok((outcome, said)) => {
                let answer = answer_of(entry, outcome, entry.session_token(app));
                Ok((answer, PendingMessages { said, measure: self }))
            }
            Err(fault) => {
                count_failure(app, entry, &fault);
                self.end(app, entry, Some(&fault));
                Err(fault)
            }
        }
    }

    /// The run failed with `fault`, or its answer is stored.
    fn end(self, app: &App, entry: &PredictionRun, fault: Option<&Error>) {
        let end = run_result(fault);
        let source = match entry.chat_type {
            _ if entry.call_path.is_nested() => metrics::RunSource::AnotherFlow,
            ChatType::Internal => metrics::RunSource::Internal,
            ChatType::External => metrics::RunSource::External,
            ChatType::Scheduled => metrics::RunSource::Schedule,
            ChatType::Webhook => metrics::RunSource::Webhook,
            ChatType::Mcp => metrics::RunSource::Mcp,
        };
        app.state.metrics.record_run(source, end, self.began.elapsed());
        if end == metrics::RunResult::Answered {
            entry.files.keep_files();
        } else {
            self.span.record("error.type", end.as_str());
        }
    }
}

fn run_result(fault: Option<&Error>) -> metrics::RunResult {
    match fault {
        None => metrics::RunResult::Answered,
        Some(Error::Cancelled | Error::Unavailable(_)) => metrics::RunResult::Cancelled,
        Some(Error::ProviderThrottled { .. } | Error::BudgetUsedUp(_)) => metrics::RunResult::Limited,
        Some(_) => metrics::RunResult::Failed,
    }
}

/// Counts a run without an answer: what was used, and for the version that ran (manual 6.11) that it failed. When it returns,
/// that is stored, so whoever hears of a failure finds it. Nobody's words are kept; what ended with its caller or the service
/// is no failure.
fn count_failure(app: &App, entry: &PredictionRun, fault: &Error) {
    let (flow, chat) = (&entry.flow, &entry.ids.chat);
    let is_cancelled = run_result(Some(fault)) == metrics::RunResult::Cancelled;
    let end = if is_cancelled { QuestionEnd::Stopped } else { QuestionEnd::Failed };
    let version = entry.version.filter(|_| !is_cancelled && entry.stored_as != ChatType::Internal);
    let batch = match version {
        Some(version) => MessageBatch::of_failure(&flow.workspace, &flow.id, chat, version.change),
        None => MessageBatch::empty(&flow.workspace),
    };
    let batch = batch.with_consumption(&flow.id, chat, &entry.open.settle(end));
    consumption::store(app, flow, batch);
}

/// How far a prediction came on the thread of its run.
pub enum PredictionProgress {
    Done(PredictionAnswer),
    /// Nothing is left to do but to read this stream, whose text is the answer, and to store what was said.
    Stream(Box<ReplyStream>, OpenPrediction),
}

/// A prediction whose answer is still to come from its model.
pub struct OpenPrediction {
    execution: OpenExecution,
    measure: Measure,
}

/// Who reads what a run does.
pub struct RunReaders<'a> {
    /// Takes the answer.
    pub sink: &'a mut dyn RunSink,
    /// Watches the cards, where it is a run of a chatflow (manual 2.11).
    pub cards: Option<&'a dyn CardObserver>,
}

/// As [`run`]; but where nothing is left to do except reading a model's stream, that is left to whoever may read it
/// elsewhere.
///
/// # Errors
/// As [`run`].
pub fn begin(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    readers: RunReaders<'_>,
) -> Result<PredictionProgress> {
    let measure = Measure::new(entry);
    let execution = || {
        if entry.streams {
            return begin_execution(app, entry, cancel, readers);
        }
        execute(app, entry, cancel, readers).map(|(outcome, said)| Execution::Done(outcome, said))
    };
    let finished = match measure.span.in_scope(execution) {
        Ok(Execution::Stream(stream, execution)) => {
            return Ok(PredictionProgress::Stream(stream, OpenPrediction { execution, measure }));
        }
        Ok(Execution::Done(outcome, said)) => Ok((outcome, said)),
        Err(fault) => Err(fault),
    };
    let (answer, said) = measure.finish(app, entry, finished)?;
    said.store_now(app, entry).map(|()| PredictionProgress::Done(answer))
}

impl OpenPrediction {
    /// Ends the prediction with what came of its stream. When it returns, question and answer are stored, as after [`run`].
    ///
    /// # Errors
    /// As [`run`].
    pub fn finish(
        self,
        app: &App,
        entry: &PredictionRun,
        cancel: &CancelToken,
        end: StreamEnd,
        cards: Option<&dyn CardObserver>,
    ) -> Result<PredictionAnswer> {
        let Self { execution, measure } = self;
        // All of the text is out already.
        let readers = RunReaders { sink: &mut NullSink, cards };
        let finish = || execution.finish(app, entry, cancel, end, readers);
        let finished = measure.span.in_scope(finish);
        let (answer, said) = measure.finish(app, entry, finished)?;
        said.store_now(app, entry).map(|()| answer)
    }
}

/// How far an execution came.
enum Execution {
    Done(RunOutput, RunMessages),
    Stream(Box<ReplyStream>, OpenExecution),
}

/// An execution that waits for the end of its stream.
struct OpenExecution {
    run: OpenRun,
    notes: RunNotes,
    /// What was said before the stream.
    text: String,
    /// Somebody else's request can end it meanwhile.
    _listed: RunGuard,
}

fn execute(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    RunReaders { sink, cards }: RunReaders<'_>,
) -> Result<(RunOutput, RunMessages)> {
    match begin_execution(app, entry, cancel, RunReaders { sink: &mut *sink, cards })? {
        Execution::Done(outcome, said) => Ok((outcome, said)),
        Execution::Stream(stream, open) => {
            let end = if entry.streams { sink.follow(*stream) } else { NullSink.follow(*stream) };
            open.finish(app, entry, cancel, end, RunReaders { sink, cards })
        }
    }
}

fn begin_execution(
    app: &App,
    entry: &PredictionRun,
    cancel: &CancelToken,
    RunReaders { sink, cards }: RunReaders<'_>,
) -> Result<Execution> {
    let listed = app.state.active_runs.register(entry.flow.id, entry.ids.chat, cancel);
    // A step of an agentflow that fails ends those beside it, and not the request.
    let own = cancel.child();
    let token = if entry.plan.is_agentflow() { &own.token } else { cancel };
    let host = RunHost::new(app, entry, token.clone())?.with_cards(cards);
    let mut kept = PartialAnswerSink { sink, text: String::new(), streams: entry.streams };
    let mut record = None;
    let begun = match &*entry.plan {
        FlowPlan::Chat(plan) => {
            engine::run(plan, &entry.overrides, &run_context(entry, &host), &host, &mut kept)
        }
        FlowPlan::Members(plan) => members::run(app, entry, plan, &host, &mut kept).map(RunProgress::Done),
        FlowPlan::Team(plan) => {
            let team = TeamRun {
                plan,
                overrides: &entry.overrides,
                turn: &run_context(entry, &host),
                credentials: &host,
                conversation: &StoredPast::of(app, &host, entry.ids.chat),
            };
            harness::run(&team, &mut kept).map(|output| RunProgress::Done(CompletedRun::from_output(output)))
        }
        FlowPlan::Agent(plan) => {
            agentflow::run(app, entry, plan, &host, cancel, &mut kept).map(|(output, end)| {
                record = end;
                RunProgress::Done(CompletedRun::from_output(output))
            })
        }
    };
    let result = match begun {
        Ok(RunProgress::Stream(stream, run)) => {
            let open = OpenExecution { run, text: kept.text, notes: host.into_notes(), _listed: listed };
            return Ok(Execution::Stream(stream, open));
        }
        Ok(RunProgress::Done(ran)) => Ok(ran),
        Err(fault) => Err(fault),
    };
    match conclude(app, entry, &host, cancel, result, &mut kept) {
        Ok((outcome, messages)) => Ok(Execution::Done(outcome, RunMessages { messages, record })),
        Err(fault) => {
            // Its steps came to their end, whatever became of the answer behind them.
            if let Some(Err(unwritten)) = record.map(RecordEnd::store_alone) {
                tracing::warn!(error = unwritten.for_log(), "the end of a run could not be recorded");
            }
            Err(fault)
        }
    }
}

impl OpenExecution {
    fn finish(
        self,
        app: &App,
        entry: &PredictionRun,
        cancel: &CancelToken,
        end: StreamEnd,
        RunReaders { sink, cards }: RunReaders<'_>,
    ) -> Result<(RunOutput, RunMessages)> {
        let host = RunHost::resume(app, entry, cancel.clone(), self.notes)?.with_cards(cards);
        let result = self.run.finish(end.result, &host);
        let text = self.text + &end.text;
        let mut kept = PartialAnswerSink { sink, text, streams: entry.streams };
        let (outcome, messages) = conclude(app, entry, &host, cancel, result, &mut kept)?;
        Ok((outcome, RunMessages { messages, record: None }))
    }
}

pub(super) fn run_context<'a>(entry: &'a PredictionRun, host: &'a RunHost<'a>) -> RunContext<'a> {
    RunContext {
        question: &entry.prompt,
        documents: &entry.prompt[..entry.documents_end],
        uploads: &entry.images,
        history: &entry.question.history,
        host,
    }
}

/// Turns what a run came to into what goes out and what is stored. What was said of a run that was ended is stored here.
fn conclude(
    app: &App,
    entry: &PredictionRun,
    host: &RunHost<'_>,
    cancel: &CancelToken,
    result: Result<CompletedRun>,
    kept: &mut PartialAnswerSink<'_>,
) -> Result<(RunOutput, MessageBatch)> {
    match result {
        Ok(ran) if cancel.reason().is_some() && ran.outcome.team.is_some() && ran.outcome.text.is_empty() => {
            Err(stopped_team(app, entry, host, cancel, ran.outcome)?)
        }
        Ok(mut ran) => {
            let outcome = &mut ran.outcome;
            // A step of an agentflow tells itself what its model leaned on.
            if outcome.execution.is_none() {
                outcome.source_documents.extend(host.take_cited());
            }
            let processed = post_processing::apply(host, &entry.flow, outcome);
            let sent = processed
                .map_err(|fault| run_error(fault, cancel))
                .and_then(|()| if entry.streams { Ok(()) } else { kept.send_whole(&outcome.text) });
            if let Err(fault) = sent {
                keep_pause(app, entry, host, std::mem::take(outcome))?;
                return Err(fault);
            }
            outcome.follow_up_prompts = follow_ups::generate(host, entry, &outcome.text);
            outcome.usage = host.usage();
            // A memory elsewhere may name the session of what is stored here, so it is asked first.
            let remembered = ran.save_to_memories(host);
            let said = message_pair(app, entry, &ran.outcome, AnswerEnd::Complete)?;
            if let Err(fault) = remembered {
                // The answer was given and paid for: what a memory elsewhere could not keep stays here.
                app.store.append(said)?;
                entry.files.keep_files();
                return Err(run_error(fault, cancel));
            }
            Ok((ran.outcome, said))
        }
        Err(fault) => {
            let fault = run_error(fault, cancel);
            // What post-processing was to change is not kept unchanged.
            let is_partial = entry.streams && !kept.text.is_empty();
            if matches!(fault, Error::Cancelled | Error::Unavailable(_)) && is_partial {
                let partial = RunOutput {
                    text: std::mem::take(&mut kept.text),
                    usage: host.usage(),
                    ..RunOutput::default()
                };
                app.store.append(message_pair(app, entry, &partial, AnswerEnd::Truncated)?)?;
                entry.files.keep_files();
            }
            Err(fault)
        }
    }
}

/// Keeps that an answer waits for a person, where it could not go out: the pause is stored, and whoever is to decide has to find
/// it. What post-processing was to change is not kept unchanged.
fn keep_pause(app: &App, entry: &PredictionRun, host: &RunHost<'_>, outcome: RunOutput) -> Result<()> {
    if !outcome.waits_for_person() {
        return Ok(());
    }
    let silent = RunOutput { text: String::new(), json: None, usage: host.usage(), ..outcome };
    app.store.append(message_pair(app, entry, &silent, AnswerEnd::Complete)?)?;
    entry.files.keep_files();
    Ok(())
}

/// Keeps what the specialists of a team did until their run was ended: there is no answer, and that is told as of any run.
fn stopped_team(
    app: &App,
    entry: &PredictionRun,
    host: &RunHost<'_>,
    cancel: &CancelToken,
    outcome: RunOutput,
) -> Result<Error> {
    let fault = run_error(Error::Cancelled, cancel);
    if matches!(fault, Error::Cancelled | Error::Unavailable(_)) {
        let stopped = RunOutput { usage: host.usage(), ..outcome };
        app.store.append(message_pair(app, entry, &stopped, AnswerEnd::Truncated)?)?;
        entry.files.keep_files();
        if let Some(team) = stopped.team {
            let _ = entry.stopped_team.set(team);
        }
    }
    Ok(fault)
}

/// What ended a run says more than what it failed with on the way.
pub(in crate::ops) fn run_error(fault: Error, cancel: &CancelToken) -> Error {
    match cancel.reason() {
        Some(CancelReason::CallerLeft | CancelReason::Aborted) => Error::Cancelled,
        Some(CancelReason::Shutdown) => Error::Unavailable(UnavailableReason::Restarting),
        Some(CancelReason::TimedOut) => {
            Error::RunFailed("The flow took longer than a run may take and was stopped.".to_owned())
        }
        Some(CancelReason::Failed) | None => fault,
    }
}
