//! Descriptions of APIs (OpenAPI 3, as YAML or JSON): what can be called, as tools of a model, and the calls.

use super::request::WebRequest;
use crate::domain::error::Result;
use crate::domain::workspace::tool::model_name;
use crate::kit::build::inputs::Inputs;
use crate::kit::knowledge::loading::DocumentSource as _;
use crate::kit::knowledge::loading::file_source;
use crate::llm::ToolSpec;
use crate::net::ResponseLimits;
use serde_json::{Map, Value, json};
use url::Url;

/// Largest description of an API (manual 14.5).
const OPENAPI_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Operations of an API that become tools (manual 14.5).
const OPENAPI_OPERATIONS_MAX: usize = 300;
/// Values of one schema of an API that a model is shown (manual 14.5).
const OPENAPI_SCHEMA_VALUES_MAX: usize = 1_000;

/// Arguments of a tool, by where they go.
const IN_PATH: &str = "PathParameters";
const IN_QUERY: &str = "QueryParameters";
const BODY: &str = "RequestBody";
/// The input of the cards here that holds what goes with each call.
const HEADERS: &str = "headers";

const METHODS: &[&str] = &["get", "put", "post", "delete", "patch"];
/// Words of a schema that say nothing to a model.
const WORDLESS: &[&str] = &["example", "examples", "xml", "externalDocs", "discriminator"];
const SCHEMA_LEVELS_MAX: usize = 8;
const DESCRIPTION_CHARS_MAX: usize = 1024;
/// Parameters of one operation, with those of its path.
const PARAMETERS_MAX: usize = 100;
/// Text of all schemas of a description together.
const SCHEMAS_BYTES_MAX: usize = 4 << 20;
/// The longest address of a server.
const ADDRESS_BYTES_MAX: usize = 2048;

/// An API as its description has it.
#[derive(Debug)]
pub(crate) struct ApiDescription {
    /// Where it is, in the description's order.
    pub servers: Vec<Url>,
    /// What can be called: those operations that have an id.
    pub operations: Vec<Operation>,
}

/// One thing that can be called.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub id: String,
    pub spec: ToolSpec,
    method: String,
    path: String,
    in_path: Vec<String>,
}

/// A call, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiCall {
    /// The method, in capitals.
    pub method: String,
    pub url: Url,
    pub body: Option<Value>,
}

impl ApiCall {
    /// The request, with these headers.
    #[must_use]
    pub(crate) fn request(&self, headers: &[(String, String)]) -> WebRequest {
        let request = WebRequest::new(&self.method, self.url.as_str());
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        match &self.body {
            Some(body) => request.json(body),
            None => request,
        }
    }
}

/// The description that a card was given: a file or, without one, an address. A description that was fetched does not
/// decide where the card's headers go: with headers, its servers count at the address its owner wrote and nowhere else.
///
/// # Errors
/// When there is none, or it cannot be read.
pub(crate) fn load_description(inputs: &Inputs<'_>, files: &[&str], link: &str) -> Result<ApiDescription> {
    let file = files.iter().find(|name| inputs.optional_text(name).is_some());
    let (at, text, base) = match (file, inputs.address(link)) {
        (Some(&name), _) => {
            let source = file_source(inputs, name, |file| {
                Ok(vec![file.document(String::from_utf8_lossy(file.bytes))])
            })?;
            let text = source.read(inputs.host)?.into_iter().next().map(|file| file.page_content);
            (name, text.unwrap_or_default(), None)
        }
        (None, Some(url)) => {
            let (text, url) =
                fetch_description(inputs, &url).map_err(|why| inputs.input_error(link, &why))?;
            (link, text, Url::parse(&url).ok())
        }
        (None, None) => {
            return Err(
                inputs.input_error(link, "give a description of the API, by a file or by its address")
            );
        }
    };
    let mut api = ApiDescription::parse(&text, base.as_ref()).map_err(|why| inputs.input_error(at, &why))?;
    if at == link && inputs.optional_text(HEADERS).is_some_and(|headers| !headers.trim().is_empty()) {
        let own = inputs.address(link).and_then(|link| Url::parse(&link).ok());
        api.servers.retain(|server| own.as_ref().is_some_and(|own| own.origin() == server.origin()));
    }
    Ok(api)
}

fn fetch_description(inputs: &Inputs<'_>, url: &str) -> Result<(String, String), String> {
    let answer = WebRequest::get(url).send(inputs.host, ResponseLimits::default());
    let answer = answer.map_err(|why| why.to_string())?;
    Ok((answer.body, answer.url))
}

impl ApiDescription {
    /// Reads a description; `base` is where it was found.
    ///
    /// # Errors
    /// What is wrong with it, in our words.
    pub(crate) fn parse(text: &str, base: Option<&Url>) -> Result<Self, String> {
        if text.len() > OPENAPI_BYTES_MAX {
            return Err(format!("the description is larger than {} MiB", OPENAPI_BYTES_MAX / 1024 / 1024));
        }
        let root: Value = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|_| "the description is not JSON")?
        } else {
            serde_saphyr::from_str(text).map_err(|_| "the description is not YAML that can be read")?
        };
        if !root["openapi"].as_str().is_some_and(|version| version.starts_with("3.")) {
            return Err("this is not a description in OpenAPI 3".to_owned());
        }
        let mut operations = Vec::new();
        let mut schemas = Schemas { root: &root, bytes: SCHEMAS_BYTES_MAX };
        let paths = root["paths"].as_object().ok_or("the description has no paths")?;
        for (path, item) in paths {
            let item = resolve_reference(&root, item);
            for method in METHODS {
                if operations.len() >= OPENAPI_OPERATIONS_MAX {
                    break;
                }
                let read = |own| Operation::parse(&mut schemas, path, method, item, own);
                operations.extend(item.get(*method).and_then(read));
            }
        }
        Ok(Self { servers: servers(&root, base), operations })
    }
}

impl Operation {
    fn parse(schemas: &mut Schemas<'_>, path: &str, method: &str, item: &Value, own: &Value) -> Option<Self> {
        let root = schemas.root;
        let id = own["operationId"].as_str().filter(|id| !id.is_empty())?.to_owned();
        let listed = |of: &Value| of["parameters"].as_array().cloned().unwrap_or_default();
        let (mut in_path, mut in_query) = (ParameterSet::default(), ParameterSet::default());
        // Those of the operation go over those of its path.
        for parameter in listed(item).iter().chain(&listed(own)).take(PARAMETERS_MAX) {
            let parameter = resolve_reference(root, parameter);
            match parameter["in"].as_str() {
                Some("path") => in_path.add(schemas, parameter),
                Some("query") => in_query.add(schemas, parameter),
                _ => {}
            }
        }
        let mut arguments = ParameterSet::default();
        let path_names: Vec<String> = in_path.properties.keys().cloned().collect();
        arguments.put(IN_PATH, in_path.schema(), !path_names.is_empty());
        arguments.put(IN_QUERY, in_query.schema(), !in_query.required.is_empty());
        let body = resolve_reference(root, &own["requestBody"]);
        if let Some(schema) = json_schema(body) {
            arguments.put(BODY, Some(schemas.plain(schema)), body["required"] == true);
        }
        let texts = ["description", "summary"].iter().filter_map(|name| own[*name].as_str());
        let described = texts.map(str::trim).find(|text| !text.is_empty()).unwrap_or(&id);
        Some(Self {
            spec: ToolSpec {
                name: model_name(&id),
                description: described.chars().take(DESCRIPTION_CHARS_MAX).collect(),
                schema: arguments.schema().unwrap_or_else(|| json!({"type": "object", "properties": {}})),
            },
            id,
            method: method.to_uppercase(),
            path: path.to_owned(),
            in_path: path_names,
        })
    }

    /// The call that a model's arguments stand for, below `server`.
    ///
    /// # Errors
    /// A sentence the model can act on.
    pub(crate) fn call(
        &self,
        server: &Url,
        arguments: &Value,
        removes_nulls: bool,
    ) -> Result<ApiCall, String> {
        let given = |name: &str| arguments.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        let (in_path, in_query) = (given(IN_PATH), given(IN_QUERY));
        let mut url = server.clone();
        let segments = self.path.trim_matches('/').split('/').map(|segment| self.segment(segment, &in_path));
        let segments = segments.collect::<Result<Vec<_>, String>>()?;
        url.path_segments_mut()
            .map_err(|()| "The API's address has no path.")?
            .pop_if_empty()
            .extend(segments);
        for (name, value) in &in_query {
            match value {
                Value::Null => {}
                Value::Array(items) => items.iter().for_each(|item| {
                    url.query_pairs_mut().append_pair(name, &text_of(item));
                }),
                value => drop(url.query_pairs_mut().append_pair(name, &text_of(value))),
            }
        }
        let mut body = arguments.get(BODY).cloned().filter(|body| !body.is_null());
        if let Some(body) = body.as_mut().filter(|_| removes_nulls) {
            remove_nulls(body);
        }
        Ok(ApiCall { method: self.method.clone(), url, body })
    }

    /// A piece of the path with its arguments. They stay within it: they cannot lead anywhere else.
    fn segment(&self, segment: &str, given: &Map<String, Value>) -> Result<String, String> {
        let mut text = segment.to_owned();
        for name in &self.in_path {
            let place = format!("{{{name}}}");
            if segment.contains(&place) {
                let value = given.get(name).map(text_of).filter(|value| !value.is_empty());
                let value = value.ok_or_else(|| format!("The path parameter '{name}' is missing."))?;
                text = text.replace(&place, &value);
            }
        }
        if text != segment && [".", ".."].contains(&text.as_str()) {
            return Err(format!("The path cannot hold '{text}'."));
        }
        Ok(text)
    }
}

/// Arguments of one kind, in the making.
#[derive(Default)]
struct ParameterSet {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl ParameterSet {
    fn add(&mut self, schemas: &mut Schemas<'_>, parameter: &Value) {
        let Some(name) = parameter["name"].as_str() else { return };
        let schema = parameter.get("schema").or_else(|| json_schema(parameter));
        let mut schema = schema.map_or_else(|| json!({"type": "string"}), |schema| schemas.plain(schema));
        if let (Some(told), Some(map)) = (parameter["description"].as_str(), schema.as_object_mut()) {
            map.insert(
                "description".into(),
                told.chars().take(DESCRIPTION_CHARS_MAX).collect::<String>().into(),
            );
        }
        self.required.retain(|other| other != name);
        self.put(name, Some(schema), parameter["required"] == true || parameter["in"] == "path");
    }

    fn put(&mut self, name: &str, schema: Option<Value>, is_required: bool) {
        let Some(schema) = schema else { return };
        self.properties.insert(name.to_owned(), schema);
        if is_required {
            self.required.push(name.to_owned());
        }
    }

    fn schema(&self) -> Option<Value> {
        (!self.properties.is_empty())
            .then(|| json!({"type": "object", "properties": self.properties, "required": self.required}))
    }
}

/// The schema of what is sent as JSON.
fn json_schema(of: &Value) -> Option<&Value> {
    let content = of["content"].as_object()?;
    let json =
        content.iter().find(|(kind, _)| kind.starts_with("application/json")).or(content.iter().next());
    json?.1.get("schema")
}

/// What a reference within the description stands for; anything else stands for itself.
fn resolve_reference<'v>(root: &'v Value, value: &'v Value) -> &'v Value {
    const HOPS_MAX: usize = 8;
    let mut value = value;
    for _ in 0..HOPS_MAX {
        let Some(to) = value.get("$ref").and_then(Value::as_str) else { break };
        let Some(found) = to.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) else {
            return &Value::Null;
        };
        value = found;
    }
    value
}

/// The schemas of a description, on their way to a model.
struct Schemas<'v> {
    root: &'v Value,
    /// How much may still be copied: a short description can name a long schema many times.
    bytes: usize,
}

impl Schemas<'_> {
    /// A schema without references, as deep and as large as a model needs.
    fn plain(&mut self, schema: &Value) -> Value {
        let mut values = OPENAPI_SCHEMA_VALUES_MAX;
        self.copy(schema, SCHEMA_LEVELS_MAX * 2, &mut values).unwrap_or_else(|| json!({}))
    }

    /// `None` where there is no room left.
    fn copy(&mut self, value: &Value, levels: usize, values: &mut usize) -> Option<Value> {
        let value = resolve_reference(self.root, value);
        *values = values.checked_sub(1)?;
        self.bytes = self.bytes.checked_sub(value.as_str().map_or(8, str::len))?;
        match value {
            Value::Object(_) | Value::Array(_) if levels == 0 => Some(json!({})),
            Value::Object(map) => {
                let mut copy = Map::new();
                for (name, value) in map {
                    let says = !WORDLESS.contains(&name.as_str()) && !name.starts_with("x-");
                    if says {
                        self.bytes = self.bytes.checked_sub(name.len())?;
                        let Some(value) = self.copy(value, levels - 1, values) else { break };
                        copy.insert(name.clone(), value);
                    }
                }
                Some(Value::Object(copy))
            }
            Value::Array(items) => {
                Some(items.iter().map_while(|item| self.copy(item, levels - 1, values)).collect())
            }
            other => Some(other.clone()),
        }
    }
}

/// An address with the defaults of its variables, put in once; `None` when it grows too long.
fn with_defaults(address: &str, variables: &Value) -> Option<String> {
    let (mut text, mut rest) = (String::new(), address);
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (name, behind) = after.split_once('}')?;
        text.push_str(variables[name]["default"].as_str().unwrap_or_default());
        rest = behind;
        if text.len() > ADDRESS_BYTES_MAX {
            return None;
        }
    }
    text.push_str(rest);
    (text.len() <= ADDRESS_BYTES_MAX).then_some(text)
}

/// The addresses of the description, their variables at their defaults.
fn servers(root: &Value, base: Option<&Url>) -> Vec<Url> {
    let listed = root["servers"].as_array().cloned().unwrap_or_default();
    let address = |server: &Value| {
        let text = with_defaults(server["url"].as_str()?, &server["variables"])?;
        let url = match base {
            Some(base) => base.join(&text).ok()?,
            None => Url::parse(&text).ok()?,
        };
        matches!(url.scheme(), "http" | "https").then_some(url)
    };
    let mut found: Vec<Url> = listed.iter().filter_map(address).collect();
    if listed.is_empty() {
        found.extend(base.and_then(|base| base.join("/").ok()));
    }
    found
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
