//! Post-processing: code of the flow's owner that may replace the text of an answer (manual 2.6 r3).

use crate::cards::kit::build::code::{self, Code};
use crate::cards::kit::{CodeRunner, Conversations};
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::predictions::prediction::RunOutput;
use crate::limits::MEMORY_MESSAGES_MAX;
use serde_json::{Map, Value, json};

const NAME: &str = "Post-processing";

/// Runs the flow's post-processing code, if it has some. An answer that the code was to change does not go out
/// unchanged when the code fails: the owner may have written it to take something out.
///
/// # Errors
/// Why the code had no result.
pub(super) fn apply(
    host: &(impl CodeRunner + Conversations),
    flow: &Flow,
    outcome: &mut RunOutput,
) -> Result<()> {
    let Some(source) = &flow.settings.chatbot_config.post_processing else { return Ok(()) };
    let history = host.history(None, MEMORY_MESSAGES_MAX)?;
    let message = |past: &crate::domain::predictions::prediction::HistoryMessage| json!({"role": past.role, "content": past.text});
    let mut facts = Map::new();
    facts.insert("rawOutput".into(), outcome.text.clone().into());
    facts.insert("chatHistory".into(), history.iter().map(message).collect());
    facts.insert("sourceDocuments".into(), json!(outcome.source_documents));
    facts.insert("usedTools".into(), json!(outcome.used_tools));
    facts.insert("artifacts".into(), json!(outcome.artifacts));
    facts.insert("fileAnnotations".into(), json!(outcome.file_annotations));
    let code = Code { flow: facts, ..Code::new(NAME, source, Map::new()) };
    let result = host.run_code(&code).map_err(|error| code::code_error(NAME, &error))?;
    if result != Value::Null {
        outcome.text = code::as_text(&result);
        outcome.json = None;
    }
    Ok(())
}
