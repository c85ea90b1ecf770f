//! Start: where a Sequential Agent flow begins, and what its members have in common.

use crate::chains::llm_chain::MODERATION;
use crate::kit::members::state_keeper::wired_keeper;
use crate::kit::members::{Member, Opening};
use crate::kit::{Card, Category, Factory, Input, Risk, WireType};

/// Turns of one run of a Sequential Agent flow (manual 14.4).
const TURNS_MAX: usize = 25;

pub(crate) const CARD: Card = Card {
    name: "seqStart",
    label: "Start",
    version: 2.0,
    category: Category::SequentialAgents,
    description: "Where the flow begins.",
    base_classes: &["Start"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::wire("model", "Chat Model", WireType::ChatModel)
            .help("The model of cards that have none of their own."),
        Input::wire("agentMemory", "Agent Memory", WireType::Checkpointer).optional(),
        Input::wire("state", "State", WireType::AgentState).optional(),
        MODERATION,
    ],
    outputs: &[],
    make: Factory::Member(|inputs| {
        let keys = match inputs.optional_member("state")?.as_deref() {
            Some(Member::State(keys)) => keys.clone(),
            _ => Vec::new(),
        };
        Ok(Member::Start(Opening {
            model: inputs.model("model")?,
            moderations: inputs.moderations("inputModeration")?,
            keys,
            keeper: wired_keeper(inputs, "agentMemory")?,
            turns_max: TURNS_MAX,
        }))
    }),
};
