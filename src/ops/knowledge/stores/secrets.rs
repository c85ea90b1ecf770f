//! What a stored loader keeps to itself: the headers it sends, and the credential it uses. They go where its owner let
//! them go and nowhere else, so a request that changes anything of the loader says them anew or goes without.

use crate::cards::kit::{Input, InputKind};
use crate::cards::registry;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::knowledge::document_store::CardConfig;
use crate::domain::workspace::credential::MASK;
use serde_json::{Map, Value};

/// Who may say with which credential a loader works, and where.
const CONFIGURE_PERMISSION: &str = "documentStores:add-loader";

fn secret_inputs(plan: &CardConfig) -> impl Iterator<Item = &'static Input> + use<> {
    let inputs = registry::find(&plan.card).map_or(&[][..], |card| card.inputs);
    inputs.iter().filter(|input| matches!(input.kind, InputKind::Secret | InputKind::Headers))
}

fn is_set(value: &Value) -> bool {
    !value.is_null() && value != "" && value != "{}" && value != &Value::Object(Map::new())
}

/// The settings as people read them.
pub(super) fn redacted_config(plan: &CardConfig) -> Map<String, Value> {
    let mut config = plan.config.clone();
    for input in secret_inputs(plan) {
        if let Some(value) = config.get_mut(input.name).filter(|value| is_set(value)) {
            *value = MASK.into();
        }
    }
    config
}

/// Settles what a request made of a loader: `plan` has its settings over the saved ones, and its credential is the saved
/// one or the one that the request named.
///
/// # Errors
/// 403 for a caller who may run loaders and not make them, and would have a credential used in a way nobody saved.
pub(super) fn merge_saved(saved: Option<&CardConfig>, plan: &mut CardConfig, caller: &Caller) -> Result<()> {
    // Who shows what it read sends the marks back.
    for input in secret_inputs(plan) {
        if plan.config.get(input.name).is_some_and(|value| value == MASK) {
            match saved.filter(|saved| saved.card == plan.card).and_then(|saved| saved.config.get(input.name))
            {
                Some(value) => drop(plan.config.insert(input.name.to_owned(), value.clone())),
                None => drop(plan.config.remove(input.name)),
            }
        }
    }
    if saved == Some(&*plan) {
        return Ok(());
    }
    if let Some(saved) = saved.filter(|saved| has_changed(saved, plan)) {
        for input in secret_inputs(plan) {
            if plan.config.get(input.name) == saved.config.get(input.name) {
                plan.config.remove(input.name);
            }
        }
        if plan.credential == saved.credential {
            plan.credential = None;
        }
    }
    if plan.credential.is_some() && !caller.permissions.has(CONFIGURE_PERMISSION) {
        return Err(Error::Forbidden(format!(
            "A loader with a credential needs the permission {CONFIGURE_PERMISSION}."
        )));
    }
    Ok(())
}

/// True when something else than a secret is not as it was saved.
fn has_changed(saved: &CardConfig, plan: &CardConfig) -> bool {
    let rest = |plan: &CardConfig| {
        let mut config = plan.config.clone();
        for input in secret_inputs(plan) {
            config.remove(input.name);
        }
        for name in ["credential", "FLOWISE_CREDENTIAL_ID"] {
            config.remove(name);
        }
        config
    };
    saved.card != plan.card || rest(saved) != rest(plan)
}
