//! Cards that stand on no canvas: for what the service itself asks on behalf of a flow's owner, and for document stores.

use super::credential::{self, EngineHost};
use crate::cards::action_lists;
use crate::cards::kit::{
    Card, Component, InputValue, Inputs, Loader, Model, VectorStore, WiredComponent, require_needs,
};
use crate::domain::error::{Error, Result};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// A card and how it is set.
#[derive(Clone, Copy)]
pub struct StandaloneCard<'a> {
    pub card: &'static Card,
    pub label: &'a str,
    /// By input name; what is no input of the card is left out.
    pub settings: &'a Map<String, Value>,
    pub credential: Option<&'a str>,
}

impl StandaloneCard<'_> {
    /// Builds it, with other components wired into its inputs.
    ///
    /// # Errors
    /// When a setting is wrong or the credential is gone.
    pub fn build(&self, wired: Vec<(&'static str, Component)>, host: &dyn EngineHost) -> Result<Component> {
        self.with_inputs(wired, host, |inputs| self.card.make.build(inputs))
    }

    /// Calls `read` with its inputs.
    fn with_inputs<T>(
        &self,
        wired: Vec<(&'static str, Component)>,
        host: &dyn EngineHost,
        read: impl FnOnce(&Inputs<'_>) -> Result<T>,
    ) -> Result<T> {
        let Self { card, label, settings, .. } = *self;
        require_needs(card, label, host)?;
        let credential = credential::fields(card, label, self.credential, host)?;
        let value = |input: &crate::cards::kit::Input| {
            let value = settings.get(input.name).filter(|_| !input.is_wire())?;
            Some((input.name, InputValue::Value(value.clone())))
        };
        let mut values: HashMap<_, _> = card.inputs.iter().filter_map(value).collect();
        let wired = wired.into_iter().filter(|(name, _)| card.input(name).is_some());
        values.extend(wired.map(|(name, part)| {
            let wired = WiredComponent { label: label.to_owned(), picked: None, component: part };
            (name, InputValue::Components(vec![wired]))
        }));
        read(&Inputs {
            card,
            fields: card.inputs,
            row: None,
            label,
            node: None,
            host,
            values,
            credential,
            credential_id: self.credential,
        })
    }
}

/// Builds a model.
///
/// # Errors
/// When a setting is wrong, the credential is gone, or the card is no chat model.
pub fn build_model(model: &StandaloneCard<'_>, host: &dyn EngineHost) -> Result<Arc<Model>> {
    match model.build(Vec::new(), host)? {
        Component::ChatModel(model) => Ok(model),
        _ => Err(Error::RunFailed(format!("{}: {} is no chat model", model.label, model.card.label))),
    }
}

/// Builds a document loader, with a splitter wired into it.
///
/// # Errors
/// When a setting is wrong, the credential is gone, or a card is something else.
pub fn build_loader(
    loader: &StandaloneCard<'_>,
    splitter: Option<&StandaloneCard<'_>>,
    host: &dyn EngineHost,
) -> Result<Arc<dyn Loader>> {
    let splitter = splitter.map(|splitter| match splitter.build(Vec::new(), host)? {
        part @ Component::Splitter(_) => Ok(("textSplitter", part)),
        _ => Err(Error::RunFailed(format!("{}: this is no text splitter", splitter.label))),
    });
    match loader.build(splitter.transpose()?.into_iter().collect(), host)? {
        Component::Loader(loader) => Ok(loader),
        _ => Err(Error::RunFailed(format!("{}: this is no document loader", loader.label))),
    }
}

/// The tools that the MCP server of a card offers, each with its description; `None` for a card without one.
///
/// # Errors
/// When a setting is wrong, the credential is gone, or the server cannot be asked.
pub fn list_actions(
    card: &StandaloneCard<'_>,
    host: &dyn EngineHost,
) -> Result<Option<Vec<(String, String)>>> {
    card.with_inputs(Vec::new(), host, action_lists::list_tools)
}

/// Builds a vector store with these components wired into it.
///
/// # Errors
/// When a setting is wrong, the credential is gone, or the card is no vector store.
pub fn build_vector_store(
    store: &StandaloneCard<'_>,
    wired: Vec<(&'static str, Component)>,
    host: &dyn EngineHost,
) -> Result<Arc<dyn VectorStore>> {
    match store.build(wired, host)? {
        Component::VectorStore(found) => Ok(found),
        _ => Err(Error::RunFailed(format!("{}: {} is no vector store", store.label, store.card.label))),
    }
}
