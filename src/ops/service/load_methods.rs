//! Lists that inputs of cards are chosen from (manual 9.8 r2).

use super::canvas_lists;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::template::{Reference, Segment, TextTemplate};
use crate::cards::kit::{Card, Input, InputKind, Picker, WireType};
use crate::cards::model_lists::{self, ModelListRequest};
use crate::cards::palette;
use crate::cards::registry::cards_of_kind;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::CredentialId;
use crate::domain::knowledge::document_store::DocumentStore;
use crate::domain::service::choice::{Choice, ChoiceQuery};
use crate::domain::workspace::tool::WorkspaceTool;
use crate::domain::workspace::tool_server::{OfferedTool, ToolServer};
use crate::engine::StandaloneCard;
use crate::llm::{Endpoint, ListedModel, ProviderKey, list_models};
use crate::net::ResponseLimits;
use crate::ops::flows::access::{FlowAction, check_permission};
use crate::ops::flows::live::harnesses::{self, ListedHarness};
use crate::ops::workspace::{credential_destinations, credentials, offered_tools, tool_servers, variables};
use crate::state::model_lists::ModelListKey;
use crate::store::tables::{DOCUMENT_STORES, FLOWS, TOOLS};
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

/// The longest that a person who opens a list waits for a provider.
const PROVIDER_SECONDS: u64 = 4;
/// The most of a provider's list that is read.
const LIST_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The entries of a list. A list that there is not, or that cannot be had, is empty.
///
/// # Errors
/// 404 for a card that this server does not know; 403 for a credential that would be sent elsewhere; when the database
/// cannot be read.
pub(crate) fn load(
    app: &App,
    caller: &Caller,
    name: &str,
    query: &ChoiceQuery,
    cancel: &CancelToken,
) -> Result<Vec<Choice>> {
    let card = model_lists::card(name);
    let card =
        card.ok_or_else(|| Error::NotFound("This server does not know a card of that name.".to_owned()))?;
    if let Some(kind) = picked_kind(card, &query.method) {
        return Ok(sorted(cards_of_kind(kind).map(|card| Choice {
            label: card.label.to_owned(),
            name: card.name.to_owned(),
            description: Some(card.description.to_owned()),
        })));
    }
    match query.method.as_str() {
        "listModels" => {
            check_destination(app, caller, card, query)?;
            Ok(model_options(app, caller, card, query, cancel))
        }
        "listTools"
            if model_lists::has_picker(card, Picker::Tool) && caller.permissions.has("tools:view") =>
        {
            let tools = app.store.read(|tx| TOOLS.list(tx, &caller.workspace))?;
            let choice = |tool: WorkspaceTool| Choice {
                label: tool.name,
                name: tool.id.to_string(),
                description: Some(tool.description),
            };
            Ok(sorted(tools.into_iter().map(choice)))
        }
        "listServers"
            if model_lists::has_picker(card, Picker::ToolServer) && caller.permissions.has("tools:view") =>
        {
            let choice = |server: ToolServer| Choice {
                label: server.name,
                name: server.id.to_string(),
                description: Some(server.origin),
            };
            Ok(sorted(tool_servers::list(app, caller)?.into_iter().map(choice)))
        }
        "listStores"
            if model_lists::has_picker(card, Picker::DocumentStore)
                && caller.permissions.has("documentStores:view") =>
        {
            let stores = app.store.read(|tx| DOCUMENT_STORES.list(tx, &caller.workspace))?;
            let choice = |store: DocumentStore| Choice {
                label: store.name,
                name: store.id.to_string(),
                description: Some(store.description),
            };
            Ok(sorted(stores.into_iter().map(choice)))
        }
        "listFlows" if model_lists::has_picker(card, Picker::Flow) => readable_flows(app, caller, |_| true),
        "listPipelines" if model_lists::has_picker(card, Picker::Pipeline) => {
            readable_flows(app, caller, |kind| kind == FlowKind::Etl)
        }
        "listHarnesses" if model_lists::has_picker(card, Picker::Harness) => harness_names(app, caller),
        "listActions" if model_lists::has_picker(card, Picker::Actions) && can_edit_canvases(caller) => {
            check_destination(app, caller, card, query)?;
            mcp_actions(app, caller, card, query, cancel)
        }
        "listPreviousNodes" if model_lists::has_picker(card, Picker::Step) => {
            Ok(canvas_lists::previous_steps(query))
        }
        "listToolInputArgs" if model_lists::has_picker(card, Picker::ToolArgument) => {
            canvas_lists::tool_arguments(app, caller, card, query, cancel)
        }
        _ => Ok(Vec::new()),
    }
}

/// The flows of the workspace that are wanted and that the caller may see.
fn readable_flows(app: &App, caller: &Caller, is_wanted: fn(FlowKind) -> bool) -> Result<Vec<Choice>> {
    let flows = app.store.read(|tx| FLOWS.list(tx, &caller.workspace))?;
    let is_readable =
        |flow: &Flow| is_wanted(flow.kind) && check_permission(caller, flow.kind, FlowAction::Read).is_ok();
    let choice = |flow: Flow| Choice { label: flow.name, name: flow.id.to_string(), description: None };
    Ok(sorted(flows.into_iter().filter(is_readable).map(choice)))
}

/// The harnesses of the workspace; none for who may not see them.
fn harness_names(app: &App, caller: &Caller) -> Result<Vec<Choice>> {
    if check_permission(caller, FlowKind::Harness, FlowAction::Read).is_err() {
        return Ok(Vec::new());
    }
    let choice = |harness: ListedHarness| Choice {
        label: harness.name.to_string(),
        name: harness.name.to_string(),
        description: Some(harness.flow.name),
    };
    Ok(sorted(harnesses::list(app, caller)?.into_iter().map(choice)))
}

/// The kind of cards that `card` picks from the list of this name.
fn picked_kind(card: &Card, list: &str) -> Option<WireType> {
    let kind_in = |fields: &[Input]| {
        fields.iter().find_map(|input| match input.kind {
            InputKind::CardPick(kind) if palette::card_list(kind) == list => Some(kind),
            _ => None,
        })
    };
    kind_in(card.inputs).or_else(|| card.inputs.iter().find_map(|input| kind_in(input.row_fields())))
}

/// To ask with a credential is to send it: a caller who may not choose where does not choose here either.
pub(super) fn check_destination(app: &App, caller: &Caller, card: &Card, query: &ChoiceQuery) -> Result<()> {
    if !can_edit_canvases(caller) {
        return Ok(());
    }
    let credential = credential_id(query).map(|id| id.to_string());
    let sends: Vec<_> =
        credential_destinations::of_card(card, card.label, &query.inputs, credential.as_deref())
            .into_iter()
            .collect();
    app.store.read(|tx| credential_destinations::check(tx, caller, &sends, || Ok(Vec::new())))
}

/// The tools of a card's MCP server. What keeps them from being listed stands in the place of the first, in Flowise's
/// form: an editor shows it where it shows the list.
fn mcp_actions(
    app: &App,
    caller: &Caller,
    card: &'static Card,
    query: &ChoiceQuery,
    cancel: &CancelToken,
) -> Result<Vec<Choice>> {
    let saved = app.store.read(|tx| variables::values(tx, &app.environment, &caller.workspace))?;
    let mut settings = query.inputs.clone();
    for value in settings.values_mut() {
        if let Value::String(text) = value {
            *text = fill_variables(text, &saved);
        }
    }
    let credential = credential_id(query).map(|id| id.to_string());
    let lone =
        StandaloneCard { card, label: card.label, settings: &settings, credential: credential.as_deref() };
    let wait = Duration::from_secs(PROVIDER_SECONDS);
    Ok(match offered_tools::list(app, caller.workspace, &lone, wait, cancel)? {
        Ok(tools) => {
            let choice = |tool: OfferedTool| Choice {
                label: tool.name.clone(),
                name: tool.name,
                description: Some(tool.description),
            };
            sorted(tools.into_iter().map(choice))
        }
        Err(why) => vec![no_actions(why)],
    })
}

fn no_actions(why: String) -> Choice {
    Choice { label: "No Available Actions".to_owned(), name: "error".to_owned(), description: Some(why) }
}

/// A text with the saved variables in it filled in; what else it refers to, only a run knows.
fn fill_variables(text: &str, saved: &HashMap<String, String>) -> String {
    let Some(template) = TextTemplate::parse(text) else { return text.to_owned() };
    let segment = |segment: &Segment| match segment {
        Segment::Text(text) => text.clone(),
        Segment::Reference { to: Reference::Variable(name), written } => {
            saved.get(name).unwrap_or(written).clone()
        }
        Segment::Reference { written, .. } => written.clone(),
    };
    template.segments().iter().map(segment).collect()
}

/// The credential that the card is set to.
fn credential_id(query: &ChoiceQuery) -> Option<CredentialId> {
    let among = ["credential", "FLOWISE_CREDENTIAL_ID"].map(|name| query.inputs.get(name)?.as_str());
    [query.credential.as_deref()].into_iter().chain(among).flatten().find_map(CredentialId::parse)
}

fn sorted(choices: impl Iterator<Item = Choice>) -> Vec<Choice> {
    let mut choices: Vec<Choice> = choices.collect();
    choices.sort_by_cached_key(|choice| choice.label.to_lowercase());
    choices
}

/// What the card suggests, and behind it what its provider has beside.
fn model_options(
    app: &App,
    caller: &Caller,
    card: &'static Card,
    query: &ChoiceQuery,
    cancel: &CancelToken,
) -> Vec<Choice> {
    let suggested = model_lists::suggested_models(card);
    let choice =
        |name: &&str| Choice { label: (*name).to_owned(), name: (*name).to_owned(), description: None };
    let mut choices: Vec<Choice> = suggested.iter().map(choice).collect();
    let more = model_lists::model_list_request(card, &query.inputs).filter(|_| can_edit_canvases(caller));
    let more = more.and_then(|asking| provider_models(app, caller, card, query, asking, cancel));
    let more = more.unwrap_or_default().into_iter();
    choices.extend(more.filter(|choice| !suggested.contains(&choice.name.as_str())));
    choices
}

/// An address in the body, and a stored key that goes there, are for those who could put both into a card and ask it.
/// Everybody else reads what the card suggests.
pub(super) fn can_edit_canvases(caller: &Caller) -> bool {
    let kinds = ["chatflows", "agentflows", "assistants"];
    let draws = |kind: &str| {
        ["create", "update"].iter().any(|verb| caller.permissions.has(&format!("{kind}:{verb}")))
    };
    kinds.into_iter().any(draws)
}

/// `None` when there is no key for it, or it did not answer in time.
fn provider_models(
    app: &App,
    caller: &Caller,
    card: &'static Card,
    query: &ChoiceQuery,
    asking: ModelListRequest,
    cancel: &CancelToken,
) -> Option<Vec<Choice>> {
    let credential = credential_id(query);
    let key = credential.as_ref().and_then(|id| {
        let opened = app.store.read(|tx| credentials::open(tx, &app.secrets.vault, &caller.workspace, id));
        opened.ok()??.get(asking.key?)?.as_str().map(ProviderKey::new)
    });
    if key.is_none() && asking.needs_key {
        return None;
    }
    let asked = ModelListKey {
        workspace: caller.workspace,
        card: card.name,
        base: asking.base,
        credential: credential.map(|id| id.to_string()),
    };
    if let Some(known) = app.state.model_lists.find(&asked) {
        return known;
    }
    let mut endpoint = Endpoint::new(app.outgoing.clone(), &asked.base, key);
    let wait = Duration::from_secs(PROVIDER_SECONDS);
    endpoint.limits = ResponseLimits { first_byte: wait, stall: wait, body_bytes: LIST_BYTES_MAX };
    // It ends with its own time, and with the caller who leaves.
    let short = cancel.child_within(wait);
    let list = list_models(&endpoint, asking.format, asking.purpose, &short.token).ok();
    let list = list.map(|models| sorted(models.into_iter().map(model_choice)));
    if cancel.reason().is_none() {
        app.state.model_lists.insert(asked, list.clone());
    }
    list
}

fn model_choice(ListedModel { name, label, .. }: ListedModel) -> Choice {
    match label {
        Some(label) if label != name => Choice { label, description: Some(name.clone()), name },
        _ => Choice { label: name.clone(), name, description: None },
    }
}
