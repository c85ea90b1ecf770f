//! Engines: what answers from an index, or chats, in flows that were drawn for LlamaIndex.

pub(crate) mod context_chat_engine;
pub(crate) mod query_engine;
pub(crate) mod simple_chat_engine;
pub(crate) mod sub_question_query_engine;

use super::kit::models::synthesis::Synthesis;
use super::kit::{Input, Inputs, WireType};
use crate::domain::error::Result;
use std::sync::Arc;

const RETRIEVER: Input =
    Input::wire("vectorStoreRetriever", "Vector Store Retriever", WireType::IndexRetriever);
const SYNTHESIZER: Input = Input::wire("responseSynthesizer", "Response Synthesizer", WireType::Synthesizer)
    .optional()
    .help("How one answer is made of many chunks. None: Compact and Refine.");
const MODEL: Input = Input::wire("model", "Chat Model", WireType::EngineModel);
const MEMORY: Input = Input::wire("memory", "Memory", WireType::ChatMemory);
const SYSTEM: Input = Input::lines("systemMessagePrompt", "System Message").optional();
const RETURN_SOURCES: Input = Input::switch("returnSourceDocuments", "Return Source Documents").optional();

/// The wired way to an answer, or the usual one.
fn synthesis(inputs: &Inputs<'_>) -> Result<Arc<Synthesis>> {
    Ok(inputs.optional_synthesis(SYNTHESIZER.name)?.unwrap_or_default())
}
