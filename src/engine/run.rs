//! One question through one plan.

mod build;
mod memories;
pub(super) mod watch;

pub(super) use self::build::refuse_redacted;
use self::build::{RunVariables, build};
pub use self::memories::{CompletedRun, OutsideMemory, outside_memories, remembers_outside};
use self::watch::{answer_output, question_input};
use super::credential::Credentials;
use super::overrides::Overrides;
use super::plan::{Plan, Step, StepKind};
use super::resolve::Resolver;
use crate::cards::kit::{
    CardWork, ChainProgress, Component, Host, Memory, NullSink, OpenCall, RunContext, TokenSink,
    UpsertReport, WatchedNode,
};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::RunOutput;
use crate::llm::{Completion, ModelError, ReplyStream};
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tracing::Span;

/// How far a run came.
pub enum RunProgress {
    Done(CompletedRun),
    /// Nothing is left to do but to read this stream, whose text is the answer.
    Stream(Box<ReplyStream>, OpenRun),
}

impl RunProgress {
    /// The whole run; what is left of it is read on this thread.
    ///
    /// # Errors
    /// As [`run`].
    pub fn complete(self, host: &dyn Host, sink: &mut dyn TokenSink) -> Result<CompletedRun> {
        match self {
            Self::Done(completed) => Ok(completed),
            Self::Stream(stream, open) => {
                let result = open.span.in_scope(|| sink.follow(*stream)).result;
                open.finish(result, host)
            }
        }
    }
}

/// A run whose last card has its answer still to come.
pub struct OpenRun {
    call: OpenCall,
    /// That of the last card.
    span: Span,
    /// What is told of that card, where somebody watches: most runs carry no more than the pointer.
    work: Option<Box<CardWork>>,
    variables: Map<String, Value>,
    memories: Vec<Arc<dyn Memory>>,
}

impl OpenRun {
    /// Ends the run with what came of its stream.
    ///
    /// # Errors
    /// What the stream ended with, naming the card.
    pub fn finish(
        self,
        result: std::result::Result<Completion, ModelError>,
        host: &dyn Host,
    ) -> Result<CompletedRun> {
        let completion = self.span.in_scope(|| self.call.finish(result, host));
        let answered = completion.map(|completion| RunOutput::from_text(completion.text));
        CardWork::end(self.work.map(|work| *work), host, &answered, answer_output);
        let outcome = RunOutput { flow_variables: self.variables, ..answered? };
        Ok(CompletedRun::with_memories(outcome, self.memories))
    }
}

/// Builds the cards in order and lets the last one answer. Tokens of the answer go to `sink`; when the plan
/// cannot stream, the whole answer goes there as one token, so that a stream always carries it (manual 2.8). Where nothing is
/// left to do except reading a model's stream, that is left to whoever may read it elsewhere. `overrides` is what the request
/// may change.
///
/// # Errors
/// The first card that fails ends the run; the message names it.
pub fn run(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
    sink: &mut dyn TokenSink,
) -> Result<RunProgress> {
    let FinalComponent { component: part, card, label, node, variables: kept, memories } =
        build_to_end(plan, overrides, turn, credentials)?;
    let Component::Chain(chain) = part else {
        return Err(Error::RunFailed(format!(
            "{label}: this card cannot answer; end the flow in a chain or an agent"
        )));
    };
    let span = span(card, label);
    let entered = span.enter();
    let work = CardWork::begin(node.as_ref(), turn.host, || question_input(turn));
    let answered = if plan.streams {
        match chain.begin(turn, sink) {
            Ok(ChainProgress::Done(outcome)) => Ok(outcome),
            Ok(ChainProgress::Stream(stream, call)) => {
                drop(entered);
                let work = work.map(Box::new);
                let rest = OpenRun { call, span, work, variables: kept.in_answer, memories };
                return Ok(RunProgress::Stream(stream, rest));
            }
            Err(fault) => Err(fault),
        }
    } else {
        chain.run(turn, &mut NullSink)
    };
    CardWork::end(work, turn.host, &answered, answer_output);
    let outcome = answered?;
    if !plan.streams {
        sink.token(&outcome.text).map_err(|_| Error::Cancelled)?;
    }
    let outcome = RunOutput { flow_variables: kept.in_answer, ..outcome };
    Ok(RunProgress::Done(CompletedRun::with_memories(outcome, memories)))
}

/// Builds the cards in order and upserts what is wired into the vector store at the end.
///
/// # Errors
/// The first card that fails ends it; the message names it.
pub fn run_upsert(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<UpsertReport> {
    let FinalComponent { component: part, label, .. } = build_to_end(plan, overrides, turn, credentials)?;
    match part {
        Component::VectorStore(store) => store.upsert(turn.host),
        _ => Err(Error::RunFailed(format!("{label}: this card is no vector store"))),
    }
}

/// The component at the end of a plan.
struct FinalComponent<'a> {
    component: Component,
    card: &'a str,
    label: &'a str,
    /// Where somebody watches the card.
    node: Option<WatchedNode>,
    variables: RunVariables,
    memories: Vec<Arc<dyn Memory>>,
}

/// Builds all cards of a pipeline, in order, with what its run was started with in their texts.
///
/// # Errors
/// The first card that fails ends it; the message names it.
pub(super) fn build_all(
    plan: &Plan,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
    params: &BTreeMap<String, String>,
) -> Result<Vec<Option<Component>>> {
    let (chat_history, mut kept) = (OnceCell::new(), RunVariables::default());
    let mut parts: Vec<Option<Component>> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        Error::check_cancelled(turn.host.cancel())?;
        let resolver = Resolver {
            turn,
            components: &parts,
            plan,
            request_variables: None,
            params: Some(params),
            chat_history: &chat_history,
        };
        let built = build(step, &resolver, credentials, &mut kept, std::iter::empty())?;
        parts.push(Some(built.component));
    }
    Ok(parts)
}

/// Builds the cards in order, to the last one that is reached.
fn build_to_end<'a>(
    plan: &'a Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<FinalComponent<'a>> {
    let chat_history = OnceCell::new();
    let CardBuild { parts, left_behind, variables: mut kept } =
        build_cards(plan, overrides, turn, credentials, None, &chat_history)?;
    let at = plan.endings.iter().rev().copied().find(|&at| !left_behind[at]).ok_or_else(|| {
        Error::RunFailed("The branch that was taken leads to no card that can answer.".to_owned())
    })?;
    let ending = &plan.steps[at];
    let resolver = Resolver {
        turn,
        components: &parts,
        plan,
        request_variables: None,
        params: None,
        chat_history: &chat_history,
    };
    let built = build(ending, &resolver, credentials, &mut kept, overrides.for_step(at))?;
    let memories = parts.into_iter().flatten().filter_map(|part| match part {
        Component::Memory(memory) => Some(memory),
        _ => None,
    });
    Ok(FinalComponent {
        component: built.component,
        card: name(ending),
        label: &ending.label,
        node: built.node,
        variables: kept,
        memories: memories.collect(),
    })
}

/// The cards of a plan that come before its end.
struct CardBuild {
    /// By step; none for one that is not reached, and for those at the end.
    parts: Vec<Option<Component>>,
    left_behind: Vec<bool>,
    variables: RunVariables,
}

/// What became of the cards of a plan of which none answers by itself.
pub(super) struct PlanParts {
    /// By step; none for one that is not reached.
    pub(super) parts: Vec<Option<Component>>,
    /// Values that go out with the answer.
    pub(super) variables: Map<String, Value>,
}

/// Builds all cards of a plan in order, with variables of the request in their texts (manual 7.4).
///
/// # Errors
/// The first card that fails; the message names it.
pub(super) fn build_parts(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<PlanParts> {
    let history = OnceCell::new();
    let built = build_cards(plan, overrides, turn, credentials, Some(overrides.variables()), &history)?;
    Ok(PlanParts { parts: built.parts, variables: built.variables.in_answer })
}

fn build_cards(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
    request_variables: Option<&HashMap<String, String>>,
    chat_history: &OnceCell<String>,
) -> Result<CardBuild> {
    let mut parts: Vec<Option<Component>> = Vec::with_capacity(plan.steps.len());
    let mut left_behind = vec![false; plan.steps.len()];
    let mut kept = RunVariables::default();
    for (at, step) in plan.steps.iter().enumerate() {
        Error::check_cancelled(turn.host.cancel())?;
        kept.cards_were_skipped |= left_behind[at];
        if left_behind[at] || plan.endings.contains(&at) {
            parts.push(None);
            continue;
        }
        let resolver =
            Resolver { turn, components: &parts, plan, request_variables, params: None, chat_history };
        let built = build(step, &resolver, credentials, &mut kept, overrides.for_step(at))?;
        if let Some(output) = built.branch_output {
            plan.skipped_steps(at, output).into_iter().for_each(|step| left_behind[step] = true);
        }
        parts.push(Some(built.component));
    }
    Ok(CardBuild { parts, left_behind, variables: kept })
}

/// The time a card takes, for whoever watches the service.
pub(super) fn span(card: &str, label: &str) -> tracing::Span {
    tracing::info_span!(
        target: "flowkeep::span", "card", otel.name = %format_args!("card {card}"), flowkeep.card.name = card,
        flowkeep.card.label = label,
    )
}

fn name(step: &Step) -> &str {
    match &step.kind {
        StepKind::Known { card, .. } => card.name,
        StepKind::Unknown { name } => name,
    }
}
