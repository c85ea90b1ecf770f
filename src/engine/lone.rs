//! A model that stands on no canvas: for what the service itself asks on behalf of a flow's owner.

use crate::cards::kit::{Bound, Card, Host, Inputs, Model, Part};
use crate::domain::error::{Error, Result};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Makes the model of `card` with these settings, by input name; what is no input of the card is left out. `label` names
/// it in messages.
///
/// # Errors
/// When a setting is wrong, the credential is gone, or the card is no chat model.
pub fn lone_model(
    card: &'static Card,
    label: &str,
    settings: &Map<String, Value>,
    credential: Option<&str>,
    host: &dyn Host,
) -> Result<Arc<Model>> {
    let credential = match credential {
        None => None,
        Some(id) => Some(host.credential(id)?.ok_or_else(|| {
            Error::Failed(format!("{label}: its credential no longer exists; select another one"))
        })?),
    };
    let value = |input: &crate::cards::kit::Input| {
        let value = settings.get(input.name).filter(|_| !input.is_wire())?;
        Some((input.name, Bound::Value(value.clone())))
    };
    let values: HashMap<_, _> = card.inputs.iter().filter_map(value).collect();
    let inputs = Inputs { card, label, host, values, credential };
    match card.make.part(&inputs)? {
        Part::ChatModel(model) => Ok(model),
        _ => Err(Error::Failed(format!("{label}: {} is no chat model", card.label))),
    }
}
