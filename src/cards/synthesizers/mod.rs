//! Response synthesizers: how an engine makes one answer of many chunks.

pub(crate) mod compact_refine;
pub(crate) mod refine;
pub(crate) mod simple_response_builder;
pub(crate) mod tree_summarize;

use super::kit::build::prompt::BraceText;
use super::kit::models::synthesis::{ANSWER, REFINE};
use super::kit::{Input, Inputs};

/// What the first chunks are answered with.
const TEXT_QA_PROMPT: Input = Input::lines("textQAPrompt", "Text QA Prompt")
    .or(ANSWER)
    .optional()
    .help("Asks for an answer from {context} to {query}.");
/// What further chunks better the answer with.
const REFINE_PROMPT: Input = Input::lines("refinePrompt", "Refine Prompt")
    .or(REFINE)
    .optional()
    .help("Asks for a better answer than {existingAnswer} from {context} to {query}.");

/// The owner's text of such an input.
fn prompt(inputs: &Inputs<'_>, input: &Input) -> BraceText {
    inputs.optional_brace_text(input.name).unwrap_or_default()
}
