//! What would answer, run and start otherwise than Live does here.

use super::Change;
use crate::app::App;
use crate::canvas::Canvas;
use crate::cards::kit::InputKind;
use crate::domain::error::Result;
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::restore::HiddenSecret;
use crate::domain::flows::settings::{ApiConfig, Setting};
use crate::domain::promotion::warning::{Finding, Warning};
use crate::engine::agentflow::{start_node, starts_with_webhook};
use crate::engine::pipeline::webhook_of;
use crate::engine::placed::for_each_card;
use crate::engine::schedule::schedule_of;
use crate::engine::uses::CanvasUses;
use crate::store::Tx;
use crate::store::tables::SCHEDULES;
use std::collections::{BTreeMap, BTreeSet};

/// A model that a card asks: node, name of the card, input, kind of card, and the model.
type AskedModel = (String, String, &'static str, &'static str, String);

fn asked_models(canvas: &Canvas) -> Vec<AskedModel> {
    let mut found = Vec::new();
    for_each_card(canvas, &mut |placed| {
        placed.for_each_setting(&mut |setting| {
            let named = setting.value.as_str().map(str::trim).filter(|name| !name.is_empty());
            if let (InputKind::ModelName(_), Some(name)) = (setting.input.kind, named) {
                let (node, card) = (placed.id.to_owned(), placed.node.label().to_owned());
                found.push((node, card, setting.input.name, placed.card.name, name.to_owned()));
            }
        });
    });
    found
}

/// Models that Live does not ask.
pub(super) fn models(change: &Change<'_>, live: Option<&Canvas>) -> Vec<Warning> {
    let known: BTreeSet<(&str, String)> =
        live.map(asked_models).unwrap_or_default().into_iter().map(|(.., of, name)| (of, name)).collect();
    let new =
        asked_models(change.canvas).into_iter().filter(|(.., of, name)| !known.contains(&(of, name.clone())));
    let warning = |(node, card, input, _, model): AskedModel| Warning {
        finding: Finding::ModelNew { card, model },
        node: Some(node),
        input: Some(input.to_owned()),
    };
    new.map(warning).collect()
}

/// Code that is not what stands at the same place of Live.
pub(super) fn codes(change: &Change<'_>, live: Option<&Canvas>) -> Vec<Warning> {
    let known: BTreeMap<(String, String), String> = live
        .map(|live| CanvasUses::of(live).codes)
        .unwrap_or_default()
        .into_iter()
        .map(|used| ((used.node, used.path), used.code))
        .collect();
    let mut found = Vec::new();
    for used in CanvasUses::of(change.canvas).codes {
        let place = (used.node, used.path);
        let here = known.get(&place);
        if here != Some(&used.code) {
            found.push(Warning {
                finding: Finding::CodeChanged {
                    card: used.label,
                    input: used.input_label.to_owned(),
                    is_new: here.is_none(),
                },
                node: Some(place.0),
                input: Some(used.input.to_owned()),
            });
        }
    }
    found
}

/// Settings that requests may change on Dev and not here.
pub(super) fn overrides(change: &Change<'_>) -> Vec<Warning> {
    let on_dev = change.settings_on_dev.get("apiConfig").and_then(|config| config.as_object()).cloned();
    let on_dev: Setting<ApiConfig> = on_dev.into();
    let here = &change.flow.settings.api_config.overrides;
    let node_of = |label: &str| {
        let named = change.canvas.nodes().iter().find(|node| node.label() == label);
        named.map(|node| node.id.clone())
    };
    let mut found = Vec::new();
    for (card, setting) in on_dev.overrides.inputs_beyond(here) {
        found.push(Warning {
            node: node_of(card),
            input: Some(setting.to_owned()),
            finding: Finding::OverrideWidened { card: card.to_owned(), setting: setting.to_owned() },
        });
    }
    for name in on_dev.overrides.listed_variables() {
        if !here.allows_variable(name) {
            let finding = Finding::VariableOverrideWidened { name: name.to_owned() };
            found.push(Warning { finding, node: None, input: None });
        }
    }
    found
}

/// Secrets that the version does not hold: kept where Live has a value, and missing where it has none.
pub(super) fn secrets(change: &Change<'_>) -> Vec<Warning> {
    let left = &change.notes.hidden_secrets;
    let warning = |hidden: &HiddenSecret| {
        let is_left = left.iter().any(|left| (&left.node, &left.input) == (&hidden.node, &hidden.input));
        let (card, input) = (hidden.label.clone(), hidden.input_label.clone());
        Warning {
            finding: if is_left {
                Finding::SecretMissing { card, input }
            } else {
                Finding::SecretKept { card, input }
            },
            node: Some(hidden.node.clone()),
            input: Some(hidden.input.clone()),
        }
    };
    change.hidden.iter().map(warning).collect()
}

/// What would start the flow besides people who ask it.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn starts(
    app: &App,
    tx: &impl Tx,
    change: &Change<'_>,
    live: Option<&Canvas>,
) -> Result<Vec<Warning>> {
    let mut found = Vec::new();
    let seconds_min = app.settings.schedule_seconds_min;
    let schedule = schedule_of(change.flow.kind, change.canvas, seconds_min).ok().flatten();
    let node = schedule.as_ref().map(|schedule| schedule.node.clone());
    let node = node.or_else(|| start_node(change.canvas).map(|node| node.id.clone()));
    let about = |finding| Warning { finding, node: node.clone(), input: None };
    if schedule.is_some() {
        let kept = SCHEDULES.get(tx, &change.flow.workspace, &change.flow.id)?;
        let (is_on, is_same) = kept.map_or((true, false), |kept| (kept.is_on, kept.definition == schedule));
        if is_on && !is_same {
            found.push(about(Finding::ScheduleStarts));
        }
    }
    let opens = |kind: FlowKind, canvas: &Canvas| match kind {
        FlowKind::Agentflow => starts_with_webhook(canvas),
        FlowKind::Etl => webhook_of(canvas).is_some(),
        _ => false,
    };
    let is_open = change.here.zip(live).is_some_and(|(here, live)| opens(here.flow.kind, live));
    if opens(change.flow.kind, change.canvas) && !is_open {
        found.push(about(Finding::WebhookOpens));
    }
    Ok(found)
}
