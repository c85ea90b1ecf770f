//! Assistants in files. One that runs here stands in two lists, as Flowise writes it: as a flow, and as the row that the flow was
//! drawn from. The row is what its owner edited, so the flow that comes in is drawn from it.

use super::export::rows;
use crate::app::App;
use crate::canvas::secrets::redact_settings;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::flows::flow::{Flow, FlowKind, FlowWithCanvas};
use crate::domain::secrets::redact;
use crate::domain::workspace::assistant::{Assistant, AssistantKind, AssistantMarks, parse_object};
use crate::ops::workspace::assistants;
use crate::wire::workspace::assistants::AssistantView;
use crate::wire::workspace::export::FlowRow;
use serde_json::{Map, Value, json};

/// Lists of a file: the rows of assistants, and their flows.
const ROWS: &str = "AssistantCustom";
const FLOWS: &str = "AssistantFlow";

/// Draws the flows of the assistants in a file, and makes those that the file has only rows of. A row that cannot be drawn here
/// leaves its flow as the file has it; without one it is refused with the reason where it is stored.
pub(super) fn draw_flows(file: &mut Map<String, Value>) {
    let Some(Value::Array(rows)) = file.remove(ROWS) else { return };
    let flows = file.entry(FLOWS).or_insert_with(|| json!([]));
    let Value::Array(flows) = flows else { return };
    for row in rows {
        let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let marks = AssistantMarks { credential: text("credential"), icon: text("iconSrc") };
        let details = text("details").unwrap_or_default();
        let drawn = assistants::draw(&details, &marks);
        // Flowise keeps the flow of an assistant under an id of its own, which the row names.
        let linked = parse_object(&details).ok().and_then(|details| details.get("flowId").cloned());
        let is_own = |flow: &&mut Value| {
            flow["id"].is_string() && (flow["id"] == row["id"] || Some(&flow["id"]) == linked.as_ref())
        };
        let own = flows.iter_mut().find(is_own);
        match (own, drawn) {
            (Some(Value::Object(flow)), Ok((name, canvas))) => {
                flow.insert("name".to_owned(), name.into());
                flow.insert("flowData".to_owned(), canvas.into());
            }
            (Some(_), _) => {}
            (None, drawn) => {
                let name = parse_object(&details).ok().and_then(|details| details.get("name").cloned());
                let mut flow = json!({"id": row["id"], "type": FlowKind::Assistant.as_str(), "name": name});
                match drawn {
                    Ok((_, canvas)) => flow["flowData"] = canvas.into(),
                    Err(fault) => flow[FAULT] = fault.to_string().into(),
                }
                flows.push(flow);
            }
        }
    }
}

/// Where it stands why a row could not be drawn.
pub(super) const FAULT: &str = "cannot be drawn";

/// The row of an assistant, as its flow leaves.
///
/// # Errors
/// When the row cannot be written as JSON.
pub(super) fn custom_row(flow: &Flow, row: &FlowRow) -> Result<Value> {
    let flow = Flow { name: row.name.clone(), ..flow.clone() };
    let shown = FlowWithCanvas { flow, canvas: row.flow_data.clone(), has_webhook_secret: false };
    Ok(rows::<AssistantView, _>(vec![assistants::of_flow(&shown)])?.remove(0))
}

/// The rows of assistants at their providers, without what looks like a secret.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn hosted_rows(app: &App, caller: &Caller, kind: AssistantKind) -> Result<Vec<Value>> {
    rows::<AssistantView, _>(assistants::list(app, caller, Some(kind))?.into_iter().map(redacted).collect())
}

fn redacted(assistant: Assistant) -> Assistant {
    let details = match parse_object(&assistant.details) {
        Ok(details) => Value::Object(redact_settings(&details)).to_string(),
        Err(_) => redact(&assistant.details).text,
    };
    Assistant { details, ..assistant }
}

/// What a hosted assistant is called in a file.
#[must_use]
pub(super) fn hosted_name(fields: &Map<String, Value>) -> Option<String> {
    let details = parse_object(fields.get("details")?.as_str()?).ok()?;
    details.get("name")?.as_str().map(str::to_owned)
}
