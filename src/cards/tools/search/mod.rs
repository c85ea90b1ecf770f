//! What the tools that search the web have in common: one question, one request, and a short text from its answer.

pub(crate) mod arxiv;
pub(crate) mod brave_search;
pub(crate) mod exa_search;
pub(crate) mod google_custom_search;
pub(crate) mod search_api;
pub(crate) mod searxng;
pub(crate) mod serp_api;
pub(crate) mod serper;
pub(crate) mod tavily;
pub(crate) mod wolfram_alpha;

use crate::domain::workspace::tool::model_name;
use crate::kit::web::request::WebRequest;
use crate::kit::{CallError, Inputs, RunContext, Tool};
use crate::llm::ToolSpec;
use crate::net::ResponseLimits;
use serde_json::{Map, Value, json};

/// What a model reads when a search had no result.
pub(crate) const NOTHING_FOUND: &str = "Nothing was found.";

/// How a search becomes a request.
type RequestBuilder = Box<dyn Fn(&str) -> WebRequest + Send + Sync>;

/// A tool that asks a search service.
pub(crate) struct SearchTool {
    spec: ToolSpec,
    limits: ResponseLimits,
    ask: RequestBuilder,
    read: fn(&Value) -> String,
}

impl SearchTool {
    /// A tool of this name. `ask` makes the request for a question, `read` the text from the answer's JSON.
    pub(crate) fn new(
        name: &str,
        description: &str,
        ask: impl Fn(&str) -> WebRequest + Send + Sync + 'static,
        read: fn(&Value) -> String,
    ) -> Self {
        let spec = one_argument(name, description, "input", "What to search for.");
        Self { spec, limits: ResponseLimits::default(), ask: Box::new(ask), read }
    }

    /// With other limits than those of every request.
    #[must_use]
    pub(crate) const fn within(mut self, limits: ResponseLimits) -> Self {
        self.limits = limits;
        self
    }
}

impl Tool for SearchTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let question = text_argument(arguments, "input")?;
        let text = (self.read)(&(self.ask)(question).fetch_json(turn.host, self.limits)?);
        Ok(if text.is_empty() { NOTHING_FOUND.to_owned() } else { text })
    }
}

/// A tool that takes one text.
#[must_use]
pub(crate) fn one_argument(name: &str, description: &str, argument: &str, of: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({
            "type": "object",
            "properties": {argument: {"type": "string", "description": of}},
            "required": [argument],
        }),
    }
}

/// What the owner calls a tool, as models call it, and when it is used. Where nobody wrote that, it bears the label of its
/// card, and `does` says what it does with that.
#[must_use]
pub(crate) fn name_and_description(inputs: &Inputs<'_>, does: &str) -> (String, String) {
    let written = |name: &str| inputs.optional_text(name).filter(|text| !text.trim().is_empty());
    let name = written("name").unwrap_or_else(|| inputs.label.to_owned());
    let description = written("description").unwrap_or_else(|| format!("{does} '{}'.", name.trim()));
    (model_name(&name), description)
}

/// A text argument that must say something.
///
/// # Errors
/// When it is empty.
pub(crate) fn text_argument<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, String> {
    let text = arguments.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if text.is_empty() { Err(format!("The argument '{name}' is empty.")) } else { Ok(text) }
}

/// The results of a list as JSON text of title, link and snippet, which stand in it under these names; empty when
/// there are none.
#[must_use]
pub(crate) fn results(list: &Value, link: &str, snippet: &str) -> String {
    let found: Vec<Value> = list
        .as_array()
        .into_iter()
        .flatten()
        .map(|result| json!({"title": result["title"], "link": result[link], "snippet": result[snippet]}))
        .collect();
    if found.is_empty() { String::new() } else { Value::Array(found).to_string() }
}

/// The first of these places that holds a text.
#[must_use]
pub(crate) fn first_text(answer: &Value, places: &[&str]) -> Option<String> {
    let text = |place: &&str| answer.pointer(place)?.as_str().map(str::trim).filter(|text| !text.is_empty());
    places.iter().find_map(text).map(str::to_owned)
}

/// An object of those values that are set.
#[must_use]
pub(crate) fn set_only(values: impl IntoIterator<Item = (&'static str, Value)>) -> Map<String, Value> {
    let is_set = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    };
    values
        .into_iter()
        .filter(|(_, value)| is_set(value))
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
