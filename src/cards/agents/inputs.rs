//! What agents ask for.

use crate::cards::kit::{Connects, Input};

/// The tools.
pub const TOOLS: Input = Input::wires("tools", "Tools", Connects::Tool);
/// What was said before.
pub const MEMORY: Input = Input::wire("memory", "Memory", Connects::ChatMemory);
/// The model of agents that talk to tools in text.
pub const CHAT_MODEL: Input = Input::wire("model", "Chat Model", Connects::ChatModel);
/// How often the model may be asked.
pub const ROUNDS: Input = Input::whole("maxIterations", "Max Iterations", 1.0, 25.0).additional();
/// How often, when the owner says nothing.
pub const ROUNDS_DEFAULT: u64 = 15;
