//! The components that stand in the inputs of a card: wired into it, or picked in it.

use super::component::{
    Cache, Chain, Component, Embeddings, Memory, Moderation, OutputParser, Retriever, Tool,
};
use super::inputs::{InputValue, Inputs, WiredComponent};
use super::prompt::Prompt;
use super::unique_tools;
use crate::domain::error::Result;
use crate::kit::knowledge::{Loader, Splitter, StoreRetriever, VectorStore};
use crate::kit::members::Member;
use crate::kit::models::model::Model;
use crate::kit::models::router::{Route, RouteTarget};
use crate::kit::models::synthesis::Synthesis;
use crate::kit::stores::records::RecordManager;
use serde_json::Value;
use std::sync::Arc;

impl Inputs<'_> {
    fn components(&self, name: &str) -> impl Iterator<Item = &Component> {
        self.wires(name).iter().map(|wired| &wired.component)
    }

    fn wires(&self, name: &str) -> &[WiredComponent] {
        match self.values.get(name) {
            Some(InputValue::Components(parts)) => parts,
            _ => &[],
        }
    }

    /// The results wired into `name`.
    ///
    /// # Errors
    /// When something else than a text or a structured result is wired.
    pub fn results(&self, name: &str) -> Result<Vec<Value>> {
        let result = |part: &Component| match part {
            Component::Value(value) => Ok(value.clone()),
            other => Err(self.input_error(name, &format!("a {} cannot be connected here", other.kind()))),
        };
        self.components(name).map(result).collect()
    }

    /// The card that is picked in `name`: its name, what its owner calls it, and what it became.
    #[must_use]
    pub fn picked(&self, name: &str) -> Option<&WiredComponent> {
        self.wires(name).first()
    }

    /// True when something is wired into `name`.
    #[must_use]
    pub fn is_wired(&self, name: &str) -> bool {
        !self.wires(name).is_empty()
    }

    fn find_component<T>(&self, name: &str, pick: impl Fn(&Component) -> Option<T>) -> Result<Option<T>> {
        let Some(part) = self.components(name).next() else { return Ok(None) };
        match pick(part) {
            Some(found) => Ok(Some(found)),
            None => Err(self.input_error(name, &format!("a {} cannot be connected here", part.kind()))),
        }
    }

    fn require<T>(&self, name: &str, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| self.input_error(name, "connect a card here"))
    }

    /// The model that is wired into an input.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn model(&self, name: &str) -> Result<Arc<Model>> {
        let found = self.find_component(name, |part| {
            if let Component::ChatModel(model) = part { Some(model.clone()) } else { None }
        })?;
        self.require(name, found)
    }

    /// The wired model, where there is one.
    ///
    /// # Errors
    /// When something else is wired.
    pub(crate) fn optional_model(&self, name: &str) -> Result<Option<Arc<Model>>> {
        if self.is_wired(name) { self.model(name).map(Some) } else { Ok(None) }
    }

    /// The wired member of a run.
    ///
    /// # Errors
    /// When something else is wired.
    pub(crate) fn optional_member(&self, name: &str) -> Result<Option<Arc<Member>>> {
        self.find_component(name, |part| {
            if let Component::Member(member) = part { Some(member.clone()) } else { None }
        })
    }

    /// The cache of replies that is wired into an input.
    pub(crate) fn optional_cache(&self, name: &str) -> Result<Option<Arc<dyn Cache>>> {
        self.find_component(
            name,
            |part| if let Component::Cache(cache) = part { Some(cache.clone()) } else { None },
        )
    }

    /// The memory that is wired into an input.
    pub(crate) fn optional_memory(&self, name: &str) -> Result<Option<Arc<dyn Memory>>> {
        self.find_component(name, |part| {
            if let Component::Memory(memory) = part { Some(memory.clone()) } else { None }
        })
    }

    /// The wired memory, which must be there.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn memory(&self, name: &str) -> Result<Arc<dyn Memory>> {
        let found = self.optional_memory(name)?;
        self.require(name, found)
    }

    /// The prompt that is wired into an input.
    pub(crate) fn optional_prompt(&self, name: &str) -> Result<Option<Arc<Prompt>>> {
        self.find_component(name, |part| {
            if let Component::Prompt(prompt) = part { Some(prompt.clone()) } else { None }
        })
    }

    /// The wired prompt, which must be there.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn prompt(&self, name: &str) -> Result<Arc<Prompt>> {
        let found = self.optional_prompt(name)?;
        self.require(name, found)
    }

    /// The wired retriever; a vector store is one too.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn retriever(&self, name: &str) -> Result<Arc<dyn Retriever>> {
        let found = self.find_component(name, |part| match part {
            Component::Retriever(found) => Some(found.clone()),
            Component::VectorStore(store) => {
                Some(Arc::new(StoreRetriever(store.clone())) as Arc<dyn Retriever>)
            }
            Component::Route(route) => match &route.target {
                RouteTarget::Retriever(found) => Some(found.clone()),
                RouteTarget::Instructions(_) => None,
            },
            _ => None,
        })?;
        self.require(name, found)
    }

    /// The vector store that is wired into an input.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn vector_store(&self, name: &str) -> Result<Arc<dyn VectorStore>> {
        let found = self.find_component(name, |part| {
            if let Component::VectorStore(store) = part { Some(store.clone()) } else { None }
        })?;
        self.require(name, found)
    }

    /// The wired way to one answer.
    pub(crate) fn optional_synthesis(&self, name: &str) -> Result<Option<Arc<Synthesis>>> {
        self.find_component(name, |part| {
            if let Component::Synthesis(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// The record manager that is wired into an input.
    pub(crate) fn optional_records(&self, name: &str) -> Result<Option<Arc<dyn RecordManager>>> {
        self.find_component(name, |part| {
            if let Component::Records(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// The embeddings card that is wired into an input.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn embeddings(&self, name: &str) -> Result<Arc<dyn Embeddings>> {
        let found = self.find_component(name, |part| {
            if let Component::Embeddings(found) = part { Some(found.clone()) } else { None }
        })?;
        self.require(name, found)
    }

    /// The text splitter that is wired into an input.
    pub(crate) fn optional_splitter(&self, name: &str) -> Result<Option<Arc<dyn Splitter>>> {
        self.find_component(name, |part| {
            if let Component::Splitter(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// All document loaders that are wired into an input.
    pub fn loaders(&self, name: &str) -> Result<Vec<Arc<dyn Loader>>> {
        let mut loaders = Vec::new();
        for part in self.components(name) {
            let Component::Loader(more) = part else {
                return Err(self.input_error(name, &format!("a {} cannot be connected here", part.kind())));
            };
            loaders.push(more.clone());
        }
        Ok(loaders)
    }

    /// The chain that is wired into an input.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn chain(&self, name: &str) -> Result<Arc<dyn Chain>> {
        let found = self.find_component(name, |part| {
            if let Component::Chain(found) = part { Some(found.clone()) } else { None }
        })?;
        self.require(name, found)
    }

    /// The output parser that is wired into an input.
    pub(crate) fn optional_parser(&self, name: &str) -> Result<Option<Arc<dyn OutputParser>>> {
        self.find_component(name, |part| {
            if let Component::OutputParser(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// All tools that are wired into an input, with those of toolkits one by one.
    pub fn tools(&self, name: &str) -> Result<Vec<Arc<dyn Tool>>> {
        let tools = |wired: &'_ WiredComponent| match &wired.component {
            Component::Tools(tools) => Ok((wired.label.clone(), tools.clone())),
            other => Err(self.input_error(name, &format!("a {} cannot be connected here", other.kind()))),
        };
        let wired = self.wires(name).iter().map(tools).collect::<Result<Vec<_>>>()?;
        Ok(unique_tools::with_unique_names(wired.iter().map(|(label, tools)| (label.as_str(), tools))))
    }

    /// All wired named retrievers of the kind `fits` tells; a store without a name of its own bears that of its card.
    pub fn routes(&self, name: &str, fits: fn(&RouteTarget) -> bool) -> Result<Vec<Arc<Route>>> {
        let wrong =
            |part: &Component| self.input_error(name, &format!("a {} cannot be connected here", part.kind()));
        let route = |wired: &WiredComponent| {
            let route =
                Route::from_component(&wired.label, &wired.component).filter(|route| fits(&route.target));
            route.ok_or_else(|| wrong(&wired.component))
        };
        self.wires(name).iter().map(route).collect()
    }

    /// All moderations that are wired into an input, in their order.
    pub fn moderations(&self, name: &str) -> Result<Vec<Arc<dyn Moderation>>> {
        let mut found = Vec::new();
        for part in self.components(name) {
            let Component::Moderation(more) = part else {
                return Err(self.input_error(name, &format!("a {} cannot be connected here", part.kind())));
            };
            found.push(more.clone());
        }
        Ok(found)
    }
}
