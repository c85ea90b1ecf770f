//! The webhook that a pipeline says it starts by.

use crate::canvas::Canvas;
use crate::cards::kit::knowledge::transform::START;
use crate::engine::agentflow::WebhookStart;
use serde_json::Value;

/// What the Start card of a pipeline says of calls; `None` where none starts it.
#[must_use]
pub(crate) fn webhook_of(canvas: &Canvas) -> Option<WebhookStart> {
    let start = canvas.nodes().iter().find(|node| node.name == START)?;
    let kind = start.inputs.get("startInputType").and_then(Value::as_str);
    (kind == Some("webhookTrigger")).then(|| WebhookStart::from_node(start))
}
