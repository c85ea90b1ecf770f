//! Memories on servers of a flow's owner: what is deleted here is forgotten there.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::RunContext;
use crate::domain::error::Result;
use crate::domain::ids::{ChatId, FlowId, MessageId, WorkspaceId};
use crate::domain::predictions::prediction::RunIds;
use crate::engine::{self, OutsideMemory, Overrides};
use crate::ops::predictions::{self, RunHost};
use crate::store::queries::timeline::{self, MessagePosition};
use crate::store::tables::FLOWS;
use std::collections::BTreeMap;

/// Those of these messages' conversations of which nothing is left once they are removed, forgotten by the memories of
/// the flow as it is Live. A flow that cannot run has none.
///
/// # Errors
/// What a memory cannot forget, naming its card: then nothing has been removed here, and the deletion can be repeated.
pub(super) fn delete_remote_memories(
    app: &App,
    workspace: &WorkspaceId,
    flow: &FlowId,
    removed: &[MessagePosition],
) -> Result<()> {
    let Some(live) = app.store.read(|tx| FLOWS.get(tx, workspace, flow))? else { return Ok(()) };
    let Ok(plan) = predictions::plan(app, &live) else { return Ok(()) };
    let Some(plan) = plan.as_chat().filter(|plan| engine::remembers_outside(plan)) else { return Ok(()) };
    let mut counts: BTreeMap<ChatId, usize> = BTreeMap::new();
    removed.iter().for_each(|place| *counts.entry(place.chat).or_default() += 1);
    let overrides = Overrides::default();
    let ids = RunIds {
        flow: *flow,
        chat: ChatId::random(),
        answer: MessageId::random(),
        question: MessageId::random(),
    };
    let host = RunHost::for_flow(app, &live, ids, &overrides, "", CancelToken::new(None))?;
    let turn = RunContext { question: "", documents: "", uploads: &[], history: &[], host: &host };
    let mut memories: Option<Vec<OutsideMemory>> = None;
    for (chat, count) in counts {
        if app.store.read_messages(|tx| timeline::of_chat(tx, workspace, flow, &chat))?.len() > count {
            continue;
        }
        let newest = app.store.conversation(workspace, flow, &chat, 1)?;
        let Some(session) = newest.into_iter().find_map(|message| message.session) else { continue };
        if memories.is_none() {
            memories = Some(engine::outside_memories(plan, &turn, &host)?);
        }
        for memory in memories.iter().flatten() {
            memory.forget(&session, &host)?;
        }
    }
    Ok(())
}
