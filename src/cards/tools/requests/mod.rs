//! What the tools that call an address have in common (manual 9.15): the owner writes the
//! address, the model fills in what its schema names.

pub(crate) mod requests_delete;
pub(crate) mod requests_get;
pub(crate) mod requests_post;
pub(crate) mod requests_put;

use crate::domain::error::Result;
use crate::domain::workspace::tool::model_name;
use crate::kit::knowledge::untrusted_text;
use crate::kit::web::request::WebRequest;
use crate::kit::{CallError, Inputs, RunContext, Tool};
use crate::llm::ToolSpec;
use crate::net::ResponseLimits;
use serde_json::{Map, Value, json};
use url::Url;

/// How much of an answer a model reads, in characters.
pub(crate) const OUTPUT_DEFAULT: &str = "2000";

/// Types of arguments other than text.
const KINDS: &[&str] = &["number", "integer", "boolean", "object", "array"];

/// What tells one of these cards from another.
pub(crate) struct RequestKind {
    pub method: &'static str,
    /// What the names of its inputs begin with.
    pub prefix: &'static str,
    pub schema: &'static str,
    /// Its input for the body; without one, arguments go into path and query.
    pub body: Option<&'static str>,
}

/// A tool that calls one address.
pub(crate) struct RequestTool {
    kind: &'static RequestKind,
    spec: ToolSpec,
    url: String,
    headers: Vec<(String, String)>,
    /// The arguments that go into the path; the others go into the query or the body.
    in_path: Vec<String>,
    body: Map<String, Value>,
    /// Without a schema a body is whatever the model sends.
    takes_any_body: bool,
    output_chars_max: usize,
}

impl RequestTool {
    /// A tool from the inputs of a card of this kind.
    ///
    /// # Errors
    /// When an input cannot be read.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, kind: &'static RequestKind) -> Result<Self> {
        let input = |end: &str| format!("{}{end}", kind.prefix);
        let schema = inputs.object(kind.schema)?;
        let url = inputs.text(&input("Url"))?.trim().to_owned();
        let (properties, required) = arguments(&schema, &url);
        let takes_any_body = kind.body.is_some() && schema.is_empty();
        let properties = if takes_any_body {
            json!({"body": {"type": "object", "description": "What is sent, as a JSON object."}})
        } else {
            Value::Object(properties)
        };
        let output_chars_max = inputs.whole(&input("MaxOutputLength"))?.unwrap_or(u64::MAX);
        Ok(Self {
            spec: ToolSpec {
                name: model_name(&inputs.text(&input("Name"))?).to_lowercase(),
                description: inputs.text(&input("Description"))?,
                schema: json!({"type": "object", "properties": properties, "required": required}),
            },
            url,
            headers: pairs(inputs, &input("Headers"))?,
            in_path: in_path(&schema),
            body: kind.body.map_or_else(|| Ok(Map::new()), |body| inputs.object(body))?,
            takes_any_body,
            output_chars_max: usize::try_from(output_chars_max).unwrap_or(usize::MAX),
            kind,
        })
    }

    fn request(&self, arguments: &Value) -> Result<WebRequest, String> {
        let empty = Map::new();
        let given = arguments.as_object().unwrap_or(&empty);
        let url = Url::parse(&self.url).map_err(|_| "The tool's address is not a full URL.")?;
        let url = fill_path(url, &self.in_path, given)?;
        let request = WebRequest::new(self.kind.method, url);
        let request = self.headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        let rest = given.iter().filter(|(name, value)| !self.in_path.contains(name) && !value.is_null());
        if self.kind.body.is_none() {
            let pairs: Vec<(&str, String)> =
                rest.map(|(name, value)| (name.as_str(), text_of(value))).collect();
            return Ok(request.query(pairs.iter().map(|(name, value)| (*name, value.as_str()))));
        }
        let mut body = self.body.clone();
        if self.takes_any_body {
            body.extend(given.get("body").and_then(Value::as_object).cloned().unwrap_or_default());
        } else {
            body.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
        }
        Ok(request.json(&Value::Object(body)))
    }
}

impl Tool for RequestTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let text = self.request(arguments)?.fetch_text(turn, ResponseLimits::default())?;
        let shown: String = text.chars().take(self.output_chars_max).collect();
        Ok(untrusted_text::mark_untrusted("response", &self.spec.name, &shown))
    }
}

/// Names and values of an input that is a JSON object, or rows of key and value.
///
/// # Errors
/// When it is something else.
pub(crate) fn pairs(inputs: &Inputs<'_>, name: &str) -> Result<Vec<(String, String)>> {
    let row = |row: &Value| {
        let key = row.get("key")?.as_str().filter(|key| !key.is_empty())?;
        Some((key.to_owned(), text_of(row.get("value")?)))
    };
    match inputs.json(name)? {
        None => Ok(Vec::new()),
        Some(Value::Object(map)) => {
            Ok(map.iter().map(|(key, value)| (key.clone(), text_of(value))).collect())
        }
        Some(Value::Array(rows)) => Ok(rows.iter().filter_map(row).collect()),
        Some(_) => Err(inputs.input_error(name, "this must be a JSON object")),
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The owner's rows as properties of a JSON Schema, and the names of those that must be there: an address with a gap is none.
fn arguments<'s>(schema: &'s Map<String, Value>, url: &str) -> (Map<String, Value>, Vec<&'s str>) {
    let property = |(name, row): (&String, &Value)| {
        let kind = row["type"].as_str().filter(|kind| KINDS.contains(kind)).unwrap_or("string");
        let description = row["description"].as_str().unwrap_or_default();
        (name.clone(), json!({"type": kind, "description": description}))
    };
    let places = Url::parse(url).ok();
    let places: Vec<&str> = places.as_ref().and_then(Url::path_segments).into_iter().flatten().collect();
    let is_required = |(name, row): &(&String, &Value)| {
        row["required"] == true
            || (row["in"] == "path" && places.iter().any(|segment| is_place(segment, name)))
    };
    let required = schema.iter().filter(is_required).map(|(name, _)| name.as_str());
    (schema.iter().map(property).collect(), required.collect())
}

fn in_path(schema: &Map<String, Value>) -> Vec<String> {
    schema.iter().filter(|(_, row)| row["in"] == "path").map(|(name, _)| name.clone()).collect()
}

/// True for the segment of a path that an argument takes the place of.
fn is_place(segment: &str, name: &str) -> bool {
    segment.strip_prefix(':') == Some(name)
}

/// The address with `:name` in its path replaced, and what has no such place behind it. A value stays within its segment: it
/// cannot lead anywhere else.
fn fill_path(mut url: Url, in_path: &[String], given: &Map<String, Value>) -> Result<Url, String> {
    if in_path.is_empty() {
        return Ok(url);
    }
    let value = |name: &str| match given.get(name).map(text_of).unwrap_or_default() {
        text if ["", ".", ".."].contains(&text.as_str()) => {
            Err(format!("The argument '{name}' cannot be '{text}'."))
        }
        text => Ok(text),
    };
    let mut segments = Vec::new();
    let mut placed = Vec::new();
    for segment in url.path_segments().into_iter().flatten() {
        segments.push(match in_path.iter().find(|name| is_place(segment, name)) {
            None => percent_encoding::percent_decode_str(segment).decode_utf8_lossy().into_owned(),
            Some(name) => {
                placed.push(name);
                value(name)?
            }
        });
    }
    let is_given = |name: &&String| given.get(name.as_str()).is_some_and(|value| !value.is_null());
    for name in in_path.iter().filter(|name| !placed.contains(name)).filter(is_given) {
        segments.pop_if(|last| last.is_empty());
        segments.push(value(name)?);
    }
    let mut path = url.path_segments_mut().map_err(|()| "The tool's address has no path.")?;
    path.clear().extend(segments);
    drop(path);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(url: &str, given: Value) -> Result<String, String> {
        let names = ["id".to_owned()];
        fill_path(Url::parse(url).unwrap(), &names, given.as_object().unwrap()).map(String::from)
    }

    #[test]
    fn a_path_argument_stays_within_its_segment() {
        let url = "http://a:80/x%20y/:id/z?q=:id";
        assert_eq!(fill(url, json!({"id": "7"})).unwrap(), "http://a/x%20y/7/z?q=:id");
        assert_eq!(fill(url, json!({"id": "../b?c#d"})).unwrap(), "http://a/x%20y/..%2Fb%3Fc%23d/z?q=:id");
        for bad in [json!({}), json!({"id": ".."}), json!({"id": ""})] {
            assert!(fill(url, bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_argument_without_a_place_stands_behind_the_path() {
        for url in ["http://a/events", "http://a/events/"] {
            assert_eq!(fill(url, json!({"id": "7/8"})).unwrap(), "http://a/events/7%2F8");
            assert_eq!(fill(url, json!({})).unwrap(), url);
            assert_eq!(fill(url, json!({"id": null})).unwrap(), url);
            assert!(fill(url, json!({"id": ".."})).is_err());
        }
        assert_eq!(fill("http://a", json!({"id": "7"})).unwrap(), "http://a/7");
    }

    #[test]
    fn a_path_argument_must_be_there_where_the_address_has_its_place() {
        let rows = json!({"id": {"in": "path"}, "day": {"in": "path", "required": true}});
        let required = |url| arguments(rows.as_object().unwrap(), url).1;
        assert_eq!(required("http://a/events/:id"), ["id", "day"]);
        assert_eq!(required("http://a/events"), ["day"]);
    }

    #[test]
    fn the_owners_rows_become_a_schema() {
        let rows = json!({"id": {"type": "string", "in": "path"}, "n": {"type": "number", "required": true,
            "description": "How many"}, "day": {"type": "date"}});
        let (properties, required) = arguments(rows.as_object().unwrap(), "http://a/:id");
        assert_eq!(required, ["id", "n"]);
        assert_eq!(properties["n"], json!({"type": "number", "description": "How many"}));
        assert_eq!(properties["day"]["type"], "string");
    }
}
