//! A run of a harness: who works on the question, their work, and the answer (manual 22.3).

use super::outcome::{TeamParts, ended_early, output};
use super::plan::{TEAM, TeamCard, TeamPlan};
use super::specialists::{Job, SpecialistEnd, work_on};
use crate::cards::harness::lead::{Candidate, Choice, Lead, Report};
use crate::cards::harness::team::{Routing, TeamSettings};
use crate::cards::kit::{
    ConversationPast, Host, Inputs, PartHost, RunContext, StartValues, StepContext, TokenSink, require_needs,
};
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{HistoryMessage, RunOutput};
use crate::domain::predictions::team::{Assignment, TeamEvent};
use crate::engine::agentflow::step::inputs::Binder;
use crate::engine::agentflow::values::scope::StepScope;
use crate::engine::credential::Credentials;
use crate::engine::overrides::Overrides;
use crate::engine::run::refuse_redacted;
use serde_json::{Map, Value};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What one run of a harness works with.
pub(crate) struct TeamRun<'r> {
    pub plan: &'r TeamPlan,
    pub overrides: &'r Overrides,
    pub turn: &'r RunContext<'r>,
    pub credentials: &'r dyn Credentials,
    /// What was said before, of which the team knows as much as its card says.
    pub conversation: &'r dyn ConversationPast,
}

/// What every card of a run sees beside its inputs.
pub(super) struct TeamScene<'r> {
    pub(super) run: &'r TeamRun<'r>,
    start: StartValues,
    state: Map<String, Value>,
    past: ReadPast<'r>,
}

/// The conversation, read once for all who need it: what is said meanwhile is no part of this question.
struct ReadPast<'r> {
    past: &'r dyn ConversationPast,
    said: OnceLock<Vec<HistoryMessage>>,
}

impl ConversationPast for ReadPast<'_> {
    fn messages(&self) -> Result<Vec<HistoryMessage>> {
        self.told_messages()
    }

    fn told_messages(&self) -> Result<Vec<HistoryMessage>> {
        if let Some(said) = self.said.get() {
            return Ok(said.clone());
        }
        let said = self.past.told_messages()?;
        Ok(self.said.get_or_init(|| said).clone())
    }

    fn picture(&self, file: &MessageFile, bytes_max: usize) -> Result<Option<Vec<u8>>> {
        self.past.picture(file, bytes_max)
    }
}

impl<'r> TeamScene<'r> {
    fn new(run: &'r TeamRun<'r>) -> Self {
        let past = ReadPast { past: run.conversation, said: OnceLock::new() };
        Self { run, start: StartValues::default(), state: Map::new(), past }
    }

    /// What a card sees of its run.
    pub(super) fn context<'c>(&'c self, card: &'c TeamCard, turn: &'c RunContext<'c>) -> StepContext<'c> {
        StepContext {
            node: &card.node,
            turn,
            start: &self.start,
            said: &[],
            past: &self.past,
            state: &self.state,
            is_last: true,
            resume: None,
        }
    }

    /// The inputs of a card, with the cards that are picked in them built.
    ///
    /// # Errors
    /// What is wrong with an input, or with a card that is picked, naming the card.
    pub(super) fn inputs<'c>(
        &self,
        card: &'c TeamCard,
        step: usize,
        host: &'c dyn Host,
    ) -> Result<Inputs<'c>> {
        require_needs(card.card, &card.label, host)?;
        let turn = RunContext { host, ..*self.run.turn };
        let binder = Binder {
            label: &card.label,
            scope: &StepScope::alone(&turn, &self.start, &self.past, &self.state),
            host,
            credentials: self.run.credentials,
            overrides: self.run.overrides,
            step,
        };
        let inputs = Inputs {
            card: card.card,
            fields: card.card.inputs,
            row: None,
            label: &card.label,
            node: None,
            host,
            values: binder.bind(card.card, &card.inputs)?,
            credential: None,
            credential_id: None,
        };
        refuse_redacted(&inputs)?;
        Ok(inputs)
    }
}

/// Runs a harness; what it does and its answer go to `sink`.
///
/// # Errors
/// What the route, the handoff or, where all failed, the first of the specialists failed with.
pub(crate) fn run(run: &TeamRun<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
    let scene = TeamScene::new(run);
    let host = run.turn.host;
    let (routing, handing) =
        (PartHost::new(host, host.cancel().clone()), PartHost::new(host, host.cancel().clone()));
    let inputs = scene.inputs(&run.plan.team, TEAM, host)?;
    let settings = TeamSettings::from_inputs(&inputs)?;
    let mut parts = TeamParts::new(run.plan);

    let turn = RunContext { host: &routing, ..*run.turn };
    let context = scene.context(&run.plan.team, &turn);
    let began = Instant::now();
    let Choice { tasks, answer } = choose(run, &Lead::new(&inputs, &context)?, settings.routing)?;
    if settings.routing != Routing::All {
        parts.timings.route_ms = millis(began.elapsed());
    }
    parts.usage.push(routing.usage());
    parts.assignments = tasks.iter().map(|(at, task)| assignment(run.plan, *at, task)).collect();
    tell(
        sink,
        &TeamEvent::Route {
            harness: &run.plan.name,
            assignments: &parts.assignments,
            ms: parts.timings.route_ms,
        },
    )?;

    let turn = RunContext { host: &handing, ..*run.turn };
    let context = scene.context(&run.plan.team, &turn);
    let lead = Lead::new(&inputs, &context)?;
    let began = Instant::now();
    let files = if settings.routing == Routing::All { "" } else { run.turn.documents };
    let jobs: Vec<Job<'_>> = jobs(run.plan, &tasks, files);
    let limit = Duration::from_secs(settings.specialist_seconds);
    let ends = work_on(&scene, &lead, &jobs, limit, sink);
    parts.timings.specialists_ms = if jobs.is_empty() { 0 } else { millis(began.elapsed()) };
    parts.usage.extend(ends.iter().map(|end| end.usage));
    if host.cancel().reason().is_some() {
        return Ok(ended_early(parts, &jobs, ends));
    }
    let reports = reports(&jobs, &ends);
    let from: Vec<_> =
        jobs.iter().zip(&ends).filter(|(_, end)| end.work.is_ok()).map(|(job, _)| job.name()).collect();
    if from.is_empty() && !jobs.is_empty() {
        return Err(first_failure(ends));
    }
    tell(sink, &TeamEvent::Handoff { from: &from })?;

    let began = Instant::now();
    let text = answer_of(&lead, &reports, answer, settings.relays, sink)?;
    parts.report(&jobs, &ends, report(&lead, &reports, &text));
    parts.timings.handoff_ms = millis(began.elapsed());
    parts.usage.push(handing.usage());
    Ok(output(parts, &jobs, ends, text))
}

/// Who works on what.
fn choose(run: &TeamRun<'_>, lead: &Lead<'_>, routing: Routing) -> Result<Choice> {
    match routing {
        Routing::All => {
            let question = run.turn.question;
            let tasks = (0..run.plan.specialists.len()).map(|at| (at, question.to_owned()));
            Ok(Choice { tasks: tasks.collect(), answer: None })
        }
        Routing::Chosen(_) | Routing::One => {
            let specialists = run.plan.specialists.iter();
            let candidates: Vec<Candidate<'_>> = specialists
                .map(|one| Candidate { name: one.name.as_str(), description: &one.description })
                .collect();
            let most = if let Routing::Chosen(most) = routing { Some(most) } else { None };
            lead.choose(&candidates, most)
        }
    }
}

fn assignment(plan: &TeamPlan, at: usize, task: &str) -> Assignment {
    Assignment { specialist: plan.specialists[at].name.clone(), task: task.to_owned() }
}

/// The work, in the order of the team.
fn jobs<'p>(plan: &'p TeamPlan, tasks: &'p [(usize, String)], files: &'p str) -> Vec<Job<'p>> {
    let mut jobs: Vec<Job<'_>> = tasks
        .iter()
        .map(|(at, task)| Job { step: TEAM + 1 + at, specialist: &plan.specialists[*at], task, files })
        .collect();
    jobs.sort_by_key(|job| job.step);
    jobs
}

fn reports<'e>(jobs: &'e [Job<'_>], ends: &'e [SpecialistEnd]) -> Vec<Report<'e>> {
    let report = |(job, end): (&'e Job<'_>, &'e SpecialistEnd)| Report {
        name: job.name().as_str(),
        text: end.work.as_ref().ok().map(|work| work.text.as_str()),
    };
    jobs.iter().zip(ends).map(report).collect()
}

/// The text of the answer: the team's own where nobody was asked, a report that stands alone where it is relayed, else what
/// the team's model makes of the reports.
fn answer_of(
    lead: &Lead<'_>,
    reports: &[Report<'_>],
    answer: Option<String>,
    relays: bool,
    sink: &mut dyn TokenSink,
) -> Result<String> {
    let mut brought = reports.iter().filter_map(|report| report.text);
    let text = match (brought.next(), brought.next()) {
        (None, _) => match answer {
            Some(answer) => answer,
            None => return lead.answer(sink),
        },
        (Some(report), None) if relays => report.to_owned(),
        _ => return lead.compose(reports, sink),
    };
    sink.token(&text).map_err(|_| Error::Cancelled)?;
    Ok(text)
}

/// The object that the team reports with. The answer is given by then, so one that cannot be had is told and fails nothing.
fn report(lead: &Lead<'_>, reports: &[Report<'_>], text: &str) -> Option<Result<Map<String, Value>, String>> {
    match lead.report(reports, text) {
        Ok(report) => report.map(Ok),
        Err(fault) => Some(Err(fault.to_string())),
    }
}

/// What the run fails with when nobody brought anything: what the first of the team alone would have failed with.
fn first_failure(ends: Vec<SpecialistEnd>) -> Error {
    let first = ends.into_iter().find_map(|end| end.work.err());
    first.unwrap_or_else(|| Error::internal("a team without specialists was waited for"))
}

fn tell(sink: &mut dyn TokenSink, event: &TeamEvent<'_>) -> Result<()> {
    sink.team(event).map_err(|_| Error::Cancelled)
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
