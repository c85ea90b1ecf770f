//! The inputs of one card in one run: resolved, typed, and complaining by card and input name.

use super::component::{
    Cache, Chain, Component, Embeddings, Memory, Moderation, OutputParser, Retriever, Tool,
};
use super::prompt::{BraceText, Prompt};
use super::unique_tools;
use crate::cards::kit::capabilities::host::Host;
use crate::cards::kit::knowledge::{Loader, Splitter, StoreRetriever, VectorStore};
use crate::cards::kit::models::model::Model;
use crate::cards::kit::models::router::{Route, RouteTarget};
use crate::cards::kit::models::synthesis::Synthesis;
use crate::cards::kit::schema::card::Card;
use crate::cards::kit::schema::input::{InputKind, parse_names};
use crate::cards::kit::stores::records::RecordManager;
use crate::domain::error::{Error, Result};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The value of an input after references were resolved.
#[derive(Clone, Debug)]
pub enum InputValue {
    Value(Value),
    /// What another card of the run made: text in it is never taken for the owner's (manual 12.6).
    Computed(Value),
    /// The components wired in, in order.
    Components(Vec<WiredComponent>),
}

/// A component that is wired into an input.
#[derive(Clone, Debug)]
pub struct WiredComponent {
    /// What the owner calls the card it comes from.
    pub label: String,
    pub component: Component,
}

/// What a card's factory reads.
pub struct Inputs<'a> {
    pub card: &'static Card,
    /// The label the owner gave this node.
    pub label: &'a str,
    pub host: &'a dyn Host,
    pub values: HashMap<&'static str, InputValue>,
    /// The fields of the selected credential.
    pub credential: Option<Map<String, Value>>,
    /// The id of the selected credential.
    pub credential_id: Option<&'a str>,
}

impl Inputs<'_> {
    /// An error that names the card and the input.
    #[must_use]
    pub fn input_error(&self, input: &str, what: &str) -> Error {
        let shown = self.card.input(input).map_or(input, |declared| declared.label);
        Error::RunFailed(format!("{}: {shown}: {what}", self.label))
    }

    /// True when the card has an input of this name, for factories that several cards share.
    #[must_use]
    pub fn declares(&self, name: &str) -> bool {
        self.card.input(name).is_some()
    }

    fn value(&self, name: &str) -> Option<&Value> {
        debug_assert!(self.declares(name), "{} has no input {name}", self.card.name);
        match self.values.get(name) {
            Some(InputValue::Value(Value::Null) | InputValue::Computed(Value::Null)) | None => None,
            Some(InputValue::Value(Value::String(text)) | InputValue::Computed(Value::String(text)))
                if text.is_empty() =>
            {
                None
            }
            Some(InputValue::Value(value) | InputValue::Computed(value)) => Some(value),
            Some(InputValue::Components(_)) => None,
        }
    }

    fn default(&self, name: &str) -> Option<&'static str> {
        self.card.input(name).and_then(|input| input.default)
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// When it is empty and has no default.
    pub fn text(&self, name: &str) -> Result<String> {
        self.optional_text(name).ok_or_else(|| self.input_error(name, "fill this in"))
    }

    /// A text, or the default, or nothing. Numbers and switches read as text.
    #[must_use]
    pub fn optional_text(&self, name: &str) -> Option<String> {
        match self.value(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
            None => self.default(name).map(str::to_owned),
        }
    }

    /// The text of `custom`, which takes the place of that of `name` unless it is blank.
    ///
    /// # Errors
    /// When both have none.
    pub fn custom_or_text(&self, custom: &str, name: &str) -> Result<String> {
        match self.optional_text(custom).filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(text),
            None => self.text(name),
        }
    }

    /// A number, written as a number or as text; empty is the default, else nothing (manual 9.2 r3).
    ///
    /// # Errors
    /// When it is no number or outside of its declared range.
    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        let number = match self.value(name) {
            None => match self.default(name) {
                Some(text) => text.parse().ok(),
                None => return Ok(None),
            },
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(value) => number_in(value),
        };
        let number: f64 = number
            .filter(|n: &f64| n.is_finite())
            .ok_or_else(|| self.input_error(name, "this must be a number"))?;
        if let Some(InputKind::Number { min, max, .. }) = self.card.input(name).map(|input| input.kind)
            && !(min..=max).contains(&number)
        {
            return Err(self.input_error(name, &format!("this must be between {min} and {max}")));
        }
        Ok(Some(number))
    }

    /// A whole number of zero or more.
    ///
    /// # Errors
    /// As [`Self::number`].
    pub fn whole(&self, name: &str) -> Result<Option<u64>> {
        // The range of every `Input::whole` lies within what the cast keeps.
        Ok(self.number(name)?.map(|number| number.max(0.0) as u64))
    }

    /// A switch; templates also hold `""` for off and `"true"` for on.
    #[must_use]
    pub fn switch(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Bool(on)) => *on,
            Some(Value::String(text)) => text == "true",
            Some(_) => false,
            None => self.default(name) == Some("true"),
        }
    }

    /// A prompt with `{variables}`; what another card made stands in it as it is, braces and all.
    #[must_use]
    pub fn optional_brace_text(&self, name: &str) -> Option<BraceText> {
        let text = self.optional_text(name)?;
        Some(match self.values.get(name) {
            Some(InputValue::Computed(_)) => BraceText::literal(text),
            _ => BraceText::parse(&text),
        })
    }

    /// As [`Self::optional_brace_text`], for one that must be there.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn brace_text(&self, name: &str) -> Result<BraceText> {
        let text = self.text(name)?;
        Ok(self.optional_brace_text(name).unwrap_or_else(|| BraceText::parse(&text)))
    }

    /// The owner's words to a model, of which Flowise makes a template: doubled braces are single ones, and what looks
    /// like a variable stays, for it has no value.
    #[must_use]
    pub fn instructions(&self, name: &str) -> String {
        self.optional_brace_text(name).unwrap_or_default().fill(&[])
    }

    /// JSON, as such or as text; `None` when empty.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn json(&self, name: &str) -> Result<Option<Value>> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map(Some)
                .map_err(|_| self.input_error(name, "this is not valid JSON")),
            Some(value) => Ok(Some(value.clone())),
        }
    }

    /// JSON that must be an object.
    ///
    /// # Errors
    /// When it is something else.
    pub fn object(&self, name: &str) -> Result<Map<String, Value>> {
        match self.json(name)? {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map),
            Some(_) => Err(self.input_error(name, "this must be a JSON object")),
        }
    }

    /// A comma list, trimmed, without empty entries.
    #[must_use]
    pub fn comma_list(&self, name: &str) -> Vec<String> {
        let text = self.optional_text(name).unwrap_or_default();
        text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }

    /// The names that are chosen of a list, each once.
    ///
    /// # Errors
    /// When none is.
    pub fn choices(&self, name: &str) -> Result<Vec<String>> {
        let names = parse_names(&Value::from(self.optional_text(name))).unwrap_or_default();
        if names.is_empty() { Err(self.input_error(name, "choose at least one")) } else { Ok(names) }
    }

    /// A base address without its trailing slash.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<String> {
        self.optional_text(name)
            .map(|text| text.trim().trim_end_matches('/').to_owned())
            .filter(|text| !text.is_empty())
    }

    /// A field of the selected credential that must be there.
    ///
    /// # Errors
    /// When no credential is selected or it lacks the field.
    pub fn secret(&self, field: &str) -> Result<String> {
        self.optional_secret(field)
            .ok_or_else(|| self.input_error("credential", "select a credential with an API key"))
    }

    /// A field of the selected credential.
    #[must_use]
    pub fn optional_secret(&self, field: &str) -> Option<String> {
        let value = self.credential.as_ref()?.get(field)?.as_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// The card and everything set on it, references resolved; no secret, no credential, nothing that is wired.
    pub(in crate::cards::kit) fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = vec![(self.card.name, Value::from(self.card.version))];
        for input in self.card.inputs {
            if matches!(
                input.kind,
                InputKind::Secret | InputKind::Credential(_) | InputKind::Wire(_) | InputKind::Wires(_)
            ) {
                continue;
            }
            settings.extend(self.value(input.name).map(|value| (input.name, value.clone())));
        }
        settings
    }

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

    /// The wired model.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn model(&self, name: &str) -> Result<Arc<Model>> {
        let found = self.find_component(name, |part| {
            if let Component::ChatModel(model) = part { Some(model.clone()) } else { None }
        })?;
        self.require(name, found)
    }

    /// The wired cache.
    pub fn optional_cache(&self, name: &str) -> Result<Option<Arc<dyn Cache>>> {
        self.find_component(
            name,
            |part| if let Component::Cache(cache) = part { Some(cache.clone()) } else { None },
        )
    }

    /// The wired memory.
    pub fn optional_memory(&self, name: &str) -> Result<Option<Arc<dyn Memory>>> {
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

    /// The wired prompt.
    pub fn optional_prompt(&self, name: &str) -> Result<Option<Arc<Prompt>>> {
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

    /// The wired vector store.
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
    pub fn optional_synthesis(&self, name: &str) -> Result<Option<Arc<Synthesis>>> {
        self.find_component(name, |part| {
            if let Component::Synthesis(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// The wired record manager.
    pub fn optional_records(&self, name: &str) -> Result<Option<Arc<dyn RecordManager>>> {
        self.find_component(name, |part| {
            if let Component::Records(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// The wired embeddings card.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn embeddings(&self, name: &str) -> Result<Arc<dyn Embeddings>> {
        let found = self.find_component(name, |part| {
            if let Component::Embeddings(found) = part { Some(found.clone()) } else { None }
        })?;
        self.require(name, found)
    }

    /// The wired text splitter.
    pub fn optional_splitter(&self, name: &str) -> Result<Option<Arc<dyn Splitter>>> {
        self.find_component(name, |part| {
            if let Component::Splitter(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// All wired document loaders.
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

    /// The wired chain.
    ///
    /// # Errors
    /// When nothing, or something else, is wired.
    pub fn chain(&self, name: &str) -> Result<Arc<dyn Chain>> {
        let found = self.find_component(name, |part| {
            if let Component::Chain(found) = part { Some(found.clone()) } else { None }
        })?;
        self.require(name, found)
    }

    /// The wired output parser.
    pub fn optional_parser(&self, name: &str) -> Result<Option<Arc<dyn OutputParser>>> {
        self.find_component(name, |part| {
            if let Component::OutputParser(found) = part { Some(found.clone()) } else { None }
        })
    }

    /// All wired tools, toolkits opened.
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

    /// All wired moderations.
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
/// The number that a value is, as a number or as text.
#[must_use]
pub fn number_in(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
