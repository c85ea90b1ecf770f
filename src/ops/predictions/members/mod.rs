//! A question to a Multi-Agent or Sequential Agent flow: what its conversation keeps of earlier ones, and the answer to what a
//! member asked.

use crate::app::App;
use crate::domain::conversations::conversation::Message;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::ChatId;
use crate::domain::predictions::prediction::{Question, RunOutput};
use crate::engine::agentflow::RunSink;
use crate::engine::legacy::{self, KeptTurns, MemberPlan, MemberRun, PastTurns, PauseAnswer, WaitingTurns};
use crate::engine::{CompletedRun, FlowPlan};
use crate::limits::MEMORY_MESSAGES_MAX;
use crate::ops::predictions::ask::PredictionRun;
use crate::ops::predictions::conversation::ConversationRef;
use crate::ops::predictions::host::run_host::RunHost;
use crate::ops::predictions::nested::CallPath;
use crate::ops::predictions::run::run_context;
use crate::state::calls::running::RunningCallGuard;
use serde::Deserialize as _;
use sha2::{Digest as _, Sha256};

/// What a person decided about a run that waits. Until this goes away nobody else decides about it.
pub(in crate::ops::predictions) struct PauseDecision {
    waiting: WaitingTurns,
    answer: PauseAnswer,
    _claim: RunningCallGuard,
}

/// What the question decides about the run that waits in its conversation: the text of a button, or any text that says by its
/// id what it answers. Any other question begins a run of its own.
///
/// # Errors
/// 409 where it names something that does not wait, 400 where it names something and is neither of the two texts.
pub(in crate::ops::predictions) fn find_decision(
    app: &App,
    flow: &Flow,
    plan: &FlowPlan,
    question: &mut Question,
    (conversation, way): (ConversationRef, &CallPath),
) -> Result<Option<PauseDecision>> {
    // A flow that another one asks has nobody in its conversation who could have been asked.
    if way.is_nested() || !matches!(plan, FlowPlan::Members(_)) {
        return Ok(None);
    }
    let named = question.action.clone();
    let nothing = || match named {
        Some(_) => Err(Error::Conflict(Conflict::NothingToAnswer)),
        None => Ok(None),
    };
    let ConversationRef::Existing(chat) = conversation else { return nothing() };
    let Some(waiting) = load(app, flow, chat)?.waits else { return nothing() };
    let text = question.text.trim();
    let answer = match &named {
        Some(id) if text.is_empty() => waiting.approve(id),
        Some(id) => waiting.answer(Some(id), text),
        None => waiting.answer(None, text),
    };
    let id = match &answer {
        PauseAnswer::Decided(_, answer) => answer.approval.id.clone(),
        PauseAnswer::OtherText([approve, reject]) if named.is_some() => {
            return Err(Error::Invalid(format!("Answer with '{approve}' or '{reject}'.")));
        }
        PauseAnswer::OtherText(_) => return Ok(None),
        PauseAnswer::Unknown => return nothing(),
    };
    if waiting.canvas != flow.digest {
        return Err(Error::Conflict(Conflict::FlowChangedSinceAsked));
    }
    let claim = app.state.running_calls.begin(flow.id, Sha256::digest(id.as_bytes()).into(), [0; 32]);
    let claim = claim.map_err(|_| Error::Conflict(Conflict::NothingToAnswer))?;
    // Whoever decided first may have come to the end before the claim.
    if load(app, flow, chat)?.waits.is_none_or(|waiting| !waiting.asks.contains(&id)) {
        return Err(Error::Conflict(Conflict::NothingToAnswer));
    }
    if let (true, PauseAnswer::Decided(_, answer)) = (text.is_empty(), &answer) {
        question.text.clone_from(&answer.approval.approve);
    }
    Ok(Some(PauseDecision { waiting, answer, _claim: claim }))
}

/// What the conversation keeps of the turns of members.
fn load(app: &App, flow: &Flow, chat: ChatId) -> Result<PastTurns> {
    let said = app.store.conversation(&flow.workspace, &flow.id, &chat, MEMORY_MESSAGES_MAX)?;
    let kept = |message: Message| message.turns.and_then(|kept| KeptTurns::deserialize(kept).ok());
    Ok(PastTurns::from_answers(said.into_iter().filter_map(kept)))
}

/// Runs the members.
///
/// # Errors
/// What one of them failed with; where another flow waits for the answer, also that a person is asked.
pub(in crate::ops::predictions) fn run(
    app: &App,
    entry: &PredictionRun,
    plan: &MemberPlan,
    host: &RunHost<'_>,
    sink: &mut dyn RunSink,
) -> Result<CompletedRun> {
    let past = || match entry.is_first_message {
        true => Ok(PastTurns::default()),
        false => load(app, &entry.flow, entry.ids.chat),
    };
    let decided = entry.decided.as_ref();
    let turn = run_context(entry, host);
    let run = MemberRun {
        plan,
        overrides: &entry.overrides,
        turn: &turn,
        credentials: host,
        past: Some(&past),
        resumed: decided.map(|decided| (decided.waiting.clone(), decided.answer.clone())),
        branches_max: usize::try_from(app.settings.branches_max).unwrap_or(1),
        canvas: entry.flow.digest,
    };
    let ran = legacy::run(&run, sink)?;
    require_answer(entry.call_path.is_nested(), &entry.flow, &ran.outcome)?;
    Ok(ran)
}

/// A run that waits for a person fails where another flow waits for it: nobody could answer.
pub(in crate::ops::predictions) fn require_answer(
    is_nested: bool,
    flow: &Flow,
    output: &RunOutput,
) -> Result<()> {
    let asks = output.turns.as_ref().is_some_and(|turns| turns.action.is_some());
    if is_nested && asks {
        return Err(Error::RunFailed(format!(
            "The flow '{}' asks a person, and nobody can answer it there: it was asked by another flow.",
            flow.name
        )));
    }
    Ok(())
}
