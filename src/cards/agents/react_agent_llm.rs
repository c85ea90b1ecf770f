//! ReAct Agent for LLMs: as the one for chat models, without memory.

use super::inputs::{ROUNDS, TOOLS};
use super::react_agent_chat::agent;
use crate::chains::llm_chain::MODERATION;
use crate::kit::{Card, Category, Factory, Input, Risk, WireType};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "reactAgentLLM",
    label: "ReAct Agent for LLMs",
    version: 2.0,
    category: Category::Agents,
    description: "A language model that thinks and uses tools in lines of text; it remembers nothing.",
    base_classes: &["AgentExecutor", "BaseChain", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[TOOLS, Input::wire("model", "Language Model", WireType::LanguageModel), MODERATION, ROUNDS],
    outputs: &[],
    make: Factory::Chain(|inputs| Ok(Arc::new(agent(inputs)?))),
};
