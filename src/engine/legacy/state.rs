//! Where a run finds what was said before, and where it leaves what it came to (manual 16.10): with the answers in the database
//! of the service, or where the agent memory of the flow keeps it.

use super::conversation::{KeptTurns, PastTurns, WaitingTurns};
use super::run::MemberRun;
use crate::cards::kit::Host;
use crate::cards::kit::members::{Opening, RunState, StateKeeper};
use crate::domain::error::{Error, Result};
use crate::domain::ids::MessageId;
use serde::Deserialize as _;
use std::sync::Arc;

/// What a run came to, on its way to where its agent memory keeps it.
pub(crate) struct PendingState {
    keeper: Arc<dyn StateKeeper>,
    state: RunState,
}

impl PendingState {
    /// Keeps it there.
    ///
    /// # Errors
    /// When it cannot be kept, naming the card.
    pub(crate) fn keep(&self, host: &dyn Host) -> Result<()> {
        self.keeper.keep(&self.state, host)
    }
}

/// Where the state is kept, where that is not this service. A question that belongs to no conversation is kept nowhere.
pub(super) fn keeper<'o>(run: &MemberRun<'_>, opening: &'o Opening) -> Option<&'o Arc<dyn StateKeeper>> {
    opening.keeper.as_ref().filter(|_| run.past.is_some())
}

/// What was said before this run. Of a run that goes on, what it said itself until it waited is no part of it.
///
/// # Errors
/// When it cannot be read.
pub(super) fn load_past(run: &MemberRun<'_>, opening: &Opening) -> Result<PastTurns> {
    let waiting = run.resumed.as_ref().map(|(waiting, _)| waiting);
    if let Some(keeper) = keeper(run, opening) {
        let itself = waiting.and_then(|waiting| waiting.run);
        let states = keeper.states(run.turn.host)?;
        let others = states.into_iter().filter(|state| Some(state.run) != itself);
        let kept: Result<Vec<KeptTurns>> = others
            .map(|state| KeptTurns::deserialize(state.state).map_err(|_| keeper.unreadable()))
            .collect();
        return Ok(PastTurns::from_answers(kept?.into_iter()));
    }
    let Some(own) = run.past else { return Ok(PastTurns::default()) };
    let past = own()?;
    Ok(if waiting.is_some() { past.before_newest() } else { past })
}

/// Parts what a run came to into what lies with its answer and what is kept elsewhere. A run that waits for a person always
/// lies with its answer: it is the service that goes on with it.
///
/// # Errors
/// When it has no form in JSON.
pub(super) fn part(
    run: &MemberRun<'_>,
    opening: &Opening,
    kept: KeptTurns,
) -> Result<(KeptTurns, Option<PendingState>)> {
    let Some(keeper) = keeper(run, opening) else { return Ok((kept, None)) };
    let answer = || run.turn.host.context().facts.map_or_else(MessageId::random, |facts| facts.ids.answer);
    let id = run.resumed.as_ref().and_then(|(waiting, _)| waiting.run).unwrap_or_else(answer);
    let KeptTurns { said, keys, continues, waits } = kept;
    let waits = waits.map(|waits| WaitingTurns { run: Some(id), ..waits });
    let left = KeptTurns { said, keys, ..KeptTurns::default() };
    let state = RunState { run: id, state: serde_json::to_value(left).map_err(Error::internal)? };
    let pending = PendingState { keeper: keeper.clone(), state };
    Ok((KeptTurns { continues, waits, ..KeptTurns::default() }, Some(pending)))
}
