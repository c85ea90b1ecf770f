//! What agents ask for.

use crate::kit::{Input, WireType};

/// The tools. Without any an agent is a model that answers.
pub(crate) const TOOLS: Input = Input::wires("tools", "Tools", WireType::Tool).optional();
/// The earlier messages. The agents of Flowise's first year had no memory.
pub(crate) const MEMORY: Input = Input::wire("memory", "Memory", WireType::ChatMemory).optional();
/// The model of agents that talk to tools in text.
pub(crate) const CHAT_MODEL: Input = Input::wire("model", "Chat Model", WireType::ChatModel);
/// How often the model may be asked.
pub(crate) const ROUNDS: Input = Input::whole("maxIterations", "Max Iterations", 1.0, 25.0).additional();
/// How often, when the owner says nothing.
pub(crate) const ROUNDS_DEFAULT: u64 = 15;
