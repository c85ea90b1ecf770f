//! Chat models.

pub mod anthropic;
pub mod extractive;
pub mod google;
pub mod ollama;
pub mod openai;
pub mod openai_custom;
pub mod scripted;

use super::kit::Inputs;
use crate::domain::error::Result;
use crate::llm::{ApiKey, Endpoint};
use crate::net::Limits;
use serde_json::Value;
use std::time::Duration;

/// Where a provider's model is: base address, key, and the headers of the card's Base Options where it has them.
///
/// # Errors
/// When Base Options is no JSON object or Timeout no number.
fn common_base(inputs: &Inputs<'_>, base: &str, key: Option<String>) -> Result<Endpoint> {
    let mut endpoint = Endpoint::new(inputs.host.outgoing().clone(), base, key.as_deref().map(ApiKey::new));
    if inputs.card.input("baseOptions").is_some() {
        let headers = inputs.object("baseOptions")?.into_iter().map(|(name, value)| match value {
            Value::String(text) => (name, text),
            other => (name, other.to_string()),
        });
        endpoint.headers = headers.collect();
    }
    if inputs.card.input("timeout").is_some()
        && let Some(milliseconds) = inputs.whole("timeout")?.filter(|milliseconds| *milliseconds > 0)
    {
        let wait = Duration::from_millis(milliseconds);
        endpoint.limits = Limits { first_byte: wait, stall: wait, ..endpoint.limits };
    }
    Ok(endpoint)
}
