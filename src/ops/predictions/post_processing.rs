//! Post-processing: code of the flow's owner that may replace the text of an answer (manual 2.6 r3).

use super::ask::PredictionRun;
use super::host::run_host::RunHost;
use crate::cards::kit::build::code::{self, Code};
use crate::cards::kit::{CodeRunner as _, Conversations as _};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::limits::MEMORY_MESSAGES_MAX;
use serde_json::{Map, Value, json};

const NAME: &str = "Post-processing";

/// Runs the flow's post-processing code, if it has some. An answer that the code was to change does not go out
/// unchanged when the code fails: the owner may have written it to take something out.
///
/// # Errors
/// Why the code had no result.
pub(super) fn apply(host: &RunHost<'_>, entry: &PredictionRun, outcome: &mut RunOutput) -> Result<()> {
    let Some(source) = &entry.flow.settings.chatbot_config.post_processing else { return Ok(()) };
    let history = host.history(None, MEMORY_MESSAGES_MAX)?;
    let message = |past: &crate::domain::predictions::prediction::HistoryMessage| json!({"role": past.role, "content": past.text});
    let mut flow = Map::new();
    flow.insert("rawOutput".into(), outcome.text.clone().into());
    flow.insert("chatHistory".into(), history.iter().map(message).collect());
    flow.insert("sourceDocuments".into(), json!(outcome.source_documents));
    flow.insert("usedTools".into(), json!(outcome.used_tools));
    flow.insert("artifacts".into(), json!(outcome.artifacts));
    flow.insert("fileAnnotations".into(), json!(outcome.file_annotations));
    let code = Code { flow, ..Code::new(NAME, source, Map::new()) };
    let result = host.run_code(&code).map_err(|error| code::code_error(NAME, &error))?;
    if result != Value::Null {
        outcome.text = code::as_text(&result);
        outcome.json = None;
    }
    Ok(())
}
