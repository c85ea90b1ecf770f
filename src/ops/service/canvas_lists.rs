//! Lists that depend on the canvas a card stands on: the editor sends what of it they need (manual 9.8 r2).

use super::load_methods::{can_edit_canvases, check_destination};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{Card, Component, InputKind, WireType};
use crate::cards::registry;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::service::choice::{Choice, ChoiceQuery, PlacedCard};
use crate::engine::StandaloneCard;
use crate::ops::predictions::host::workspace_host::WorkspaceHost;
use serde_json::{Map, Value};
use std::time::Duration;

/// The longest that a person who opens a list waits for the server of a tool.
const SERVER_SECONDS: u64 = 4;

/// The steps before a card, by the names under which inputs hold them.
pub(super) fn previous_steps(query: &ChoiceQuery) -> Vec<Choice> {
    let step = |step: &PlacedCard| Choice {
        label: step.label.clone(),
        name: format!("{}-{}", step.id, step.label),
        description: Some(step.id.clone()),
    };
    query.previous.iter().filter(|step| !step.id.is_empty()).map(step).collect()
}

/// The arguments that the tool picked in `card` takes, each once. There are none for a tool that cannot be built: asking
/// the flow says why.
///
/// # Errors
/// 403 for a credential that would be sent elsewhere.
pub(super) fn tool_arguments(
    app: &App,
    caller: &Caller,
    card: &'static Card,
    query: &ChoiceQuery,
    cancel: &CancelToken,
) -> Result<Vec<Choice>> {
    let inputs = query.current.as_ref().map_or(&query.inputs, |current| &current.inputs);
    let Some((tool, settings)) = picked_tool(card, inputs) else { return Ok(Vec::new()) };
    if !can_edit_canvases(caller) {
        return Ok(Vec::new());
    }
    let credential = settings.get("FLOWISE_CREDENTIAL_ID").and_then(Value::as_str);
    let own = ChoiceQuery {
        inputs: settings.clone(),
        credential: credential.map(str::to_owned),
        ..ChoiceQuery::default()
    };
    check_destination(app, caller, tool, &own)?;
    let short = cancel.child_within(Duration::from_secs(SERVER_SECONDS));
    let host = WorkspaceHost::new(app, caller.workspace, short.token.clone());
    let lone = StandaloneCard { card: tool, label: tool.label, settings, credential };
    let Ok(Component::Tools(tools)) = lone.build(Vec::new(), &host) else { return Ok(Vec::new()) };
    let mut arguments: Vec<Choice> = Vec::new();
    for tool in tools {
        let schema = tool.spec().schema;
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if arguments.iter().all(|known| known.name != *name) {
                let description = property["description"].as_str().map(str::to_owned);
                arguments.push(Choice { label: name.clone(), name: name.clone(), description });
            }
        }
    }
    Ok(arguments)
}

/// The tool card that is picked in a card, and how it is set.
fn picked_tool<'q>(
    card: &Card,
    inputs: &'q Map<String, Value>,
) -> Option<(&'static Card, &'q Map<String, Value>)> {
    let is_tool = |kind: InputKind| matches!(kind, InputKind::CardPick(WireType::Tool));
    let input = card.inputs.iter().find(|input| is_tool(input.kind))?;
    let tool = registry::find(inputs.get(input.name)?.as_str()?)?;
    Some((tool, inputs.get(&format!("{}Config", input.name))?.as_object()?))
}
